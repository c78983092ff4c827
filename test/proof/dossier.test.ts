import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { collect, type Dossier } from '../../proof/dossier/collect';
import { write } from '../../proof/dossier/write';
import { runsInArchive } from '../../proof/runs';
import { openArchive } from '../../src/archive';
import { historyFromText, historyToText } from '../../src/archive/history-text';
import { fileOf } from '../../src/archive/names';
import type { RoundSnapshot } from '../../src/domain/round/types';
import { createDrawLog } from '../../src/rng/draw-log';
import { finished, playerOf, refused, until } from '../support/player';
import { OPERATORS, type RoundsHarness } from '../support/rounds-harness';
import { resetRound } from '../support/reset';
import { startProof, type ProofHarness } from './proof-harness';
import { inFirstPayload, recorded, verify } from './support';

/* `npm run dossier` and `npm run dossier:verify`. */

let proof: ProofHarness;
let harness: RoundsHarness;

beforeAll(async () => {
  proof = await startProof();
  harness = proof.harness;
  WON = /"gameround-([0-9a-f-]{36})"/.exec(await recorded('spin-won'))![1]!;
});

afterAll(() => proof?.stop());

const MADE = { madeAt: '2026-11-29T20:00:00.000Z', madeBy: 'test' };

async function dossierOf(gameround: string, folder?: string): Promise<Dossier> {
  const archive = folder === undefined ? undefined : await openArchive(folder);
  return collect({ ...proof.evidence(), archive }, gameround, MADE);
}

/** The round of the recorded history `spin-won`. */
let WON: string;

const HASH = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

test('a dossier has the calls, the wallet, the random numbers, the record and the events of a round, and no secret', async () => {
  const player = playerOf(harness);
  const { playerId, operatorId, sessionId, gameCode, providerId, mode } = player.session;
  const [rngRequestId, requestId] = [randomUUID(), randomUUID()];
  const hash = await player.open({ winAmount: 5, rngCallId: rngRequestId });
  const rngPayload = { count: 3, min: 1, max: 6 };
  await createDrawLog(harness.db).write({
    ...{
      rngRequestId,
      at: Date.now(),
      requestId,
      sessionId,
      operatorId,
      playerId,
      gameCode,
      providerId,
      mode,
    },
    ...{ rngEndPoint: 'getIntegers', rngPayload, values: [4, 1, 6] },
  });
  await player.win(hash, { winAmount: 300, betData: { reels: '1,2,3' } });
  await player.collect(hash, 100);
  await refused(player.void(hash));
  await harness.fault({ fault: 'dropReply', match: { type: 'credit', playerId } });
  await player.end(hash).catch(() => undefined);
  await finished(harness, hash);
  await harness.reconcile(operatorId, hash);
  const dossier = await dossierOf(hash);
  const { html, json, head } = write(dossier);
  for (const form of [html, json])
    expect(verify(Buffer.from(form), head)).toMatchObject({ head, problems: [] });
  expect(dossier.round).toMatchObject({
    ...{ bets: '2.50 EUR', wins: '3.05 EUR', result: 'won 0.55 EUR', status: 'closed' },
    agreement: ['The record in the database and the history agree in every field.'],
  });
  expect(
    dossier.transactions.map(({ what, outcome, balanceAfter }) => [what, outcome, balanceAfter]),
  ).toEqual([
    ['Take a bet of 2.50 EUR', 'accepted by the wallet', '997.50 EUR'],
    ['Pay a win of 1.00 EUR', 'accepted by the wallet', '998.50 EUR'],
    ['Pay a win of 2.05 EUR', 'accepted by the wallet', '1000.55 EUR'],
    ['Note the end of the round', 'accepted by the wallet', '1000.55 EUR'],
  ]);
  const story = dossier.steps.map(({ who, what }) => `${who}: ${what}`.replace(HASH, 'H'));
  // The answer to a call may come after the next call.
  expect(story.filter((line) => !line.startsWith('wallet: The wallet accepts'))).toEqual([
    'game: The game places a bet of 2.50 EUR; reports a win of 0.05 EUR; random number call H',
    "service: The service asks the operator's wallet to take a bet of 2.50 EUR (hash H)",
    `game: The game reports a win of 3.00 EUR; the game's own data: {"reels":"1,2,3"}`,
    'game: The game asks to pay out 1.00 EUR of the open winnings',
    "service: The service asks the operator's wallet to pay a win of 1.00 EUR (hash H)",
    'game: The round is to be taken back: every bet returned (reason: voidGameRound)',
    'game: The game ends the round; open winnings are to be paid',
    "service: The service asks the operator's wallet to pay a win of 2.05 EUR (hash H) and to note the end of the round (hash H)",
    'service: There is no definite answer, so it is sent again: the connection broke (ECONNRESET)',
    "service: The service asks the operator's wallet to pay a win of 2.05 EUR (hash H) and to note the end of the round (hash H)",
    'service: The round is over: closed',
    'operator: The operator asks for a reconciliation of the round',
    'service: The service sends every transaction of the round to the operator again',
    'wallet: The operator accepts all of them; balance 1000.55 EUR',
  ]);
  const answers = dossier.steps.flatMap(({ answer }) => answer ?? []);
  expect(answers).toHaveLength(5);
  expect(answers[3]).toContain('The answer to the game is that this is refused: CREDITALREADYPROCESSED');
  expect(dossier.draws).toMatchObject([{ what: 'named by the game in this round', values: [4, 1, 6] }]);
  expect(dossier.runs.map(({ run }) => [run.workflowId, run.from])).toEqual([
    [`gameround-${hash}`, 'the Temporal server'],
    [`reconcile-${hash}`, 'the Temporal server'],
  ]);
  for (const { secrets } of OPERATORS) for (const secret of secrets) expect(json).not.toContain(secret);
  expect(json).not.toMatch(/stackTrace|signedWith|secret|authorization|x-h-auth/i);
});

