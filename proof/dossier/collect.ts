import { createDrawLog } from '../../src/rng/draw-log';
import type { Draw } from '../../src/rng';
import { moneyText } from '../../src/domain/money';
import { givenBackHashes, openTransactions } from '../../src/domain/round/transactions';
import type { RoundSnapshot, RoundTransaction } from '../../src/domain/round/types';
import type { RoundDocument } from '../../src/read-model/rounds';
import { A_RECORD } from '../../src/read-model/guards';
import { isAbandoned } from '../audit';
import { fieldsThatDiffer, parsed } from '../compare';
import { describe } from '../differences';
import { runsOfRound, type Evidence } from '../evidence';
import { resetIn } from '../../src/histories/facts';
import { historyToText } from '../../src/archive/history-text';
import { recordIn, type RecordInHistory } from '../../src/histories/record';
import { isOfOddForm, oddFormText } from '../odd-form';
import type { Run } from '../runs';
import { sha256 } from './chain';
import { reconciliationsIn } from './reconciliations';
import { plainEvents, updateIn, type PlainEvent } from './events';
import { PersonNeededError } from '../../src/lifecycle';
import { RECONCILE } from '../../src/domain/round/keys';
import { knownIn, outcomeOf, type Known } from './outcomes';
import { noCommands, statusText, stepsOf, transactionText, type Step } from './story';

/** Everything that is known of a round, as the entries of its dossier. */
export interface Dossier {
  about: About;
  round: RoundPart;
  steps: Step[];
  transactions: TransactionPart[];
  draws: DrawPart[];
  runs: { run: RunPart; events: PlainEvent[] }[];
}

export interface About {
  gameround: string;
  operator: string;
  player: string;
  game: string;
  provider: string;
  mode: string;
  currency: string;
  session: string;
  externalGameProviderRoundId?: string;
  madeAt: string;
  madeBy: string;
}

export interface RoundPart {
  status: string;
  openedAt: string;
  closedAt?: string;
  /** Amounts for people, and in minor units. */
  bets: string;
  betsGivenBack: string;
  wins: string;
  /** What the player has lost, or won, once no money is open. */
  result: string;
  openWinnings: string;
  minorUnits: { bets: number; betsGivenBack: number; wins: number; openWinnings: number };
  /** What the provider said of the steps of its game. */
  gameState: RoundSnapshot['gameState'];
  marks: string[];
  settled?: RoundSnapshot['settled'] & { by: 'reconciliation' | 'person' | 'unknown' };
  /** Whether the record in the database and the history say the same. */
  agreement: string[];
}

export interface TransactionPart {
  what: string;
  outcome: string;
  at: string;
  hash: string;
  balanceAfter?: string;
  stored: RoundTransaction;
}

export interface DrawPart extends Draw {
  what: string;
}

export interface RunPart {
  what: string;
  run: number;
  workflowId: string;
  runId: string;
  /** Where it was read. */
  from: string;
  events: number;
  /** Of the text that `npm run export` writes, not compressed. */
  sha256: string;
}

/** @throws PersonNeededError if there is neither a history nor a record, or if one has an odd form */
export async function collect(
  evidence: Evidence,
  gameround: string,
  made: Pick<About, 'madeAt' | 'madeBy'>,
): Promise<Dossier> {
  try {
    return await collected(evidence, gameround, made);
  } catch (error) {
    if (!isOfOddForm(error)) throw error;
    throw new PersonNeededError(`${gameround}: ${oddFormText(error)}`);
  }
}

