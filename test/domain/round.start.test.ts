import { createRound } from '../../src/domain/round/create-round';
import {
  ACCEPTED,
  addWin,
  AT,
  DECLINED,
  DECLINED_BUT_PROCESSED,
  end,
  END_REJECTED,
  IDENTITY,
  LATER,
  OPERATOR_ERROR,
  settings,
  rejected,
  retryable,
  start,
  TestRound,
  ticketStart,
  UNAUTHORISED_DEBIT,
  UNKNOWN,
  VOID,
} from './support';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('startGameRound opens a round by a debit', () => {
  it('sends [debit] with the full stake as the initial debit, nothing else', () => {
    const round = new TestRound(start({ debitAmount: 250 }));
    const [debit] = round.state.pending?.transactions ?? [];
    expect(round.shapes).toEqual([['debit 250']]);
    expect(round.state.pending?.purpose).toBe('debit');
    expect(debit).toMatchObject({ isFirstDebit: true, currency: 'EUR', amount: 250, timestamp: AT });
    expect(debit?.hash).toMatch(UUID);
  });

  it('is not answered before the wallet has answered', () => {
    const round = new TestRound();
    expect(round.state.commands.start).toBeDefined();
    expect(round.state.commands.start?.answer).toBeUndefined();
    expect(round.state.gameState).toEqual([]);
  });

  it('accepted: open, with the win of the start as open winnings', () => {
    const round = new TestRound(start({ winAmount: 40, result: 'AAA' })).deliver(ACCEPTED);
    const reply = round.reply(start());
    expect(reply).toMatchObject({ amountToCollect: 40, amountCredited: 0, refusal: undefined });
    expect(reply.gameRoundInfo).toMatchObject({ hash: IDENTITY.gameround, status: 'open', stake: 100 });
    expect(reply.balance?.balances).toEqual([{ type: 'real', amount: 900, currency: 'EUR' }]);
    expect(reply.gameState).toEqual([
      expect.objectContaining({
        type: 'debit',
        amountWagered: 100,
        collected: 0,
        result: { winAmount: 40, info: { rngCallId: 'rng-1', result: 'AAA' } },
      }),
    ]);
    expect(round.transactions('debit')).toMatchObject([{ outcome: 'accepted', balanceAfter: 900 }]);
    expect(round.state.pending).toBeUndefined();
  });

  it('the multiplier is never applied to a debit', () => {
    const state = createRound(
      { ...IDENTITY, currencyMultiplier: 10 },
      settings(),
      start({ debitAmount: 250 }),
      AT,
    );
    expect(state.pending?.transactions[0]?.amount).toBe(250);
    expect(state.stake).toBe(250);
  });

  it('two rounds, two debit hashes; the same round, the same', () => {
    const hashOf = (gameround: string, at: string): string | undefined =>
      createRound({ ...IDENTITY, gameround }, settings(), start(), at).pending?.transactions[0]?.hash;
    expect(hashOf('a', AT)).not.toBe(hashOf('b', AT));
    expect(hashOf('a', AT)).toBe(hashOf('a', LATER));
  });
});

