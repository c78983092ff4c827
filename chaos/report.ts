import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import type { Checked } from './checks/check';
import { lookInto, type Evidence, type RoundEvidence } from './evidence';
import type { ChaosResult } from './run';

const { History } = temporal.api.history.v1;
const MAX_SHOWN = 5;
const MAX_PER_CHECK = 20;

/** The result as tables, for a person to read. */
export function describeResult(result: ChaosResult): string {
  const { seed, rounds, commands, walletCalls, faults, answers, checks, phases } = result;
  const times = Object.values(faults).reduce((sum, one) => sum + one.times, 0);
  const hits = Object.values(faults).reduce((sum, one) => sum + one.hits, 0);
  const bug = result.bug === undefined ? '' : `, with the mistake ${result.bug}`;
  return [
    `Seed ${seed}, ${Math.round(result.durationMs / 1_000)} s of chaos${bug}.`,
    '',
    table(
      ['fault', 'times', 'met'],
      [...Object.entries(faults).map(([name, one]) => [name, one.times, one.hits]), ['all', times, hits]],
    ),
    '',
    table(['callers heard', 'times'], Object.entries(answers)),
    '',
    `${rounds} rounds, ${commands} commands, ${walletCalls} calls to wallets.`,
    Object.entries(phases)
      .map(([name, ms]) => `${name} ${(ms / 1_000).toFixed(1)} s`)
      .join(', '),
    '',
    table(
      ['check', 'promise', 'looked at', 'violations'],
      checks.map(({ id, promise, examined, violations }) => [id, promise, examined, violations.length]),
    ),
  ].join('\n');
}

export function violationsOf(checks: readonly Checked[]): number {
  return checks.reduce((sum, { violations }) => sum + violations.length, 0);
}

/**
 * The violations (at most 20 for each check), and all evidence of the first five rounds among them. Their histories are
 * written to files, for `npm run replay -- --dir`.
 */
export async function describeViolations(evidence: Evidence, checks: readonly Checked[]): Promise<string> {
  const lines = checks.flatMap(({ id, violations }) => [
    ...violations.slice(0, MAX_PER_CHECK).map(({ gameround, what }) => `${id} ${gameround ?? ''} ${what}`),
    ...(violations.length > MAX_PER_CHECK ? [`${id} … and ${violations.length - MAX_PER_CHECK} more`] : []),
  ]);
  const bad = new Set(
    checks.flatMap(({ violations }) => violations.slice(0, 2).flatMap(({ gameround }) => gameround ?? [])),
  );
  const shown = [...bad].slice(0, MAX_SHOWN).flatMap((gameround) => evidence.rounds.get(gameround) ?? []);
  const { skews } = evidence.stack;
  if (shown.length === 0) return lines.join('\n');
  const folder = await mkdtemp(join(tmpdir(), 'gameround-histories-'));
  lines.push('', `--- whole histories: ${folder} ---`);
  lines.push('', '--- clocks that were set ---', ...skews.map((skew) => JSON.stringify(skew)));
  for (const round of shown) {
    if (round.history === undefined) await lookInto(evidence.stack, round).catch(() => undefined);
    if (round.history !== undefined)
      await writeFile(
        join(folder, `${round.gameround}.json`),
        JSON.stringify(History.fromObject(round.history.whole)),
      );
    lines.push('', ...describeRound(evidence, round));
  }
  return lines.join('\n');
}

function describeRound({ notes }: Evidence, round: RoundEvidence): string[] {
  const { gameround, record, workflow, movements, calls, history } = round;
  const about = notes.names.get(gameround);
  const commands = [...notes.commands.values()].filter(({ roundName }) => roundName === about?.roundName);
  const { snapshot, ...fields } = record ?? { snapshot: undefined };
  return [
    `=== round ${gameround} (${workflow?.status ?? 'no workflow'}; ${workflow?.attention.join(', ') ?? ''}) ===`,
    '--- its record ---',
    JSON.stringify({ ...fields, transactions: undefined }),
    ...(snapshot?.transactions ?? []).map((one) => `  ${JSON.stringify(one)}`),
    '--- the wallet’s books ---',
    ...movements.map((one) => `  ${one.seq} ${one.type} ${one.hash} ${one.amount} (${one.realDelta})`),
    '--- calls to the wallet ---',
    ...calls.map(
      ({ n, receivedMs, status, fault, clientLeft, answer, headers, body }) =>
        `  ${n} ${time(receivedMs)} (sent ${headers['X-H-TIMESTAMP']}) ${body.transactions.map((one) => `${one.type} ${one.hash}`).join(' + ')} → ${status ?? 'nothing'} ${fault ?? ''}${clientLeft ? ' (caller left)' : ''} ${(answer ?? '').slice(0, 300)}`,
    ),
    '--- what callers sent and heard ---',
    ...commands.flatMap(({ path, request, heard }) => [
      `  ${path} ${JSON.stringify({ ...request, token: undefined })}`,
      ...heard.map(({ sentAt, heardAt, answer }) =>
        `    ${time(sentAt)}–${time(heardAt)} ${answer === undefined ? 'no answer' : `${answer.status} ${JSON.stringify({ ...answer.body, tokenData: undefined, gameState: undefined })}`}`.slice(
          0,
          500,
        ),
      ),
    ]),
    '--- its workflow’s history ---',
    ...(history?.lines ?? []).map((line) => `  ${line}`),
  ];
}

const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23);

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) =>
          at === 0 || Number.isNaN(Number(cell)) ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
