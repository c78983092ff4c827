import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOfProject, makeChange, type Change } from '../test/support/changed-project';

/*
 * npx tsx scripts/model-mutants.ts [name …]
 *
 * Puts one deliberate bug after the other into a copy of the project, and runs test/model to find it. A model that does
 * not find the bugs proves nothing. Exit code 1 if a bug was not found within a few hundred sequences.
 */
interface Mutant extends Change {
  name: string;
}

const DECIDE = 'src/domain/round/decide.ts';
const SETTLE = 'src/domain/round/apply-wallet-outcome.ts';
const KEYS = 'src/domain/round/keys.ts';

const MUTANTS: Mutant[] = [
  {
    name: 'a repeated command is a new one',
    file: KEYS,
    find: 'return `${command.type}:${command.key}`;',
    replace: 'return `${command.type}:${command.key}:${state.gameState.length}`;',
  },
  {
    name: 'collectWin does not lower the open winnings',
    file: SETTLE,
    find: 'const collected = recomputeOpenWinnings({ ...creditDone(state, call, balance), pending: undefined });',
    replace: 'const collected = { ...creditDone(state, call, balance), pending: undefined };',
  },
  {
    name: 'a call on a round that is over is answered 200',
    file: 'src/commands/send-to-round.ts',
    find: "return replyAbout(round, refusal('GAMEROUNDNOTACTIVE'));",
    replace: "return { ...replyAbout(round, refusal('GAMEROUNDNOTACTIVE')), refusal: undefined };",
  },
  {
    name: 'a round is voided after a credit',
    file: DECIDE,
    find: "if (credited || state.maybePaid) return refuse('CREDITALREADYPROCESSED');",
    replace: '',
  },
  {
    name: 'IDEMPOTENCYMISMATCH is not raised',
    file: KEYS,
    find: 'export function fingerprintOf(command: Command): string {',
    replace:
      "export function fingerprintOf(command: Command): string {\n  if (command.type !== 'void') return '';",
  },
  {
    name: 'closeOpenGame does not collect',
    file: DECIDE,
    find: 'state.amountToCollect > 0 ? [creditTransaction(',
    replace: "state.amountToCollect > 0 && reason !== 'closeOpenGame' ? [creditTransaction(",
  },
  {
    name: 'a start closes the open round unasked',
    file: 'src/commands/start-game-round.ts',
    find: "if (!request.closeOpenGame) return replyAbout(open, refusal('GAMEROUNDALREADYSTARTED'));",
    replace: '',
  },
  {
    name: 'an unknown debit is not voided',
    file: 'src/domain/round/transactions.ts',
    find: "type === 'debit' && (outcome === 'accepted' || outcome === 'unknown'),",
    replace: "type === 'debit' && outcome === 'accepted',",
  },
  {
    name: 'a credit that may have been paid is forgotten',
    file: SETTLE,
    find: 'maybePaid: state.maybePaid || outcome.maybePaid',
    replace: 'maybePaid: false',
  },
  {
    name: 'a follow-up debit is taken for a repeat',
    file: KEYS,
    find: 'state.settings.followUpDebits &&',
    replace: 'state.settings.followUpDebits && false &&',
  },
  {
    name: 'more spins are used than were awarded',
    file: DECIDE,
    find: "if (used > awarded) return refuse('SPINCOUNTEREXHAUSTED');",
    replace: '',
  },
  {
    name: 'the rest of a crashed round is not paid',
    file: DECIDE,
    find: "return reconciles ? closeCrashed(state, command, key, at) : refuse('GAMEROUNDCRASHED');",
    replace:
      "return reconciles && closeCrashed.length < 0 ? refuse('INTERNALERROR') : refuse('GAMEROUNDCRASHED');",
  },
  {
    name: 'a repeat’s balance counts as the newest',
    file: 'src/http/endpoints/round-commands.ts',
    find: 'reply.balance !== undefined && reply.isRepeat !== true',
    replace: 'reply.balance !== undefined',
  },
];

const SETTINGS = { MODEL_SEQUENCES: '600', MODEL_SECONDS: '240', MODEL_SHRINK: 'off', MODEL_SEED: '1' };

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const dir = await copyOfProject();
  let missed = 0;
  try {
    for (const mutant of MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      const mend = await makeChange(dir, mutant);
      const caught = await look(dir).finally(mend);
      if (caught === undefined) missed += 1;
      console.log(
        `${caught === undefined ? 'MISSED' : 'caught'}: ${mutant.name}${caught ? ` (${caught})` : ''}`,
      );
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  process.exitCode = missed === 0 ? 0 : 1;
}

/** The counterexample that the model found. Undefined if it found none. */
function look(dir: string): Promise<string | undefined> {
  const jest = join(dir, 'node_modules', 'jest', 'bin', 'jest.js');
  const child = spawn(process.execPath, [jest, '--runInBand', '--testPathPatterns', 'test/model/'], {
    cwd: dir,
    env: { ...process.env, ...SETTINGS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.once('exit', () => resolve(foundIn(text))));
}

function foundIn(text: string): string | undefined {
  const counterexample = /\{ seed: (-?\d+), path: "([\d:]+)"/.exec(text);
  const after = /seed \d+: (\d+) sequences/.exec(text);
  if (counterexample === null) {
    if (after === null) throw new Error(`the model did not run:\n${text.slice(-4_000)}`);
    return undefined;
  }
  const how = /^.*(?: instead of | explains the answers|books don't agree| moved money twice).*$/m
    .exec(text)?.[0]
    .trim();
  const where = `seed ${counterexample[1]}, path ${counterexample[2]}, after ${after?.[1] ?? '?'} sequences`;
  return `${where}: ${(how ?? 'see the model').slice(0, 160)}`;
}

void main();
