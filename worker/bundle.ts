import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Where the build puts the workflows, beside this file in dist. */
export const BUNDLE_PATH = join(__dirname, 'workflow-bundle.js');

/** Part of `npm run build`: workers then start without a bundler. */
async function main(): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../workflows'),
    logger: new DefaultLogger('WARN'),
  });
  writeFileSync(BUNDLE_PATH, code);
}

if (require.main === module) void main();
