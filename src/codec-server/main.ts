import { createServer } from 'node:http';
import { ConfigError, describeConfig, loadConfig } from '../config';
import { createLogger } from '../logging';
import { createPayloadCodec } from '../payloads/codec';
import { listen, runProcess, stopSignal, untilAborted } from '../lifecycle';
import { createCodecApp } from './app';

const FINISH_WITHIN_MS = 5_000;

/** Composition root of the codec server. Runs until SIGTERM, SIGINT or the end of the process that started it. */
async function main(): Promise<void> {
  const config = loadConfig();
  const { payloads, codecServer, backofficeToken: token } = config;
  const logger = createLogger({ level: config.logLevel, process: 'codec-server' });
  logger.info(describeConfig(config), 'codec server starts');
  if (payloads.keys.length + payloads.readKeys.length === 0) {
    throw new ConfigError(['PAYLOAD_KEYS: is not set, so there is nothing to decode']);
  }
  const stopped = stopSignal();
  const app = createCodecApp({
    codec: createPayloadCodec(payloads),
    token,
    origins: codecServer.origins,
    proxied: config.http.trustedProxies > 0,
    logger,
    clock: Date.now,
    monotonicNow: () => performance.now(),
  });
  const answer = app.callback();
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    void answer(request, response);
  });
  await listen(server, codecServer, 'CODEC_SERVER_PORT');
  logger.info(codecServer, 'codec server listens');
  process.send?.({ ready: true });
  await untilAborted(stopped);
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const force = setTimeout(() => server.closeAllConnections(), FINISH_WITHIN_MS);
  await closed;
  clearTimeout(force);
  logger.info('codec server stopped');
}

runProcess(main);
