import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where tenants' URLs may lead: to public addresses, also to this machine, or anywhere (the inner network). */
export const CALLBACK_ADDRESSES = ['public', 'loopback', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];

/** The failure of a connection that was not made: nothing was sent. */
export const ADDRESS_REFUSED = 'ADDRESSREFUSED';

/** After so long the next address is tried as well (RFC 8305). */
const NEXT_ADDRESS_MS = 250;
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
const IPV4_AT = 12;

/**
 * Whether an IP address is a public host's. Everything that a registry sets apart is not: this machine, private, shared
 * (CGNAT), link-local and unique-local networks, cloud metadata, multicast, documentation, reserved. An IPv4 address
 * inside an IPv6 one is judged as what it is.
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.process(text);
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  const v6 = address as ipaddr.IPv6;
  if (v6.range() === 'rfc6052') {
    // NAT64: the IPv4 host that it stands for.
    return isPublicAddress(v6.toByteArray().slice(IPV4_AT).join('.'));
  }
  return v6.range() === 'unicast' && v6.match(...GLOBAL_UNICAST);
}

/** Whether an IP address may be called. */
function isAllowed(address: string, allowed: CallbackAddresses): boolean {
  if (allowed === 'any' || isPublicAddress(address)) return true;
  return allowed === 'loopback' && isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

/** Whether a text is a URL that paths can be appended to: no query, no fragment, nothing that a parser leaves out. */
export function isBaseUrl(text: string): boolean {
  return isPlainUrl(text) && !/[?#]/.test(text);
}

/** An http or https URL without user name, password and white space. */
export function isPlainUrl(text: string): boolean {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password === '';
}

/** Whether a URL's address may not be called, as far as that can be told without asking a name server. */
export function namesRefusedAddress(url: string, allowed: CallbackAddresses): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const address = /^(.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : host;
  return isIP(address) !== 0 && !isAllowed(address, allowed);
}

/** What a connection is made for. */
export interface Target {
  host: string;
  port: number | string;
  until: AbortSignal;
  timeoutMs: number;
}

/**
 * Connects to whichever address of a name answers first. Unless it may be any, the address that a connection is about to be
 * made to is checked at that moment, the one in the URL or those that its name has just resolved to: a name that changes
 * its mind gains nothing.
 */
export function connector(
  allowed: CallbackAddresses,
  lookup: LookupFunction = systemLookup,
): (target: Target) => Promise<Socket> {
  const addressesOf = sharedLookup(lookup);
  return async ({ host, port, until, timeoutMs }) => {
    const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
    // One that may not be called spoils a name, also among others that may.
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

/** Calls that need a name at the same time share its look-up: a slow name server holds up no other tenant's. */
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

/** In turns of one family and the other, so that one of them that leads nowhere costs one pause. */
function alternating(found: LookupAddress[]): string[] {
  const [first, other] = [0, 1].map((nth) =>
    found.filter(({ family }) => (family === found[0]?.family) === (nth === 0)),
  );
  return found.flatMap((_, nth) => [first![nth], other![nth]]).flatMap((one) => one?.address ?? []);
}

/** The first of the connections that is made. The next is begun when one fails, or is not there after a pause. */
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
