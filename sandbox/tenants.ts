import tenants from './tenants.json';

/** The sandbox's own tenants (docs/interface#tenants-file). Their secrets are public and valid only in a sandbox. */
export interface SandboxOperator {
  operatorId: string;
  /** Newest first. All are accepted; the first one signs. */
  secrets: readonly string[];
  voidsWholeRound?: boolean | undefined;
}

export interface SandboxProvider {
  providerId: string;
  secrets: readonly string[];
}

export const sandboxOperators: readonly SandboxOperator[] = tenants.operators;
export const sandboxProviders: readonly SandboxProvider[] = tenants.providers;
