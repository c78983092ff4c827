import { randomUUID } from 'node:crypto';
import {
  InterfaceError,
  type GameReply,
  type LastRound,
  LostResponse,
  type ProviderClient,
  type RngResult,
  type TokenData,
  type VoidReply,
} from '../../sdk';
import { BoundedMap } from './bounded-map';
import { bonusWin, REEL_COUNT, type Spin, spinReels } from './reels';
import type { Trace } from './trace';

/** A player at the game. The session token stays on the server. The page knows only `id`. */
export interface Seat {
  id: string;
  token: string;
  tokenData: Partial<TokenData>;
  gameCode: string;
  mode: string;
  stakes: number[];
  round: { hash: string; status: string; stake: number; won: number; amountToCollect: number } | undefined;
  spin: Spin | undefined;
  /** The newest values from the service. */
  balance: unknown;
  freePlays: unknown;
  history: unknown;
  /** A spin whose outcome is not known. */
  unanswered: Play | undefined;
  since: string;
  trace: Trace;
}

export interface Bet {
  stake: number;
  quick: boolean;
  useTicket: boolean;
  closeOpenGame: boolean;
}

interface Play {
  bet: Bet;
  spin: Spin;
  rngCallId: string;
  ids: Record<string, string>;
}

/** A drawn win whose arrival at the service is unknown. It is sent again with the same id before the round is closed. */
interface OwedWin {
  rngResult: RngResult;
  externalGameProviderTransactionId: string;
}

/** The game's data of a round for getGameResult and doGetGameHistory: free texts. */
export type Story = Record<string, string>;

const ROUNDS_KEPT = 10_000;
const ROUNDS_LISTED = 10;

export interface TableOptions {
  client: ProviderClient;
  /** `service`: numbers from getRandomResult, as for games that must use the service's generator. Otherwise the game's own. */
  numbers: 'service' | (() => number);
}

/** Plays the game: draws numbers, calls the service, and stores the data of rounds. Each button of the page has a method. */
export class Table {
  private readonly owed = new BoundedMap<OwedWin>(ROUNDS_KEPT);
  private readonly stories = new BoundedMap<Story>(ROUNDS_KEPT);
  /** The ids of commands with an unknown outcome. The same button sends the same command again. */
  private readonly unknown = new BoundedMap<Record<string, string>>(ROUNDS_KEPT);

  constructor(private readonly options: TableOptions) {}

  /** If the outcome of the last spin is unknown, sends that spin again with its old bet instead of a new one. */
  async spin(seat: Seat, wanted: Bet): Promise<GameReply> {
    const play = seat.unanswered ?? (await this.newPlay(seat, wanted));
    const { bet, spin, rngCallId } = play;
    const currency = seat.tokenData.currency ?? '';
    seat.unanswered = undefined;
    const reply = await this.options.client
      .startGameRound({
        token: seat.token,
        rngResult: { rngCallId, winAmount: spin.winAmount, result: spin.line.join(' ') },
        debitInformation: bet.useTicket
          ? { currency, debitAmount: bet.stake, useTicketInfo: { useTicket: true } }
          : { currency, debitAmount: bet.stake },
        endGame: bet.quick,
        closeOpenGame: bet.closeOpenGame,
        ...play.ids,
      })
      .catch((error: unknown) => {
        if (error instanceof LostResponse) seat.unanswered = { ...play, ids: error.ids };
        throw error;
      });
    seat.spin = spin;
    seat.round = undefined;
    this.note(seat, reply, bet.stake, spin.winAmount);
    const [reels, won, stake] = [spin.line.join(' '), String(spin.winAmount), String(bet.stake)];
    this.stories.set(reply.gameRoundInfo.hash, { reels, stake, spinWin: won });
    return reply;
  }

  private async newPlay(seat: Seat, bet: Bet): Promise<Play> {
    const { numbers, rngCallId } = await this.draw(seat, REEL_COUNT);
    return { bet, rngCallId, spin: spinReels(bet.stake, numbers), ids: {} };
  }

  /** If the outcome of the last win is unknown, sends that win again instead of a new one. */
  async bonus(seat: Seat, collect: boolean): Promise<GameReply> {
    const round = this.openRound(seat);
    const owed = this.owed.get(round.hash) ?? (await this.newBonus(seat, round.stake));
    this.owed.set(round.hash, owed);
    const reply = await this.sendWin(seat.token, round.hash, owed, collect);
    const winAmount = owed.rngResult.winAmount ?? 0;
    this.note(seat, reply, round.stake, round.won + winAmount);
    const story = this.stories.get(round.hash) ?? {};
    this.stories.set(round.hash, { ...story, bonusWin: String(Number(story['bonusWin'] ?? 0) + winAmount) });
    return reply;
  }

  private async newBonus(seat: Seat, stake: number): Promise<OwedWin> {
    const { numbers, rngCallId } = await this.draw(seat, 1);
    return {
      rngResult: { rngCallId, winAmount: bonusWin(stake, numbers), result: 'bonus' },
      externalGameProviderTransactionId: randomUUID().replaceAll('-', ''),
    };
  }

