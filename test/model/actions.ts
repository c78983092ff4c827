import fc from 'fast-check';
import { openWin, type Round, type State } from './reference';
import type { Call, CallBody, CallKind, Fault, FaultName, GameIndex, TransactionType } from './types';

/* What a generated sequence is made of: intents, which become calls only in view of how the model stands then. */

/** The round that is meant: the newest open one, or counted back from the newest; `unknown`: a hash nobody gave out. */
type Pick = 'open' | number | 'unknown';
type Naming = 'ext' | 'rng' | 'both' | 'request';

interface Aim {
  pick: Pick;
  /** With the token of the player's other game. */
  crossed: boolean;
  naming: Naming;
}

export type Intent = { faults?: Fault[] } & (
  | ({
      kind: 'startGameRound';
      game: GameIndex;
      stake: number;
      win: number;
      naming: Naming;
      /** Names the newest round of the game again, if there is one. */
      again: boolean;
    } & Record<'end' | 'close' | 'ticket' | 'wrongCurrency', boolean>)
  | ({ kind: 'addWin'; win: number; collect: boolean } & Aim)
  | ({ kind: 'collectWin'; part: 'all' | 'half' | 'one' | 'tooMuch' | 'none' } & Aim)
  | ({ kind: 'addSpinCounterGameState'; awarded: number; used: number; counter: string } & Aim)
  | ({ kind: 'endGameRound' | 'voidGameRound' | 'reconcileTransactions' } & Aim)
  | ({ kind: 'getGameRoundInfo'; by: 'hash' | 'ext' | 'none' } & Aim)
  | ({ kind: 'getAvailableSpinCounter'; counter: string } & Aim)
  | ({ kind: 'getUncollectedAmount' | 'getGameRoundHistoryInfo' | 'getGameRoundDetails' } & Aim)
  | { kind: 'getBalance' | 'getLastGameRounds' | 'getOpenGameRounds'; game: GameIndex }
  | { kind: 'repeat'; back: number; change: 'nothing' | 'money' }
  | { kind: 'invalid'; back: number; amount: number | string }
);

const often = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: 3 * others.length },
    ...others.map((one) => fc.constant(one)),
  );
const rarely = (weight = 12): fc.Arbitrary<boolean> =>
  fc.oneof({ arbitrary: fc.constant(false), weight }, fc.constant(true));

const game: fc.Arbitrary<GameIndex> = fc.constantFrom(0, 0, 1);
const aim = {
  pick: fc.oneof({ arbitrary: often<Pick>('open', 0, 1), weight: 20 }, fc.constant<Pick>('unknown')),
  crossed: rarely(20),
  naming: fc.constantFrom<Naming>('ext', 'rng', 'both', 'request'),
};

const SILENT = [
  'error500',
  'error500After',
  'errorOn200',
  'dropReply',
  'dropReply',
  'cutReply',
  'garbage',
  'reset',
] as const;
/** The last ones take the operator's walletTimeout: seldom. */
const UNKNOWN: FaultName[] = [...SILENT, ...SILENT, 'hang', 'hangAfter'];
const NOT_NOW: FaultName[] = ['repeatable', 'plain402', 'busy429'];
const fault = (on: TransactionType, ...names: FaultName[]): fc.Arbitrary<Fault> =>
  fc.record({ on: fc.constant(on), name: fc.constantFrom(...names) });

const debitFault = fault('debit', 'refused', 'refused', 'unauthorised', ...NOT_NOW, ...UNKNOWN);
const creditFault = fault('credit', 'refused', 'refused', ...NOT_NOW, ...UNKNOWN);
const endFault = fault('end', 'refused', 'endRefused', 'endRefusedOn200', 'error500After');
const voidFault = fault('void', 'alreadyVoided', 'error500', 'error500After', 'dropReply', 'reset');

/** Mostly none: a sequence in which everything fails goes nowhere. */
const none = { arbitrary: fc.constant<Fault[]>([]), weight: 16 };
const closing = fc.oneof(
  none,
  creditFault.map((one) => [one]),
  fc.tuple(creditFault, creditFault),
  endFault.map((one) => [one]),
  fc.tuple(creditFault, endFault),
);
const betting = fc.oneof(
  none,
  { arbitrary: debitFault.map((one) => [one]), weight: 2 },
  fc.tuple(debitFault, voidFault),
  creditFault.map((one) => [one]),
  endFault.map((one) => [one]),
);
const voiding = fc.oneof(none, { arbitrary: voidFault.map((one) => [one]), weight: 3 });
const reconciling = fc.oneof(
  none,
  fc.constantFrom<Fault[]>(
    [{ on: 'debit', name: 'refused' }],
    [{ on: 'debit', name: 'error500' }],
    [{ on: 'debit', name: 'dropReply' }],
    [{ on: 'debit', name: 'errorOn200' }],
    [{ on: 'debit', name: 'unauthorised' }],
    [{ on: 'debit', name: 'plain402' }],
    [{ on: 'credit', name: 'refused' }],
    [{ on: 'credit', name: 'dropReply' }],
  ),
);

