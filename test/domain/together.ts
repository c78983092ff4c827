import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { strykerRuns } from '../coverage/table';

/* The tests of the rules as one file for Stryker, which loads it anew for each change. */

for (const file of readdirSync(__dirname)) {
  if (strykerRuns(`test/domain/${file}`)) jest.requireActual(join(__dirname, file));
}
