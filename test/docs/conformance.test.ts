import { REPLY_RULES } from '../../conformance/reply-rules';
import { WALLET_RULES } from '../../conformance/wallet-rules';
import { textOf } from './pages';

test('docs/integrate-a-wallet.md lists each rule of the conformance tester, with its anchor', () => {
  const rows = [
    ...textOf('docs/integrate-a-wallet.md').matchAll(
      /^\| `([\w-]+)`\s+\| \[(.*)\]\(interface\/(.*)\)\s+\|$/gm,
    ),
  ];
  const rules = [...WALLET_RULES, ...REPLY_RULES].map(({ name, text, anchor }) => [name, text, anchor]);
  expect(rows.map(([, ...columns]) => columns)).toEqual(rules);
});
