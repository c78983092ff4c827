import fc from 'fast-check';
import { createDemoRounds, type DemoGame } from '../../src/demo';
import { RefusedError } from '../../src/domain/errors';
import { totals } from '../../src/domain/round/replies';
import { memoryStore, player, settings, SESSION } from './support';

const amount = fc.integer({ min: 0, max: 600 });
const command = fc.oneof(
  fc.record({
    type: fc.constant('start' as const),
    stake: amount,
    win: amount,
    endGame: fc.boolean(),
    closeOpenGame: fc.boolean(),
    roundId: fc.constantFrom('r1', 'r2', 'r3', 'r4'),
    rngCallId: fc.constantFrom('d1', 'd2'),
  }),
  fc.record({ type: fc.constant('addWin' as const), win: amount, collect: fc.boolean() }),
  fc.record({ type: fc.constant('collect' as const), amount }),
  fc.record({ type: fc.constantFrom('end' as const, 'void' as const) }),
);

it('whatever is played: the balance is the launch’s, less what was bet, plus what was paid, and never below 0', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 18 }), fc.boolean(), async (commands, followUpDebits) => {
      const store = memoryStore();
      const rounds = createDemoRounds({
        store,
        settingsFor: () => Promise.resolve(settings({ followUpDebits })),
      });
      const me = player(rounds);
      for (const one of commands) {
        const open = (await me.open())?.identity.gameround ?? 'none';
        const call = {
          start: () => me.start(one as Parameters<typeof me.start>[0]),
          addWin: () => me.addWin(open, (one as { win: number }).win, (one as { collect: boolean }).collect),
          collect: () => me.collect(open, (one as { amount: number }).amount),
          end: () => me.end(open),
          void: () => me.void(open),
        }[one.type];
        await call().catch((error: unknown) => {
          if (!(error instanceof RefusedError)) throw error;
        });
        const game = (await store.load(SESSION.sessionId))?.game;
        if (game !== undefined) check(game);
      }
    }),
    { numRuns: 300 },
  );
});

/** At most 18 rounds: none was forgotten. */
function check(game: DemoGame): void {
  const expected = game.rounds
    .map(({ state }) => totals(state))
    .reduce(
      (balance, { totalBetAmount, totalWinAmount }) => balance - totalBetAmount + totalWinAmount,
      1_000,
    );
  expect(game.balance).toBe(expected);
  expect(game.balance).toBeGreaterThanOrEqual(0);
  expect(game.rounds.filter(({ state }) => state.status === 'open').length).toBeLessThanOrEqual(1);
  expect(game.rounds.every(({ state }) => state.pending === undefined && !state.crashed)).toBe(true);
}
