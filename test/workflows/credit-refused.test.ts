import { stateQuery } from '../../src/contracts/gameround';
import { agreedBooks, finished, refused, STAKE, until } from '../support/player';
import { sideBySide, type Scene } from '../support/side-by-side';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** A credit or end that the wallet refuses for good: the bets go back, or the round is crashed (docs/interface#credit-refused). */

const WIN = 700;
const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };
const REFUSED = { fault: 'status', status: 400, errorCode: OWN };

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

/** What every crashed round is: open, marked, closed to commands, out of the player's way. Nothing was voided. */
async function expectCrashed({ player, roundId }: Scene, hash: string): Promise<void> {
  const record = await until(
    () => harness.rounds.find(hash),
    (found) => found?.crashed === true,
  );
  expect(record).toMatchObject({ status: 'open', crashed: true, attention: ['crashed'] });
  expect(await harness.rounds.collection.findOne({ hash })).toMatchObject({ status: 'open', crashed: true });
  expect(await harness.attention(hash)).toEqual(['crashed']);
  expect(await harness.sent(hash)).not.toContain('void');
  const crashed = '400 GAMEROUNDCRASHED';
  expect(await refused(player.win(hash, { winAmount: 1 }))).toBe(crashed);
  expect(await refused(player.end(hash))).toBe(crashed);
  expect(await refused(player.collect(hash))).toBe(crashed);
  expect(await refused(player.void(hash))).toBe(crashed);
  expect(await refused(player.start({ roundId }))).toBe(crashed);
  expect((await harness.handle(hash).describe()).status.name).toBe('RUNNING');
  expect(await harness.handle(hash).query(stateQuery)).toMatchObject({ crashed: true, status: 'open' });
  const before = (await harness.sent(hash)).length;
  expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
  expect(await harness.sent(hash)).toHaveLength(before);
}

const POSSIBLY_PAID: [name: string, faults: object[]][] = [
  ['a dropped reply', [{ fault: 'dropReply' }]],
  ['a 500', [{ fault: 'status', status: 500 }]],
  ['a time-out', [{ fault: 'hang' }]],
  [
    'a 429 and then a 500',
    [
      { fault: 'status', status: 429 },
      { fault: 'status', status: 500 },
    ],
  ],
  [
    'a 500 and then a 429',
    [
      { fault: 'status', status: 500 },
      { fault: 'status', status: 429 },
    ],
  ],
];

