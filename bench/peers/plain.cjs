/*
 * Koa and MongoDB alone. The command is written to an outbox (majority, journaled) before the call to the wallet. After
 * the call, the record is written and the outbox entry is marked as done. A poller that retries pending entries would be
 * needed, too, and is left out here.
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
