import { setTimeout as sleep } from 'node:timers/promises';
import { workflowIdOf } from '../../src/contracts/gameround';
import type { Answer } from '../../test/support/e2e-http';
import { askRunning, movementsOf, type Movement, type RecordInMongo } from '../evidence';
import type { Heard } from '../players/notes';
import type { Tools } from './tools';

/** Compares one round with what is expected, and collects the differences in `wrong`. */
export class Look {
  readonly wrong: string[] = [];

  constructor(
    private readonly tools: Tools,
    readonly gameround: string,
  ) {}

  /** Notes an answer that is not as expected. `error` is the errorCode's id or name. */
  heard(what: string, { answer }: Heard, status: number, error?: number | string): void {
    const { id, msg } = answer?.body.errorCode ?? {};
    const isSame = answer?.status === status && (error === undefined || error === id || error === msg);
    if (!isSame) this.note(`${what}: ${described(answer)} instead of ${[status, error].join(' ').trim()}`);
  }

  note(what: string): void {
    this.wrong.push(what);
  }

  /** Waits until `isSo` returns true. Notes `what` if that takes longer than `timeoutMs`. */
  async until(what: string, timeoutMs: number, isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await isSo().catch(() => false))) {
      if (Date.now() > deadline) return this.note(`${what}: not within ${timeoutMs / 1_000} s`);
      await sleep(250);
    }
  }

  async untilMarked(mark: string, timeoutMs: number): Promise<void> {
    const isMarked = async (): Promise<boolean> =>
      (await askRunning(this.tools.stack, this.gameround)).attention.includes(mark as never);
    await this.until(`marked ${mark}`, timeoutMs, isMarked);
  }

  /** Waits for this status in the record and for the workflow's end, then compares the operator's books. */
  async ends(
    status: 'closed' | 'cancel',
    timeoutMs: number,
    books: { credited: number; net: number },
  ): Promise<void> {
    const { stack } = this.tools;
    await this.until(`${status}, its workflow ended`, timeoutMs, async () => {
      const record = await stack.db.collection<RecordInMongo>('gamerounds').findOne({ _id: this.gameround });
      const { status: running } = await stack.temporal.workflow
        .getHandle(workflowIdOf(this.gameround))
        .describe();
      return record?.status === status && running.name === 'COMPLETED';
    });
    const movements = await this.movements();
    const credited = movements
      .filter(({ type }) => type === 'credit')
      .reduce((sum, { amount }) => sum + amount, 0);
    const net = movements.reduce((sum, { realDelta }) => sum + realDelta, 0);
    if (credited !== books.credited || net !== books.net)
      this.note(
        `the books have ${credited} credited, ${net} net, instead of ${books.credited}, ${books.net}`,
      );
  }

  async movements(): Promise<Movement[]> {
    return (await movementsOf(this.tools.stack)).get(this.gameround) ?? [];
  }

  /** Adds this round and its differences to the check `decided`. */
  tell(): void {
    const { gameround } = this;
    this.tools.saw(
      'decided',
      1,
      this.wrong.map((what) => ({ gameround, what })),
    );
  }
}

export function described(answer: Answer | undefined): string {
  if (answer === undefined) return 'no answer';
  return `${answer.status} ${answer.body.errorCode?.msg ?? answer.body.gameRoundInfo?.status ?? ''}`.trim();
}
