'use strict';
/* global setInterval */
/*
 * Loaded by `node --require`: the process's calendar clock is off by as many milliseconds as the file CHAOS_CLOCK_FILE
 * says, and jumps when that changes, as a clock does that is set by hand. What measures durations (timers,
 * performance.now) is right, as on a real machine.
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
