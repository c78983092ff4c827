import { PROVIDER_COMMAND } from '../../conformance/provider/command';
import { WALLET_COMMAND } from '../../conformance/wallet/command';
import { textOf } from './pages';

test.each([
  ['docs/integrate-a-wallet.md', WALLET_COMMAND],
  ['docs/integrate-a-game.md', PROVIDER_COMMAND],
])('%s lists each rule of the conformance tester, with its anchor', (page, { rules }) => {
  const rows = [...textOf(page).matchAll(/^\| `([\w-]+)`\s+\| \[(.*)\]\(interface\/(.*)\)\s+\|$/gm)];
  expect(rows.map(([, ...columns]) => columns)).toEqual(
    rules.map(({ name, text, anchor }) => [name, text, anchor]),
  );
});

test.each([WALLET_COMMAND, PROVIDER_COMMAND])(
  'conformance/README.md names each option',
  ({ options, flags }) => {
    const text = textOf('conformance/README.md');
    expect([...Object.keys(options), ...flags].filter((name) => !text.includes(`--${name}`))).toEqual([]);
  },
);

test('the tester checks each rule about replies that docs/operations.md names', () => {
  const [, table = ''] = textOf('docs/operations.md')
    .split('## What a wallet does wrong')[1]!
    .split('| rule ');
  const named = [...table.split('\n\n')[0]!.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(8);
  // A wallet that refuses right signatures cannot be tested at all.
  const checked = ['signature-rejected', ...WALLET_COMMAND.rules.map(({ name }) => name)];
  expect(named.filter((name) => !checked.includes(name))).toEqual([]);
});
