import type { Evidence, RoundEvidence } from '../evidence';
import { isDefinite, type Command, type Heard } from '../players/notes';
import type { Checked, Violation } from './check';

/** Refusals that the service does not store. It judges a repeat of the call again, so the answer may be another one. */
const PASSING = [
  'GAMEROUNDALREADYSTARTED',
  'NOTICKETAVAILABLE',
  'UNCOLLECTEDAMOUNTTOOLOW',
  'SPINCOUNTEREXHAUSTED',
  'CREDITALREADYPROCESSED',
  'GAMEROUNDNOTSTARTED',
];
/** The round is over. A repeat may get these after any answer, and no other answer may follow. */
const OVER = ['GAMEROUNDNOTACTIVE', 'GAMEROUNDCRASHED'];

/** I6: a repeat under the same key gets the same answer, and a success agrees with the round. */
export function stableAnswers({ notes, rounds }: Evidence): Checked {
  const checked: Checked = {
    id: 'I6',
    promise: 'all definite answers to one command agree with each other and with the round',
    examined: 0,
    violations: [],
  };
  for (const command of notes.commands.values()) {
    const definite = command.heard.filter(({ answer }) => isDefinite(answer));
    if (definite.length === 0) continue;
    checked.examined += 1;
    checked.violations.push(...disagreements(command, definite), ...untrue(command, definite, rounds));
  }
  return checked;
}

/** I6b: a round that an answer showed as closed or cancelled keeps this status. */
export function finalIsFinal({ notes, rounds }: Evidence): Checked {
  const checked: Checked = {
    id: 'I6b',
    promise: 'a round that was reported as closed or cancelled has that status in the end',
    examined: 0,
    violations: [],
  };
  for (const [gameround, seen] of notes.sightings) {
    const final = seen.find(({ status }) => status !== 'open');
    if (final === undefined) continue;
    checked.examined += 1;
    const status = rounds.get(gameround)?.record?.status;
    const others = new Set(seen.map((one) => one.status).filter((one) => one !== 'open' && one !== status));
    for (const other of others)
      checked.violations.push({ gameround, what: `reported as ${other}, is ${status ?? 'unknown'}` });
  }
  return checked;
}

/** I6c: the service never answers a failure around it with 500. */
export function noInternalErrors({ notes }: Evidence): Checked {
  const told = [...notes.answers];
  const examined = told.reduce((sum, [, times]) => sum + times, 0);
  const internal = told.filter(([label]) => / 500\b/.test(label));
  const violations = internal.map(([label, times]) => ({ what: `${label}, ${times} times` }));
  return { id: 'I6c', promise: 'no caller gets an internal error', examined, violations };
}

/** I6d: a caller that repeats its call gets a definite answer in the end. */
export function everybodyHeard({ notes }: Evidence): Checked {
  const asked = [...notes.commands.values()].filter(({ inVain }) => !inVain);
  const violations = asked.filter(isInDoubt).map((command) => {
    const { answer } = command.heard.at(-1) ?? {};
    const what = answer === undefined ? 'no answer' : `${answer.status} ${answer.body.errorCode?.msg ?? ''}`;
    return { gameround: roundOf(command.heard), what: `${command.path}: ${what} in the end` };
  });
  const promise = 'after everything has healed every command is answered definitely';
  return { id: 'I6d', promise, examined: asked.length, violations };
}

/** No caller of this command has a definite answer. */
export function isInDoubt({ heard, inVain }: Command): boolean {
  return !inVain && !heard.some(({ answer }) => isDefinite(answer));
}

function disagreements(command: Command, heard: readonly Heard[]): Violation[] {
  const kept = heard.filter((one) => !isOneOf(one, PASSING) && !isOneOf(one, OVER));
  const gameround = roundOf(heard);
  const about = `${command.path} ${JSON.stringify(command.request['rngResult'] ?? '')}`;
  const violations: Violation[] = [];
  const first = kept[0];
  for (const other of kept.slice(1)) {
    if (first !== undefined && outcomeOf(first) !== outcomeOf(other))
      violations.push({ gameround, what: `${about}: ${outcomeOf(first)}, then ${outcomeOf(other)}` });
  }
  for (const over of heard.filter((one) => isOneOf(one, OVER))) {
    for (const later of kept.filter(({ sentAt }) => sentAt > over.heardAt))
      violations.push({ gameround, what: `${about}: refused as over, then ${outcomeOf(later)}` });
  }
  for (const passing of heard.filter((one) => isOneOf(one, PASSING))) {
    for (const earlier of kept.filter(({ heardAt }) => heardAt < passing.sentAt))
      violations.push({ gameround, what: `${about}: ${outcomeOf(earlier)}, then ${outcomeOf(passing)}` });
  }
  return violations;
}

/** The parts of an answer that must not change. Balances are left out, since they change. */
function outcomeOf({ answer }: Heard): string {
  const {
    gameRoundInfo: info,
    errorCode,
    amountCredited,
    amountToCollect,
    spinsAvailable,
  } = answer?.body ?? {};
  const money = [info?.stake, amountToCollect, amountCredited, spinsAvailable];
  return [answer?.status, errorCode?.id, info?.hash, info?.status, ...money]
    .filter((one) => one !== undefined)
    .join(' ');
}

function isOneOf({ answer }: Heard, names: readonly string[]): boolean {
  return names.includes(answer?.body.errorCode?.msg ?? '');
}

function roundOf(heard: readonly Heard[]): string | undefined {
  // A start that is refused may name another round: the open one that blocks it.
  const own = heard.filter(({ answer }) => answer?.body.errorCode?.msg !== 'GAMEROUNDALREADYSTARTED');
  return own.map(({ answer }) => answer?.body.gameRoundInfo?.hash).find((hash) => hash !== undefined);
}

/** Successes that contradict the record of the round. */
function untrue(
  command: Command,
  heard: readonly Heard[],
  rounds: ReadonlyMap<string, RoundEvidence>,
): Violation[] {
  const success = heard.find(({ answer }) => answer?.status === 200);
  const gameround = roundOf(heard);
  const round = gameround === undefined ? undefined : rounds.get(gameround);
  if (success === undefined || gameround === undefined) return [];
  const status = round?.record?.status;
  const wrong = (what: string): Violation[] => [
    { gameround, what: `${command.path} was answered 200, but ${what}` },
  ];
  switch (command.path) {
    case '/startGameRound':
      return hasDebits(round) ? [] : wrong('the round has no accepted bet');
    case '/endGameRound':
      return status === 'closed' ? [] : wrong(`the round is ${status ?? 'unknown'}`);
    case '/voidGameRound':
      return status === 'cancel' ? [] : wrong(`the round is ${status ?? 'unknown'}`);
    case '/addWin':
      return hasWin(round, command) ? [] : wrong('the win is not in the round');
    default:
      return [];
  }
}

function hasDebits(round: RoundEvidence | undefined): boolean {
  return (round?.record?.snapshot.transactions ?? []).some(
    ({ type, outcome }) => type === 'debit' && outcome === 'accepted',
  );
}

function hasWin(round: RoundEvidence | undefined, { request }: Command): boolean {
  const { rngCallId, winAmount } = request['rngResult'] as { rngCallId: string; winAmount: number };
  const found = (round?.record?.snapshot.gameState ?? []).filter(
    ({ type, result }) => type === 'genericwin' && result.info['rngCallId'] === rngCallId,
  );
  return found.length === 1 && found[0]?.result.winAmount === winAmount;
}
