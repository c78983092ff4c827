import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { defaultCacheDir, findBinary } from '../stack/binaries';
import { startChild } from '../stack/child';
import { projectRoot } from '../stack/paths';
import { freePorts } from '../stack/ports';
import { until } from '../stack/until';
import { bareEnvironment } from '../test/support/service-processes';

const run = promisify(execFile);
const USER = 'bench';
const START_MS = 120_000;

interface Postgres {
  port: number;
  url: string;
  pid: number;
  /** Its data and its log. `close` removes it. */
  dir: string;
  /** The columns of the only row. */
  query(sql: string, database?: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Starts PostgreSQL with its standard settings (`fsync` is on) and no data. Throws if it is not installed (Debian: postgresql). */
export async function startPostgres(): Promise<Postgres> {
  const bin = await postgresBinaries();
  const dir = await mkdtemp(join(tmpdir(), 'gameround-bench-postgres-'));
  const [port = 0] = await freePorts(1);
  // The server refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
  if (isRoot) await run('chown', ['postgres', dir]);
  const [initdb = '', ...initArgs] = [
    ...as,
    join(bin, 'initdb'),
    '-D',
    join(dir, 'data'),
    '-A',
    'trust',
    '-U',
    USER,
  ];
  await run(initdb, initArgs, { cwd: dir });
  const [command = '', ...args] = [
    ...as,
    ...[join(bin, 'postgres'), '-D', join(dir, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', dir],
  ];
  const child = await startChild({
    name: 'postgres',
    command,
    args,
    env: process.env,
    logFile: join(dir, 'log'),
  });
  const query = async (sql: string, database = 'postgres'): Promise<string[]> => {
    const psql = ['-h', '127.0.0.1', '-p', String(port), '-U', USER, '-d', database, '-At', '-c', sql];
    return (await run(join(bin, 'psql'), psql)).stdout.trim().split('|');
  };
  await until(() => query('select 1'), { what: 'PostgreSQL', timeoutMs: 30_000, child });
  return {
    port,
    url: `postgresql://${USER}@127.0.0.1:${port}/postgres`,
    pid: child.pid,
    dir,
    query,
    close: async () => {
      await child.stop();
      await rm(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Debian does not put these binaries into PATH. */
async function postgresBinaries(): Promise<string> {
  for (const folder of [17, 16, 15, 14].map((version) => `/usr/lib/postgresql/${version}/bin`)) {
    if (existsSync(join(folder, 'initdb'))) return folder;
  }
  const { stdout } = await run('sh', ['-c', 'command -v initdb']).catch(() => {
    throw new Error('PostgreSQL is not installed');
  });
  return join(stdout.trim(), '..');
}

export interface TemporalOnPostgres {
  address: string;
  /** `temporal` has all four roles of a server. */
  pids: Record<'temporal' | 'postgres', number>;
  /** What PostgreSQL has done so far. */
  totals(): Promise<{ transactions: number; walBytes: number }>;
  /** What PostgreSQL keeps, without the space of rows that are gone. */
  compactedBytes(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Starts Temporal on PostgreSQL as docker-compose.yml does, with its schema, namespace and settings, but without Docker.
 * Throws if Go or PostgreSQL is not installed.
 */
export async function startTemporalOnPostgres(): Promise<TemporalOnPostgres> {
  const postgres = await startPostgres();
  try {
    const bin = await builtServer();
    const compose = join(projectRoot(), 'stack', 'compose');
    const database = { POSTGRES_SEEDS: '127.0.0.1', DB_PORT: String(postgres.port), POSTGRES_USER: USER };
    await run('sh', [join(compose, 'schema.sh')], {
      env: { ...bareEnvironment(), ...database, SQL_TOOL: join(bin, 'sql') },
    });
    const ports = await portsOfRoles();
    const address = `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`;
    const child = await startChild({
      name: 'temporal-on-postgres',
      command: join(bin, 'server'),
      args: ['--allow-no-auth', 'start'],
      env: {
        ...bareEnvironment(),
        ...database,
        ...ports,
        DB: 'postgres12',
        BIND_ON_IP: '127.0.0.1',
        NUM_HISTORY_SHARDS: '512',
        DYNAMIC_CONFIG_FILE_PATH: join(compose, 'dynamic-config.yaml'),
        LOG_LEVEL: 'error',
      },
      logFile: join(postgres.dir, 'temporal.log'),
    });
    const env = {
      ...bareEnvironment(),
      PATH: `${dirname(await findBinary('temporal'))}:${process.env.PATH}`,
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: 'default',
      TEMPORAL_CONFIG_FILE: '/dev/null',
    };
    await until(() => run('sh', [join(compose, 'namespace.sh')], { env }), {
      what: 'Temporal on PostgreSQL',
      timeoutMs: START_MS,
      child,
    });
    return {
      address,
      pids: { temporal: child.pid, postgres: postgres.pid },
      totals: async () => {
        const [transactions, walBytes] = (await postgres.query(TOTALS)).map(Number);
        return { transactions: transactions ?? NaN, walBytes: walBytes ?? NaN };
      },
      compactedBytes: async () => {
        const databases = ['temporal', 'temporal_visibility'];
        for (const database of databases) await postgres.query('vacuum full', database);
        const sizes = databases.map((database) => `pg_database_size('${database}')`);
        const [bytes] = await postgres.query(`select ${sizes.join(' + ')}`);
        return Number(bytes);
      },
      close: async () => {
        await child.stop();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

const TOTALS = `select sum(xact_commit), pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') from pg_stat_database`;

/** The version of the embedded server (docs/performance.md). */
const TEMPORAL = 'v1.32.0';

/** The folder with `server` and `sql`, the tool for the schema. Builds them at the first use. */
async function builtServer(): Promise<string> {
  const bin = join(defaultCacheDir(), `temporal-server-${TEMPORAL}`);
  const commands = ['cmd/server', 'cmd/tools/sql'];
  if (['server', 'sql'].every((file) => existsSync(join(bin, file)))) return bin;
  await run('go', ['version']).catch(() => {
    throw new Error('Go is not installed');
  });
  console.log(`building Temporal ${TEMPORAL} from its Go module, once: ten minutes on two cores`);
  const packages = commands.map((path) => `go.temporal.io/server/${path}@${TEMPORAL}`);
  await run('go', ['install', ...packages], {
    env: { ...process.env, GOBIN: bin },
    maxBuffer: Infinity,
  });
  return bin;
}

async function portsOfRoles(): Promise<Record<string, string>> {
  const names = ['FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'].flatMap((role) => [
    `${role}_GRPC_PORT`,
    `${role}_MEMBERSHIP_PORT`,
  ]);
  names.push('FRONTEND_HTTP_PORT');
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, at) => [name, String(ports[at])]));
}
