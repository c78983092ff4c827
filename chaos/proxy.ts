import { connect, createServer, type Server, type Socket } from 'node:net';
import { resetConnection } from '../sandbox/http/reset';

/** A fault of a link. While it is switched on, it meets existing and new connections. */
export type NetworkFault =
  /** Every piece of data arrives `ms` later, in both directions. */
  | { kind: 'latency'; ms: number }
  /**
   * Every second request arrives `ms` later, even if its sender has gone. A retry on another connection overtakes it.
   * Pieces of less than REQUEST_BYTES, such as handshakes and heartbeats, are not delayed.
   */
  | { kind: 'straggler'; ms: number }
  /** Connections end with a reset. */
  | { kind: 'reset' }
  /** Data is lost in both directions; the connections look alive. They are reset when the fault ends. */
  | { kind: 'black hole' }
  /** The far end is closed, and the near end does not notice. `lingers`: the near end stays open after the fault. */
  | { kind: 'half-open'; lingers: boolean }
  /** Requests arrive. The answer and the connection end after `afterBytes` bytes. */
  | { kind: 'cut reply'; afterBytes: number };

interface Pipe {
  near: Socket;
  far: Socket;
  /** Bytes of answers since a `cut reply` began. */
  answered: number;
  /** Some of its data was lost, so it can't be used any more. */
  broken: boolean;
  halfOpen: boolean;
}

const REQUEST_BYTES = 600;

/** A TCP proxy between two parties that can break the connection in each of these ways. */
export class Link {
  readonly #pipes = new Set<Pipe>();
  #fault: NetworkFault | undefined;
  #affected = 0;
  #requests = 0;

  private constructor(
    readonly name: string,
    private readonly server: Server,
    private readonly target: () => { port: number },
  ) {}

  static async open(name: string, target: () => { port: number }): Promise<Link> {
    const server = createServer();
    const link = new Link(name, server, target);
    server.on('connection', (near) => link.#connect(near));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve());
    });
    return link;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error(`${this.name} does not listen`);
    return address.port;
  }

  /** Connections and pieces of data that the fault has met so far. */
  get affected(): number {
    return this.#affected;
  }

  break(fault: NetworkFault): void {
    this.#fault = fault;
    this.#affected = 0;
    for (const pipe of this.#pipes) {
      pipe.answered = 0;
      if (fault.kind === 'reset') this.#reset(pipe);
      if (fault.kind === 'half-open') this.#loseFarEnd(pipe);
    }
  }

  mend(): void {
    const lingers = this.#fault?.kind === 'half-open' && this.#fault.lingers;
    this.#fault = undefined;
    for (const pipe of this.#pipes) if (pipe.broken || (pipe.halfOpen && !lingers)) destroy(pipe);
  }

  /** Like `mend`, and also ends half-open connections that linger. */
  mendAll(): void {
    this.mend();
    for (const pipe of this.#pipes) if (pipe.halfOpen) destroy(pipe);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const pipe of this.#pipes) destroy(pipe);
    await closed;
  }

  #connect(near: Socket): void {
    const far = connect({ port: this.target().port, host: '127.0.0.1', noDelay: true });
    const pipe: Pipe = { near, far, answered: 0, broken: false, halfOpen: false };
    near.setNoDelay(true);
    this.#pipes.add(pipe);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    const asked = this.#carry(pipe, near, far);
    this.#carry(pipe, far, near);
    near.once('close', () => {
      this.#pipes.delete(pipe);
      // Data that is on its way still arrives, although nobody waits for the answer.
      void asked().then(() => far.destroy());
    });
    far.once('close', () => {
      if (!pipe.halfOpen) near.destroy();
    });
    if (this.#fault?.kind === 'half-open') this.#loseFarEnd(pipe);
  }

  /** Passes data on, in order. Returns a function that waits until all data received so far has been passed on. */
  #carry(pipe: Pipe, from: Socket, to: Socket): () => Promise<void> {
    let before = Promise.resolve();
    from.on('data', (data: Buffer) => {
      const isAnswer = from === pipe.far;
      const piece = this.#meet(pipe, data, isAnswer);
      if (piece === undefined) return;
      const delayMs = this.#delayMs(data, isAnswer);
      if (delayMs > 0) this.#affected += 1;
      const due = Date.now() + delayMs;
      before = before.then(async () => {
        const waitMs = due - Date.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (to.writable && !to.write(piece)) from.pause();
      });
    });
    to.on('drain', () => from.resume());
    from.on('end', () => void before.then(() => to.end()));
    return () => before;
  }

  /** The part of a piece of data that is passed on. Undefined if nothing is. */
  #meet(pipe: Pipe, data: Buffer, isAnswer: boolean): Buffer | undefined {
    const fault = this.#fault;
    if (pipe.halfOpen || pipe.broken) return undefined;
    switch (fault?.kind) {
      case undefined:
        return data;
      case 'latency':
      case 'straggler':
        return data;
      case 'reset':
        this.#reset(pipe);
        return undefined;
      case 'black hole':
        this.#affected += 1;
        pipe.broken = true;
        return undefined;
      case 'half-open':
        return undefined;
      case 'cut reply':
        return isAnswer ? this.#cut(pipe, data, fault.afterBytes) : data;
    }
  }

  #delayMs({ length }: Buffer, isAnswer: boolean): number {
    const fault = this.#fault;
    if (fault?.kind === 'latency') return fault.ms;
    if (fault?.kind !== 'straggler' || isAnswer || length < REQUEST_BYTES) return 0;
    return (this.#requests += 1) % 2 === 1 ? fault.ms : 0;
  }

  #cut(pipe: Pipe, data: Buffer, afterBytes: number): Buffer | undefined {
    const left = afterBytes - pipe.answered;
    pipe.answered += data.length;
    if (data.length <= left) return data;
    this.#affected += 1;
    pipe.near.end(data.subarray(0, Math.max(left, 0)));
    pipe.far.destroy();
    return undefined;
  }

  #reset(pipe: Pipe): void {
    this.#affected += 1;
    resetConnection(pipe.near);
    resetConnection(pipe.far);
  }

  #loseFarEnd(pipe: Pipe): void {
    if (pipe.halfOpen) return;
    this.#affected += 1;
    pipe.halfOpen = true;
    pipe.far.destroy();
  }
}

function destroy({ near, far }: Pipe): void {
  resetConnection(near);
  resetConnection(far);
}
