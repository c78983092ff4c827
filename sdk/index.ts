/** Clients and wallet kit for the gameround interface. They depend on docs/interface only, not on the service's code. */
export type { DebugEntry, DebugOptions } from './debug';
export { InterfaceError, type ErrorObject } from './errors';
export { createOperatorClient, type OperatorClient, type OperatorClientOptions } from './operator-client';
export { ProviderClient } from './provider-client';
export type * from './provider-requests';
export {
  HEADERS,
  operatorFields,
  parseTimestamp,
  providerFields,
  signBody,
  signFields,
  verifyBody,
  verifyFields,
} from './signing';
export { LostResponse } from './transport';
export type * from './types';
export {
  createWallet,
  type Wallet,
  type WalletOptions,
  type WalletReply,
  type WalletRequest,
} from './wallet';
export type { WalletRound, WalletState } from './wallet-rules';