async function collected(
  evidence: Evidence,
  gameround: string,
  { madeAt, madeBy }: Pick<About, 'madeAt' | 'madeBy'>,
): Promise<Dossier> {
  const { rounds, codec, environment } = evidence;
  const runs: Run[] = [];
  for await (const run of runsOfRound(evidence, gameround)) runs.push(run);
  const unreadable = runs.find(({ history }) => history === undefined);
  if (unreadable !== undefined)
    throw new PersonNeededError(`${unreadable.workflowId}: ${unreadable.unreadable}`);
  runs.sort((one, other) => begunAt(one) - begunAt(other));
  const all = runs.flatMap(({ facts }) => recordIn(facts) ?? []);
  const told = newestRecord(all);
  const record = (await rounds.collection.findOne({ _id: gameround, ...A_RECORD })) ?? undefined;
  const snapshot = told?.written?.snapshot ?? (record && snapshotOf(record));
  if (snapshot === undefined)
    throw new PersonNeededError(`there is neither a history nor a record of ${gameround}`);
  const { identity } = snapshot;
  const { currency } = identity;
  const parts: Dossier['runs'] = [];
  for (const [index, run] of runs.entries()) {
    const events = await plainEvents(run.history!, codec);
    parts.push({ run: partOf(run, index + 1), events });
  }
  const reconciliations = reconciliationsIn(parts.map(({ events }) => events));
  const seen = noCommands();
  const steps = parts.flatMap(({ run, events }) => stepsOf(events, run.run, currency, reconciliations, seen));
  steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const known = knownIn(parts.map(({ events }) => events));
  return {
    about: {
      gameround,
      operator: identity.operatorId,
      player: identity.playerId,
      game: identity.gameCode,
      provider: identity.providerId,
      mode: identity.mode,
      currency,
      session: identity.sessionId,
      ...(identity.externalGameProviderRoundId === undefined
        ? {}
        : { externalGameProviderRoundId: identity.externalGameProviderRoundId }),
      ...{ madeAt, madeBy },
    },
    round: roundPart(snapshot, agreementOf(told, record, environment), known.decisions, all),
    steps,
    transactions: snapshot.transactions.map((one) => ({
      ...transactionPart(one, snapshot),
      ...outcomeOf(one, snapshot, known),
    })),
    draws: await drawsOf(
      evidence,
      snapshot,
      parts.flatMap(({ events }) => events),
    ),
    runs: parts,
  };
}

/** A record that was changed by hand may hold no snapshot, or another round's. */
function snapshotOf({ _id, snapshot }: RoundDocument): RoundSnapshot {
  const read = parsed(snapshot);
  const { gameround } = Object((Object(read) as Partial<RoundSnapshot>).identity) as { gameround?: unknown };
  if (gameround !== _id)
    throw new PersonNeededError(
      `the record of ${_id} holds ${typeof gameround === 'string' ? `the round ${gameround}` : 'no round'}`,
    );
  return read as RoundSnapshot;
}

function begunAt({ history }: Run): number {
  const reset = history && resetIn(history);
  // A run that a reset has made begins with the events of the run before.
  const began = history?.events?.[reset === undefined ? 0 : reset.eventId - 1]?.eventTime;
  return Number(began?.seconds ?? 0) * 1_000 + (began?.nanos ?? 0) / 1_000_000;
}

function newestRecord(all: readonly RecordInHistory[]): RecordInHistory | undefined {
  return all.reduce<RecordInHistory | undefined>(
    (newest, one) => ((one.written?.version ?? 0) >= (newest?.written?.version ?? 0) ? one : newest),
    undefined,
  );
}

function agreementOf(
  told: RecordInHistory | undefined,
  record: RoundDocument | undefined,
  environment: string,
): string[] {
  if (told === undefined) return ['There is no history: only the record in the database was left.'];
  if (record === undefined) return ['There is no record in the database: this is what the history says.'];
  if (told.faults.length > 0) return told.faults.map((fault) => `The history contradicts itself: ${fault}.`);
  const recorded = told.maybe.find(({ version }) => version === record.version) ?? told.written;
  if (recorded === undefined)
    return ['The history has written no record yet, so the record in the database is compared with nothing.'];
  const fields = fieldsThatDiffer(recorded, record, environment);
  if (fields.length > 0 && told.ending === undefined)
    return [
      'The round was going on while this was made: the record may be of a later moment than the history.',
    ];
  if (fields.length > 0)
    return fields.map((field) => `They differ in ${describe(field, ['history', 'database'])}.`);
  return ['The record in the database and the history agree in every field.'];
}

