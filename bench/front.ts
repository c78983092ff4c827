import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * One address in front of several ports of this machine, like a load balancer: each new connection goes to the next port. If
 * that one refuses it, it goes to the one after.
 */
export class Front {
  ports: readonly number[] = [];
  #turn = 0;
  readonly #server = createServer((near) => this.#connect(near, this.ports.length));

  static async open(): Promise<Front> {
    const front = new Front();
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Takes no more connections. Those that are open stay until an end closes them. */
  close(): void {
    this.#server.close();
  }

  #connect(near: Socket, tries: number): void {
    const port = this.ports[this.#turn++ % this.ports.length];
    if (tries === 0 || port === undefined) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    const next = (): void => this.#connect(near, tries - 1);
    far.once('error', next).once('connect', () => {
      far.off('error', next);
      // An error of one end closes the other: both callers see it there.
      pipeline(near, far, near, () => far.destroy());
    });
  }
}
