import { connect, createServer, type Server, type Socket } from 'node:net';
import { resetConnection } from '../sandbox/http/reset';

/** What goes wrong on a link, to the connections it has and to new ones, while it is switched on. */
export type NetworkFault =
  /** Every piece of data comes that much later, in both directions. */
  | { kind: 'latency'; ms: number }
  /**
   * Every other request comes that much later, even when nobody waits for it any more: what is tried again meanwhile,
   * on another connection, overtakes it. Greetings and signs of life are too small to count.
   */
  | { kind: 'straggler'; ms: number }
  /** Connections end with a reset. */
  | { kind: 'reset' }
  /** Data vanishes in both directions; the connections look alive. They are reset when it is over. */
  | { kind: 'black hole' }
  /** The far end is gone and the near end was never told. `lingers`: not even when it is over. */
  | { kind: 'half-open'; lingers: boolean }
  /** What is asked arrives; the answer ends after that many bytes, with the connection. */
  | { kind: 'cut reply'; afterBytes: number };

interface Pipe {
  near: Socket;
  far: Socket;
  /** Bytes of the answer that were let through since a `cut reply` began. */
  answered: number;
  /** Data of it vanished, so it can't go on. */
  broken: boolean;
  halfOpen: boolean;
}

const REQUEST_BYTES = 600;

/** A TCP proxy between two parties, with a switch for each way a network goes wrong. */
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

  /** Also ends connections whose far end is long gone. */
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
      // What is on its way still arrives, though nobody waits for the answer.
      void asked().then(() => far.destroy());
    });
    far.once('close', () => {
      if (!pipe.halfOpen) near.destroy();
    });
    if (this.#fault?.kind === 'half-open') this.#loseFarEnd(pipe);
  }

  /** Pieces stay in their order, however late they are. Answers how to wait until those that came have gone on. */
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

  /** What of a piece goes on; undefined where nothing does. */
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
