import { findBinary, type FindOptions } from './binaries';

/** What `TestWorkflowEnvironment.createTimeSkipping` takes as its options to run the server found here. */
export interface TestServerOptions {
  readonly server: { readonly executable: { readonly type: 'existing-path'; readonly path: string } };
}

/** The time-skipping test server as an executable that `TestWorkflowEnvironment` starts and stops by itself. */
export async function testServerOptions(options: FindOptions = {}): Promise<TestServerOptions> {
  return {
    server: {
      executable: { type: 'existing-path', path: await findBinary('temporal-test-server', options) },
    },
  };
}
