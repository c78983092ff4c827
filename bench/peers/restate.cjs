/* Restate (its server is an npm package): the wallet's call and the record are journaled steps of one service call. */
const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');
// The SDK needs it, and Node 20 lacks it.
Promise.withResolvers ??= function () {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};
const restate = require('@restatedev/restate-sdk');
const { callWallet, database, serve } = require('./common.cjs');

function freePort() {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function main() {
  const records = (await database('restate')).collection('records');
  const game = restate.service({
    name: 'game',
    handlers: {
      spin: async (context, id) => {
        const answer = await context.run('wallet', () => callWallet({ id }));
        await context.run('record', async () => {
          await records.updateOne({ _id: id }, { $set: { status: 'closed', answer } }, { upsert: true });
        });
        return answer;
      },
    },
  });
  const [servicePort, ingress, admin, node] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  await restate.serve({ services: [game], port: servicePort });
  const dir = mkdtempSync(join(tmpdir(), 'gameround-bench-restate-'));
  // The package's own script starts this binary as a child, whose CPU time would not be counted.
  const binary = require.resolve(
    `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`,
  );
  const server = spawn(binary, ['--base-dir', dir], {
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_LOG_FILTER: 'error',
    },
    stdio: 'ignore',
  });
  const end = () => {
    server.kill('SIGTERM');
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    process.exit(0);
  };
  process.once('disconnect', end);
  const register = () =>
    fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${servicePort}` }),
    });
  for (let tries = 0; ; tries += 1) {
    const reply = await register().catch(() => undefined);
    if (reply?.ok) break;
    if (tries > 60) throw new Error('the Restate server does not answer');
    await sleep(500);
  }
  serve(async () => {
    const id = randomUUID();
    const reply = await fetch(`http://127.0.0.1:${ingress}/game/spin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(id),
    });
    if (!reply.ok) throw new Error(`Restate answered ${reply.status}`);
    await reply.text();
  });
  process.send?.({ pids: { 'restate-server': server.pid } });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
