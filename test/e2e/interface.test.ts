import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operatorFields } from '../../sdk';
import { projectRoot } from '../../stack/paths';
import { faultOf } from '../http/conformance';
import { recordOf, booksAtRest } from '../support/e2e-books';
import { callAsOperator, exchange, type Answer } from '../support/e2e-http';
import { describe as told, roundOf, seatOf, STAKE, takeSeat, type Seat } from '../support/e2e-player';
import { startE2eStack, type E2eStack } from '../support/e2e-stack';

/* Operator calls, and history and demo launches, on real servers. Every reply agrees with GET /openapi.json. */

jest.setTimeout(120_000);

let stack: E2eStack;
beforeAll(async () => {
  stack = await startE2eStack();
});
afterAll(() => stack?.close());

async function asked(
  method: 'GET' | 'POST',
  path: string,
  request: Record<string, string>,
  fields: string[],
): Promise<Answer> {
  const answer = await callAsOperator(stack.api, stack.operator('op1'), { path, request, fields, method });
  expect(faultOf(method, path, answer.status, answer.body)).toBe('');
  return answer;
}

async function connected(launch: Record<string, string>): Promise<{ seat: Seat; reply: Answer }> {
  const request = { currency: 'EUR', gameCode: stack.gameCode, language: 'en', mode: 'real', ...launch };
  const { body } = await asked('POST', '/getGameURL', request, operatorFields.getGameURL(request));
  const { searchParams } = new URL(String(body.url));
  const reply = await exchange({
    url: `${searchParams.get('login')}?token=${searchParams.get('token')}`,
  });
  expect(faultOf('GET', '/connect', reply.status, reply.body)).toBe('');
  const playerId = launch.playerId ?? '';
  return { seat: seatOf(stack, { operatorId: 'op1', playerId, token: String(reply.body.token) }), reply };
}

it('operator and provider can read a round that is over', async () => {
  const seat = await takeSeat(stack);
  const gameRound = roundOf(await seat.start({ endGame: true, winAmount: 700 }));
  await booksAtRest(stack, gameRound);
  const who = { playerId: seat.playerId, gameRound };
  const record = { hash: gameRound, status: 'closed', totalBetAmount: STAKE, totalWinAmount: 700 };

  const details = await asked('GET', '/getGameRoundDetails', who, [seat.playerId, gameRound]);
  expect(details.body).toMatchObject({ gameRound: { ...record, environment: 'e2e' } });
  const report = await asked('POST', '/getGameRoundReport', who, [seat.playerId, gameRound]);
  expect(report.body).toMatchObject({
    gameRoundDetail: { ...record, totalPayedAmount: STAKE, balanceAfter: 100_000 - STAKE + 700 },
  });
  const last = await seat.call('/getLastGameRounds');
  expect(faultOf('POST', '/getLastGameRounds', last.status, last.body)).toBe('');
  expect(last.body.gameRoundList).toMatchObject([{ id: gameRound, bet: STAKE, won: 700, currency: 'EUR' }]);

  const { seat: viewer, reply } = await connected({
    ...{ mode: 'history', playerId: seat.playerId, gameround: gameRound },
  });
  expect(reply.body.tokenData).toMatchObject({ mode: 'history', gameRound });
  const history = await viewer.call('/getGameRoundHistoryInfo', { gameRound });
  expect(faultOf('POST', '/getGameRoundHistoryInfo', history.status, history.body)).toBe('');
  expect(history.body).toMatchObject({ gameRoundInfo: { status: 'closed' }, protectedInfo: {} });
  expect(told(await viewer.start())).toBe('400 MODENOTALLOWED');
});

it('reconciles: an open round is closed first, a repeat moves nothing', async () => {
  const seat = await takeSeat(stack);
  const gameRound = await seat.open({ winAmount: 400 });
  const open = await seat.call('/getOpenGameRounds');
  expect(open.body.gameRoundList).toMatchObject([{ hash: gameRound, amountToCollect: 400 }]);
  const before = await seat.call('/getGameRoundHistoryInfo', { gameRound });
  expect(told(before)).toBe('400 GAMEROUNDOPEN');

  const first = await asked('POST', '/reconcileTransactions', { gameRound }, [gameRound]);
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({
    gameRound: { hash: gameRound, status: 'closed', totalBetAmount: STAKE, totalWinAmount: 400 },
    ...{ balance: 100_000 - STAKE + 400, currency: 'EUR', mode: 'real' },
  });
  const { record, ledger } = await booksAtRest(stack, gameRound);
  expect((first.body.hashesProcessed as { hash: string }[]).map(({ hash }) => hash)).toEqual(
    record.transactions.map(({ hash }) => hash),
  );
  expect(ledger.net).toBe(400 - STAKE);
  const again = await asked('POST', '/reconcileTransactions', { gameRound }, [gameRound]);
  expect([again.status, again.body]).toEqual([200, first.body]);
  expect(await stack.wallet.balance(seat.playerId)).toBe(100_000 - STAKE + 400);
});

