#!/usr/bin/env node
import { run } from './cli';

void run(process.argv.slice(2), process.env, (text) => process.stdout.write(`${text}\n`)).then(
  (status) => (process.exitCode = status),
);
