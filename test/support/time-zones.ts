import { runInThisContext } from 'node:vm';

/** Time zones far from each other, some with half hours, some with daylight saving time. */
export const TIME_ZONES = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Auckland'] as const;

/** Jest gives a test a copy of the environment. The time zone is read from that of the real process. */
const { env } = runInThisContext('process') as NodeJS.Process;

export function inTimeZone<T>(zone: string, run: () => T): T {
  const before = env.TZ;
  env.TZ = zone;
  try {
    return run();
  } finally {
    if (before === undefined) delete env.TZ;
    else env.TZ = before;
  }
}
