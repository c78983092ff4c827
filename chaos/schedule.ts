import type { OutageFault } from './faults/outage';
import type { RefusalFault } from './faults/refusal';
import type { RestoreFault } from './faults/restore';
import type { TenantsFault } from './faults/tenants';
import type { NetworkFault } from './proxy';
import { stream, type Stream } from './random';
import { CLOCKS, GAME_LINK, walletLink, type Clock, type Part, type Store } from './stack';
import { GAMES, OPERATORS, REPEATABLE_ERROR_ID } from './tenants';

/** One fault. The report counts faults by `name`. */
export type Fault = OutageFault | RestoreFault | RefusalFault | TenantsFault | OrdinaryFault;

/** Faults of these kinds may run at the same time. A fault that runs alone has a file in `faults`. */
export type OrdinaryFault = { name: string } &
  /** `kill -9` of all parts at the same moment. They are started again after `downMs`. */
  (
    | { kind: 'kill'; parts: Part[]; downMs: number }
    /** SIGSTOP, and SIGCONT after `ms`. */
    | { kind: 'freeze'; part: Part; ms: number }
    /** SIGTERM: the process finishes its work and is started again. */
    | { kind: 'restart'; part: Part }
    /** Workers and API are replaced by ones with new workflow code, one after the other. */
    | { kind: 'deploy' }
    | { kind: 'clock'; clock: Clock; skewMs: number; ms: number }
    | { kind: 'network'; link: string; fault: NetworkFault; ms: number }
    /** A switch of the sandbox (sandbox/http/faults.ts) at the wallet or the game. Removed once met, or after `ms`. */
    | { kind: 'partner'; who: 'wallet' | 'game'; switch: object; ms: number }
    /**
     * All processes with a worker are killed while transactions are at the wallet, before or after the wallet has processed
     * them. The wallet answers the repeat of each by the second switch. `lost`: they are killed a moment after the wallet's
     * answer instead, and nothing reaches this server from the moment on in which the transactions are at the wallet.
     */
    | {
        kind: 'ambush';
        operatorId: string;
        type: 'debit' | 'credit' | 'void';
        switches: [first: object, repeat: object];
        lost?: 'Mongo' | 'Temporal' | undefined;
      }
  );

/** Lanes run at the same time. Within a lane, one fault ends before the next begins. */
export const LANES = [
  ...(['servers', 'processes', 'clocks', 'network', 'wallet', 'wallet too', 'game'] as const),
  ...(['restores', 'outages', 'refusals', 'tenants'] as const),
] as const;
export type Lane = (typeof LANES)[number];

export interface Entry {
  /** Pause after the previous fault of the lane, in milliseconds. */
  afterMs: number;
  fault: Fault;
}

/** How hard a run is. A span holds a minimum and a maximum, in milliseconds unless the field says otherwise. */
export interface Pace {
  down: Span;
  frozen: Span;
  broken: Span;
  /** Delay of a straggler. */
  overtaken: Span;
  pause: Record<Lane, Span>;
  /** Time between the copy of a database and its restore. */
  apart: Span;
  /** How many new commands callers send to a waiting round, and for how many milliseconds at most. */
  siege: { commands: Span; maxMs: number };
  /** How much longer a fault stays if it has met nothing yet. */
  patienceMs: number;
  /** Half-open connections may outlast their fault. */
  lingers: boolean;
  /** Number of faults in each lane. Undefined: as many as there is time for. */
  count?: Record<Lane, number>;
}
type Span = readonly [from: number, to: number];

/** For runs of several minutes: faults last long enough for time-outs to expire. */
export const LONG: Pace = {
  down: [0, 4_000],
  frozen: [500, 14_000],
  broken: [500, 8_000],
  overtaken: [2_500, 9_000],
  pause: {
    servers: [6_000, 20_000],
    processes: [2_000, 9_000],
    clocks: [5_000, 20_000],
    refusals: [60_000, 120_000],
    tenants: [120_000, 240_000],
    network: [1_000, 8_000],
    wallet: [300, 3_000],
    'wallet too': [300, 6_000],
    game: [2_000, 8_000],
    // Faults that run alone hold up all others. These pauses limit them to about a third of the time.
    restores: [50_000, 100_000],
    outages: [90_000, 200_000],
  },
  apart: [8_000, 40_000],
  siege: { commands: [1_000, 2_000], maxMs: 40_000 },
  patienceMs: 4_000,
  lingers: true,
};

