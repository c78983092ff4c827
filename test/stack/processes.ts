import { readdirSync, readFileSync } from 'node:fs';
import { until } from '../support/until';

/** Processes, other than this one, whose command line or environment names the given text. */
export function processesNaming(text: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .map((entry) => ({
      pid: Number(entry),
      command: read(entry, 'cmdline'),
      environment: read(entry, 'environ'),
    }))
    .filter(({ command, environment }) => command !== '' && `${command} ${environment}`.includes(text))
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ').trim() }));
}

export function isAlive(pid: number): boolean {
  return read(String(pid), 'cmdline') !== '';
}

export async function eventually(check: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  await until(async () => check(), Boolean, timeoutMs);
}

function read(pid: string, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // gone, or not ours
  }
}