function roundPart(
  snapshot: RoundSnapshot,
  agreement: string[],
  decisions: Known['decisions'],
  told: readonly RecordInHistory[],
): RoundPart {
  const { identity, openedAt, closedAt, status, transactions, amountToCollect } = snapshot;
  const givenBack = givenBackHashes(transactions);
  const sum = (wanted: (one: RoundTransaction) => boolean): number =>
    transactions
      .filter((one) => one.outcome === 'accepted' && wanted(one))
      .reduce((total, { amount = 0 }) => total + amount, 0);
  const money = (amount: number): string => moneyText(amount, identity.currency);
  const bets = sum(({ type }) => type === 'debit');
  const betsGivenBack = sum(({ type, hash }) => type === 'debit' && givenBack.has(hash));
  const wins = sum(({ type }) => type === 'credit');
  const isStopped = told.length === 0 ? status === 'open' : told.every((one) => isAbandoned(snapshot, one));
  const isGoingOn = status === 'open' || openTransactions(transactions).length > 0;
  const net = bets - betsGivenBack - wins;
  return {
    status: isStopped ? `${statusText(snapshot)}; nothing runs for it any more` : statusText(snapshot),
    openedAt,
    ...(closedAt === undefined ? {} : { closedAt }),
    bets: money(bets),
    betsGivenBack: money(betsGivenBack),
    wins: money(wins),
    result: isGoingOn
      ? 'not known yet'
      : net === 0
        ? 'nothing won or lost'
        : net > 0
          ? `lost ${money(net)}`
          : `won ${money(-net)}`,
    openWinnings: money(amountToCollect),
    minorUnits: { bets, betsGivenBack, wins, openWinnings: amountToCollect },
    gameState: snapshot.gameState,
    marks: snapshot.attention,
    ...(snapshot.settled === undefined
      ? {}
      : { settled: { ...snapshot.settled, by: whoSettled(snapshot.settled, decisions) } }),
    agreement,
  };
}

/** The key alone does not say that a reconciliation did it. */
function whoSettled(
  { key }: NonNullable<RoundSnapshot['settled']>,
  decisions: Known['decisions'],
): NonNullable<RoundPart['settled']>['by'] {
  if (key !== RECONCILE) return 'person';
  return decisions.some(({ isReconciliation }) => isReconciliation) ? 'reconciliation' : 'unknown';
}

function transactionPart(
  stored: RoundTransaction,
  { identity }: RoundSnapshot,
): Omit<TransactionPart, 'outcome'> {
  const { hash, timestamp, balanceAfter } = stored;
  const money = (amount: number): string => moneyText(amount, identity.currency);
  const what = transactionText(stored, money);
  return {
    what: `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`,
    at: timestamp,
    hash,
    ...(balanceAfter === undefined || !Number.isSafeInteger(balanceAfter) || balanceAfter < 0
      ? {}
      : { balanceAfter: money(balanceAfter) }),
    stored,
  };
}

/** A player may have asked for random numbers before the round that used them began. */
const BEFORE_MS = 5 * 60_000;

/** Draws that the game has named in the round, and those of the same session at that time. */
async function drawsOf(
  { rounds }: Evidence,
  { identity, openedAt, closedAt }: RoundSnapshot,
  events: readonly PlainEvent[],
): Promise<DrawPart[]> {
  const log = createDrawLog(rounds.db);
  const { operatorId, playerId, gameCode, sessionId } = identity;
  const named = await Promise.all([...idsIn(events)].map((id) => log.find(id)));
  const found = new Map<string, DrawPart>();
  for (const draw of named)
    if (draw?.operatorId === operatorId && draw.playerId === playerId)
      found.set(draw.rngRequestId, { ...draw, what: 'named by the game in this round' });
  const span = {
    from: new Date(Date.parse(openedAt) - BEFORE_MS),
    to: closedAt === undefined ? new Date() : new Date(Date.parse(closedAt) + 1),
  };
  for (const draw of await log.list({ operatorId, playerId }, span))
    if (draw.gameCode === gameCode && draw.sessionId === sessionId && !found.has(draw.rngRequestId))
      found.set(draw.rngRequestId, { ...draw, what: 'in the same session at that time' });
  return [...found.values()].sort((one, other) => one.at - other.at);
}

/** The ids of random number calls in the commands. */
function idsIn(events: readonly PlainEvent[]): Set<string> {
  const ids = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value))
      if (name === 'rngCallId' && typeof inner === 'string') ids.add(inner);
      else look(inner);
  };
  for (const event of events) look(event.about.input ?? updateIn(event));
  return ids;
}

function partOf(run: Run, number: number): RunPart {
  const { workflowId, runId, file, history } = run;
  return {
    what: `run ${number} of ${workflowId}`,
    run: number,
    workflowId,
    runId,
    from: file === undefined ? 'the Temporal server' : `the file ${file}`,
    events: history?.events?.length ?? 0,
    sha256: sha256(historyToText(history!)),
  };
}