/** For a short run: a few faults in each lane, with short pauses. */
export const SHORT: Pace = {
  down: [0, 200],
  frozen: [300, 1_200],
  broken: [200, 600],
  overtaken: [2_200, 3_000],
  pause: {
    servers: [1_500, 2_500],
    processes: [300, 900],
    clocks: [500, 1_500],
    network: [200, 600],
    wallet: [20, 100],
    'wallet too': [20, 100],
    game: [200, 500],
    restores: [1_000, 2_000],
    outages: [3_000, 6_000],
    refusals: [3_000, 6_000],
    tenants: [3_000, 6_000],
  },
  apart: [3_000, 6_000],
  siege: { commands: [100, 200], maxMs: 12_000 },
  patienceMs: 20_000,
  lingers: false,
  count: {
    ...{ servers: 2, processes: 6, clocks: 3, network: 6, wallet: 10, 'wallet too': 6, game: 2 },
    ...{ restores: 0, outages: 0, refusals: 0, tenants: 0 },
  },
};

/**
 * The faults of a lane, in the order in which the seed deals them: the whole deck shuffled, then the whole deck again.
 * The time of a run decides how many of them are dealt. `only`: only faults whose name begins with this text.
 */
export function* faultsOf(lane: Lane, seed: number, pace: Pace, only = ''): Generator<Entry> {
  const draw = stream(seed, 'faults', lane);
  let left = pace.count?.[lane] ?? Number.POSITIVE_INFINITY;
  for (let isAny = true; isAny;) {
    isAny = false;
    for (const deal of draw.shuffled(DECKS[lane])) {
      const pauseMs = draw.int(...pace.pause[lane]);
      const entry = { afterMs: only === '' ? pauseMs : pauseMs / ONLY, fault: deal(draw, pace) };
      if (!entry.fault.name.startsWith(only)) continue;
      if ((left -= 1) < 0) return;
      isAny = true;
      yield entry;
    }
  }
}

/** Pauses are divided by this number if `only` selects faults. */
const ONLY = 4;

type Deal = (draw: Stream, pace: Pace) => Fault;

const kill =
  (...parts: Part[]): Deal =>
  (draw, pace) => ({
    name: `kill ${parts.join(' and ')}`,
    kind: 'kill',
    parts,
    downMs: draw.int(...pace.down),
  });
const freeze =
  (part: Part): Deal =>
  (draw, pace) => ({ name: `freeze ${part}`, kind: 'freeze', part, ms: draw.int(...pace.frozen) });
const restart =
  (part: Part): Deal =>
  () => ({ name: `restart ${part}`, kind: 'restart', part });

const ambush =
  (type: 'debit' | 'credit' | 'void', lost?: 'Mongo' | 'Temporal'): Deal =>
  (draw) => {
    const operatorId = draw.pick(['op-usual', 'op-whole', 'op-slow']);
    const when = draw.pick(['before', 'after'] as const);
    const delayMs = lost === undefined ? 3_000 : LOST_ANSWER_MS;
    const first = { fault: 'slow', when, delayMs, match: { tenantId: operatorId, type }, times: 4 };
    // If the wallet refuses the repeat, a lost first answer can cost money.
    const [, refusal] = draw.pick(type === 'void' || draw.chance(0.5) ? SAFE : REFUSALS);
    const repeat = lost === undefined ? refusal(draw) : { fault: 'hang', when: 'before' };
    const name = `ambush ${type}${lost === undefined ? '' : `, ${lost} lost`}`;
    return { name, kind: 'ambush', operatorId, type, switches: [first, repeat], lost };
  };

/** Shorter than all wallet time-outs here, longer than it takes to see that a call is at the wallet. */
export const LOST_ANSWER_MS = 800;

const clock =
  (which: Clock): Deal =>
  (draw, pace) => {
    // Mostly within the tolerance of partners (300 s), and always longer than a call may be under way.
    const [from, to] = draw.weighted([
      [[12_000, 120_000], 5],
      [[310_000, 900_000], 1],
    ] as const);
    const skewMs = draw.int(from, to) * draw.pick([-1, 1]);
    return { name: `clock of ${which}`, kind: 'clock', clock: which, skewMs, ms: draw.int(...pace.broken) };
  };

const LINKS = [
  'provider→API',
  'API→Temporal',
  'API→Mongo',
  'worker→Temporal',
  'worker→Mongo',
  GAME_LINK,
  ...OPERATORS.map(({ operatorId }) => walletLink(operatorId)),
];

type Break = (draw: Stream, pace: Pace) => NetworkFault;

// The delay is longer than the first attempt to write a record, than most calls, and than some wallet time-outs.
const straggler: Break = (draw, { overtaken }) => ({ kind: 'straggler', ms: draw.int(...overtaken) });

