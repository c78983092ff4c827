import type { ErrorObject } from './ledger-types';

/**
 * The errors of this operator. Ids below 5000 are those of the interface (docs/interface#error-catalogue). The others are the
 * sandbox's own: each operator may have further errors.
 */
export const WALLET_ERRORS = {
  GAMEROUNDALREADYSTARTED: 12,
  GAMEROUNDNOTSTARTED: 15,
  TRANSACTIONCOUNTMISMATCH: 16,
  INVALIDREQUEST: 1000,
  SIGNATUREWRONG: 1001,
  NOTFOUND: 1005,
  GAMEROUNDNOTACTIVE: 2000,
  IDEMPOTENCYMISMATCH: 2002,
  NOTICKETAVAILABLE: 2008,
  INSUFFICIENTFUNDS: 5001,
  ROUNDVOIDED: 5002,
  DEBITFAILED: 5003,
  NOTPROCESSED: 5004,
  SANDBOXFULL: 5005,
} as const;

export type WalletErrorName = keyof typeof WALLET_ERRORS;

export function walletError(name: WalletErrorName, detail?: string): ErrorObject {
  return {
    id: WALLET_ERRORS[name],
    msg: detail === undefined ? name : `${name}: ${detail}`,
    clientmsg:
      name === 'INSUFFICIENTFUNDS' ? 'Your balance is too low.' : 'The operator refused the request.',
  };
}