const start = fc.record({
  kind: fc.constant('startGameRound' as const),
  game,
  stake: fc.constantFrom(100, 100, 250, 0, 700),
  win: fc.constantFrom(0, 0, 40, 600),
  naming: fc.constantFrom<Naming>('ext', 'rng', 'both', 'both', 'request'),
  again: rarely(4),
  end: rarely(5),
  close: rarely(1),
  ticket: rarely(10),
  wrongCurrency: rarely(40),
  faults: betting,
});
const win = fc.record({
  kind: fc.constant('addWin' as const),
  win: fc.constantFrom(0, 5, 70, 300),
  collect: rarely(3),
  faults: closing,
  ...aim,
});
const collect = fc.record({
  kind: fc.constant('collectWin' as const),
  part: fc.constantFrom(
    'all' as const,
    'half' as const,
    'half' as const,
    'one' as const,
    'tooMuch' as const,
    'none' as const,
  ),
  faults: closing,
  ...aim,
});
const end = fc.record({ kind: fc.constant('endGameRound' as const), faults: closing, ...aim });
const voided = fc.record({ kind: fc.constant('voidGameRound' as const), faults: voiding, ...aim });
const counter = fc.constantFrom('customspin', 'customspin', 'other');
const spins = fc.record({
  kind: fc.constant('addSpinCounterGameState' as const),
  awarded: fc.constantFrom(0, 0, 2, 5),
  used: fc.constantFrom(0, 1, 2),
  counter,
  ...aim,
});
const reconciled = fc.record({
  kind: fc.constant('reconcileTransactions' as const),
  faults: reconciling,
  ...aim,
});
const repeat = fc.record({
  kind: fc.constant('repeat' as const),
  back: fc.constantFrom(0, 0, 1, 2, 3),
  change: often<'nothing' | 'money'>('nothing', 'money'),
});
const invalid = fc.record({
  kind: fc.constant('invalid' as const),
  back: fc.constantFrom(0, 1, 2),
  amount: fc.constantFrom<number | string>(-1, 0.5, '5', 2 ** 53),
});
const questions = fc.oneof(
  fc.record({
    kind: fc.constantFrom('getBalance' as const, 'getLastGameRounds' as const, 'getOpenGameRounds' as const),
    game,
  }),
  fc.record({
    kind: fc.constantFrom(
      'getUncollectedAmount' as const,
      'getGameRoundHistoryInfo' as const,
      'getGameRoundDetails' as const,
    ),
    ...aim,
  }),
  fc.record({
    kind: fc.constant('getGameRoundInfo' as const),
    by: fc.constantFrom('hash' as const, 'ext' as const, 'none' as const),
    ...aim,
  }),
  fc.record({ kind: fc.constant('getAvailableSpinCounter' as const), counter, ...aim }),
);

export const intents: fc.Arbitrary<Intent> = fc.oneof(
  { arbitrary: start, weight: 7 },
  { arbitrary: win, weight: 6 },
  { arbitrary: collect, weight: 4 },
  { arbitrary: end, weight: 3 },
  { arbitrary: voided, weight: 2 },
  { arbitrary: spins, weight: 2 },
  { arbitrary: reconciled, weight: 1 },
  { arbitrary: repeat, weight: 4 },
  { arbitrary: invalid, weight: 1 },
  { arbitrary: questions, weight: 5 },
);

/** What several clients send at one moment: about one round mostly, or about the player's two games. */
export interface BatchIntent {
  intents: Intent[];
  faults: Fault[];
}

const noFaults = <T extends { faults: Fault[] }>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  arbitrary.map((one) => ({ ...one, faults: [] }));
const inBatch: fc.Arbitrary<Intent> = fc.oneof(
  { arbitrary: noFaults(start), weight: 4 },
  { arbitrary: noFaults(win), weight: 5 },
  { arbitrary: noFaults(collect), weight: 3 },
  { arbitrary: noFaults(end), weight: 3 },
  { arbitrary: noFaults(voided), weight: 2 },
  { arbitrary: spins, weight: 2 },
  { arbitrary: repeat, weight: 3 },
);

