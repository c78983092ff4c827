import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyBody, verifyFields } from '../../sdk';

/** A service that answers whoever signs rightly, for the code of the kits' READMEs. */
export interface SignedService {
  url: string;
  /** The paths of the calls that were signed rightly. */
  signed: string[];
  close(): Promise<void>;
}

export async function signedService(): Promise<SignedService> {
  const signed: string[] = [];
  const server = createServer((request, response) => void answer(signed, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, signed, close };
}

async function answer(signed: string[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const header = (name: string) => String(request.headers[name]);
  const signature = { timestamp: header('x-h-timestamp'), signature: header('x-h-auth-sig') };
  const path = request.url ?? '';
  const isRight =
    path === '/getGameURL'
      ? verifyFields({ ...signature, authId: 'op1', secrets: ['sandbox-only-operator-secret-op1'] }, [
          ...['alice', 'EUR', 'demo-slot', 'real'],
        ])
      : verifyBody({ ...signature, secrets: ['sandbox-only-provider-secret-gp1'] }, body);
  if (isRight) signed.push(path);
  response.statusCode = isRight ? 200 : 401;
  const url = 'http://game.example/play?token=t';
  response.end(JSON.stringify({ url, gameRoundInfo: { hash: 'r1', status: 'open' }, amountCredited: 700 }));
}
