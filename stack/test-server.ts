import { findBinary, type FindOptions } from './binaries';

/** The options for `TestWorkflowEnvironment.createTimeSkipping` to run the found server. */
export interface TestServerOptions {
  readonly server: { readonly executable: { readonly type: 'existing-path'; readonly path: string } };
}

/** Finds the time-skipping test server. `TestWorkflowEnvironment` starts and stops it. */
export async function testServerOptions(options: FindOptions = {}): Promise<TestServerOptions> {
  return {
    server: {
      executable: { type: 'existing-path', path: await findBinary('temporal-test-server', options) },
    },
  };
}
