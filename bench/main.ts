/*
 * `npm run bench [-- NAME] [options]`: without a name the product beside others (compare.ts). Each other bench is a file of
 * this folder that says its options.
 */

const BENCHES: Record<string, () => Promise<unknown>> = {
  compare: () => import('./compare.js'),
  overload: () => import('./overload.js'),
  soak: () => import('./soak.js'),
  'open-rounds': () => import('./open-rounds.js'),
  growth: () => import('./growth.js'),
  'long-round': () => import('./long-round.js'),
  rolling: () => import('./rolling.js'),
  cluster: () => import('./cluster.js'),
};

const [first = ''] = process.argv.slice(2);
const name = first === '' || first.startsWith('-') ? 'compare' : first;
if (name === first) process.argv.splice(2, 1);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (bench === undefined) {
  console.error(`${name} is no bench: ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
bench().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
