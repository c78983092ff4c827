import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import ts from 'typescript';
import * as sdk from '../../sdk';
import { projectRoot } from '../../stack/paths';

/** The code of sdk/README.md whose first line is `// <file>`, as it stands there. */
export async function codeOf(file: string): Promise<string> {
  const text = await readFile(join(projectRoot(), 'sdk', 'README.md'), 'utf8');
  const [, code] = text.split(`\`\`\`ts\n// ${file}\n`);
  if (code === undefined) throw new Error(`sdk/README.md has no ${file}`);
  return code.slice(0, code.indexOf('```'));
}

/** The README's wallet, at work on a port that the system chooses. */
export const readmeWallet = (): Promise<Server> => readmeServer('wallet.ts');

/** A server of the README, at work on a port that the system chooses. */
export async function readmeServer(file: string, env: object = {}): Promise<Server> {
  const { outputText } = ts.transpileModule(await codeOf(file), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const load = (name: string): unknown => (name === 'gameround-sdk' ? sdk : jest.requireActual(name));
  const exported: { server?: Server } = {};
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- it is our own README
  new Function('require', 'exports', 'process', outputText)(load, exported, { env: { PORT: '0', ...env } });
  const server = exported.server!;
  if (!server.listening) await once(server, 'listening');
  return server;
}