it('asks the game for its configuration, multiplied once', async () => {
  const stakes = async (currency: string): Promise<number[]> => {
    const query = { gameCode: stack.gameCode, currency };
    const answer = await asked('GET', '/backoffice/getGameConfiguration', query, [stack.gameCode, currency]);
    expect(answer.body).toMatchObject({ gameCode: stack.gameCode, config: { currency } });
    return (answer.body.config as { stakes: number[] }).stakes;
  };
  const base = await stakes('EUR');
  expect(base.length).toBeGreaterThan(0);
  expect(await stakes('JPY')).toEqual(base.map((stake) => stake * 100));
});

it('plays a demo round without a wallet call, a workflow or a record', async () => {
  const playerId = `player-${randomUUID()}`;
  const { seat, reply } = await connected({ mode: 'demo', playerId });
  expect(reply.body.balance).toMatchObject({ totalBalance: 100_000, mode: 'demo' });
  const gameRound = await seat.open({ winAmount: 300 });
  const ended = await seat.end(gameRound);
  expect(ended.body).toMatchObject({
    ...{ gameRoundInfo: { status: 'closed', mode: 'demo' }, balance: { totalBalance: 100_050 } },
  });
  expect(await stack.wallet.callsOfPlayer(playerId)).toEqual([]);
  expect(await recordOf(stack, gameRound)).toBeNull();
  const { count } = await stack.temporal.workflow.count(`PlayerId = '${playerId}'`);
  expect(Number(count)).toBe(0);
  const refused = await asked('POST', '/reconcileTransactions', { gameRound }, [gameRound]);
  expect(told(refused)).toBe('400 MODENOTALLOWED');
});

it('npm run tour: the whole interface as docs/interface has it', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'tour'], {
    cwd: projectRoot(),
    env: { ...process.env, BASE_URL: stack.api, SANDBOX_WALLET_PORT: new URL(stack.walletUrl).port },
    maxBuffer: 16 * 1024 * 1024,
  });
  expect(stdout).toMatch(/The tour is over: .*, all as specified\.\s*$/);
});

it("plays the README's first round, literally", async () => {
  // The client, compiled apart from the project's own build.
  const sdk = join(projectRoot(), 'dist', 'readme', 'index.js');
  if (!existsSync(sdk)) await run('npx', ['tsc', '-p', 'sdk/tsconfig.json', '--outDir', 'dist/readme']);
  const [program = ''] = codeIn('README.md', 'js');
  const [, told] = /console\.log\(.*\); \/\/ (.*)/.exec(program) ?? [];
  const here = onThisStack(program).replace('./dist/sdk/index.js', sdk);
  const { stdout } = await run('node', ['--input-type=module', '--eval', here]);
  expect(stdout.trim()).toBe(told);
});

it('plays the round of docs/first-round.md, literally', async () => {
  const [walk = ''] = codeIn('docs/first-round.md', 'sh');
  const kept = join(tmpdir(), `gameround-first-round-${randomUUID()}.json`);
  const here = onThisStack(walk).replaceAll('/tmp/start.json', kept);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', here]).finally(() =>
    rmSync(kept, { force: true }),
  );
  expect([...stdout.matchAll(/ \[(\d{3})\]$/gm)].map(([, status]) => status)).toEqual(Array(4).fill('200'));
  expect(stdout).toMatch(/"totalWinAmount":700\b/);
  expect(stdout).toMatch(/"net":450\b/);
});

function codeIn(page: string, language: string): string[] {
  const text = readFileSync(join(projectRoot(), page), 'utf8');
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(([, code = '']) => code);
}

/** As it stands in a page, with the addresses and the secret of this stack. */
function onThisStack(code: string): string {
  return code
    .replaceAll('http://127.0.0.1:9001', stack.walletUrl)
    .replaceAll('http://127.0.0.1:8080', stack.api)
    .replaceAll('sandbox-only-provider-secret-gp1', stack.provider.secret);
}

function run(command: string, args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(command, args, { cwd: projectRoot() });
}
