import { resumeSignal, stateQuery } from '../../src/contracts/gameround';
import { agreedBooks, finished, refused, STAKE, until } from '../support/player';
import { sideBySide, type Scene } from '../support/side-by-side';
import { startRounds, type RoundsHarness } from '../support/rounds-harness';

/** Taking bets back: by the provider's voidGameRound, and by us after a debit without an answer (docs/interface#void-game-round, #debit-unknown). */

const OWN = { id: 4711, msg: 'LIMIT', clientmsg: 'Limit reached.' };

let harness: RoundsHarness;

beforeAll(async () => {
  harness = await startRounds();
});

afterAll(async () => {
  await harness?.stop();
});

async function withMark(hash: string, mark: string): Promise<void> {
  await until(
    () => harness.attention(hash),
    (marks) => marks.includes(mark),
  );
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.attention.includes(mark as never) === true,
  );
}

async function voidedOnce({ player }: Scene, hash: string): Promise<void> {
  await finished(harness, hash);
  const { record, ledger } = await agreedBooks(harness, hash);
  expect(record.status).toBe('cancel');
  expect(ledger).toMatchObject({ status: 'voided', net: 0 });
  expect(ledger.movements.filter(({ type }) => type === 'void')).toHaveLength(1);
  expect(await harness.balance(player.session.playerId)).toBe(100_000);
}