export const batches: fc.Arbitrary<BatchIntent> = fc.record({
  intents: fc.array(inBatch, { minLength: 2, maxLength: 4, size: 'max' }),
  faults: fc.oneof(
    { arbitrary: fc.constant<Fault[]>([]), weight: 5 },
    debitFault.map((one) => [one]),
    creditFault.map((one) => [one]),
  ),
});

/** Ids that calls of a sequence get, and what was sent so far. */
export interface Desk {
  next: number;
  sent: Call[];
}

/** The call that an intent becomes, undefined where it makes no sense just now. `invalid`: has to be refused. */
export function planned(
  state: State,
  desk: Desk,
  intent: Intent,
): { call: Call; invalid?: true } | undefined {
  switch (intent.kind) {
    case 'repeat':
      return repeatOf(desk, intent.back, intent.change);
    case 'invalid':
      return spoilt(desk, intent.back, intent.amount);
    case 'startGameRound':
      return { call: startOf(state, desk, intent) };
    case 'getBalance':
    case 'getLastGameRounds':
    case 'getOpenGameRounds':
      return { call: callOf(desk, intent.kind, intent.game, {}) };
    default:
      return aimed(state, desk, intent);
  }
}

function fresh(desk: Desk, prefix: string): string {
  return `${prefix}${(desk.next += 1)}`;
}

function callOf(desk: Desk, kind: CallKind, of: GameIndex, body: CallBody): Call {
  return { kind, game: of, requestId: fresh(desk, 'request-'), body };
}

function startOf(state: State, desk: Desk, intent: Intent & { kind: 'startGameRound' }): Call {
  const { currency } = state.games[intent.game];
  const newest = desk.sent.findLast((call) => call.kind === 'startGameRound' && call.game === intent.game);
  const named = intent.naming === 'ext' || intent.naming === 'both';
  const ext = intent.again ? newest?.body.externalGameProviderRoundId : undefined;
  const callId = intent.naming === 'rng' || intent.naming === 'both' ? fresh(desk, 'c') : undefined;
  const name = ext ?? (named ? fresh(desk, 'r') : undefined);
  // A ticket pays for a round of the first game only; there its stake may be left out.
  const ticket = intent.ticket && intent.game === 0;
  const debitAmount = ticket && intent.stake !== 100 ? {} : { debitAmount: intent.stake };
  return callOf(desk, 'startGameRound', intent.game, {
    rngResult: { rngCallId: callId, winAmount: intent.win },
    debitInformation: {
      ...debitAmount,
      currency: intent.wrongCurrency ? 'SEK' : currency,
      ...(ticket ? { useTicketInfo: { useTicket: true } } : {}),
    },
    endGame: intent.end,
    closeOpenGame: intent.close,
    externalGameProviderRoundId: name,
  });
}

type Aimed = Extract<Intent, Aim>;

function aimed(state: State, desk: Desk, intent: Aimed): { call: Call } | undefined {
  const at = picked(state, intent.pick);
  if (at === undefined && intent.pick !== 'unknown') return undefined;
  const own = at?.game ?? 0;
  const of: GameIndex = intent.crossed ? (own === 0 ? 1 : 0) : own;
  const gameRound = at?.hash ?? '00000000-0000-4000-8000-000000000000';
  const ids = idsOf(desk, intent.naming);
  switch (intent.kind) {
    case 'addWin': {
      const rngResult = { ...ids.rng, winAmount: intent.win };
      return {
        call: callOf(desk, 'addWin', of, {
          gameRound,
          rngResult,
          collect: intent.collect,
          ...ids.transaction,
        }),
      };
    }
    case 'collectWin': {
      const amount = partOf(at === undefined ? 0 : openWin(at), intent.part);
      return { call: callOf(desk, 'collectWin', of, { gameRound, ...amount, ...ids.transaction }) };
    }
    case 'addSpinCounterGameState': {
      const rngResult = { ...ids.rng, result: { awarded: intent.awarded, used: intent.used } };
      const body = { gameRound, counterType: intent.counter, rngResult, ...ids.transaction };
      return { call: callOf(desk, intent.kind, of, body) };
    }
    case 'endGameRound':
      return { call: callOf(desk, intent.kind, of, { gameRound, ...ids.transaction }) };
    case 'getAvailableSpinCounter':
      return { call: callOf(desk, intent.kind, of, { gameRound, counterType: intent.counter }) };
    case 'getGameRoundInfo':
      return { call: callOf(desk, intent.kind, of, infoAsked(state, desk, of, intent.by, gameRound)) };
    case 'reconcileTransactions':
    case 'getGameRoundDetails':
      return { call: callOf(desk, intent.kind, own, { gameRound }) };
    default:
      return { call: callOf(desk, intent.kind, of, { gameRound }) };
  }
}

