/*
 * Koa and MongoDB alone: the command is written to an outbox (majority, journaled) before the wallet is called, and the
 * record and the outbox's end are written after it. A poller, which is not measured, would send again what is left.
 */
const { randomUUID } = require('node:crypto');
const { callWallet, database, serve } = require('./common.cjs');

database('plain').then((db) => {
  const outbox = db.collection('outbox');
  const records = db.collection('records');
  serve(async () => {
    const _id = randomUUID();
    await outbox.insertOne({ _id, state: 'pending' });
    const answer = await callWallet({ id: _id });
    await records.insertOne({ _id, status: 'closed', answer });
    await outbox.updateOne({ _id }, { $set: { state: 'done' } });
  });
});
