import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** Where tenants' URLs may lead: to public addresses, also to this machine, or anywhere (the inner network). */
export const CALLBACK_ADDRESSES = ['public', 'loopback', 'any'] as const;
export type CallbackAddresses = (typeof CALLBACK_ADDRESSES)[number];

/** The failure of a connection that was not made: nothing was sent. */
export const ADDRESS_REFUSED = 'ADDRESSREFUSED';

const CONNECT_TIMEOUT_MS = 5_000;
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

/** Whether a URL's address may not be called, as far as that can be told without asking a name server. */
export function namesRefusedAddress(url: string, allowed: CallbackAddresses): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const address = /^(.+\.)?localhost\.?$/.test(host) ? '127.0.0.1' : host;
  return isIP(address) !== 0 && !isAllowed(address, allowed);
}

/**
 * Connects as undici does. Unless it may be any, the address that a connection is about to be made to is checked at that moment,
 * the one in the URL or those that its name has just resolved to: a name that changes its mind gains nothing.
 */
export function callbackConnector(
  allowed: CallbackAddresses,
  lookup: LookupFunction = systemLookup,
): buildConnector.connector {
  const isAny = allowed === 'any';
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    lookup: isAny ? lookup : allowedOnly(allowed, lookup),
  });
  return (options, callback) => {
    const isRefused = isIP(options.hostname) !== 0 && !isAllowed(options.hostname, allowed);
    if (isRefused) callback(refused(), null);
    else connect(options, callback);
  };
}

/** A look-up that fails when the name has an address that may not be called, also among others that may. */
export function allowedOnly(allowed: CallbackAddresses, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const addresses = typeof found === 'string' ? [] : found;
      if (error !== null) return callback(error, '');
      if (!addresses.every(({ address }) => isAllowed(address, allowed))) return callback(refused(), '');
      answer(addresses, options.all === true, callback);
    });
  };
}

function answer(addresses: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = addresses;
  if (all) callback(null, addresses);
  else if (first === undefined) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
  else callback(null, first.address, first.family);
}

function refused(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not one that may be called'), { code: ADDRESS_REFUSED });
}