function picked(state: State, pick: Pick): Round | undefined {
  if (pick === 'unknown') return undefined;
  const rounds = state.rounds.filter(({ hash }) => hash !== undefined);
  const open =
    pick === 'open' ? rounds.findLast(({ status, crashed }) => status === 'open' && !crashed) : undefined;
  return open ?? rounds[rounds.length - 1 - (pick === 'open' ? 0 : pick)];
}

function idsOf(desk: Desk, naming: Naming): { rng: { rngCallId?: string }; transaction: CallBody } {
  const rng = naming === 'rng' || naming === 'both' ? { rngCallId: fresh(desk, 'c') } : {};
  const named = naming === 'ext' || naming === 'both';
  return { rng, transaction: named ? { externalGameProviderTransactionId: fresh(desk, 't') } : {} };
}

function partOf(open: number, part: 'all' | 'half' | 'one' | 'tooMuch' | 'none'): { amount?: number } {
  switch (part) {
    case 'all':
      return {};
    case 'half':
      return { amount: Math.floor(open / 2) };
    case 'one':
      return { amount: 1 };
    case 'tooMuch':
      return { amount: open + 1 };
    case 'none':
      return { amount: 0 };
  }
}

function infoAsked(
  state: State,
  desk: Desk,
  of: GameIndex,
  by: 'hash' | 'ext' | 'none',
  gameRound: string,
): CallBody {
  if (by === 'hash') return { gameRound };
  if (by === 'none') return {};
  const named = state.rounds.findLast((round) => round.game === of && round.name.startsWith('ext '));
  return { externalGameProviderRoundId: named?.name.slice('ext '.length) ?? fresh(desk, 'r') };
}

/** Only what may be sent twice without being a question: an earlier call, word for word or with other money. */
function repeatOf(desk: Desk, back: number, change: 'nothing' | 'money'): { call: Call } | undefined {
  const moving = desk.sent.filter(({ kind }) => !kind.startsWith('get'));
  const call = moving[moving.length - 1 - back];
  if (call === undefined || change === 'nothing') return call && { call };
  const { body } = call;
  const { debitInformation, rngResult } = body;
  if (debitInformation !== undefined) {
    const debitAmount = (debitInformation.debitAmount ?? 0) + 1;
    return { call: { ...call, body: { ...body, debitInformation: { ...debitInformation, debitAmount } } } };
  }
  if (call.kind === 'addWin') {
    const winAmount = (rngResult?.winAmount ?? 0) + 1;
    return { call: { ...call, body: { ...body, rngResult: { ...rngResult, winAmount } } } };
  }
  if (call.kind === 'collectWin')
    return { call: { ...call, body: { ...body, amount: (body.amount ?? 1) + 1 } } };
  if (call.kind === 'addSpinCounterGameState') {
    const result = { ...rngResult?.result, awarded: (rngResult?.result?.awarded ?? 0) + 1 };
    return { call: { ...call, body: { ...body, rngResult: { ...rngResult, result } } } };
  }
  return { call };
}

/** An earlier call, under ids of its own, with an amount that is none. */
function spoilt(
  desk: Desk,
  back: number,
  amount: number | string,
): { call: Call; invalid: true } | undefined {
  const fit = desk.sent.filter(({ kind }) => ['startGameRound', 'addWin', 'collectWin'].includes(kind));
  const call = fit[fit.length - 1 - back];
  if (call === undefined) return undefined;
  const wrong = amount as number;
  const { body } = call;
  const spoiltBody = {
    startGameRound: { ...body, debitInformation: { ...body.debitInformation!, debitAmount: wrong } },
    addWin: { ...body, rngResult: { ...body.rngResult, winAmount: wrong } },
    collectWin: { ...body, amount: wrong },
  }[call.kind as 'startGameRound' | 'addWin' | 'collectWin'];
  return { call: { ...call, requestId: fresh(desk, 'request-'), body: spoiltBody }, invalid: true };
}