/** A round whose win the operator refuses: it is crashed. */
async function crashedRound(): Promise<string> {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 40 });
  await player.collect(hash, 10);
  await harness.fault({
    ...{ fault: 'status', status: 400, errorCode: { id: 4711, msg: 'LIMIT', clientmsg: '' } },
    match: { type: 'credit', playerId: player.session.playerId },
  });
  await player.end(hash).catch(() => undefined);
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.crashed === true,
  );
  return hash;
}

const MOMENT = String.raw`2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
const REFUSED = 'refused by the wallet: error 4711 LIMIT';

test('a crashed round says what is in doubt, and what a person then decided', async () => {
  const hash = await crashedRound();
  const before = await dossierOf(hash);
  expect(before.round).toMatchObject({
    status: 'open, and waiting for a decision: the operator and the service disagree',
    result: 'not known yet',
  });
  expect(before.transactions.map(({ outcome }) => outcome)).toEqual([
    ...['accepted by the wallet', 'accepted by the wallet'],
    ...[1, 2].map(() => `${REFUSED}; in doubt until it is decided`),
  ]);
  const page = write(before).html;
  expect(page).toContain('a decision, since the operator and the service disagree');
  expect(page).not.toContain('The player has');
  const [credit, end] = before.transactions.slice(2).map((one) => one.hash) as [string, string];
  await harness.handle(hash).signal('settle', {
    ...{ type: 'settle', key: 'k1', reason: 'by phone', accepted: [credit], declined: [end] },
  });
  await finished(harness, hash);
  const after = await dossierOf(hash);
  expect(after.round.status).toMatch(/^closed; it was crashed before/);
  const decided = (effect: string): string =>
    `^${REFUSED}; then decided by a person: ${effect} \\(on ${MOMENT}, reason “by phone”, key “k1”\\)$`;
  expect(after.transactions[2]!.outcome).toMatch(new RegExp(decided('paid')));
  expect(after.transactions[3]!.outcome).toMatch(new RegExp(decided('never noted')));
  const step = after.steps.find(({ who }) => who === 'person');
  expect(step?.answer).toMatch(/^The answer is that the round is closed/);
  expect(write(after).html).toMatch(/Decided by a person.*reason “by phone”, key “k1”/);
});

test('a crashed round that is reconciled says that the operator accepted, when, and the balance', async () => {
  const hash = await crashedRound();
  await harness.reconcile('op1', hash);
  await finished(harness, hash);
  const dossier = await dossierOf(hash);
  const settle = dossier.steps.findLast(({ who }) => who === 'operator');
  expect(settle?.what).toMatch(/^It is decided what became of transactions in doubt .*[0-9a-f]$/);
  const accepted = `^${REFUSED}; then accepted by the operator in a reconciliation on ${MOMENT}$`;
  for (const one of dossier.transactions.slice(2)) {
    expect(one.outcome).toMatch(new RegExp(accepted));
    expect(one.balanceAfter).toBe('997.90 EUR');
  }
  expect(write(dossier).html).toContain('Decided by a reconciliation');
  expect(write(dossier).html).not.toContain('Decided by a person');
});

/** A person at the command line of Temporal. */
function ann(hash: string): WorkflowHandle {
  const { connection } = harness.client;
  const { dataConverter } = proof.replayOptions;
  const client = new Client({ connection, dataConverter, identity: 'temporal-cli:ann@desk' });
  return client.workflow.getHandle(`gameround-${hash}`);
}

const BY_ANN = '(sent by temporal-cli:ann@desk)';

test('what a person sends in the name of the game is shown as the person’s, with the sender', async () => {
  const player = playerOf(harness);
  const { operatorId, playerId, gameCode, providerId, mode } = player.session;
  const hash = await player.open({ winAmount: 40 });
  const person = ann(hash);
  await person.signal('toString');
  await person.signal('settle');
  const win = { key: 'k', winAmount: 1, collect: false };
  await person.signal('addWin', win, { providerId: 'gp1' }, null);
  await person.signal('addWin', win, { providerId: 'gp1' }, null);
  const actor = { operatorId, playerId, gameCode, providerId, mode };
  await person.signal('end', { key: 'k', reason: 'endGameRound' }, actor, 'c1');
  await finished(harness, hash);
  const { steps } = await dossierOf(hash);
  expect(steps.filter(({ who }) => who === 'game')).toHaveLength(1);
  expect(steps.filter(({ who }) => who === 'person').map(({ what }) => what)).toEqual([
    `There is no command toString, so nothing is done ${BY_ANN}`,
    `The command settle can't be read: its key is wrong ${BY_ANN}`,
    `A person reports a win of 0.01 EUR ${BY_ANN}`,
    `The call comes again: A person reports a win of 0.01 EUR ${BY_ANN}`,
    `The round is to be ended, and open winnings paid (reason: endGameRound) ${BY_ANN}`,
  ]);
});

