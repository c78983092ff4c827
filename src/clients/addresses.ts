import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses that tenants' URLs may have: public ones, also this machine (`loopback`), or any (also internal networks). */
export const CALLBACK_ADDRESSES = ['public', 'loopback', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];

/** The failure code of a connection to a forbidden address: nothing was sent. */
export const ADDRESS_REFUSED = 'ADDRESSREFUSED';

/** After this time the next address is tried as well (RFC 8305). */
const NEXT_ADDRESS_MS = 250;
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const IPV4_AT = 12;

/**
 * Whether an IP address is public. Special-purpose addresses are not: this machine, private, shared (CGNAT), link-local and
 * unique-local networks, cloud metadata, multicast, documentation, reserved. For an IPv4 address inside an IPv6 address, the
 * IPv4 address decides.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  const v6 = address as ipaddr.IPv6;
  if (v6.range() === 'rfc6052') {
    // NAT64: check the embedded IPv4 address.
    return isPublicAddress(v6.toByteArray().slice(IPV4_AT).join('.'));
  }
  return v6.range() === 'unicast' && v6.match(...GLOBAL_UNICAST);
}

/** Whether an IP address may be called. */
function isAllowed(address: string, allowed: CallbackAddresses): boolean {
  if (allowed === 'any' || isPublicAddress(address)) return true;
  return allowed === 'loopback' && isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

/** Whether a text is a URL to which paths can be appended: without query and fragment, even empty ones. */
export function isBaseUrl(text: string): boolean {
  return isPlainUrl(text) && !/[?#]/.test(text);
}

/** An http or https URL without user name, password and white space. */
export function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password === '';
}

/** Whether the service may not call a URL, as far as that is known without a DNS lookup. */
export function namesRefusedAddress(url: string, allowed: CallbackAddresses): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const address = /^(.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : host;
  return isIP(address) !== 0 && !isAllowed(address, allowed);
}

/** The target of a connection, and the call that needs it. */
export interface Target {
  host: string;
  port: number | string;
  until: AbortSignal;
  timeoutMs: number;
}

/**
 * Connects to the first address of a name that responds. The resolved addresses are checked right before the connection is
 * made (unless any is allowed), so a name that later resolves to an internal address can't bypass the check.
 */
export function connector(
  allowed: CallbackAddresses,
  lookup: LookupFunction = systemLookup,
): (target: Target) => Promise<Socket> {
  const addressesOf = sharedLookup(lookup);
  return async ({ host, port, until, timeoutMs }) => {
    const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
    // One forbidden address is enough to refuse the name.
    if (!addresses.every((address) => isAllowed(address, allowed))) throw refused();
    until.throwIfAborted();
    return firstOf(
      addresses,
      Number(port),
      Math.min(NEXT_ADDRESS_MS, timeoutMs / (addresses.length + 1)),
      until,
    );
  };
}

/** Concurrent calls share one lookup of a name, so that a slow name server does not block the lookups of other tenants. */
function sharedLookup(lookup: LookupFunction): (host: string) => Promise<string[]> {
  const pending = new Map<string, Promise<string[]>>();
  return (host) => {
    const known = pending.get(host);
    if (known !== undefined) return known;
    const asked = new Promise<string[]>((resolve, reject) => {
      lookup(host, { all: true }, (error, found) => {
        if (error === null) resolve(alternating(found as LookupAddress[]));
        else reject(error);
      });
    }).finally(() => pending.delete(host));
    pending.set(host, asked);
    return asked;
  };
}

/** Alternates IPv4 and IPv6 addresses, so that a broken address family costs only one pause. */
function alternating(found: LookupAddress[]): string[] {
  const [first, other] = [0, 1].map((nth) =>
    found.filter(({ family }) => (family === found[0]?.family) === (nth === 0)),
  );
  return found.flatMap((_, nth) => [first![nth], other![nth]]).flatMap((one) => one?.address ?? []);
}

/** Returns the first connection. Tries the next address if one fails or does not connect within a pause. */
async function firstOf(
  addresses: string[],
  port: number,
  pauseMs: number,
  until: AbortSignal,
): Promise<Socket> {
  const waiting = [...addresses];
  const tried = new Set<Socket>();
  let pause: NodeJS.Timeout | undefined;
  const made = new Promise<Socket>((resolve, reject) => {
    const next = (error?: Error): void => {
      clearTimeout(pause);
      const host = waiting.shift();
      if (host === undefined) {
        if (tried.size === 0) reject(error ?? new Error('no address'));
        return;
      }
      const socket = connect({ host, port, noDelay: true, autoSelectFamily: false });
      tried.add(socket);
      socket.once('connect', () => resolve(socket));
      socket.on('error', (failure) => {
        tried.delete(socket);
        next(failure);
      });
      pause = setTimeout(next, pauseMs);
    };
    until.addEventListener('abort', () => reject(until.reason as Error), { once: true });
    next();
  });
  try {
    const socket = await made;
    tried.delete(socket);
    return socket;
  } finally {
    clearTimeout(pause);
    waiting.length = 0;
    tried.forEach((socket) => socket.destroy());
  }
}

function refused(): NodeJS.ErrnoException {
  return Object.assign(new Error('the service may not call this address'), { code: ADDRESS_REFUSED });
}
