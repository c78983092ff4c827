import fc from 'fast-check';
import { ALL_HOSTILE, hostileStrings } from '../support/hostile';
import { addWin, opened, spins, throughJson } from './support';

/* Free-form data comes back as it was sent, whatever its names and values. */

const DATA = fc.oneof(hostileStrings, fc.constant(ALL_HOSTILE));
const OWN_OF_A_WIN = {
  rngCallId: 'draw-7',
  result: '7-7-7',
  jackpotPayout: '[{"jackpotId":"j","jackpotMode":"m"}]',
};

it('betData: all of its entries, and our own where it has none of that name', () => {
  fc.assert(
    fc.property(DATA, (betData) => {
      const { rngCallId, result } = OWN_OF_A_WIN;
      const jackpotPayout = [{ jackpotId: 'j', jackpotMode: 'm' }];
      const round = opened();
      round.do(addWin('w1', 5, { betData, rngCallId, result, jackpotPayout }));
      const entry = throughJson(round.state).gameState.at(-1)!;
      expect(entry.result.info).toEqual({ ...OWN_OF_A_WIN, ...betData });
      const hidden = Object.entries(OWN_OF_A_WIN).filter(([name]) => Object.hasOwn(betData, name));
      expect(entry.own ?? {}).toEqual(Object.fromEntries(hidden));
    }),
  );
});

it('gameStateResult: all of its entries, and our own where it has none of that name', () => {
  fc.assert(
    fc.property(DATA, (gameStateResult) => {
      const own = { counterType: 'customspin', awarded: '3', used: '1' };
      const round = opened();
      round.do({ ...spins('s1', 'customspin', 3, 1), gameStateResult });
      const entry = throughJson(round.state).gameState.at(-1)!;
      expect(entry.result.info).toEqual({ ...own, ...gameStateResult });
      const hidden = Object.entries(own).filter(([name]) => Object.hasOwn(gameStateResult, name));
      expect(entry.own ?? {}).toEqual(Object.fromEntries(hidden));
    }),
  );
});

it('what is kept beside counts as data that the round holds', () => {
  const plain = opened();
  plain.do(addWin('w1', 5, { result: 'x'.repeat(1_000) }));
  const hiding = opened();
  hiding.do(addWin('w1', 5, { result: 'x'.repeat(1_000), betData: { result: '' } }));
  expect(hiding.state.infoBytes).toBeGreaterThanOrEqual(plain.state.infoBytes);
});