test('a settle with the key of reconciliations is not the operator’s word where no reconciliation ran', async () => {
  const hash = await crashedRound();
  const open = (await dossierOf(hash)).transactions.slice(2).map((one) => one.hash);
  const settle = { type: 'settle', key: 'reconcile', reason: 'reconcile', accepted: open };
  await ann(hash).signal('settle', settle);
  const refused = (await dossierOf(hash)).steps.at(-1);
  expect(refused).toMatchObject({ who: 'person', answer: expect.stringContaining('refused') as string });
  // With a call id, as the service sends it.
  await ann(hash).signal('settle', settle, null, randomUUID());
  await finished(harness, hash);
  const dossier = await dossierOf(hash);
  expect(dossier.steps.filter(({ who }) => who === 'operator')).toEqual([]);
  const people = dossier.steps.filter(({ who }) => who === 'person');
  expect(people).toHaveLength(2);
  for (const { what } of people) expect(what).toContain(BY_ANN);
  for (const { outcome } of dossier.transactions.slice(2))
    expect(outcome).toContain('decided with the key of reconciliations, and no history of one says so');
  const { html } = write(dossier);
  expect(html).toContain('Decided with the key of reconciliations; no history of one says so');
  expect(html).not.toMatch(/Decided by a reconciliation|accepted by the operator in a reconciliation/);
});

test('a round that a person has reset is told once, with the reset', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 5 });
  await player.end(hash);
  await finished(harness, hash);
  await resetRound(harness, hash);
  await finished(harness, hash);
  const { steps, runs } = await dossierOf(hash);
  expect(runs).toHaveLength(2);
  const told = steps.map(({ what }) => what.replace(HASH, 'H'));
  expect(told.filter((what) => what.startsWith('The game places a bet'))).toHaveLength(1);
  expect(told.filter((what) => what.includes('pay a win of 0.05 EUR'))).toHaveLength(2);
  expect(told).toContainEqual(
    expect.stringMatching(/^A person resets the program of the round to this step \(reason: .*test/),
  );
  expect(told.slice(-3)).toEqual([
    expect.stringMatching(/^The service is about to ask the operator's wallet to pay a win of 0.05 EUR/),
    'Nothing was sent: the record of the round is newer than this run',
    'The round is over: closed',
  ]);
});

test('a round that a reset has crashed is no quarrel, and says when nothing runs for it', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 40 });
  await player.collect(hash, 10);
  await resetRound(harness, hash, 'first');
  await until(
    () => harness.rounds.find(hash),
    (record) => record?.crashed === true,
  );
  const before = await dossierOf(hash);
  expect(before.round.status).toMatch(/^open, and waiting for a decision: its program was lost or set back/);
  expect(before.round.status).not.toContain('nothing runs');
  expect(before.round.marks).toEqual(['crashed', 'restored']);
  expect(write(before).html).not.toContain('disagree');
  await harness.handle(hash).terminate('by ann');
  expect((await dossierOf(hash)).round.status).toMatch(/; nothing runs for it any more$/);
});

