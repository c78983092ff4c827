import fc from 'fast-check';
import { createPayloadCodec } from '../../src/payloads/codec';
import { decide } from '../../src/domain/round/decide';
import { createRound } from '../../src/domain/round/create-round';
import { applyWalletOutcome } from '../../src/domain/round/apply-wallet-outcome';
import { classifyWalletReply } from '../../src/domain/classify-wallet-reply';
import { MAX_STATE_BYTES } from '../../src/domain/round/size';
import type { Command, RoundState } from '../../src/domain/round/types';
import type { WalletOutcome } from '../../src/domain/wallet-call';
import { addWin, AT, collectWin, end, IDENTITY, settings, spins, start, VOID } from './support';

/*
 * However full a round is, and whatever the wallet adds to it: what finishes it is taken, and the round can go on in a
 * new run, whose arguments may have 2 MiB (the server's limit for a payload, encrypted or not).
 */

const PAYLOAD_LIMIT = 2 * 1024 * 1024;

/** Each of its characters has four bytes. */
const longest = (n: number, chars = 128): string => `${n}`.padEnd(5, '_') + '\u{1F3B0}'.repeat(chars - 5);
/** Each of its characters has six bytes in JSON. */
const RUDE = '\u0001'.repeat(2_000);
const ERROR = { id: 77, msg: RUDE, clientmsg: RUDE };
const BALANCES = Array.from({ length: 50 }, () => ({ type: RUDE, amount: 0.1 + 0.2, currency: RUDE }));
const EXTRA = {
  discountInfo: { text: '\u{1F3B0}'.repeat(8_100) },
  tickets: [{ serial: '\u{1F3B0}'.repeat(8_100) }],
};
const FACTS = {
  redelivered: false,
  maybePaid: false,
  creditAccepted: false,
  repeatableErrorIds: [],
  strictReplies: false,
};

/** Driven as its workflow drives it; nothing is frozen, or long rounds would take too long here. */
class LongRound {
  constructor(public state: RoundState) {}

  send(command: Command): string | undefined {
    const decision = decide(this.state, command, AT);
    if (decision.kind === 'refuse') return decision.refusal.errorCode.msg;
    if (decision.kind === 'accept') this.state = decision.state;
    return undefined;
  }

  deliver(outcome: WalletOutcome): void {
    this.state = applyWalletOutcome(this.state, outcome, AT);
  }

  /** As a wallet's answer comes in: judged, and bounded by that. */
  answered(status: number, body: object = {}): void {
    const answer = { kind: 'answer', status, body: { balances: BALANCES, ...EXTRA, ...body } } as const;
    this.deliver(classifyWalletReply(this.state.pending!, answer, FACTS));
  }

  /** The first call has this answer, and what follows from it is accepted. */
  settleAll(status: number, body: object = {}): void {
    if (this.state.pending) this.answered(status, body);
    while (this.state.pending) this.answered(200);
  }
}

type Step = { command: (n: number) => Command; status: number; body?: object };

const STEPS: Record<string, Step> = {
  bets: { command: (n) => start({ rngCallId: longest(n), winAmount: 9 }), status: 200 },
  declinedBets: {
    command: (n) => start({ rngCallId: longest(n) }),
    status: 400,
    body: { errorCode: ERROR },
  },
  unknownBets: { command: (n) => start({ rngCallId: longest(n) }), status: 500 },
  wins: { command: (n) => addWin(longest(n, 140), 1_000, { rngCallId: longest(n) }), status: 200 },
  data: { command: (n) => addWin(longest(n, 140), 1, { betData: { a: RUDE } }), status: 200 },
  shortWins: { command: (n) => addWin(`w${n}`, 1), status: 200 },
  collects: { command: (n) => collectWin(longest(n, 140), 1), status: 200 },
  counters: { command: (n) => spins(longest(n, 140), longest(n % 90), 1, 1), status: 200 },
};