sideBySide(
  () => harness,
  (scenario) => {
    scenario('voidGameRound three times: one effective void, then GAMEROUNDNOTACTIVE', async (scene) => {
      const { player } = scene;
      const hash = await player.open({ winAmount: 90 });
      const reply = await player.void(hash);
      expect(reply).toMatchObject({
        gameRoundInfo: { hash, status: 'cancel' },
        amountToCollect: 0,
        amountCredited: 0,
      });
      expect(reply.refusal).toBeUndefined();
      for (let again = 0; again < 2; again += 1) {
        expect(await refused(player.void(hash))).toBe('400 GAMEROUNDNOTACTIVE');
      }
      expect(await harness.sent(hash)).toEqual(['debit', 'void']);
      const [debit, taken] = (await harness.calls(hash)).map(({ body }) => body.transactions[0]);
      expect(taken?.hash).toBe(debit?.hash);
      expect(taken).not.toHaveProperty('amount');
      await voidedOnce(scene, hash);
    });

    scenario('three voids at once: one void reaches the wallet', async (scene) => {
      const { player } = scene;
      const hash = await player.open();
      const replies = await Promise.all([player.void(hash), player.void(hash), player.void(hash)]);
      expect(replies.map(({ gameRoundInfo }) => gameRoundInfo.status)).toEqual([
        'cancel',
        'cancel',
        'cancel',
      ]);
      expect(replies.some(({ refusal }) => refusal === undefined)).toBe(true);
      await voidedOnce(scene, hash);
    });

    scenario('a void after a credit is refused and changes nothing', async ({ player }) => {
      const hash = await player.open({ winAmount: 90 });
      await player.collect(hash, 10);
      const reply = await player.void(hash);
      expect(reply).toMatchObject({
        gameRoundInfo: { status: 'open' },
        amountToCollect: 80,
        refusal: { status: 400, errorCode: { id: 2011, msg: 'CREDITALREADYPROCESSED' } },
      });
      expect(await harness.sent(hash)).toEqual(['debit', 'credit']);
      expect(await player.end(hash)).toMatchObject({ amountCredited: 80 });
    });

    scenario('a void of a closed round is refused', async ({ player }) => {
      const reply = await player.start({ endGame: true });
      expect(await refused(player.void(reply.gameRoundInfo.hash))).toBe('400 GAMEROUNDNOTACTIVE');
    });

    for (const [name, fault] of [
      ['500', { fault: 'status', status: 500 }],
      ['500 after it was processed', { fault: 'status', status: 500, when: 'after' }],
      ['a dropped reply', { fault: 'dropReply' }],
      ['200 with an errorCode', { fault: 'errorOn200', errorCode: OWN }],
      ['403', { fault: 'status', status: 403, errorCode: OWN }],
      ['400 that is no JSON', { fault: 'status', status: 400 }],
      ['400 with error 16', { fault: 'status', status: 400, errorCode: { id: 16 } }],
    ] as const) {
      scenario(`a void answered ${name} is sent again, and the caller gets the answer`, async (scene) => {
        const { player, on } = scene;
        const hash = await player.open();
        await on('void', fault);
        const reply = await player.void(hash);
        expect(reply).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
        expect(reply.refusal).toBeUndefined();
        expect(await harness.sent(hash)).toEqual(['debit', 'void', 'void']);
        await voidedOnce(scene, hash);
        expect(await harness.attention(hash)).toEqual([]);
      });
    }

    scenario('a void that takes longer than the call: 503, and the same call joins it', async (scene) => {
      const { player, on } = scene;
      const hash = await player.open();
      await on('void', { fault: 'status', status: 500, times: 4 });
      const first = refused(player.void(hash));
      await withMark(hash, 'void-pending');
      expect(await harness.rounds.find(hash)).toMatchObject({ status: 'cancel' });
      expect(await first).toBe('503 OPERATIONBEINGPROCESSED');
      const joined = await player.void(hash);
      expect(joined).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
      expect(joined.refusal).toBeUndefined();
      await voidedOnce(scene, hash);
      expect(await harness.attention(hash)).toEqual([]);
      expect(await harness.rounds.find(hash)).toMatchObject({ attention: [] });
    });

    scenario(
      'our own void after an unknown debit is retried until it is taken, and holds up nobody',
      async ({ player, roundId, on }) => {
        await on('debit', { fault: 'dropReply' });
        await on('void', { fault: 'status', status: 500 }, { fault: 'reset' });
        const reply = await player.start({ roundId });
        expect(reply).toMatchObject({ gameRoundInfo: { status: 'cancel' }, refusal: { status: 502 } });
        const { hash } = reply.gameRoundInfo;
        await withMark(hash, 'void-pending');
        expect(await player.start({ endGame: true })).toMatchObject({ gameRoundInfo: { status: 'closed' } });
        await finished(harness, hash);
        expect(await harness.sent(hash)).toEqual(['debit', 'void', 'void', 'void']);
        const { record, ledger } = await agreedBooks(harness, hash);
        expect(record.attention).toEqual([]);
        expect(ledger).toMatchObject({ status: 'voided', net: 0 });
      },
    );

    scenario(
      'a 400 to the very first delivery of a void: done, but somebody should look',
      async ({ player, on }) => {
        const hash = await player.open();
        await on('void', { fault: 'status', status: 400, errorCode: OWN, when: 'after' });
        expect(await player.void(hash)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
        expect(await harness.sent(hash)).toEqual(['debit', 'void']);
        await finished(harness, hash);
        expect(await harness.attention(hash)).toEqual(['void-unconfirmed']);
        const { record } = await agreedBooks(harness, hash);
        expect(record).toMatchObject({ status: 'cancel', attention: ['void-unconfirmed'] });
      },
    );

    scenario('a 400 to a repeated void: the earlier one was processed', async (scene) => {
      const { player, on } = scene;
      const hash = await player.open();
      await on('void', { fault: 'dropReply' }, { fault: 'status', status: 400, errorCode: OWN });
      expect(await player.void(hash)).toMatchObject({ gameRoundInfo: { status: 'cancel' } });
      await voidedOnce(scene, hash);
      expect(await harness.attention(hash)).toEqual([]);
    });

    for (const [name, fault] of [
      ['401', { fault: 'status', status: 401 }],
      ['error 1001', { fault: 'status', status: 400, errorCode: { id: 1001 } }],
    ] as const) {
      scenario(
        `a void refused with ${name} waits for a person, and resume sends it again`,
        async ({ player, roundId, on }) => {
          await on('debit', { fault: 'dropReply' });
          await on('void', { fault: 'status', status: 500 }, fault, fault);
          const reply = await player.start({ roundId });
          const { hash } = reply.gameRoundInfo;
          const sentSoFar = ['debit', 'void', 'void'];
          await withMark(hash, 'void-refused');
          expect(await harness.sent(hash)).toEqual(sentSoFar);
          expect(await harness.rounds.find(hash)).toMatchObject({
            status: 'cancel',
            attention: ['void-refused'],
          });
          expect((await harness.handle(hash).query(stateQuery)).phase).toBe('retrying');
          expect(await player.start({ endGame: true })).toMatchObject({
            gameRoundInfo: { status: 'closed' },
          });

          await harness.handle(hash).signal(resumeSignal);
          await until(
            () => harness.sent(hash),
            (sent) => sent.length > sentSoFar.length,
          );
          await withMark(hash, 'void-refused');
          await harness.handle(hash).signal(resumeSignal);
          await finished(harness, hash);
          expect(await harness.sent(hash)).toEqual([...sentSoFar, 'void', 'void']);
          const { record, ledger } = await agreedBooks(harness, hash);
          expect(record.attention).toEqual([]);
          expect(ledger.net).toBe(0);
          expect(await harness.attention(hash)).toEqual([]);
        },
      );
    }

    scenario('nothing is credited or voided twice where a void and an end race', async ({ player }) => {
      const hash = await player.open({ winAmount: 60 });
      const [taken, ended] = await Promise.all([player.void(hash), player.end(hash)]);
      await finished(harness, hash);
      const { ledger, record } = await agreedBooks(harness, hash);
      expect(['cancel', 'closed']).toContain(record.status);
      expect(ledger.net).toBe(record.status === 'cancel' ? 0 : 60 - STAKE);
      expect([taken, ended].filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    });
  },
);