test('what a reset gives to the new run again is there once', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 5 });
  await player.win(hash, { winAmount: 300 });
  await player.collect(hash, 100);
  for (const [name, input] of [
    ['resume', undefined],
    ['nonsense', {}],
    ['settle', { key: 5 }],
    ['end', { key: 'k', reason: 'by ann' }],
  ] as const)
    await harness.handle(hash).signal(name, input);
  await finished(harness, hash);
  const before = await dossierOf(hash);
  await resetRound(harness, hash, 'first');
  await finished(harness, hash);
  const { steps, runs } = await dossierOf(hash);
  expect(runs).toHaveLength(2);
  const told = (all: Dossier['steps'], who: string): string[] =>
    all.filter((step) => step.who === who).map(({ what }) => what.replaceAll(HASH, 'H'));
  expect(told(steps, 'game')).toEqual(told(before.steps, 'game'));
  const acts = told(before.steps, 'person');
  expect(acts).toHaveLength(4);
  expect(told(steps, 'person')).toEqual([
    ...acts,
    expect.stringMatching(/^A person resets/),
    ...acts.map((act) => `The call comes again: ${act}`),
  ]);
});

test('with payload keys, a failure is readable and has no stack trace', async () => {
  const player = playerOf(harness);
  const hash = await player.open({ winAmount: 5 });
  const match = { type: 'credit', playerId: player.session.playerId };
  for (const fault of ['dropReply', 'dropReply']) await harness.fault({ fault, match });
  await player.end(hash).catch(() => undefined);
  await finished(harness, hash);
  const { html, json } = write(await dossierOf(hash));
  expect(json).not.toMatch(/stack_?trace|encodedAttributes|Encoded failure/i);
  expect(html).toContain('(attempt 2; the attempt before: ECONNRESET)');
});

test('a history whose start has an odd form is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const archive = await openArchive(folder);
  const file = fileOf({ workflowId: `gameround-${WON}`, runId: randomUUID() });
  const history = await recorded('spin-won');
  const write = (find: string, odd: string): Promise<void> =>
    archive.write(file, gzipSync(inFirstPayload(history, find, odd)));
  await write('"command":{', '"command":{"stake":"x"},"was":{');
  expect((await dossierOf(WON, folder)).steps.map(({ what }) => what)).toContain(
    "The command start can't be read: its stake is wrong",
  );
  await write('{"identity":', '{"continued":{},"identity":');
  await expect(dossierOf(WON, folder)).rejects.toThrow(
    expect.objectContaining({
      name: 'PersonNeededError',
      message: expect.stringContaining('another form than the service writes') as string,
    }) as Error,
  );
  await rm(folder, { recursive: true });
});

test('a difference between record and history is in the dossier', async () => {
  const hash = (await playerOf(harness).start({ endGame: true, winAmount: 700 })).gameRoundInfo.hash;
  await finished(harness, hash);
  const { collection } = harness.rounds;
  await collection.updateOne({ _id: hash }, { $set: { won: 70 } });
  const dossier = await dossierOf(hash);
  const line = 'They differ in won: history 700, database 70.';
  expect(dossier.round.agreement).toEqual([line]);
  expect(write(dossier).html).toContain(`<th scope="row">Record and history</th><td>${line}</td>`);
  await collection.deleteOne({ _id: hash });
  expect((await dossierOf(hash)).round.agreement).toEqual([
    'There is no record in the database: this is what the history says.',
  ]);
});

test('a bet and the win that its activity pays are two calls, each with its answer', async () => {
  const player = playerOf(harness);
  const { hash } = (await player.start({ endGame: true, winAmount: 700 })).gameRoundInfo;
  await finished(harness, hash);
  const { steps, round } = await dossierOf(hash);
  const told = steps.filter(
    ({ who, what }) => who === 'wallet' || what.includes("asks the operator's wallet"),
  );
  expect(told.map(({ who, what }) => `${who}: ${what.replaceAll(/ \(hash [^)]*\)/g, '')}`)).toEqual([
    "service: The service asks the operator's wallet to take a bet of 2.50 EUR",
    expect.stringMatching(/^wallet: /),
    "service: The service asks the operator's wallet to pay a win of 7.00 EUR and to note the end of the round",
    expect.stringMatching(/^wallet: /),
  ]);
  expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).sort());
  expect(round.agreement).toEqual(['The record in the database and the history agree in every field.']);
});

