import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { z } from 'zod';
import { openArchive } from '../src/archive';
import type { Archive } from '../src/archive/types';
import type { Config } from '../src/config';
import { GAMEROUND_WORKFLOW, TASK_QUEUE, workflowIdOf } from '../src/contracts/gameround';
import { PersonNeededError } from '../src/lifecycle';

/* What the commands of this folder share: options, progress, output. */

export type Options = Partial<Record<'hash' | 'since' | 'dir' | 'operator' | 'json' | 'out', string>> & {
  all?: boolean;
};

const FORMS: Partial<Record<keyof Options, [form: z.ZodType<string>, text: string]>> = {
  since: [z.iso.datetime({ offset: true }), 'a time such as 2026-01-02T03:04:05Z'],
  hash: [z.uuid().toLowerCase(), 'the hash of a gameround, such as c78c5a24-5706-8ceb-8dc9-3b5ccd1a065e'],
  // It becomes a part of a query.
  operator: [z.string().regex(/^[^'"\\]+$/), 'the id of an operator, without quotes and backslashes'],
};

/** Reads the options of a command. @throws PersonNeededError with the value that is wrong, or with the usage */
export function optionsOf(usage: string, allowed: readonly (keyof Options)[], args: string[]): Options {
  const options = Object.fromEntries(
    allowed.map((name) => [name, { type: name === 'all' ? 'boolean' : 'string' } as const]),
  );
  const given = givenIn(usage, { args, options });
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const [form = z.unknown(), text] = FORMS[name as keyof Options] ?? [];
      const { success, data } = form.safeParse(value);
      if (!success) throw new PersonNeededError(`--${name}: ${JSON.stringify(value)} is not ${text}`);
      return [name, data];
    }),
  );
}

function givenIn(usage: string, config: Parameters<typeof parseArgs>[0]): Options {
  try {
    const { values } = parseArgs(config);
    if (Object.values(values).includes('')) throw new Error('an option is empty');
    return values;
  } catch {
    throw new PersonNeededError(`usage: ${usage}`);
  }
}

/** The visibility query for rounds: running ones, and those that closed since then. With `reconciliations` these, too. */
export function queryOf(
  { hash, since, operator }: Options,
  types: readonly string[] = [GAMEROUND_WORKFLOW],
  taskQueue = TASK_QUEUE,
): string {
  const terms = [
    `WorkflowType IN (${types.map((type) => `'${type}'`).join(', ')})`,
    `TaskQueue = '${taskQueue}'`,
    ...(hash === undefined ? [] : [`WorkflowId = '${workflowIdOf(hash)}'`]),
    ...(operator === undefined ? [] : [`OperatorId = '${operator}'`]),
    ...(since === undefined
      ? []
      : [`(ExecutionStatus = 'Running' OR CloseTime >= '${new Date(since).toISOString()}')`]),
  ];
  return terms.join(' AND ');
}

/** The archive of the option `--dir`, otherwise that of the settings. */
export async function archiveOf({ exportTo }: Config, { dir }: Options): Promise<Archive | undefined> {
  if (dir === undefined) return exportTo && openArchive(exportTo.place, exportTo.endpoint);
  if (!dir.startsWith('s3:') && statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new PersonNeededError(`there is no folder ${dir}`);
  return openArchive(dir, exportTo?.endpoint);
}

/**
 * Says that there was nothing to examine, and sets the exit status. An empty answer proves nothing: the operator, the hash, the
 * folder or the database is another one than was meant.
 */
export function nothingFound(what: string, write = (text: string) => void process.stdout.write(text)): void {
  write(`nothing was found to ${what}: look at the options and the settings\n`);
  process.exitCode = 1;
}

/** Turns the SDK's own log of failed replays off, since the commands report them. */
export function quietRuntime(): void {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} } },
    shutdownSignals: [],
  });
}

/** Such as `1 round` and `2 rounds`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

const EVERY_MS = 2_000;

/** Counts, and writes the count and the rate to standard error every two seconds and at the end. */
export function progressOf(
  [one, many, done]: [one: string, many: string, done: string],
  write = (text: string) => void process.stderr.write(text),
): { step: () => void; end: () => void } {
  let count = 0;
  let begunAt = performance.now();
  let shownAt = begunAt;
  const show = (): void => {
    const seconds = Math.max((performance.now() - begunAt) / 1_000, 0.001);
    write(`${counted(count, one, many)} ${done}, ${Math.round(count / seconds)} per second\n`);
  };
  return {
    step: () => {
      // Before the first step the command has bundled the workflows.
      if (count === 0) begunAt = shownAt = performance.now();
      count += 1;
      if (performance.now() - shownAt < EVERY_MS) return;
      shownAt = performance.now();
      show();
    },
    end: show,
  };
}
