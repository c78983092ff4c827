import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/* The tests of the rules as one file for Stryker, which loads it anew for each change. Generated cases would take too long. */

const GENERATED = /\.propert(y|ies)\.test\.ts$|^round\.wallet\.test\.ts$/;

for (const file of readdirSync(__dirname)) {
  if (file.endsWith('.test.ts') && !GENERATED.test(file)) jest.requireActual(join(__dirname, file));
}
