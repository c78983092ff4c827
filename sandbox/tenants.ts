import tenants from './tenants.json';

/** The sandbox's own tenants (docs/interface#tenants-file); their secrets open nothing but a sandbox. */
export interface SandboxOperator {
  operatorId: string;
  /** Newest first: all verify, the first signs. */
  secrets: readonly string[];
  voidsWholeRound?: boolean | undefined;
}

export interface SandboxProvider {
  providerId: string;
  secrets: readonly string[];
}

export const sandboxOperators: readonly SandboxOperator[] = tenants.operators;
export const sandboxProviders: readonly SandboxProvider[] = tenants.providers;
