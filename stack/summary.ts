import { join } from 'node:path';
import { maskedUri, reachable } from '../src/config';
import { GAMEROUND_ATTENTION } from '../src/contracts/search-attributes';
import type { StackConfig } from './config';

interface Addresses {
  readonly temporalAddress: string;
  readonly mongodbUri: string;
}
interface Shown extends Addresses {
  readonly launchUrl: string | undefined;
}

/** The text that `npm start` prints when all processes run. Credentials in addresses are masked. */
export function summary(config: StackConfig, stack: Shown, tookMs: number): string {
  const rows = addresses(config, stack);
  const width = Math.max(...rows.map(([label]) => label.length));
  const table = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`);
  return [
    '',
    `gameround is ready (${(tookMs / 1000).toFixed(1)} s)`,
    '',
    ...table,
    '',
    ...tokenLines(config),
    ...(stack.launchUrl === undefined ? [] : ['  Play (valid once, for 60 s):', `  ${stack.launchUrl}`, '']),
    `  The same links: ${rows[0]?.[1]}/   Ctrl-C stops everything.`,
  ].join('\n');
}

/**
 * The links of the start pages as text: `label url; label url`. Partners see the API's page, so it has the other addresses only
 * where it is a sandbox that this machine alone can reach.
 */
export function startLinks(config: StackConfig, stack: Addresses): string {
  const { host } = config.service.http;
  const isOwn = config.sandbox !== undefined && ['127.0.0.1', '::1', 'localhost'].includes(host);
  const all = addresses(config, stack);
  return (isOwn ? all : all.filter(([label]) => API_LABELS.includes(label)))
    .filter(([, value]) => value.startsWith('http'))
    .map(([label, url]) => `${label} ${url}`)
    .join('; ');
}

const API_LABELS = ['API', 'API description', 'Health'];

function addresses(config: StackConfig, stack: Addresses): [string, string][] {
  const { host, port } = config.service.http;
  const { admin } = config.service;
  const api = `http://${reachable(host)}:${port}`;
  const web: [string, string][] =
    config.externalTemporal === undefined ? webAddresses(`http://127.0.0.1:${config.temporalUiPort}`) : [];
  const sandbox: [string, string][] = config.sandbox
    ? [
        ['Sandbox wallet', `http://127.0.0.1:${config.sandbox.walletPort}`],
        ['Play', `http://127.0.0.1:${config.sandbox.walletPort}/launch?redirect=1`],
      ]
    : [];
  return [
    ['API', api],
    ['API description', `${api}/docs`],
    ['Health', `${api}/health/ready`],
    ...(admin.port === 0
      ? []
      : [['Metrics', `http://${reachable(admin.host)}:${admin.port}/metrics`] satisfies [string, string]]),
    ['Temporal', stack.temporalAddress],
    ...web,
    ...(config.codecServer === undefined
      ? []
      : [['Codec server', config.codecServer] satisfies [string, string]]),
    ['MongoDB', maskedUri(stack.mongodbUri)],
    ...sandbox,
    ['Logs', join(config.service.dataDir, 'logs')],
  ];
}

/** Temporal Web stores the query of such a link in the browser, as a saved view with the name `savedQuery`. */
function webAddresses(web: string): [string, string][] {
  const view = (savedQuery: string, query: string): [string, string] => [
    savedQuery,
    `${web}/namespaces/default/workflows?${new URLSearchParams({ query, savedQuery }).toString()}`,
  ];
  return [
    ['Temporal Web', web],
    // A reset leaves the run before behind, terminated and with its mark.
    view('Rounds that wait', `${GAMEROUND_ATTENTION.name} IS NOT NULL AND ExecutionStatus = "Running"`),
    view('Crashed rounds', `${GAMEROUND_ATTENTION.name} = 'crashed'`),
  ];
}

function tokenLines({ newTokenFile, service }: StackConfig): string[] {
  if (newTokenFile === undefined) return [];
  return [`  New token of the codec server, stored in ${newTokenFile}:`, `  ${service.backofficeToken}`, ''];
}