/** Goes through the steps in turn until none of them is taken any more. */
function fill(steps: readonly Step[]): { round: LongRound; taken: number } {
  const first = start({ winAmount: 1_000_000, stake: 1, debitAmount: 1, grants: EXTRA });
  const round = new LongRound(createRound(IDENTITY, settings({ followUpDebits: true }), first, AT));
  round.deliver({ kind: 'accepted' });
  let taken = 0;
  for (let refusals = 0, n = 0; refusals < steps.length; n += 1) {
    const { command, status, body } = steps[n % steps.length]!;
    const refused = round.send(command(n));
    if (refused !== undefined) {
      expect(refused).toMatch(/the round (has too many steps|holds too much data)/);
      refusals += 1;
      continue;
    }
    refusals = 0;
    taken += 1;
    round.settleAll(status, body);
  }
  return { round, taken };
}

const FINISHES: Record<string, (round: LongRound) => void> = {
  end: (round) => {
    round.send(end(longest(0, 140), longest(0, 32)));
    round.settleAll(200);
    expect(round.state.status).toBe('closed');
  },
  'void, or an end where something was paid': (round) => {
    if (round.send({ ...VOID, reason: longest(0, 32) }) !== undefined) round.send(end());
    round.settleAll(200);
    expect(round.state.status).not.toBe('open');
  },
  'a crash, and a hundred words of a person': (round) => {
    round.send(end());
    round.deliver({ kind: 'retryable', reason: 'silence', creditAccepted: false, maybePaid: true });
    round.answered(400, { errorCode: ERROR });
    expect(round.state.crashed).toBe(true);
    for (let n = 0; n < 100; n += 1) {
      round.send({ type: 'settle', key: longest(n, 140), reason: longest(n, 160), accepted: [] });
    }
    const accepted = round.state.transactions.filter(({ outcome }) => outcome === 'pending');
    const all = accepted.map(({ hash }) => hash);
    round.send({ type: 'settle', key: 'last', reason: 'the last word', accepted: all });
    expect(round.state.status).toBe('closed');
  },
};

async function payloadBytes(round: LongRound): Promise<number> {
  const key = { id: 'k'.repeat(64), secret: Buffer.alloc(32, 1) };
  const codec = createPayloadCodec({ keys: [key], readKeys: [] });
  const command = start({ rngCallId: longest(0), result: '\u{1F3B0}'.repeat(4_096), grants: EXTRA });
  const dataStored = { all: 'x'.repeat(64 * 1024) };
  const queue = [{ key: longest(0, 140), command: end(longest(0, 140), longest(0, 32)), calls: [] }];
  const continued = { state: { ...round.state, dataStored }, queue, autoCloseAt: 0, version: 0 };
  const data = Buffer.from(JSON.stringify({ identity: IDENTITY, settings: settings(), command, continued }));
  const [payload] = await codec.encode([{ metadata: { encoding: Buffer.from('json/plain') }, data }]);
  return payload!.data!.length + 1_024;
}

it.each(Object.keys(STEPS))(
  'a round full of %s can be finished in any way, and fits all the while',
  async (name) => {
    const { round, taken } = fill([STEPS[name]!]);
    expect(taken).toBeGreaterThan(40);
    expect(await payloadBytes(round)).toBeLessThan(PAYLOAD_LIMIT);
    for (const finish of Object.values(FINISHES)) {
      const finished = new LongRound(round.state);
      finish(finished);
      expect(await payloadBytes(finished)).toBeLessThan(PAYLOAD_LIMIT);
    }
  },
);

it('so does one full of any mixture', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(Object.values(STEPS), { minLength: 2, maxLength: 4 }),
      fc.constantFrom(...Object.values(FINISHES)),
      async (steps, finish) => {
        const { round } = fill(steps);
        finish(round);
        expect(await payloadBytes(round)).toBeLessThan(PAYLOAD_LIMIT);
      },
    ),
    { numRuns: 3 },
  );
});

it('a round of ordinary steps takes two thousand of them', () => {
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const ordinary = (n: number): Command => addWin(`transaction:${uuid(n)}`, 250, { rngCallId: uuid(n) });
  const { round, taken } = fill([{ command: ordinary, status: 200 }]);
  expect(taken).toBe(1_999);
  expect(Buffer.byteLength(JSON.stringify(round.state))).toBeLessThan(MAX_STATE_BYTES);
});
