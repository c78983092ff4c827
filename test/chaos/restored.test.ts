import { nothingNewSent, overStaysOver, withoutInFlight } from '../../chaos/checks/restored';
import type { Evidence, RecordInMongo, WalletCall } from '../../chaos/evidence';
import { brokenBy, type Siege } from '../../chaos/faults/outage';
import { whatIsLost } from '../../chaos/faults/restore';
import { Notes, type Heard } from '../../chaos/players/notes';
import type { Moved, Restore } from '../../chaos/stack';

type Status = Moved['status'];
const BACK = 1_000_000;

const recordOf = (status: Status, outcomes: Record<string, string>, version = 1): RecordInMongo =>
  ({
    ...{ _id: 'g', status, version },
    snapshot: {
      identity: { externalGameProviderRoundId: 'name' },
      transactions: Object.entries(outcomes).map(([name, outcome]) => {
        const [type, hash] = name.split(' ');
        return { type, hash, outcome };
      }),
    },
  }) as unknown as RecordInMongo;

const callOf = (receivedMs: number, ...names: string[]): WalletCall =>
  ({
    receivedMs,
    body: {
      gameRound: 'g',
      transactions: names.map((name) => ({ type: name.split(' ')[0], hash: name.split(' ')[1] })),
    },
  }) as unknown as WalletCall;

const restoredWith = (known: Partial<Restore>): Restore => ({
  ...{ store: 'temporal', copiedAtMs: 0, backAtMs: BACK },
  ...{ moved: new Map(), orphans: new Set(), inFlight: new Set() },
  ...known,
});

const movedAs = (status: Status, names: string[], accepted = names): Restore =>
  restoredWith({ moved: new Map([['g', { status, names: new Set(names), accepted: new Set(accepted) }]]) });

function evidenceOf(
  restored: Restore,
  record: RecordInMongo | undefined,
  calls: WalletCall[] = [],
): Evidence {
  const round = { gameround: 'g', record, calls, movements: [] };
  return {
    rounds: new Map([['g', round]]),
    notes: new Notes(),
    stack: { restores: [restored] },
    sampled: [round],
  } as unknown as Evidence;
}

const whats = ({ violations }: { violations: { what: string }[] }): string[] =>
  violations.map(({ what }) => what);

describe('a round that was over when Temporal was put back', () => {
  const paid = movedAs('closed', ['debit d', 'credit c', 'end e']);

  it.each<[what: string, record: RecordInMongo | undefined, wrong: number]>([
    [
      'is what it was',
      recordOf('closed', { 'debit d': 'accepted', 'credit c': 'accepted', 'end e': 'accepted' }),
      0,
    ],
    [
      'has become another',
      recordOf('cancel', { 'debit d': 'accepted', 'credit c': 'accepted', 'end e': 'accepted' }),
      1,
    ],
    ['has forgotten its win', recordOf('closed', { 'debit d': 'accepted', 'end e': 'accepted' }), 1],
    [
      'owes its win again',
      recordOf('closed', { 'debit d': 'accepted', 'credit c': 'pending', 'end e': 'accepted' }),
      1,
    ],
    ['is gone', undefined, 4],
  ])('%s', (_what, record, wrong) => {
    const checked = overStaysOver(evidenceOf(paid, record));
    expect([checked.examined, checked.violations.length]).toEqual([1, wrong]);
  });

  it('may have been open, and end', () => {
    const record = recordOf('closed', { 'debit d': 'accepted', 'end e': 'accepted' });
    expect(whats(overStaysOver(evidenceOf(movedAs('open', ['debit d']), record)))).toEqual([]);
  });
});

describe('what a round sends whose record is ahead', () => {
  it.each<
    [what: string, restored: Restore, calls: WalletCall[], reconciledAt: number | undefined, wrong: number]
  >([
    ['nothing', movedAs('open', ['debit d']), [callOf(BACK - 1, 'credit x')], undefined, 0],
    [
      'what it has sent before',
      movedAs('open', ['debit d', 'credit c']),
      [callOf(BACK + 1, 'credit c')],
      undefined,
      0,
    ],
    ['a win under a new hash', movedAs('closed', ['debit d']), [callOf(BACK + 1, 'credit x')], undefined, 1],
    [
      'a win under a new hash, which was refused',
      movedAs('closed', ['debit d']),
      [{ ...callOf(BACK + 1, 'credit x'), status: 400 }],
      undefined,
      0,
    ],
    ['a void', movedAs('closed', ['debit d', 'credit c']), [callOf(BACK + 1, 'void d')], undefined, 1],
    [
      'the second void of a cancelled round',
      movedAs('cancel', ['debit d', 'debit f']),
      [callOf(BACK + 1, 'void f')],
      undefined,
      0,
    ],
    [
      'a new hash once it is reconciled',
      movedAs('open', ['debit d']),
      [callOf(BACK + 9, 'end e')],
      BACK + 5,
      0,
    ],
  ])('%s', (_what, restored, calls, reconciledAt, wrong) => {
    const evidence = evidenceOf(restored, recordOf('open', {}), calls);
    if (reconciledAt !== undefined) evidence.notes.reconciledAt.set('g', reconciledAt);
    expect(nothingNewSent(evidence).violations).toHaveLength(wrong);
  });
});

