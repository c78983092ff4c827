import { z } from 'zod';

/**
 * Fault switches: the next `times` calls that match get the fault. The number of calls and each wait are bounded, so that a
 * forgotten switch ends by itself.
 */
const MAX_TIMES = 1_000_000;
export const MAX_WAIT_MS = 10 * 60_000;
const MAX_FAULTS = 1_000;
const MAX_BYTES = 512 * 1024 * 1024;

const errorCode = z.object({ id: z.number().int(), msg: z.string(), clientmsg: z.string() }).partial({
  msg: true,
  clientmsg: true,
});
const when = z.enum(['before', 'after']);
const waitMs = z.number().int().min(0).max(MAX_WAIT_MS);

const match = z.strictObject({
  path: z.string().optional(),
  type: z.enum(['debit', 'credit', 'end', 'void']).optional(),
  gameRound: z.string().optional(),
  playerId: z.string().optional(),
  tenantId: z.string().optional(),
  hash: z.string().optional(),
});

const common = {
  match: match.default({}),
  times: z.number().int().min(1).max(MAX_TIMES).default(1),
  /** The number of matching calls that are processed normally first. */
  skip: z.number().int().min(0).max(MAX_TIMES).default(0),
};

/**
 * `when` says whether the fault comes before or after the call is processed. With `before` the call is not processed, except
 * by `slow`, which processes it after the delay. With `where: 'hash'` this is about the refused transactions only.
 */
export const faultRequest = z.discriminatedUnion('fault', [
  z.strictObject({
    ...common,
    fault: z.literal('status'),
    status: z.number().int().min(200).max(599),
    errorCode: errorCode.optional(),
    body: z.unknown().optional(),
    when: when.default('before'),
    where: z.enum(['top', 'hash']).default('top'),
    retryAfter: z.string().max(64).optional(),
  }),
  z.strictObject({
    ...common,
    fault: z.literal('errorOn200'),
    errorCode: errorCode.optional(),
    when: when.default('before'),
    where: z.enum(['top', 'hash']).default('top'),
    errorIdHeader: z.boolean().default(false),
  }),
  z.strictObject({ ...common, fault: z.literal('hang'), when: when.default('before') }),
  z.strictObject({ ...common, fault: z.literal('dropReply') }),
  z.strictObject({ ...common, fault: z.literal('cutReply') }),
  z.strictObject({ ...common, fault: z.literal('reset') }),
  z.strictObject({
    ...common,
    fault: z.literal('garbage'),
    when: when.default('after'),
    text: z.string().max(10_000).default('<html>It works!</html>'),
  }),
  z.strictObject({ ...common, fault: z.literal('array'), when: when.default('after') }),
  z.strictObject({ ...common, fault: z.literal('slow'), delayMs: waitMs, when: when.default('before') }),
  z.strictObject({ ...common, fault: z.literal('hold'), delayMs: waitMs.optional() }),
  z.strictObject({ ...common, fault: z.literal('duplicate'), delayMs: waitMs.default(0) }),
  z.strictObject({
    ...common,
    fault: z.literal('redirect'),
    status: z
      .union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)])
      .default(307),
    location: z.string().max(2_000).default('/redirected'),
    when: when.default('before'),
  }),
  z.strictObject({
    ...common,
    fault: z.literal('huge'),
    bytes: z
      .number()
      .int()
      .min(1)
      .max(MAX_BYTES)
      .default(MAX_BYTES / 4),
    compressed: z.boolean().default(false),
    when: when.default('after'),
  }),
  z.strictObject({ ...common, fault: z.literal('endless'), when: when.default('after') }),
  z.strictObject({
    ...common,
    fault: z.literal('omit'),
    /** Dotted paths into the reply's body, for example `config.stakes`. */
    fields: z.array(z.string().max(200)).min(1).max(50),
  }),
]);

export type FaultRequest = z.output<typeof faultRequest>;
export type Fault = FaultRequest & { id: number; left: number; toSkip: number; hits: number };
export type FaultErrorCode = z.output<typeof errorCode>;

/** The properties of a call that a switch can match. */
export interface CallFacts {
  path: string;
  types: readonly string[];
  hashes: readonly string[];
  gameRound?: string | undefined;
  playerId?: string | undefined;
  tenantId?: string | undefined;
}

export class FaultSwitches {
  private readonly faults = new Map<number, Fault>();
  private last = 0;

  /** Undefined if there are too many switches already. */
  add(request: FaultRequest): Fault | undefined {
    if (this.faults.size >= MAX_FAULTS) return undefined;
    const fault = { ...request, id: ++this.last, left: request.times, toSkip: request.skip, hits: 0 };
    this.faults.set(fault.id, fault);
    return fault;
  }

  /** Returns the first switch that matches the call, and counts the use. A used-up switch stays in the list until deleted. */
  take(facts: CallFacts): Fault | undefined {
    for (const fault of this.faults.values()) {
      if (fault.left === 0 || !meets(fault.match, facts)) continue;
      if (fault.toSkip > 0) {
        fault.toSkip -= 1;
        continue;
      }
      fault.left -= 1;
      fault.hits += 1;
      return fault;
    }
    return undefined;
  }

  list(): Fault[] {
    return [...this.faults.values()];
  }

  delete(id: number): boolean {
    return this.faults.delete(id);
  }

  clear(): void {
    this.faults.clear();
  }
}

function meets(wanted: z.output<typeof match>, facts: CallFacts): boolean {
  return (
    same(wanted.path, facts.path) &&
    same(wanted.gameRound, facts.gameRound) &&
    same(wanted.playerId, facts.playerId) &&
    same(wanted.tenantId, facts.tenantId) &&
    (wanted.type === undefined || facts.types.includes(wanted.type)) &&
    (wanted.hash === undefined || facts.hashes.includes(wanted.hash))
  );
}

function same(wanted: string | undefined, actual: string | undefined): boolean {
  return wanted === undefined || wanted === actual;
}
