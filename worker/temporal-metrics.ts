import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

const TIMEOUT_MS = 2_000;

/** The Temporal SDK's own metrics, `temporal_…`. Rejects if its exporter does not respond, or not with OK. */
export async function temporalMetrics(address: string): Promise<string> {
  const reply = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!reply.ok) throw new Error(`the exporter of the SDK answers ${reply.status}`);
  return reply.text();
}

/** A free local port for the SDK's exporter, which can't choose one itself. Only this process calls it. */
export async function freeLocalAddress(): Promise<string> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return `127.0.0.1:${port}`;
}
