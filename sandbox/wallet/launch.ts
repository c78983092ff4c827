import type { Context } from 'koa';
import { createOperatorClient } from '../../sdk/operator-client';
import { InterfaceError } from '../../sdk/errors';
import { LostResponse } from '../../sdk/transport';
import { type Kit, parsedOr400 } from '../http/kit';
import { send } from '../http/fault-effects';
import type { SandboxOperator } from '../tenants';
import { launchQuery } from './protocol';

export interface Launch {
  kit: Kit;
  operators: readonly SandboxOperator[];
  serviceUrl: string;
}

const DEMO_PLAYER = 'demo-player';

/** Acts like an operator's lobby when a player opens a game: returns the launch URL, or redirects to it. */
export function addLaunch(launch: Launch): void {
  launch.kit.router.get('/launch', (ctx) => getLaunch(launch, ctx));
}

async function getLaunch({ operators, serviceUrl }: Launch, ctx: Context): Promise<void> {
  const query = parsedOr400(ctx, launchQuery, ctx.query);
  if (query === undefined) return;
  const {
    operatorId: asked,
    playerId = DEMO_PLAYER,
    redirect,
    gameRound,
    gameround = gameRound,
    profile,
    ...rest
  } = query;
  const operator = operators.find(({ operatorId }) => operatorId === (asked ?? operators[0]?.operatorId));
  const secret = operator?.secrets[0];
  if (operator === undefined || secret === undefined) {
    return send(ctx, { status: 404, body: { error: 'no such operator' } });
  }
  const client = createOperatorClient({ baseUrl: serviceUrl, operatorId: operator.operatorId, secret });
  try {
    const { url } = await client.getGameURL({ playerId, ...rest, gameround, profile });
    if (redirect === '1') ctx.redirect(url);
    else send(ctx, { status: 200, body: { url } });
  } catch (error) {
    if (error instanceof InterfaceError) return send(ctx, { status: error.status, body: error.body ?? {} });
    if (error instanceof LostResponse) return send(ctx, { status: 502, body: { error: error.message } });
    throw error;
  }
}