describe('what is lost with a newer database', () => {
  const lost = (
    record: RecordInMongo | undefined,
    before: number | undefined,
    calls: WalletCall[],
  ): Restore =>
    whatIsLost({
      atMs: 500,
      before: new Map(before === undefined ? [] : [['g', recordOf('open', {}, before)]]),
      records: new Map(record === undefined ? [] : [['g', record]]),
      calls: new Map([['g', calls]]),
      known: new Set(before === undefined ? [] : ['g']),
    });

  it.each<[what: string, restored: Restore, moved: boolean, orphan: boolean, inFlight: boolean]>([
    [
      'nothing of a round as it was',
      lost(recordOf('open', { 'debit d': 'accepted' }), 1, [callOf(400, 'debit d')]),
      false,
      false,
      false,
    ],
    [
      'a round that went on',
      lost(recordOf('open', { 'debit d': 'accepted' }, 2), 1, [callOf(600, 'debit d')]),
      true,
      false,
      false,
    ],
    [
      'a round that began',
      lost(recordOf('open', { 'debit d': 'accepted' }), undefined, [callOf(600, 'debit d')]),
      true,
      true,
      false,
    ],
    [
      'a bet that no record tells of',
      lost(undefined, undefined, [callOf(600, 'debit d')]),
      false,
      false,
      true,
    ],
    [
      'a win that the record does not tell of',
      lost(recordOf('open', { 'debit d': 'accepted' }), 1, [callOf(600, 'credit c')]),
      false,
      false,
      true,
    ],
  ])('%s', (_what, restored, moved, orphan, inFlight) => {
    expect([restored.moved.has('g'), restored.orphans.has('g'), restored.inFlight.has('g')]).toEqual([
      ...[moved, orphan, inFlight],
    ]);
  });

  it('leaves what was in flight to a person', () => {
    const evidence = evidenceOf(restoredWith({ inFlight: new Set(['g']) }), recordOf('open', {}));
    const command = { path: '/addWin', request: {}, operatorId: 'o', playerId: 'p', heard: [] };
    evidence.notes.commands.set('its', { ...command, game: 'chaos-slot', roundName: 'name' });
    evidence.notes.commands.set('another’s', { ...command, game: 'chaos-slot', roundName: 'other' });
    const { evidence: rest, leftOut } = withoutInFlight(evidence);
    expect([rest.rounds.size, rest.sampled.length, [...rest.notes.commands.keys()], leftOut]).toEqual([
      ...[0, 0, ['another’s'], 1],
    ]);
    expect(rest.notes.answers).toBe(evidence.notes.answers);
  });
});

describe('callers of a round that waits', () => {
  const heard = (status: number | undefined, tookMs = 100, sentAt = 0, msg = ''): Heard =>
    ({
      ...{ sentAt, heardAt: sentAt + tookMs },
      answer: status === undefined ? undefined : { status, headers: {}, body: { errorCode: { msg } } },
    }) as unknown as Heard;
  const siege = (seen: Partial<Siege>): Siege => ({
    ...{ gameround: 'g', refused: [], repeats: [], reads: [], killedAt: 0 },
    ...{ eventsBefore: 20, eventsAfter: 20, owed: 500, credited: 500 },
    ...seen,
  });

  it.each<[what: string, seen: Partial<Siege>, wrong: number]>([
    ['are told to wait', { refused: [heard(503)], repeats: [heard(503, 10_200)], reads: [heard(200)] }, 0],
    ['are told that it is over', { refused: [heard(400, 100, 0, 'GAMEROUNDNOTACTIVE')] }, 0],
    ['have their command carried out', { refused: [heard(200)] }, 1],
    ['meet a mistake of the service', { refused: [heard(500)] }, 1],
    ['hear nothing', { refused: [heard(undefined, 12_000)] }, 1],
    ['hear too late', { repeats: [heard(503, 12_000)] }, 1],
    ['can not read', { reads: [heard(503)] }, 1],
    [
      'can not read while workers are being replaced',
      { killedAt: 5_000, reads: [heard(503, 9_000, 6_000)] },
      0,
    ],
    ['can not read long after', { killedAt: 5_000, reads: [heard(503, 9_000, 60_000)] }, 1],
    ['leave events', { refused: Array.from({ length: 100 }, () => heard(503)), eventsAfter: 820 }, 1],
    ['are paid once more', { credited: 570 }, 1],
    ['are not paid in time', { credited: undefined }, 1],
    [
      'leave some by their repeats',
      { repeats: Array.from({ length: 10 }, () => heard(503)), eventsAfter: 90 },
      0,
    ],
  ])('%s', (_what, seen, wrong) => {
    expect(brokenBy(siege(seen))).toHaveLength(wrong);
  });
});
