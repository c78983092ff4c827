import type { Collection, Db, Filter } from 'mongodb';
import type { Delivered } from '../contracts/activities';
import {
  gameroundRecord,
  listedRound,
  type GameroundRecord,
  type IdleHistory,
  type ListedRound,
  type ReadRecord,
  type Standing,
} from '../domain/round/record';
import { totalWon } from '../domain/round/winnings';
import type { OwnVersions, Recorded } from '../domain/round/known-entries';
import { holdsGuard } from '../domain/round/replies';
import type { Mark, RoundSnapshot } from '../domain/round/types';
import { isDuplicateKey } from './connect';
import { ensureGuardIndex } from './guards';

interface TimedMark {
  mark: string;
  since: Date;
}

/** The rounds of an operator with the same mark. */
export interface WaitingRounds {
  mark: string;
  operator: string;
  rounds: number;
  /** The time of the oldest of these marks. */
  since: Date;
}

/**
 * The document of a round: the operator's record (docs/interface#round-record), the fields for queries and lists, and the
 * snapshot. Free-form data is stored as a JSON text, since names such as `$ref` or `_bsontype` have a meaning in the driver.
 */
export interface RoundDocument
  extends GameroundRecord, Omit<ListedRound, 'dataStored' | keyof GameroundRecord> {
  /** The gameround hash. */
  _id: string;
  /** At least 1. A document with version 0 is no record: it only holds the open-round guard (src/read-model/guards.ts). */
  version: number;
  providerId: string;
  externalGameProviderRoundId?: string | undefined;
  openedAt: Date;
  closedAt?: Date | undefined;
  attention: RoundSnapshot['attention'];
  /** The marks and since when the record has them; absent if it has none. */
  waiting?: TimedMark[];
  sessionId: string;
  /** The serial of the ticket that paid for the round. */
  ticket?: string | undefined;
  /** All wins of the round in minor units. */
  won: number;
  /** The round's dataStored as a JSON text. */
  dataStored?: string | undefined;
  /** JSON of a RoundSnapshot. */
  snapshot: string;
  /** JSON of the DeliveryEnd, if the activity of a wallet call has written this record. */
  delivery?: string;
  /** The newest attempt of a wallet call's activity that looked at the round; see DeliveryEnd. */
  attemptAt?: number;
  /** See ReadRecord. */
  idleAt?: IdleHistory | undefined;
}

/**
 * The end of a wallet call, stored with the record that its activity writes. The caller is answered then, so a repeated
 * attempt must come to the same end.
 */
export interface DeliveryEnd {
  /** The schedule time of the attempt, by the Temporal server's clock; milliseconds since the epoch. */
  attemptAt: number;
  delivered: Delivered;
}

/** What an activity stores with the record. */
export interface Written {
  ended?: DeliveryEnd;
  /** See ReadRecord. */
  idleAt?: IdleHistory | undefined;
}

/** A command has ten seconds in total. A database that hangs must not use them up. */
const READ_TIMEOUT_MS = 1_000;
const WRITE_TIMEOUT_MS = 2_000;
const WAITING_TIMEOUT_MS = 2_000;
/** The most combinations of mark and operator. */
const MAX_WAITING = 1_000;

export interface Rounds {
  /**
   * Writes the record, unless the stored version is newer or not one of `ownVersions`. So a late or repeated write never restores an
   * older state. Returns whether it was written. The same write releases the open-round guard if the round is over.
   * `ended`: an activity writes the record of its wallet call. It is not written if a newer attempt has looked at the round
   * (`overtake`) or has confirmed the guard: that attempt may decide otherwise.
   */
  write(
    snapshot: RoundSnapshot,
    version: number,
    ownVersions?: OwnVersions,
    written?: Written,
  ): Promise<boolean>;
  /**
   * From now on no older attempt of a wallet call writes its record. Returns what an older one has delivered, if it has
   * written the record with one of these versions.
   */
  overtake(
    gameround: string,
    versions: readonly (number | undefined)[],
    attemptAt: number,
  ): Promise<Delivered | undefined>;
  find(gameround: string): Promise<RoundSnapshot | undefined>;
  read(gameround: string): Promise<ReadRecord | undefined>;
  /** Reads only owner and status, since a record can have hundreds of kilobytes. */
  standing(gameround: string): Promise<Standing | undefined>;
  /** The record with its version. */
  recorded(gameround: string): Promise<Recorded | undefined>;
  /** The record, if its version is not one of `ownVersions`. */
  ahead(gameround: string, ownVersions: OwnVersions): Promise<Recorded | undefined>;
  /** The hashes of all open (also crashed) rounds, and of cancelled rounds that have a mark or ended after `since`. */
  unfinished(since: Date): AsyncIterable<string>;
  /** The rounds with a mark, counted by mark and operator. */
  waiting(): Promise<WaitingRounds[]>;
  /** No longer counts the round for the mark `void-unconfirmed`. The record itself keeps the mark, like its workflow. */
  confirmVoids(gameround: string): Promise<void>;
  collection: Collection<RoundDocument>;
  db: Db;
}

