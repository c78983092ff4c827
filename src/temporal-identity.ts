import { hostname } from 'node:os';

const OWN = 'gameround:';

/** How the service's clients and workers name themselves to Temporal. So a dossier tells their acts from those of a person. */
export function ownIdentity(): string {
  return `${OWN}${process.pid}@${hostname()}`;
}

export function isOwnIdentity(identity: unknown): boolean {
  return typeof identity === 'string' && identity.startsWith(OWN);
}