const NETWORK: readonly Break[] = [
  (draw) => ({ kind: 'latency', ms: draw.int(50, 2_500) }),
  straggler,
  () => ({ kind: 'reset' }),
  () => ({ kind: 'black hole' }),
  (_draw, { lingers }) => ({ kind: 'half-open', lingers }),
  (draw) => ({ kind: 'cut reply', afterBytes: draw.pick([0, 20, 200]) }),
];

const breaks =
  (link: string, make: Break): Deal =>
  (draw, pace) => {
    const fault = make(draw, pace);
    const name = `${fault.kind} ${link.replace(/ op-.*/, '')}`;
    // Stragglers delay only half of the requests, so they last longer.
    const ms = draw.int(...pace.broken) * (fault.kind === 'straggler' ? 3 : 1);
    return { name, kind: 'network', link, fault, ms };
  };

/** Each kind of fault on each link. Stragglers of record writes come more often, because few of them have an effect. */
const network: Deal[] = [
  ...LINKS.flatMap((link) => NETWORK.map((make) => breaks(link, make))),
  ...Array.from({ length: 3 }, () => breaks('worker→Mongo', straggler)),
];

type Switch = readonly [name: string, make: (draw: Stream) => object];
const error = { id: 7_900, msg: 'CHAOS', clientmsg: 'Refused.' };
const either = (draw: Stream): 'before' | 'after' => draw.pick(['before', 'after'] as const);

/**
 * Faults that a correct operator may show on any call. A definite refusal means that nothing was processed, and none of
 * these faults is a definite refusal of a processed call.
 */
const SAFE: readonly Switch[] = [
  ['500', (draw) => ({ fault: 'status', status: 500, when: either(draw), errorCode: error })],
  ['503', (draw) => ({ fault: 'status', status: 503, when: either(draw), retryAfter: '1' })],
  ['408', (draw) => ({ fault: 'status', status: 408, when: either(draw) })],
  ['hang', (draw) => ({ fault: 'hang', when: either(draw) })],
  ['drop reply', () => ({ fault: 'dropReply' })],
  ['cut reply', () => ({ fault: 'cutReply' })],
  ['reset', () => ({ fault: 'reset' })],
  ['garbage', (draw) => ({ fault: 'garbage', when: either(draw) })],
  ['array', (draw) => ({ fault: 'array', when: either(draw) })],
  ['slow', (draw) => ({ fault: 'slow', when: either(draw), delayMs: draw.int(100, 2_500) })],
  ['reordered', (draw) => ({ fault: 'hold', delayMs: draw.int(50, 900) })],
  // Longer than any wallet time-out here, so a debit arrives after its void.
  ['late', (draw) => ({ fault: 'hold', delayMs: draw.int(4_500, 7_000) })],
  ['duplicate', (draw) => ({ fault: 'duplicate', delayMs: draw.int(0, 2_500) })],
  ['redirect', (draw) => ({ fault: 'redirect', when: either(draw) })],
  ['huge', (draw) => ({ fault: 'huge', bytes: 3_000_000, compressed: draw.chance(0.5) })],
  ['endless', (draw) => ({ fault: 'endless', when: either(draw) })],
  ['error on 200', (draw) => ({ fault: 'errorOn200', when: either(draw), errorCode: error })],
  [
    'error on 200, by hash',
    (draw) => ({ fault: 'errorOn200', when: either(draw), errorCode: error, where: 'hash' }),
  ],
];

/** Refusals of bets and wins. A wallet processes voids in any state of the round (docs/interface#void-any-state). */
const REFUSALS: readonly Switch[] = [
  ['400', () => ({ fault: 'status', status: 400, errorCode: error })],
  ['403', () => ({ fault: 'status', status: 403, errorCode: error })],
  ['409 without a word', () => ({ fault: 'status', status: 409 })],
  ['429', () => ({ fault: 'status', status: 429 })],
  ['401', () => ({ fault: 'status', status: 401, errorCode: { id: 1001, msg: 'SIGNATUREWRONG' } })],
  ['repeatable', () => ({ fault: 'status', status: 400, errorCode: { ...error, id: REPEATABLE_ERROR_ID } })],
  ['400, by hash', () => ({ fault: 'status', status: 400, errorCode: error, where: 'hash' })],
];
const VOID_REFUSALS: readonly Switch[] = [
  ['401 for a void', () => ({ fault: 'status', status: 401 })],
  ['409 for a void', () => ({ fault: 'status', status: 409, errorCode: error })],
];