export function createRounds(db: Db, environment: string): Rounds {
  const collection = db.collection<RoundDocument>('gamerounds');

  async function read(filter: Filter<RoundDocument>): Promise<(Recorded & ReadRecord) | undefined> {
    const projection = { snapshot: 1, version: 1, idleAt: 1 };
    const found = await collection.findOne(filter, { projection, timeoutMS: READ_TIMEOUT_MS });
    if (!isRecord(found)) return undefined;
    return { snapshot: roundIn(found), version: found.version, idleAt: found.idleAt };
  }

  async function find(filter: Filter<RoundDocument>): Promise<Recorded | undefined> {
    const found = await read(filter);
    return found && { snapshot: found.snapshot, version: found.version };
  }

  /** The marks with their times. A mark that the record already has keeps its time. */
  async function timedMarksOf({ identity, attention }: RoundSnapshot): Promise<TimedMark[] | undefined> {
    if (attention.length === 0) return undefined;
    const options = { projection: { waiting: 1 }, timeoutMS: READ_TIMEOUT_MS };
    const before = await collection.findOne({ _id: identity.gameround }, options);
    const now = new Date();
    return attention.map(
      (mark) => before?.waiting?.find((known) => known.mark === mark) ?? { mark, since: now },
    );
  }

  return {
    collection,
    db,
    async write(snapshot, version, ownVersions = { upTo: version - 1, also: [] }, { ended, idleAt } = {}) {
      const waiting = await timedMarksOf(snapshot);
      const delivery = ended && JSON.stringify(ended.delivered);
      const document = {
        ...toDocument(snapshot, version, environment),
        waiting,
        delivery,
        idleAt: snapshot.status === 'open' ? idleAt : undefined,
      };
      const { _id, operator, player } = document;
      const older = [{ version: { $lte: ownVersions.upTo } }, { version: { $in: ownVersions.also } }];
      const notOvertaken = ended === undefined ? {} : { attemptAt: { $not: { $gt: ended.attemptAt } } };
      const replace = (guard: object): Promise<unknown> =>
        collection.updateOne(
          { _id, operator, player, $or: older, ...notOvertaken },
          [{ $replaceWith: { $mergeObjects: [{ $literal: document }, guard] } }],
          { upsert: true, timeoutMS: WRITE_TIMEOUT_MS },
        );
      try {
        await replace(holdsGuard(snapshot) ? KEEPS_GUARD : {}).catch((error: unknown) => {
          if (!isDuplicateKey(error, 'game')) throw error;
          // Another round has the guard meanwhile.
          return replace({});
        });
        return true;
      } catch (error) {
        // The upsert found no older version and tried to insert, but the record exists: it is newer.
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },
    async overtake(gameround, versions, attemptAt) {
      const projection = { version: 1, delivery: 1 };
      const options = { projection, timeoutMS: WRITE_TIMEOUT_MS };
      const found = await collection.findOneAndUpdate({ _id: gameround }, { $max: { attemptAt } }, options);
      if (found?.delivery === undefined || !versions.includes(found.version)) return undefined;
      return JSON.parse(found.delivery) as Delivered;
    },
    find: async (gameround) => (await find({ _id: gameround }))?.snapshot,
    read: (gameround) => read({ _id: gameround }),
    recorded: (gameround) => find({ _id: gameround }),
    unfinished: (since) => {
      const cancelled = [{ closedAt: { $gte: since } }, { waiting: { $exists: true } }];
      const filter = { $or: [{ status: 'open' as const }, { status: 'cancel' as const, $or: cancelled }] };
      return collection.find(filter, { projection: { _id: 1 } }).map(({ _id }) => _id);
    },
    ahead: (gameround, { upTo, also }) => find({ _id: gameround, version: { $gt: upTo, $nin: also } }),
    waiting: () =>
      collection
        .aggregate<WaitingRounds>(
          [
            { $match: { waiting: { $exists: true } } },
            { $unwind: '$waiting' },
            {
              $group: {
                _id: { mark: '$waiting.mark', operator: '$operator' },
                rounds: { $sum: 1 },
                since: { $min: '$waiting.since' },
              },
            },
            { $limit: MAX_WAITING },
            { $project: { _id: 0, mark: '$_id.mark', operator: '$_id.operator', rounds: 1, since: 1 } },
          ],
          { hint: 'waiting', timeoutMS: WAITING_TIMEOUT_MS },
        )
        .toArray(),
    async confirmVoids(gameround) {
      const others = {
        $filter: { input: '$waiting', cond: { $ne: ['$$this.mark', 'void-unconfirmed' satisfies Mark] } },
      };
      const waiting = { $cond: [{ $eq: [others, []] }, '$$REMOVE', others] };
      await collection.updateOne(
        { _id: gameround, 'waiting.mark': 'void-unconfirmed' },
        [{ $set: { waiting } }],
        { timeoutMS: WRITE_TIMEOUT_MS },
      );
    },
    async standing(gameround) {
      const owners = { operator: 1, player: 1, game: 1, providerId: 1, sessionId: 1 };
      const projection = { _id: 0, version: 1, status: 1, attention: 1, currency: 1, ...owners };
      const found = await collection.findOne({ _id: gameround }, { projection, timeoutMS: READ_TIMEOUT_MS });
      if (!isRecord(found)) return undefined;
      const { status, attention, currency, operator, player, game, providerId, sessionId } = found;
      const owner = { operatorId: operator, playerId: player, gameCode: game, providerId };
      return { status, attention, identity: { ...owner, gameround, sessionId, currency } };
    },
  };
}

/**
 * An open round keeps the guard that it has. If MongoDB has lost its document, it takes the guard again. It does not take it
 * otherwise: another provider's round may have it.
 */
const KEEPS_GUARD = {
  holds: { $cond: [{ $eq: [{ $type: '$version' }, 'missing'] }, true, { $ifNull: ['$holds', '$$REMOVE'] }] },
};

export function toDocument(snapshot: RoundSnapshot, version: number, environment: string): RoundDocument {
  const { identity, openedAt, closedAt, attention, ticket, dataStored } = snapshot;
  return {
    _id: identity.gameround,
    version,
    ...gameroundRecord(snapshot, environment),
    ...listedRound(snapshot),
    providerId: identity.providerId,
    externalGameProviderRoundId: identity.externalGameProviderRoundId,
    openedAt: new Date(openedAt),
    closedAt: closedAt === undefined ? undefined : new Date(closedAt),
    attention,
    sessionId: identity.sessionId,
    ticket: ticket?.serial,
    won: totalWon(snapshot),
    dataStored: dataStored && JSON.stringify(dataStored),
    snapshot: JSON.stringify(snapshot),
  };
}

/** Not a document that only holds the guard. */
function isRecord<Found extends { version: number }>(found: Found | null): found is Found {
  return found !== null && found.version > 0;
}

export function roundIn({ snapshot }: Pick<RoundDocument, 'snapshot'>): RoundSnapshot {
  return JSON.parse(snapshot) as RoundSnapshot;
}

/** An index for every query of src/queries, including its sort order. */
export async function ensureRoundIndexes(rounds: Rounds): Promise<void> {
  // Not the documents that only hold the guard.
  const partialFilterExpression = { status: { $exists: true } };
  await ensureGuardIndex(rounds.db);
  await rounds.collection.createIndexes([
    {
      key: { operator: 1, player: 1, providerId: 1, status: 1, openedAt: -1 },
      name: 'player_open',
      partialFilterExpression,
    },
    {
      key: { operator: 1, player: 1, providerId: 1, status: 1, closedAt: -1 },
      name: 'player_closed',
      partialFilterExpression,
    },
    {
      key: { operator: 1, player: 1, ticket: 1, status: 1, won: 1 },
      name: 'ticket',
      partialFilterExpression: { ticket: { $exists: true } },
    },
    { key: { providerId: 1, game: 1, status: 1, openedAt: -1 }, name: 'game_open', partialFilterExpression },
    {
      key: { attention: 1, openedAt: -1 },
      name: 'attention',
      partialFilterExpression: { attention: { $exists: true } },
    },
    // Contains only the few rounds with a mark.
    {
      key: { 'waiting.since': 1 },
      name: 'waiting',
      partialFilterExpression: { waiting: { $exists: true } },
    },
  ]);
}
