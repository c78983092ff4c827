import { z } from 'zod';
import type { FaultRequest } from '../http/faults';
import type { RecordedCall } from '../http/calls';
import { BoundedMap } from './bounded-map';

/** A switch on the page: a fault of the sandbox's wallet for one player. */
export interface Situation {
  id: string;
  group: 'bets' | 'payouts';
  label: string;
  /** The reaction of the service, as a text for the page. */
  then: string;
}

type Switch = Situation & { faults: readonly SwitchFault[] };
type SwitchFault = Pick<FaultRequest, 'fault'> & { match: { type: 'debit' | 'credit' | 'end' } } & Record<
    string,
    unknown
  >;

const UNTIL_OFF = 1_000_000;
const debit = { match: { type: 'debit' } } as const;
const credit = { match: { type: 'credit' } } as const;
const end = { match: { type: 'end' } } as const;
const NOT_TODAY = { id: 77, msg: 'NOPE', clientmsg: 'The casino says: not today.' };

const SWITCHES: readonly Switch[] = [
  {
    id: 'decline',
    group: 'bets',
    label: 'Decline the next bet',
    then: 'The service cancels the round. Nothing was taken.',
    faults: [{ ...debit, fault: 'status', status: 400, errorCode: NOT_TODAY }],
  },
  {
    id: 'slow',
    group: 'bets',
    label: 'Answer the next bet after 3 seconds',
    then: 'The reels turn until the wallet has answered. Then the game goes on.',
    faults: [{ ...debit, fault: 'slow', delayMs: 3_000 }],
  },
  {
    id: 'silent',
    group: 'bets',
    label: 'Do not answer the next bet',
    then: 'After 5 seconds the service does not know whether the bet was taken. It voids the bet and cancels the round.',
    faults: [{ ...debit, fault: 'hang' }],
  },
  {
    id: 'lost',
    group: 'bets',
    label: 'Take the next bet and lose the reply',
    then: 'The service does not know whether the bet was taken. It voids the bet, and the wallet gives it back.',
    faults: [{ ...debit, fault: 'dropReply' }],
  },
  {
    id: 'page',
    group: 'bets',
    label: 'Answer the next bet with a web page',
    then: 'This is not a valid reply. The service voids the bet, and the wallet gives it back.',
    faults: [{ ...debit, fault: 'garbage' }],
  },
  {
    id: 'payoutFails',
    group: 'payouts',
    label: 'Fail the next payout once',
    then: 'The service sends the payout again after a second.',
    faults: [{ ...credit, fault: 'status', status: 503 }],
  },
  {
    id: 'payoutLost',
    group: 'payouts',
    label: 'Take the next payout and lose the reply',
    then: 'The service sends the payout again with the same hash. The wallet knows the hash and does not pay twice.',
    faults: [{ ...credit, fault: 'dropReply' }],
  },
  {
    id: 'outage',
    group: 'payouts',
    label: 'Be down for payouts until switched off',
    then: 'The round stays open. The service sends the payout again at least once a minute until the wallet accepts it. No win is lost.',
    faults: [credit, end].map((match) => ({ ...match, fault: 'status', status: 503, times: UNTIL_OFF })),
  },
];

export const SITUATIONS: readonly Situation[] = SWITCHES.map(({ id, group, label, then }) => ({
  id,
  group,
  label,
  then,
}));

export interface Player {
  operatorId: string;
  playerId: string;
  currency: string;
}

const faultsReply = z.object({ faults: z.array(z.object({ id: z.number(), left: z.number() })) });
const callsReply = z.object({ calls: z.array(z.looseObject({ n: z.number(), at: z.string() })) });
const faultReply = z.object({ id: z.number() });

const PLAYERS_KEPT = 1_000;
const CALLS_SHOWN = 40;
const TIMEOUT_MS = 5_000;

export class WalletDesk {
  /** The ids of the wallet's faults by player and situation. */
  private readonly switched = new BoundedMap<number[]>(PLAYERS_KEPT);

  constructor(private readonly walletUrl: string) {}

  /** The ids of situations that are switched on for the player and not used up. */
  async switchedOn(player: Player): Promise<string[]> {
    const { faults } = faultsReply.parse(await this.ask('GET', 'faults'));
    const live = new Set(faults.filter(({ left }) => left > 0).map(({ id }) => id));
    return SWITCHES.filter(({ id }) =>
      this.switched.get(keyOf(player, id))?.some((one) => live.has(one)),
    ).map(({ id }) => id);
  }

  /** Turns a situation on or off. Returns false if it is unknown. */
  async set(player: Player, situation: string, on: boolean): Promise<boolean> {
    const known = SWITCHES.find(({ id }) => id === situation);
    if (known === undefined) return false;
    const key = keyOf(player, situation);
    for (const id of this.switched.get(key) ?? []) await this.ask('DELETE', `faults/${id}`);
    this.switched.delete(key);
    if (!on) return true;
    const { operatorId: tenantId, playerId } = player;
    const ids: number[] = [];
    this.switched.set(key, ids);
    for (const fault of known.faults) {
      const match = { ...fault.match, playerId, tenantId };
      ids.push(faultReply.parse(await this.ask('POST', 'faults', { ...fault, match })).id);
    }
    return true;
  }

  /** The newest calls that the wallet received for the player since `since`, the newest last. */
  async calls({ playerId }: Player, since: string): Promise<Pick<RecordedCall, 'n' | 'at'>[]> {
    const query = new URLSearchParams({ playerId, limit: String(CALLS_SHOWN) });
    const { calls } = callsReply.parse(await this.ask('GET', `calls?${query.toString()}`));
    return calls.filter(({ at }) => at >= since);
  }

  async giveFreePlays(player: Player, gameCode: string, stake: number): Promise<void> {
    const { operatorId, playerId, currency } = player;
    const ticket = { playerId, gameCode, currency, stake, count: FREE_PLAYS };
    await this.ask('POST', `tickets?${new URLSearchParams({ operatorId }).toString()}`, ticket);
  }

  async setBalance({ operatorId, playerId, currency }: Player, balance: number): Promise<void> {
    const path = `players/${encodeURIComponent(playerId)}?${new URLSearchParams({ operatorId }).toString()}`;
    await this.ask('PUT', path, { currency, balance, bonus: 0 });
  }

  private async ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.walletUrl}/sandbox/${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // 404: the wallet does not have the switch any more, so it is off.
    if (!response.ok && response.status !== 404)
      throw new Error(`the wallet's ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

const FREE_PLAYS = 5;

const keyOf = ({ operatorId, playerId }: Player, situation: string): string =>
  JSON.stringify([operatorId, playerId, situation]);