const wallet = (
  switches: readonly Switch[],
  types: readonly ('debit' | 'credit' | 'end' | 'void' | undefined)[],
): Deal[] =>
  switches.map(([name, make]) => (draw, pace) => {
    const type = draw.pick(types);
    // Voids are rare, so the switch meets the next void of any operator.
    const whose = type === 'void' || draw.chance(0.5) ? {} : { tenantId: draw.pick(OPERATORS).operatorId };
    const match = { ...whose, type };
    const how = { ...make(draw), match, times: draw.int(1, 3) };
    return {
      name: `wallet: ${name}`,
      kind: 'partner',
      who: 'wallet',
      switch: how,
      ms: 4 * draw.int(...pace.broken),
    };
  });

const game =
  (name: string, how: object): Deal =>
  (draw, pace) => ({
    name: `game: ${name}`,
    kind: 'partner',
    who: 'game',
    switch: { ...how, times: draw.int(1, 3) },
    ms: 4 * draw.int(...pace.broken),
  });

const restore =
  (store: Store): Deal =>
  (draw, { apart }) => ({
    ...{ name: `restore ${store}`, kind: 'restore', store },
    apartMs: draw.int(...apart),
  });

const outage =
  (waitsFor: 'credit' | 'void'): Deal =>
  (draw, { siege: { commands, maxMs } }) => ({
    ...{ name: `outage while a ${waitsFor} is owed`, kind: 'outage', waitsFor },
    playerId: `besieged-${draw.id().slice(0, 8)}`,
    operatorId: draw.pick(OPERATORS).operatorId,
    game: draw.pick(GAMES),
    how: draw.pick([
      { fault: 'status', status: 503, when: 'before' },
      { fault: 'status', status: 503, when: 'after' },
      { fault: 'reset' },
      { fault: 'hang' },
    ]),
    commands: draw.int(...commands),
    maxMs,
    killed: draw.pick<Part[]>([['worker-1'], ['worker-2'], ['worker-1', 'worker-2']]),
  });

/** Operators whose rounds are not auto-closed while a fault lasts. */
const PATIENT = OPERATORS.filter(({ autoCloseAfterMs }) => autoCloseAfterMs > 3_600_000);

const refused = (how: RefusalFault['how']): Deal => {
  return (draw) => ({
    ...{ name: `refused for good, ${how}`, kind: 'refusal', how },
    ...{ playerId: `refused-${draw.id().slice(0, 8)}`, operatorId: draw.pick(PATIENT).operatorId },
    ...{ game: draw.pick(GAMES), killed: draw.pick<Part[]>([[], ['worker-1'], ['worker-1', 'worker-2']]) },
  });
};

const tenants =
  (what: TenantsFault['what']): Deal =>
  (draw) => ({
    ...{ name: `tenants: ${what}`, kind: 'tenants', what, by: draw.pick(['person', 'itself'] as const) },
    ...{ playerId: `changed-${draw.id().slice(0, 8)}`, operatorId: draw.pick(PATIENT).operatorId },
  });

const DECKS: Record<Lane, readonly Deal[]> = {
  servers: [kill('temporal'), kill('mongod'), freeze('temporal'), freeze('mongod')],
  processes: [
    ...[kill('api'), kill('worker-1'), kill('worker-2'), kill('worker-1', 'worker-2')],
    ...[freeze('api'), freeze('worker-1'), freeze('worker-2')],
    ...[restart('api'), restart('worker-1'), restart('worker-2')],
    ...[ambush('debit'), ambush('debit'), ambush('credit'), ambush('void')],
    ...[ambush('debit', 'Mongo'), ambush('debit', 'Temporal')],
    () => ({ name: 'deploy', kind: 'deploy' }),
  ],
  clocks: CLOCKS.map(clock),
  network,
  wallet: [
    ...wallet(SAFE, ['debit', 'credit', 'end', undefined]),
    ...wallet(REFUSALS, ['debit', 'credit', 'end']),
  ],
  'wallet too': [...wallet(SAFE, ['debit', 'credit', 'void']), ...wallet(VOID_REFUSALS, ['void'])],
  game: [
    game('500', { fault: 'status', status: 500 }),
    game('drop reply', { fault: 'dropReply' }),
    game('garbage', { fault: 'garbage' }),
    game('reset', { fault: 'reset' }),
    game('slow', { fault: 'slow', delayMs: 1_500 }),
  ],
  restores: [restore('temporal'), restore('mongod')],
  outages: [outage('credit'), outage('void')],
  refusals: [refused('nothing paid'), refused('paid in part'), refused('in a reconciliation')],
  tenants: [tenants('secret changed'), tenants('time-out'), tenants('game moved')],
};
