/* Shared by the peers: the call to the wallet, the database, and the HTTP server. */
const http = require('node:http');
const Koa = require('koa');
const { MongoClient } = require('mongodb');

const { MONGODB_URI, WALLET_URL } = process.env;

async function database(name) {
  const client = new MongoClient(MONGODB_URI, { writeConcern: { w: 'majority', journal: true } });
  return (await client.connect()).db(name);
}

async function callWallet(spin) {
  const reply = await fetch(WALLET_URL, { method: 'POST', body: JSON.stringify(spin) });
  return reply.text();
}

/** Serves POST /spin and sends the port to bench/compare.ts over IPC. */
function serve(spin) {
  const app = new Koa();
  app.use(async (context) => {
    await spin();
    context.body = {};
  });
  const server = http.createServer(app.callback());
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.once('disconnect', () => process.exit(0));
}

module.exports = { callWallet, database, serve };
