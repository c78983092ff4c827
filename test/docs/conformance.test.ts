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
