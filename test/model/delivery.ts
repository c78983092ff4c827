import { meaningOf, type Fault } from './types';
import { process, type Purse, type Transaction, type WalletRound } from './wallet';

export interface Delivery {
  /** What the wallet's answer says of the call (docs/interface#outcomes). */
  readonly says: 'yes' | 'no' | 'notNow' | 'unauthorised' | 'nothing' | 'noEnd' | 'noEndOn200';
  readonly errorId?: number | undefined;
}

interface Faulty {
  readonly voidsWholeRound: boolean;
  faults: Fault[];
  met: string[];
}

/** One delivery of a doTransactions call: it meets the first fault that fits, as in the sandbox, or an honest wallet. */
export function deliver(
  state: Faulty,
  round: WalletRound,
  purse: Purse,
  transactions: readonly Transaction[],
): Delivery {
  const fault = state.faults.find(({ on }) => transactions.some(({ type }) => type === on));
  if (fault === undefined) return answerTo(carryOut(state, round, purse, transactions));
  state.faults = state.faults.filter((one) => one !== fault);
  state.met = [...state.met, `${fault.on} ${fault.name}`];
  const { processed, says, errorId } = meaningOf(fault);
  const withoutEnd = says === 'noEnd' || says === 'noEndOn200';
  const taken = withoutEnd ? transactions.filter(({ type }) => type !== 'end') : transactions;
  const failed = processed ? carryOut(state, round, purse, taken) : undefined;
  if (withoutEnd && failed !== undefined) return says === 'noEnd' ? answerTo(failed) : { says: 'nothing' };
  return { says, errorId };
}

/** In order; after the first that fails nothing is carried out (docs/interface#no-credit-after-failed-debit). Answers its error. */
function carryOut(
  { voidsWholeRound }: Faulty,
  round: WalletRound,
  purse: Purse,
  transactions: readonly Transaction[],
): number | undefined {
  let failed: number | undefined;
  for (const transaction of transactions) {
    if (failed !== undefined && transaction.type !== 'void') continue;
    failed = process(round, purse, transaction, voidsWholeRound) ?? failed;
  }
  return failed;
}

function answerTo(failed: number | undefined): Delivery {
  return failed === undefined ? { says: 'yes' } : { says: 'no', errorId: failed };
}
