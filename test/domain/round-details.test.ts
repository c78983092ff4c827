import { marksOf } from '../../src/domain/round/marks';
import { snapshotOf } from '../../src/domain/round/replies';
import { restoredRound } from '../../src/domain/round/restored';
import { detailsText } from '../../workflows/gameround/texts';
import {
  addWin,
  collectWin,
  end,
  opened,
  OPERATOR_ERROR,
  rejected,
  start,
  type TestRound,
  ACCEPTED,
} from './support';

/* What a person reads of a round in Temporal Web ("User Metadata", docs/operations.md). */

const WON = start({ winAmount: 40 });
const details = ({ state }: TestRound): string => detailsText(state, marksOf(state), new Date(0));

test('a crashed round says which error the operator gave', () => {
  const round = opened(WON);
  round.do(end(), rejected({ maybePaid: true }));
  expect(details(round)).toContain(`\n\nThe wallet refused: \`${OPERATOR_ERROR.id} ${OPERATOR_ERROR.msg}\``);
  expect(round.refusal(addWin('w', 1))).toBe('GAMEROUNDCRASHED');
  expect(details(round)).toContain(`\`${OPERATOR_ERROR.id} ${OPERATOR_ERROR.msg}\``);
});

test('nothing of that error counts as Markdown, and it is short', () => {
  const round = opened(WON);
  const msg = `**x**\`\n# ${'y'.repeat(400)}`;
  round.do(collectWin('c', 10), ACCEPTED);
  round.do(end(), rejected({ errorCode: { ...OPERATOR_ERROR, msg } }));
  const line = details(round)
    .split('\n\n')
    .find((one) => one.startsWith('The wallet refused: '));
  expect(line).toMatch(/^The wallet refused: `77 \*\*x\*\* # y+`$/);
  expect(line!.length).toBeLessThan(250);
});

test('a restored round is not told as one that the operator has refused money of', () => {
  const { state } = opened(WON);
  const restored = restoredRound(snapshotOf(state), state.settings, state.openedAt);
  const text = details({ state: restored } as TestRound);
  expect(text).toContain('`restored`: the round had come further than this workflow knows');
  expect(text).not.toContain('`crashed`:');
});

test('a round that is not crashed names no such error', () => {
  const round = opened(WON);
  round.do(end(), rejected(), ACCEPTED);
  expect(details(round)).not.toContain('The wallet refused');
});
