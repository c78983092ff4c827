import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER_PATH, WORKFLOW_PAYLOADS_PATH } from '../src/payloads/data-converter';

/** Workflow code can't read settings, so there are two bundles: with plain failures, or with failures for the codec. */
export type FailuresKind = 'plain' | 'encoded';

/** The path of the built bundle, next to this file in dist. */
export function bundlePath(failures: FailuresKind): string {
  return join(__dirname, failures === 'plain' ? 'workflow-bundle.js' : 'workflow-bundle-encoded.js');
}

/**
 * Bundles the workflows into one file. The worker preloads all modules once for all rounds, since the code would take most
 * of a round's memory. So no module may keep mutable state (eslint.config.mjs).
 */
export async function bundleCode(
  workflowsPath: string,
  failures: FailuresKind,
  logger = new DefaultLogger('WARN'),
  moreInterceptors: readonly string[] = [],
): Promise<string> {
  const encoded = failures === 'encoded' ? { failureConverterPath: FAILURE_CONVERTER_PATH } : {};
  const preloadModules = [workflowsPath, WORKFLOW_PAYLOADS_PATH];
  const payloadConverterPath = WORKFLOW_PAYLOADS_PATH;
  const workflowInterceptorModules = [
    join(dirname(workflowsPath), 'events-before-their-task'),
    ...moreInterceptors,
  ];
  const options = {
    workflowsPath,
    preloadModules,
    logger,
    payloadConverterPath,
    workflowInterceptorModules,
    ...encoded,
  };
  return (await bundleWorkflowCode(options)).code;
}

/** Part of `npm run build`, so that workers start without a bundler. */
async function main(): Promise<void> {
  for (const failures of ['plain', 'encoded'] as const) {
    writeFileSync(bundlePath(failures), await bundleCode(require.resolve('../workflows'), failures));
  }
}

if (require.main === module) void main();
