import { connect } from 'node:net';
import type { Service } from '../http/support';

export interface RawReply {
  /** Of every reply that came, in order. */
  statuses: number[];
  /** All that came. */
  text: string;
}

/** Sends the bytes and returns everything that arrives until the service closes the connection. */
export function talk({ url }: Pick<Service, 'url'>, bytes: string | Buffer): Promise<RawReply> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const done = (): void =>
      resolve({
        text,
        statuses: [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status)),
      });
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('close', done).on('error', () => undefined);
    socket.write(bytes);
  });
}
