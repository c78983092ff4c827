import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * A wallet that is stopped (SIGSTOP) with a full connection queue at each of its addresses, so that new connections
 * hang. After `goOn` it accepts bets.
 */
export interface StoppedServer {
  port: number;
  goOn(): void;
  stop(): Promise<void>;
}

const PROGRAM = `
  const reply = 'HTTP/1.1 200 OK\\r\\nContent-Length: 15\\r\\n\\r\\n{"balances":[]}';
  const [port, ...hosts] = process.argv.slice(1);
  (async () => {
    let bound = Number(port);
    for (const host of hosts) {
      const server = require('node:net').createServer((socket) => socket.on('error', () => 0).on('data', () => socket.end(reply)));
      await new Promise((listening) => server.listen({ host, port: bound, backlog: 1 }, listening));
      bound = server.address().port;
    }
    process.stdout.write(String(bound));
  })();
`;

export async function startStoppedServer(hosts: string[], port = 0): Promise<StoppedServer> {
  const child = spawn(process.execPath, ['-e', PROGRAM, String(port), ...hosts], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [bound] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const filling: Socket[] = [];
  for (const host of hosts) {
    // A queue with a backlog of 1 holds two connections.
    for (let nth = 0; nth < 2; nth += 1) {
      const socket = connect(Number(bound), host).on('error', () => undefined);
      filling.push(socket);
      await once(socket, 'connect');
    }
  }
  return {
    port: Number(bound),
    goOn: () => void child.kill('SIGCONT'),
    stop: async () => {
      filling.forEach((socket) => socket.destroy());
      child.kill('SIGKILL');
      await ended;
    },
  };
}