describe('a failed initial debit ends the round', () => {
  it('declined: cancel, no void, and the operator’s own errorCode with 400', () => {
    const round = new TestRound(start({ winAmount: 40 })).deliver(DECLINED);
    const reply = round.reply(start());
    expect(reply.refusal).toEqual({ status: 400, errorCode: OPERATOR_ERROR });
    expect(reply.gameRoundInfo.status).toBe('cancel');
    expect(reply.amountToCollect).toBe(0);
    expect(round.state).toMatchObject({ status: 'cancel', closedAt: LATER, gameState: [] });
    expect(round.shapes).toEqual([['debit 100']]);
    expect(round.state.pending).toBeUndefined();
    expect(round.transactions('debit')).toMatchObject([{ outcome: 'declined' }]);
  });

  it.each([addWin('w', 10), end(), start({ rngCallId: 'rng-2' }), VOID])(
    'declined: then %j fails and nothing is sent',
    (command) => {
      const round = new TestRound(start(), { followUpDebits: true }).deliver(DECLINED);
      expect(round.refusal(command)).toBe('GAMEROUNDNOTACTIVE');
      expect(round.shapes).toEqual([['debit 100']]);
    },
  );

  it('declined without errorCode: DEBITDECLINED', () => {
    const round = new TestRound().deliver({ ...DECLINED, errorCode: undefined } as typeof DECLINED);
    expect(round.reply(start()).refusal).toMatchObject({
      status: 400,
      errorCode: { id: 3004, msg: 'DEBITDECLINED' },
    });
  });

  it('declined with 401 or 1001: 502 WALLETUNAVAILABLE, no void', () => {
    const round = new TestRound().deliver(UNAUTHORISED_DEBIT);
    expect(round.reply(start()).refusal).toMatchObject({ status: 502, errorCode: { id: 3000 } });
    expect(round.state.status).toBe('cancel');
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('declined, but hashesProcessed shows that it went through: a void too', () => {
    const round = new TestRound().deliver(DECLINED_BUT_PROCESSED);
    expect(round.reply(start()).refusal).toEqual({ status: 400, errorCode: OPERATOR_ERROR });
    expect(round.reply(start()).gameRoundInfo.status).toBe('cancel');
    expect(round.shapes).toEqual([['debit 100'], ['void']]);
  });

  it('unknown: answered at once with 502 and cancel; a void with the debit’s hash is under way', () => {
    const round = new TestRound(start({ winAmount: 40 })).deliver(UNKNOWN);
    const reply = round.reply(start());
    expect(reply.refusal).toMatchObject({ status: 502, errorCode: { id: 3000, msg: 'WALLETUNAVAILABLE' } });
    expect(reply.gameRoundInfo.status).toBe('cancel');
    expect(round.shapes).toEqual([['debit 100'], ['void']]);
    const [debit, taken] = round.calls.flat();
    expect(taken).toMatchObject({ type: 'void', hash: debit?.hash, currency: 'EUR' });
    expect(taken).not.toHaveProperty('amount');
    expect(taken).not.toHaveProperty('isFirstDebit');
  });

  it('unknown: the void is retried until it is answered, then the round rests', () => {
    const round = new TestRound().deliver(UNKNOWN, retryable(), retryable());
    expect(round.state.pending?.purpose).toBe('void');
    round.deliver(ACCEPTED);
    expect(round.state.pending).toBeUndefined();
    expect(round.state.status).toBe('cancel');
    expect(round.transactions('void')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.transactions('debit')).toMatchObject([{ outcome: 'unknown' }]);
    expect(round.shapes).toEqual([['debit 100'], ['void']]);
  });

  it('commands during that void are told that the round is over', () => {
    const round = new TestRound().deliver(UNKNOWN, retryable());
    expect(round.refusal(addWin('w', 5))).toBe('GAMEROUNDNOTACTIVE');
    expect(round.refusal(end())).toBe('GAMEROUNDNOTACTIVE');
    expect(round.refusal(start())).toBe('GAMEROUNDNOTACTIVE');
  });
});

describe('startGameRound with endGame', () => {
  it('nothing won: [debit, end] in one call, and closed', () => {
    const round = new TestRound(start({ endGame: true }));
    expect(round.shapes).toEqual([['debit 100', 'end']]);
    round.deliver(ACCEPTED);
    const reply = round.reply(start());
    expect(reply).toMatchObject({ amountToCollect: 0, amountCredited: 0, refusal: undefined });
    expect(reply.gameRoundInfo.status).toBe('closed');
    expect(round.state).toMatchObject({ status: 'closed', closedAt: LATER, pending: undefined });
    expect(round.state.transactions.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
    expect(round.shapes).toHaveLength(1);
  });

  it('something won: [debit], once accepted [credit, end], and amountCredited reports the credit', () => {
    const command = start({ endGame: true, winAmount: 70 });
    const round = new TestRound(command);
    expect(round.shapes).toEqual([['debit 100']]);
    round.deliver(ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['credit 70', 'end']]);
    expect(round.state.commands.start?.answer).toBeUndefined();
    expect(round.state.status).toBe('open');
    round.deliver(ACCEPTED);
    const reply = round.reply(command);
    expect(reply).toMatchObject({ amountToCollect: 0, amountCredited: 70, refusal: undefined });
    expect(reply.gameRoundInfo.status).toBe('closed');
    expect(reply.gameState).toMatchObject([{ collected: 70 }]);
    expect(new Set(round.calls.flat().map(({ hash }) => hash)).size).toBe(3);
  });

  it('something won, debit declined: no credit ever', () => {
    const round = new TestRound(start({ endGame: true, winAmount: 70 })).deliver(DECLINED);
    expect(round.shapes).toEqual([['debit 100']]);
    expect(round.state).toMatchObject({ status: 'cancel', pending: undefined, amountToCollect: 0 });
  });

  it.each([0, 70])('debit unknown with %p won: cancel and a void, no credit', (winAmount) => {
    const round = new TestRound(start({ endGame: true, winAmount })).deliver(UNKNOWN);
    expect(round.shapes.slice(1)).toEqual([['void']]);
    round.deliver(ACCEPTED);
    expect(round.state).toMatchObject({ status: 'cancel', pending: undefined });
    expect(round.transactions('credit')).toEqual([]);
    expect(round.transactions('end').filter(({ outcome }) => outcome === 'accepted')).toEqual([]);
  });

  it('debit accepted, its end alone refused on a 200: crashed, nothing voided', () => {
    const round = new TestRound(start({ endGame: true })).deliver(END_REJECTED);
    expect(round.state).toMatchObject({ crashed: true, status: 'open', pending: undefined });
    expect(round.reply(start()).refusal).toEqual({ status: 400, errorCode: OPERATOR_ERROR });
    expect(round.transactions('debit')).toMatchObject([{ outcome: 'accepted' }]);
    expect(round.transactions('end')).not.toMatchObject([{ outcome: 'accepted' }]);
    expect(round.shapes).toEqual([['debit 100', 'end']]);
  });

  it('the credit is refused: the debit is voided and the round cancelled', () => {
    const command = start({ endGame: true, winAmount: 70 });
    const round = new TestRound(command).deliver(ACCEPTED, rejected());
    expect(round.shapes).toEqual([['debit 100'], ['credit 70', 'end'], ['void']]);
    expect(round.reply(command)).toMatchObject({
      amountCredited: 0,
      amountToCollect: 0,
      refusal: { status: 400, errorCode: OPERATOR_ERROR },
      gameRoundInfo: { status: 'cancel' },
    });
  });
});

describe('a ticket instead of an amount', () => {
  it('goes to the wallet without an amount', () => {
    const round = new TestRound(ticketStart());
    const [debit] = round.calls[0] ?? [];
    expect(debit).toMatchObject({ type: 'debit', serial: 'T-1', isFirstDebit: true });
    expect(debit).not.toHaveProperty('amount');
    expect(debit).not.toHaveProperty('freePlayStake');
    expect(round.state.transactions[0]).toMatchObject({
      freePlayStake: 20,
      freePlayUsed: true,
      serial: 'T-1',
    });
  });

  it('is worth its stake to the round and wagers nothing', () => {
    const round = new TestRound(ticketStart()).deliver(ACCEPTED);
    expect(round.state.stake).toBe(20);
    expect(round.state.gameState[0]?.amountWagered).toBe(0);
  });
});

describe('a discount, which the operator subtracts from the full stake', () => {
  it('is recorded and not sent', () => {
    const round = new TestRound(start({ discount: { amount: 30, campaignId: 'spring' } }));
    expect(round.state.transactions[0]).toMatchObject({
      amount: 100,
      discountAmount: 30,
      discountCampaignId: 'spring',
    });
    expect(round.calls[0]?.[0]).toMatchObject({ amount: 100 });
    expect(JSON.stringify(round.calls)).not.toContain('discount');
  });
});
