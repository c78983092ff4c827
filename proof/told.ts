import { proxySinks, type Sinks, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** What the workflow code does during a replay: `what` names it as in src/histories/facts.ts, `values` are its arguments or its result. */
export interface ToldSinks extends Sinks {
  told: { did(what: string, values: unknown): void };
}

/**
 * Reports what a replayed workflow asks of its activities, answers to its updates, and ends with. Temporal compares only
 * the kind and the order of events: a replay that sends another amount would pass. It is part of the bundle of a replay
 * only, never of a worker's.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const { told } = proxySinks<ToldSinks>();
  return {
    inbound: [
      {
        async execute(input, next) {
          const result = await next(input);
          told.did('result', [result]);
          return result;
        },
        async handleUpdate(input, next) {
          const answer = await next(input);
          told.did(`update ${input.updateId}`, [answer]);
          return answer;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity(input, next) {
          told.did(`activity ${input.options.activityId ?? input.seq}`, input.args);
          return next(input);
        },
        continueAsNew(input, next) {
          told.did('next run', input.args);
          return next(input);
        },
      },
    ],
  };
};
