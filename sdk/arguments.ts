import { isObject } from './errors';

/* Checks of the arguments. TypeScript finds most of these mistakes, but not those of JavaScript callers and unset variables. */

/** @throws TypeError that names the option */
export function textOption(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`the option ${name} is missing`);
  return value;
}

/** The address without a slash at its end, so that paths can be added. @throws TypeError */
export function addressOption(name: string, value: unknown): string {
  const address = textOption(name, value);
  if (!/^https?:\/\/./i.test(address) || !URL.canParse(address))
    throw new TypeError(`the option ${name} is no http or https address: ${address}`);
  return address.replace(/\/+$/, '');
}

/** @throws TypeError that names the first field that is missing */
export function checkFields(operation: string, request: unknown, fields: readonly string[]): void {
  const name = operation.slice(operation.lastIndexOf('/') + 1);
  if (!isObject(request)) throw new TypeError(`${name}: the request is missing`);
  for (const field of fields)
    if (request[field] === undefined || request[field] === null)
      throw new TypeError(`${name}: the field ${field} is missing`);
}