  async collect(seat: Seat): Promise<GameReply> {
    const round = this.openRound(seat);
    const reply = await this.underItsIds(`collect ${round.hash}`, (ids) =>
      this.options.client.collectWin({ token: seat.token, gameRound: round.hash, ...ids }),
    );
    this.note(seat, reply, round.stake, round.won);
    return reply;
  }

  async end(seat: Seat): Promise<GameReply> {
    const round = this.openRound(seat);
    const reply = await this.underItsIds(`end ${round.hash}`, (ids) =>
      this.options.client.endGameRound({ token: seat.token, gameRound: round.hash, ...ids }),
    );
    this.note(seat, reply, round.stake, round.won);
    return reply;
  }

  async void(seat: Seat): Promise<VoidReply> {
    const round = this.openRound(seat);
    const reply = await this.options.client.voidGameRound({ token: seat.token, gameRound: round.hash });
    // A voided round counts as not played.
    this.note(seat, reply, round.stake, 0);
    seat.spin = undefined;
    return reply;
  }

  /** Reads balance and round from the service, after a reload or a lost reply. */
  async refresh(seat: Seat): Promise<GameReply | undefined> {
    if (seat.mode === 'history') return undefined;
    const { client } = this.options;
    const { token, round } = seat;
    const asked = round === undefined ? { token } : { token, gameRound: round.hash };
    const reply = await client.getGameRoundInfo(asked).catch(noRound);
    if (reply !== undefined) this.note(seat, reply, reply.gameRoundInfo.stake, reply.totalWinAmount);
    const balance = await client.getBalance({ token: seat.token });
    seat.balance = balance;
    seat.freePlays = balance.tickets ?? [];
    return reply;
  }

  /** Finishes the round like a player: sends an owed win, then ends the round. Returns true if the round is closed. */
  async close(gameRound: string): Promise<boolean> {
    const { client } = this.options;
    const { tokenData } = await client.getTokenForGameRound({ gameRound });
    const token = tokenData.currentToken;
    const owed = this.owed.get(gameRound);
    const before = await client.getGameRoundInfo({ token, gameRound });
    if (before.gameRoundInfo.status !== 'open') return before.gameRoundInfo.status === 'closed';
    if (owed !== undefined) await this.sendWin(token, gameRound, owed, false);
    const reply = await client.endGameRound({ token, gameRound });
    return reply.gameRoundInfo.status === 'closed';
  }

  /** The last closed rounds, with the game's data of them. */
  async lastRounds({ token }: Seat): Promise<(LastRound & { story: Story | undefined })[]> {
    const { gameRoundList } = await this.options.client.getLastGameRounds({
      token,
      maxRecords: ROUNDS_LISTED,
    });
    return gameRoundList.map((round) => ({ ...round, story: this.story(round.id) }));
  }

  story(gameRound: string): Story | undefined {
    return this.stories.get(gameRound);
  }

  private async underItsIds<Reply>(
    name: string,
    send: (ids: Record<string, string> | undefined) => Promise<Reply>,
  ): Promise<Reply> {
    const ids = this.unknown.get(name);
    this.unknown.delete(name);
    try {
      return await send(ids);
    } catch (error) {
      if (error instanceof LostResponse) this.unknown.set(name, error.ids);
      throw error;
    }
  }

  /** Sends a win. After a definite answer of the service it is not owed any more. Otherwise it stays owed. */
  private async sendWin(
    token: string,
    gameRound: string,
    owed: OwedWin,
    collect: boolean,
  ): Promise<GameReply> {
    try {
      const reply = await this.options.client.addWin({ token, gameRound, ...owed, collect });
      this.owed.delete(gameRound);
      return reply;
    } catch (error) {
      // 429: the service had no free place for the call and did not process it.
      if (error instanceof InterfaceError && error.status !== 429) this.owed.delete(gameRound);
      throw error;
    }
  }

  private async draw(seat: Seat, count: number): Promise<{ numbers: number[]; rngCallId: string }> {
    const { numbers, client } = this.options;
    if (numbers !== 'service')
      return { numbers: Array.from({ length: count }, numbers), rngCallId: randomUUID() };
    const drawn = await client.getRandomResult({
      token: seat.token,
      rngEndPoint: 'getDoubles',
      rngPayload: { count, min: 0, max: 1 },
    });
    return { numbers: drawn.values, rngCallId: drawn.rngRequestId };
  }

  private openRound(seat: Seat): NonNullable<Seat['round']> {
    if (seat.round?.status !== 'open') throw new NoOpenRound();
    return seat.round;
  }

  private note(seat: Seat, reply: GameReply | VoidReply, stake: number, won: number): void {
    const { hash, status } = reply.gameRoundInfo;
    seat.round = { hash, status, stake, won, amountToCollect: reply.amountToCollect };
    if (reply.balance !== undefined) seat.balance = reply.balance;
    seat.freePlays = reply.freePlaysAvailable;
    if (reply.tokenData?.currentToken) seat.token = reply.tokenData.currentToken;
  }
}

export class NoOpenRound extends Error {
  override readonly name = 'NoOpenRound';
}

/** No round is open, or the round is unknown. That is not an error. */
function noRound(error: unknown): undefined {
  if (error instanceof InterfaceError && (error.status === 400 || error.status === 404)) return undefined;
  throw error;
}