sideBySide(
  () => harness,
  (scenario) => {
    for (const [name, fault] of [
      ['on top', REFUSED],
      ['for every hash', { ...REFUSED, where: 'hash' }],
      ['with another 4xx', { ...REFUSED, status: 403 }],
    ] as const) {
      scenario(
        `refused ${name}: the bet goes back, the operator's error passes through`,
        async ({ player, roundId, on }) => {
          const hash = await player.open({ winAmount: WIN, roundId });
          await on(undefined, fault);
          const reply = await player.end(hash);
          expect(reply).toMatchObject({
            gameRoundInfo: { hash, status: 'cancel' },
            amountCredited: 0,
            refusal: { status: 400, errorCode: OWN },
          });
          await finished(harness, hash);
          expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', 'void']);
          const { record, ledger } = await agreedBooks(harness, hash);
          expect(record).toMatchObject({
            status: 'cancel',
            attention: [],
            amountToCollect: 0,
            crashed: false,
          });
          expect(record.transactions.map(({ type, outcome }) => `${type} ${outcome}`)).toEqual([
            'debit accepted',
            'credit declined',
            'end declined',
            'void accepted',
          ]);
          expect(ledger).toMatchObject({ status: 'voided', net: 0 });
          expect(await refused(player.end(hash))).toBe('400 GAMEROUNDNOTACTIVE');
          expect(await refused(player.start({ roundId }))).toBe('400 GAMEROUNDNOTACTIVE');
        },
      );
    }

    scenario('a win that comes with the start and is refused: the bet goes back', async ({ player, on }) => {
      await on('credit', REFUSED);
      const reply = await player.start({ winAmount: WIN, endGame: true });
      expect(reply).toMatchObject({
        gameRoundInfo: { status: 'cancel' },
        refusal: { status: 400, errorCode: OWN },
      });
      const { hash } = reply.gameRoundInfo;
      await finished(harness, hash);
      expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { status: 'voided', net: 0 } });
    });

    scenario(
      'refused after retries that certainly did not pay: the bet goes back',
      async ({ player, on }) => {
        const hash = await player.open({ winAmount: WIN });
        await on('credit', { fault: 'status', status: 429, times: 2 }, REFUSED);
        expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
        await finished(harness, hash);
        expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', 'credit+end', 'credit+end', 'void']);
        expect(await agreedBooks(harness, hash)).toMatchObject({ ledger: { status: 'voided', net: 0 } });
      },
    );

    for (const [name, faults] of POSSIBLY_PAID) {
      scenario(`refused after ${name}: it may have been paid, so the round is crashed`, async (scene) => {
        const { player, roundId, on } = scene;
        const hash = await player.open({ winAmount: WIN, roundId });
        await on('credit', ...faults, REFUSED);
        const reply = await player.end(hash);
        expect(reply).toMatchObject({
          gameRoundInfo: { hash, status: 'open' },
          amountCredited: 0,
          refusal: { status: 400, errorCode: OWN },
        });
        await expectCrashed(scene, hash);
        const record = await harness.rounds.find(hash);
        expect(record?.transactions.find(({ type }) => type === 'credit')?.outcome).toBe('pending');
      });
    }

    scenario('refused after an earlier credit succeeded: crashed, nothing voided', async (scene) => {
      const { player, roundId, on } = scene;
      const hash = await player.open({ winAmount: WIN, roundId });
      await player.collect(hash, 100);
      await on('credit', REFUSED);
      expect(await player.end(hash)).toMatchObject({
        gameRoundInfo: { status: 'open' },
        refusal: { status: 400, errorCode: OWN },
      });
      await expectCrashed(scene, hash);
      expect(await agreedBooks(harness, hash)).toMatchObject({
        ledger: { status: 'open', net: 100 - STAKE },
      });
    });

    for (const [name, fault] of [
      ['401', { fault: 'status', status: 401 }],
      ['401 with an errorCode', { fault: 'status', status: 401, errorCode: OWN }],
      ['error 1001', { fault: 'status', status: 400, errorCode: { id: 1001 } }],
    ] as const) {
      scenario(
        `${name} to a credit: not retried, nothing voided, and resumed it is paid once`,
        async (scene) => {
          const { player, on } = scene;
          const hash = await player.open({ winAmount: WIN });
          await on('credit', fault);
          const ending = player.end(hash, 'end');
          await until(
            () => harness.attention(hash),
            (marks) => marks.includes('credit-unauthorised'),
          );
          const busy = '503 OPERATIONBEINGPROCESSED';
          expect(await refused(player.win(hash, { winAmount: 1 }))).toBe(busy);
          expect(await refused(player.void(hash))).toBe(busy);
          expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
          await harness.handle(hash).signal('resume');
          expect(await ending).toMatchObject({ gameRoundInfo: { status: 'closed' }, amountCredited: WIN });
          await finished(harness, hash);
          expect(await harness.sent(hash)).toEqual(['debit', 'credit+end', 'credit+end']);
          const { record, ledger } = await agreedBooks(harness, hash);
          expect(record).toMatchObject({ attention: [], crashed: false });
          expect(ledger).toMatchObject({ status: 'closed', net: WIN - STAKE });
        },
      );
    }

    scenario('a refused end alone: crashed, nothing voided', async (scene) => {
      const { player, roundId, on } = scene;
      const hash = await player.open({ roundId });
      await on('end', REFUSED);
      expect(await player.end(hash)).toMatchObject({
        gameRoundInfo: { status: 'open' },
        refusal: { status: 400, errorCode: OWN },
      });
      expect(await harness.sent(hash)).toEqual(['debit', 'end']);
      await expectCrashed(scene, hash);
    });

    scenario('a credit that was paid beside its refused end: crashed, the credit counts', async (scene) => {
      const { player, roundId, on } = scene;
      const hash = await player.open({ winAmount: WIN, roundId });
      await on('end', { ...REFUSED, where: 'hash' });
      const reply = await player.end(hash);
      expect(reply).toMatchObject({
        gameRoundInfo: { status: 'open' },
        refusal: { status: 400, errorCode: OWN },
      });
      expect(await harness.sent(hash)).toEqual(['debit', 'credit+end']);
      await expectCrashed(scene, hash);
      const { record, ledger } = await agreedBooks(harness, hash);
      expect(record).toMatchObject({ amountToCollect: 0 });
      expect(ledger).toMatchObject({ status: 'open', net: WIN - STAKE });
    });

    scenario('an end without credit that gets no answer is retried', async ({ player, on }) => {
      const hash = await player.open();
      await on('end', { fault: 'dropReply' }, { fault: 'status', status: 400 });
      expect(await player.end(hash)).toMatchObject({ gameRoundInfo: { status: 'closed' } });
      expect(await harness.sent(hash)).toEqual(['debit', 'end', 'end', 'end']);
      await finished(harness, hash);
      await agreedBooks(harness, hash);
    });
  },
);
