'use strict';
/*
 * Loaded by `node --require` into a process of the service. Kills the process, like a power cut, at a step of the
 * activities that carry commands. DIE_AT has the step, the moment and the number of the occurrence: `record before 2`.
 */
const { setTimeout } = require('node:timers');
const { Collection } = require('mongodb');

const [step, moment, times = '1'] = (process.env.DIE_AT ?? '').split(' ');
let seen = 0;

function dieAt(name, { prototype }, method, isMeant = () => true) {
  if (step !== name) return;
  const real = prototype[method];
  prototype[method] = async function (...args) {
    if (!isMeant(this, ...args) || (seen += 1) < Number(times)) return real.apply(this, args);
    if (moment === 'after') await real.apply(this, args);
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  };
}

const isIn = (collection) => (of) => of.collectionName === collection;
dieAt('bet', Collection, 'findOneAndUpdate', isIn('gamerounds'));
dieAt('record', Collection, 'updateOne', (of, _, change) => isIn('gamerounds')(of) && Array.isArray(change));

/** A caller is answered before the server gets the activity's result. So there is time for the answer before the kill. */
const ANSWERED_MS = 500;
if (step === 'result') {
  const { native } = require('@temporalio/core-bridge');
  const real = native.workerCompleteActivityTask;
  native.workerCompleteActivityTask = async (...args) => {
    if ((seen += 1) < Number(times)) return real(...args);
    if (moment === 'after') await real(...args);
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ANSWERED_MS);
    return new Promise(() => undefined);
  };
}
