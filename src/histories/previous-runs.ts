import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { workflowIdOf } from '../contracts/gameround';
import type { Recorded } from '../domain/round/known-entries';
import { factsOf, nextRunIn, resetIn } from './facts';
import { newestIn, recordIn } from './record';

/** The runs that a person's reset has ended (docs/interface#reset). */
export interface PreviousRuns {
  /** The newest state of the round that they say, with a wallet call that was in flight as a pending one. */
  newest(gameround: string, runId: string): Promise<Recorded | undefined>;
}

/** More than the commands of a round fill (MAX_COMMANDS, UPDATES_PER_RUN). */
const MAX_RUNS = 50;

export function createPreviousRuns(client: Client): PreviousRuns {
  const { payloadCodecs } = client.options.loadedDataConverter;
  const codec: Pick<PayloadCodec, 'decode'> = {
    decode: async (payloads) => {
      let decoded = payloads;
      for (const one of payloadCodecs) decoded = await one.decode(decoded);
      return decoded;
    },
  };
  return {
    async newest(gameround, runId) {
      const known = new Set<string>([runId]);
      let newest: Recorded | undefined;
      // Grows while it is read: a run leads to the one that its own reset has ended, and to the one that it continued as.
      for (const id of known) {
        if (known.size > MAX_RUNS) throw new Error(`more than ${MAX_RUNS} runs before a reset`);
        const history = await client.workflow.getHandle(workflowIdOf(gameround), id).fetchHistory();
        const leadsTo = id === runId ? [] : [nextRunIn(history)];
        for (const other of [resetIn(history)?.baseRunId, ...leadsTo]) if (other) known.add(other);
        if (id === runId) continue;
        const told = recordIn(await factsOf(history, codec));
        const state = told && newestIn(told);
        if (state !== undefined && state.version > (newest?.version ?? 0)) newest = state;
      }
      return newest;
    },
  };
}