test('a record that is compared with nothing, or holds no round or another one, is not said to agree', async () => {
  const player = playerOf(harness);
  const hash = (await player.start({ endGame: true })).gameRoundInfo.hash;
  await finished(harness, hash);
  const { collection } = harness.rounds;
  const record = (await collection.findOne({ _id: hash }))!;
  const [none, text, other] = ['-a', '-b', '-c'].map((end) => `${hash}${end}`) as [string, string, string];
  await collection.insertOne({ ...record, _id: text, snapshot: '{' });
  await collection.insertOne({ ...record, _id: other });
  await expect(dossierOf(text)).rejects.toThrow(`the record of ${text} holds no round`);
  await expect(dossierOf(other)).rejects.toThrow(`the record of ${other} holds the round ${hash}`);
  // A round whose history ends before its first record.
  const history = JSON.parse((await recorded('spin-won')).replaceAll(WON, none)) as { events: object[] };
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const own = (JSON.parse(record.snapshot) as RoundSnapshot).identity;
  const snapshot = JSON.stringify({
    ...(JSON.parse(record.snapshot) as object),
    identity: { ...own, gameround: none },
  });
  await collection.insertOne({ ...record, _id: none, snapshot });
  const first = JSON.stringify({ events: history.events.slice(0, 1) });
  const start = inFirstPayload(first, `"gameround":"${WON}"`, `"gameround":"${none}"`);
  const file = fileOf({ workflowId: `gameround-${none}`, runId: randomUUID() });
  await (await openArchive(folder)).write(file, gzipSync(start));
  expect((await dossierOf(none, folder)).round.agreement).toEqual([
    'The history has written no record yet, so the record in the database is compared with nothing.',
  ]);
  await rm(folder, { recursive: true });
});

test('a history under the name of another round is not taken as that round’s', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const asked = randomUUID();
  const name = fileOf({ workflowId: `gameround-${asked}`, runId: randomUUID() });
  const archive = await openArchive(folder);
  await archive.write(name, gzipSync(await recorded('spin-won')));
  const why = `it is that of gameround-${WON}, not of gameround-${asked}`;
  await expect(dossierOf(asked, folder)).rejects.toThrow(why);
  const said = async (): Promise<(string | undefined)[]> => {
    const all: (string | undefined)[] = [];
    for await (const run of runsInArchive(archive, proof.evidence().codec, ''))
      all.push(run.history === undefined ? run.unreadable : undefined);
    return all;
  };
  expect(await said()).toEqual([`the history can't be read: ${why}`]);
  // The start event says the name of the file, and the round in it is another.
  await archive.write(
    name,
    gzipSync((await recorded('spin-won')).replaceAll(`gameround-${WON}`, `gameround-${asked}`)),
  );
  expect(await said()).toEqual([`the history can't be read: ${why}`]);
  await rm(folder, { recursive: true });
});

test('a round that Temporal has forgotten comes from its exported history, or from its record alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gameround-exported-'));
  const file = fileOf({ workflowId: `gameround-${WON}`, runId: randomUUID() });
  const exported = historyToText(historyFromText(await recorded('spin-won')));
  await (await openArchive(folder)).write(file, gzipSync(exported));
  const { steps, runs } = await dossierOf(WON, folder);
  expect(runs[0]?.run.from).toBe(`the file ${file}`);
  expect(runs[0]?.run.sha256).toBe(createHash('sha256').update(exported).digest('hex'));
  expect(steps[0]?.what).toBe(
    'The game places a bet of 2.50 EUR; reports a win of 7.00 EUR; ends the round with it',
  );
  await rm(folder, { recursive: true });
  await expect(dossierOf(WON)).rejects.toThrow(`there is neither a history nor a record of ${WON}`);
  const player = playerOf(harness);
  const { gameRoundInfo } = await player.start({ endGame: true });
  const { hash } = gameRoundInfo;
  await finished(harness, hash);
  const record = (await harness.rounds.collection.findOne({ _id: hash }))!;
  const snapshot = record.snapshot.replace(`"gameround":"${hash}"`, `"gameround":"${hash}-x"`);
  await harness.rounds.collection.insertOne({ ...record, _id: `${hash}-x`, snapshot });
  const { round, transactions } = await dossierOf(`${hash}-x`);
  expect(round.agreement).toEqual(['There is no history: only the record in the database was left.']);
  expect(transactions).toHaveLength(2);
});
