import type { Evidence, Movement, RoundEvidence } from '../evidence';
import type { Command } from '../players/notes';
import { nameOf, perRound, type Checked } from './check';

/** I1: the operator's books and our record have the same amounts and the same transactions. */
export function booksAgree({ rounds }: Evidence): Checked {
  return perRound(
    'I1',
    'debits less credits in the wallet’s ledger are what our record says',
    rounds.values(),
    (round) => {
      const { record, movements } = round;
      if (record === undefined) return movements.length === 0 ? undefined : withoutRecord(movements);
      const wrong: string[] = [];
      const net = movements.reduce((sum, { realDelta }) => sum + realDelta, 0);
      const ours = record.totalWinAmount - record.totalBetAmount;
      if (net !== ours) wrong.push(`the ledger moved ${net}, the record says ${ours}`);
      return [...wrong, ...sameTransactions(round)];
    },
  );
}

function withoutRecord(movements: readonly Movement[]): string[] {
  return [`the ledger has ${movements.map(({ type }) => type).join(', ')}, and there is no record`];
}

/** Transactions that only one side has. A debit of unknown outcome may be such a one, but its void has to be booked. */
function sameTransactions({ record, movements }: RoundEvidence): string[] {
  const transactions = record?.snapshot.transactions ?? [];
  const unsure = new Set(transactions.filter(({ outcome }) => outcome === 'unknown').map(nameOf));
  const ours = new Set(transactions.filter(({ outcome }) => outcome === 'accepted').map(nameOf));
  const theirs = new Set(movements.map(nameOf));
  // In a cancelled round an end moves no money, so it does not matter if the operator processed it.
  const isMoney = (name: string): boolean => record?.status !== 'cancel' || !name.startsWith('end ');
  const crashed = record?.crashed === true;
  // A wallet accepts a bet that arrives after its void, but moves no money. A reconciliation may record it as accepted.
  const isTakenBack = (name: string): boolean => {
    const itsVoid = name.replace(/^debit /, 'void ');
    return itsVoid !== name && ours.has(itsVoid) && theirs.has(itsVoid);
  };
  return [
    ...[...ours]
      .filter((name) => !theirs.has(name) && !isTakenBack(name))
      .map((name) => `accepted, but not in the ledger: ${name}`),
    ...[...theirs]
      .filter((name) => !ours.has(name) && !unsure.has(name) && !crashed && isMoney(name))
      .map((name) => `in the ledger, but not accepted in our record: ${name}`),
    ...[...unsure]
      .filter((name) => !theirs.has(name.replace('debit', 'void')))
      .map((name) => `unknown, and never voided: ${name}`),
  ];
}

/** I2: nothing took effect twice, under its hash or under another one. */
export function onceOnly({ rounds, notes }: Evidence): Checked {
  const sent = commandsByName(notes.commands.values());
  return perRound('I2', 'each transaction took effect at most once', rounds.values(), (round) => {
    const { movements, record, gameround } = round;
    if (movements.length === 0) return undefined;
    const wrong: string[] = [];
    const names = movements.map(nameOf);
    for (const name of new Set(names.filter((one, at) => names.indexOf(one) !== at)))
      wrong.push(`twice in the ledger: ${name}`);
    const roundName =
      notes.names.get(gameround)?.roundName ?? record?.snapshot.identity.externalGameProviderRoundId;
    const commands = sent.get(roundName ?? '') ?? [];
    const asked = (path: string): Command[] => commands.filter((command) => command.path === path);
    const debits = movements.filter(({ type }) => type === 'debit');
    if (debits.length > asked('/startGameRound').length)
      wrong.push(`${debits.length} debits for ${asked('/startGameRound').length} bets`);
    const credited = sum(movements, 'credit');
    const won = commands.reduce((total, command) => total + winOf(command), 0);
    if (credited > won) wrong.push(`${credited} credited, but all commands together win ${won}`);
    return wrong;
  });
}

/** I1b: the player gets at least the wins that were confirmed to the callers, and at most the wins that were sent. */
export function winsPaid({ rounds, notes }: Evidence): Checked {
  const sent = commandsByName(notes.commands.values());
  return perRound(
    'I1b',
    'a closed round paid the wins that were confirmed to its callers',
    rounds.values(),
    (round) => {
      const { record, gameround, movements } = round;
      const about = notes.names.get(gameround);
      if (record?.status !== 'closed' || about === undefined) return undefined;
      const commands = sent.get(about.roundName) ?? [];
      const told = commands
        .filter(({ heard }) => heard.some(({ answer }) => answer?.status === 200))
        .reduce((total, command) => total + winOf(command), 0);
      const acknowledged = told - (notes.givenUp.get(gameround) ?? 0);
      const possible = commands.reduce((total, command) => total + winOf(command), 0);
      const credited = sum(movements, 'credit');
      if (credited < acknowledged) return [`${acknowledged} confirmed to the callers, ${credited} credited`];
      return credited > possible ? [`${credited} credited, but all commands together win ${possible}`] : [];
    },
  );
}

/** The service's reason for the void of a bet without an answer. */
const UNKNOWN = 'debit outcome unknown';

/** I4: a player who was paid a win does not get the bet back as well. */
export function noVoidAfterCredit({ rounds }: Evidence): Checked {
  return perRound(
    'I4',
    'no void took effect after a credit did',
    rounds.values(),
    ({ movements, record }) => {
      const firstCredit = movements.findIndex(({ type, amount }) => type === 'credit' && amount > 0);
      if (firstCredit < 0) return undefined;
      const transactions = record?.snapshot.transactions ?? [];
      const followUps = transactions.filter(({ type, isFirstDebit }) => type === 'debit' && !isFirstDebit);
      const taken = new Set(followUps.map(({ hash }) => hash));
      // A follow-up bet of unknown outcome is voided alone; the round and its earlier wins stay. The reason of the void
      // shows this. The bet's outcome does not, since a reconciliation may have changed it.
      const alone = new Set(
        transactions
          .filter(({ type, reason, hash }) => type === 'void' && reason === UNKNOWN && taken.has(hash))
          .map(({ hash }) => hash),
      );
      return movements
        .filter(({ type, realDelta, hash }) => type === 'void' && realDelta !== 0 && !alone.has(hash))
        .map(
          (movement) => `${nameOf(movement)} gave ${movement.realDelta} back in a round whose win was paid`,
        );
    },
  );
}

function sum(movements: readonly Movement[], type: Movement['type']): number {
  return movements.filter((one) => one.type === type).reduce((total, { amount }) => total + amount, 0);
}

function commandsByName(commands: Iterable<Command>): Map<string, Command[]> {
  const found = new Map<string, Command[]>();
  for (const command of commands) {
    const list = found.get(command.roundName) ?? [];
    list.push(command);
    found.set(command.roundName, list);
  }
  return found;
}

/** The win of a command, in minor units. */
function winOf({ path, request }: Command): number {
  if (path !== '/startGameRound' && path !== '/addWin') return 0;
  return (request['rngResult'] as { winAmount?: number }).winAmount ?? 0;
}
