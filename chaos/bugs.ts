import type { Change } from '../test/support/changed-project';

/** Deliberate mistakes, each of a kind that a change could bring. A run has to find each of them. */
export const BUG_NAMES = [
  'fresh-hash-per-retry',
  'no-void-after-unknown-bet',
  'record-without-version-guard',
  'unknown-bet-is-declined',
  'repeated-delivery-is-a-first',
  'record-ahead-is-ignored',
  'answer-before-record',
  'later-attempt-reads-no-record',
  'credit-before-record-of-bet',
] as const;
export type BugName = (typeof BUG_NAMES)[number];

export const BUGS: Record<BugName, { what: string; changes: readonly Change[] }> = {
  'fresh-hash-per-retry': {
    what: 'a credit or void that is sent again carries a new hash',
    changes: [
      {
        file: 'activities/deliver.ts',
        find: `      const outcome = await send(operator, delivery, redelivered, known).finally(() => clearInterval(alive));`,
        replace: `      const fresh = (hash: string) => hash.slice(0, -2) + String(10 + (attempt % 90));
      const { call } = delivery;
      const again = call.purpose === 'void' ? call.transactions : call.transactions.map((one) => ({ ...one, hash: fresh(one.hash) }));
      const outcome = await send(operator, { ...delivery, call: { ...call, transactions: again } }, redelivered, known).finally(() => clearInterval(alive));`,
      },
    ],
  },
  'no-void-after-unknown-bet': {
    what: 'a first bet of unknown outcome is given up without a void',
    changes: [
      {
        file: 'src/domain/round/apply-wallet-outcome.ts',
        find: `  if (first) return answered(cancelRound(failed, DEBIT_UNKNOWN, at), key, { refusal: why });`,
        replace: `  if (first) return answered({ ...failed, status: 'cancel', closedAt: at, amountToCollect: 0 }, key, { refusal: why });`,
      },
    ],
  },
  'record-without-version-guard': {
    what: 'a record is overwritten by whatever comes last',
    changes: [
      {
        file: 'src/read-model/rounds.ts',
        find: `{ _id, operator, player, $or: older, ...notOvertaken },`,
        replace: `{ _id, operator, player },`,
      },
    ],
  },
  'unknown-bet-is-declined': {
    what: 'a bet without an answer counts as declined',
    changes: [
      {
        file: 'src/domain/classify-wallet-reply.ts',
        find: `      : { kind: 'unknown', reason };`,
        replace: `      : { kind: 'declined', unauthorised: false, processed: false };`,
      },
    ],
  },
  'repeated-delivery-is-a-first': {
    what: 'a repeated delivery is taken for a first one',
    changes: [
      {
        file: 'activities/deliver.ts',
        find: `await send(operator, delivery, begun === 'again', known)`,
        replace: `await send(operator, delivery, false, known)`,
      },
    ],
  },
  'record-ahead-is-ignored': {
    what: 'a round of a restored Temporal goes on as if nothing had happened since the copy',
    changes: [
      {
        file: 'src/read-model/rounds.ts',
        find: `const older = [{ version: { $lte: ownVersions.upTo } }, { version: { $in: ownVersions.also } }];`,
        replace: `const older = [{ version: { $lt: version } }];`,
      },
      {
        file: 'src/read-model/rounds.ts',
        find: `ahead: (gameround, { upTo, also }) => find({ _id: gameround, version: { $gt: upTo, $nin: also } }),`,
        replace: `ahead: () => Promise.resolve(undefined),`,
      },
    ],
  },
  'answer-before-record': {
    what: 'a caller is answered before the record is written',
    changes: [
      {
        file: 'activities/deliver.ts',
        find: `  if (!(await write(deps, delivery, version, round, recorded, idleHistory(idleAt)))) return delivered;
  deps.waitingCalls.answer(calls, () => replyTo(round, answer));`,
        replace: `  deps.waitingCalls.answer(calls, () => replyTo(round, answer));
  if (!(await write(deps, delivery, version, round, recorded, idleHistory(idleAt)))) return delivered;`,
      },
    ],
  },
  'later-attempt-reads-no-record': {
    what: 'a later attempt does not look for what an earlier one has recorded',
    changes: [
      {
        file: 'activities/deliver.ts',
        find: `isLater(delivery, info) ? await overtaken(deps, delivery, end) : undefined;`,
        replace: `undefined;`,
      },
      {
        file: 'activities/deliver.ts',
        find: `const found = overtaken(deps, delivery, end);`,
        replace: `const found = newerBeforeReset(deps, delivery);`,
      },
    ],
  },
  'credit-before-record-of-bet': {
    what: 'the credit is sent before the record and the server say that its bet is accepted',
    changes: [
      {
        file: 'activities/deliver.ts',
        find: `write(deps, delivery, end.betVersion, next, unanswered),`,
        replace: `true,`,
      },
      {
        file: 'activities/deliver.ts',
        find: `          heartbeat((progress = delivered));
          await deps.attempts.report(activityInfo().taskToken, delivered);`,
        replace: `          await Promise.resolve((progress = undefined));`,
      },
    ],
  },
};
