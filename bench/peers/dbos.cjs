/* DBOS on PostgreSQL (DBOS_DATABASE_URL): the wallet's call and the record are steps of one workflow. */
const { randomUUID } = require('node:crypto');
const { DBOS } = require('@dbos-inc/dbos-sdk');
const { callWallet, database, serve } = require('./common.cjs');

async function main() {
  const records = (await database('dbos')).collection('records');
  const spin = DBOS.registerWorkflow(
    async (id) => {
      const answer = await DBOS.runStep(() => callWallet({ id }), { name: 'wallet' });
      await DBOS.runStep(
        () => records.updateOne({ _id: id }, { $set: { status: 'closed', answer } }, { upsert: true }),
        { name: 'record' },
      );
      return answer;
    },
    { name: 'spin' },
  );
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: process.env.DBOS_DATABASE_URL, logLevel: 'error' });
  await DBOS.launch();
  serve(async () => {
    const workflowID = randomUUID();
    await (await DBOS.startWorkflow(spin, { workflowID })(workflowID)).getResult();
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
