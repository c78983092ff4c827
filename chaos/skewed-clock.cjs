'use strict';
/* global setInterval */
/*
 * Loaded by `node --require`. The process's wall clock is wrong by the number of milliseconds in the file
 * CHAOS_CLOCK_FILE, and jumps when the file changes, like a clock that is set by hand. Timers and performance.now stay
 * right, as on a real machine.
 */
const { readFileSync } = require('node:fs');

const EVERY_MS = 100;
const file = process.env.CHAOS_CLOCK_FILE;
const RealDate = Date;
let skewMs = 0;

function read() {
  try {
    skewMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    skewMs = 0;
  }
}

if (file) {
  class SkewedDate extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(SkewedDate.now());
      else super(...args);
    }

    static now() {
      return RealDate.now() + skewMs;
    }
  }
  globalThis.Date = SkewedDate;
  read();
  setInterval(read, EVERY_MS).unref();
}
