import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER_PATH, WORKFLOW_PAYLOADS_PATH } from '../src/payloads/data-converter';

/** Workflow code has no settings, so each way to write failures has a bundle: in the clear, or for the codec. */
export type FailuresKind = 'plain' | 'encoded';

/** Where the build puts the workflows, beside this file in dist. */
export function bundlePath(failures: FailuresKind): string {
  return join(__dirname, failures === 'plain' ? 'workflow-bundle.js' : 'workflow-bundle-encoded.js');
}

/**
 * The workflows as one file of code. All of it is loaded once for all rounds of a worker and not for each: that is what a
 * round would mostly consist of. So no module of it may keep anything that changes (eslint.config.mjs).
 */
export async function bundleCode(
  workflowsPath: string,
  failures: FailuresKind,
  logger = new DefaultLogger('WARN'),
): Promise<string> {
  const encoded = failures === 'encoded' ? { failureConverterPath: FAILURE_CONVERTER_PATH } : {};
  const preloadModules = [workflowsPath, WORKFLOW_PAYLOADS_PATH];
  const payloadConverterPath = WORKFLOW_PAYLOADS_PATH;
  const workflowInterceptorModules = [join(dirname(workflowsPath), 'events-before-their-task')];
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

/** Part of `npm run build`: workers then start without a bundler. */
async function main(): Promise<void> {
  for (const failures of ['plain', 'encoded'] as const) {
    writeFileSync(bundlePath(failures), await bundleCode(require.resolve('../workflows'), failures));
  }
}

if (require.main === module) void main();
