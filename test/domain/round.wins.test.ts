import {
  ACCEPTED,
  addWin,
  collectWin,
  end,
  LATER,
  opened,
  openedForFollowUps,
  retryable,
  start,
  VOID,
} from './support';

const WON = start({ winAmount: 40 });

describe('addWin without collect adds a genericwin entry and raises amountToCollect', () => {
  it('makes no wallet call and leaves the round open', () => {
    const round = opened(WON);
    const betData = { line: '3' };
    const reply = round.do(addWin('w', 25, { betData, rngCallId: 'rng-9', result: 'BBB' }));
    expect(reply).toMatchObject({
      amountToCollect: 65,
      amountCredited: 0,
      gameRoundInfo: { status: 'open' },
    });
    expect(reply.gameState).toHaveLength(2);
    expect(reply.gameState[1]).toEqual({
      hash: expect.any(String) as string,
      type: 'genericwin',
      collected: 0,
      amountWagered: 0,
      processedOn: LATER,
      reason: '',
      result: { winAmount: 25, info: { line: '3', rngCallId: 'rng-9', result: 'BBB' } },
    });
    expect(reply.refusal).toBeUndefined();
    expect(round.shapes).toEqual([['debit 100']]);
  });

  it('a win of 0 is a step like any other', () => {
    const round = opened(WON);
    expect(round.do(addWin('w', 0))).toMatchObject({ amountToCollect: 40 });
    expect(round.state.gameState).toHaveLength(2);
  });

  it('keeps which jackpots were paid', () => {
    const round = opened();
    round.do(addWin('w', 5, { jackpotPayout: [{ jackpotId: 'mega', jackpotMode: 'pot' }] }));
    expect(JSON.stringify(round.state.gameState[1]?.result.info)).toContain('mega');
  });

  it('every entry has a hash of its own', () => {
    const round = opened(WON);
    round.do(addWin('a', 1));
    round.do(addWin('b', 1));
    expect(new Set(round.state.gameState.map(({ hash }) => hash)).size).toBe(3);
  });
});

describe('addWin with collect pays at once and closes the round', () => {
  it('[credit of all open winnings, end]', () => {
    const round = opened(WON);
    const reply = round.do(addWin('w', 25, { collect: true }), ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['credit 65', 'end']]);
    expect(reply).toMatchObject({
      amountToCollect: 0,
      amountCredited: 65,
      gameRoundInfo: { status: 'closed' },
    });
    expect(reply.gameState.map(({ collected }) => collected)).toEqual([40, 25]);
    expect(round.state).toMatchObject({ status: 'closed', closedAt: LATER });
  });

  it('nothing open: [end]', () => {
    const round = opened();
    const reply = round.do(addWin('w', 0, { collect: true }), ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['end']]);
    expect(reply).toMatchObject({ amountCredited: 0, gameRoundInfo: { status: 'closed' } });
  });
});

describe('endGameRound pays the open winnings', () => {
  it('[credit, end] with one credit for all', () => {
    const round = opened(WON);
    round.do(addWin('w', 25));
    const reply = round.do(end(), ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['credit 65', 'end']]);
    expect(round.calls[1]?.[0]).toMatchObject({ type: 'credit', currency: 'EUR', reason: 'endGameRound' });
    expect(round.calls[1]?.[0]).not.toHaveProperty('isFirstDebit');
    expect(reply).toMatchObject({
      amountToCollect: 0,
      amountCredited: 65,
      gameRoundInfo: { status: 'closed' },
    });
    expect(reply.balance).toBeDefined();
  });

  it('nothing open: [end] without a credit of 0', () => {
    const round = opened();
    const reply = round.do(end(), ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['end']]);
    expect(round.calls[1]?.[0]).not.toHaveProperty('amount');
    expect(reply).toMatchObject({ amountCredited: 0, gameRoundInfo: { status: 'closed' } });
  });

  it('is not closed and shows nothing as paid before the wallet accepted', () => {
    const round = opened(WON);
    round.send(end());
    round.deliver(retryable({ maybePaid: true }), retryable({ maybePaid: true }));
    expect(round.state).toMatchObject({ status: 'open', amountToCollect: 40 });
    expect(round.state.closedAt).toBeUndefined();
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'pending' }]);
    expect(round.state.gameState[0]?.collected).toBe(0);
    round.deliver(ACCEPTED);
    expect(round.state).toMatchObject({ status: 'closed', amountToCollect: 0 });
    expect(round.transactions('credit')).toMatchObject([{ outcome: 'accepted', balanceAfter: 900 }]);
  });

  it('closing for a new round (closeOpenGame) is an end of its own key: the open winnings are collected first', () => {
    const round = opened(WON);
    round.do(end('close-by-3a2f1c00', 'closeOpenGame'), ACCEPTED);
    expect(round.shapes[1]).toEqual(['credit 40', 'end']);
    expect(round.calls[1]?.[0]?.reason).toBe('closeOpenGame');
  });

  it.each([
    end(),
    end('another'),
    addWin('w', 5),
    addWin('w', 5, { collect: true }),
    collectWin('c'),
    VOID,
    WON,
  ])('closed: %j → GAMEROUNDNOTACTIVE', (command) => {
    const round = opened(WON, { followUpDebits: true });
    round.do(end(), ACCEPTED);
    expect(round.refusal(command)).toBe('GAMEROUNDNOTACTIVE');
    expect(round.state.status).toBe('closed');
    expect(round.shapes).toHaveLength(2);
  });
});

describe('collectWin pays at most the open winnings and leaves the round open', () => {
  it('without an amount: all of them', () => {
    const round = opened(WON);
    const reply = round.do(collectWin('c'), ACCEPTED);
    expect(round.shapes).toEqual([['debit 100'], ['credit 40']]);
    expect(reply).toMatchObject({
      amountToCollect: 0,
      amountCredited: 40,
      gameRoundInfo: { status: 'open' },
    });
  });

  it('a part: the rest stays open, and is credited at the end', () => {
    const round = opened(WON);
    expect(round.do(collectWin('c', 15), ACCEPTED)).toMatchObject({
      amountToCollect: 25,
      amountCredited: 15,
    });
    expect(round.do(collectWin('d', 5), ACCEPTED)).toMatchObject({ amountToCollect: 20, amountCredited: 5 });
    expect(round.do(end(), ACCEPTED)).toMatchObject({ amountToCollect: 0, amountCredited: 20 });
    expect(round.shapes.slice(1)).toEqual([['credit 15'], ['credit 5'], ['credit 20', 'end']]);
    expect(new Set(round.transactions('credit').map(({ hash }) => hash)).size).toBe(3);
  });

  it('exactly all of them', () => {
    const round = opened(WON);
    expect(round.do(collectWin('c', 40), ACCEPTED)).toMatchObject({ amountToCollect: 0, amountCredited: 40 });
  });

  it('one more than that: UNCOLLECTEDAMOUNTTOOLOW, nothing sent, and the key stays free', () => {
    const round = opened(WON);
    expect(round.refusal(collectWin('c', 41))).toBe('UNCOLLECTEDAMOUNTTOOLOW');
    expect(round.shapes).toHaveLength(1);
    expect(round.do(collectWin('c', 40), ACCEPTED)).toMatchObject({ amountCredited: 40 });
  });

  it('nothing open: UNCOLLECTEDAMOUNTTOOLOW', () => {
    expect(opened().refusal(collectWin('c'))).toBe('UNCOLLECTEDAMOUNTTOOLOW');
  });

  it('what was collected can’t be collected again', () => {
    const round = opened(WON);
    round.do(collectWin('c', 30), ACCEPTED);
    expect(round.refusal(collectWin('d', 11))).toBe('UNCOLLECTEDAMOUNTTOOLOW');
  });

  it('the oldest win is collected first', () => {
    const round = opened(WON);
    round.do(addWin('w', 10));
    const reply = round.do(collectWin('c', 45), ACCEPTED);
    expect(reply.gameState.map(({ collected }) => collected)).toEqual([40, 5]);
  });
});

describe('many settlements at once read one open amount each', () => {
  it('twenty endGameRound and addWin(collect): the credits sum to the open winnings once', () => {
    const round = opened(WON);
    for (let n = 0; n < 10; n += 1) {
      round.send(end(`e-${n}`));
      round.send(addWin(`w-${n}`, 1, { collect: true }));
    }
    round.deliver(ACCEPTED);
    for (let n = 0; n < 10; n += 1) round.send(end(`later-${n}`));
    expect(round.shapes).toEqual([['debit 100'], ['credit 40', 'end']]);
  });
});

describe('commands while a call is on its way get 503 and are not stored', () => {
  const others = [addWin('x', 5), end('x'), collectWin('x', 1), VOID, start({ rngCallId: 'rng-9' })];

  it.each(others)('a credit in flight: %j', (command) => {
    const round = openedForFollowUps();
    round.do(addWin('w', 40));
    round.send(collectWin('c', 10));
    const before = round.state;
    expect(round.refusal(command)).toBe('OPERATIONBEINGPROCESSED');
    expect(round.state).toBe(before);
  });

  it.each(others)('a credit being retried: %j', (command) => {
    const round = openedForFollowUps();
    round.do(addWin('w', 40));
    round.send(end());
    round.deliver(retryable({ maybePaid: true }));
    expect(round.refusal(command)).toBe('OPERATIONBEINGPROCESSED');
    expect(round.shapes).toHaveLength(2);
  });

  it('the first debit in flight: addWin → 503', () => {
    const round = openedForFollowUps();
    round.send(start({ rngCallId: 'rng-2' }));
    expect(round.refusal(addWin('w', 5))).toBe('OPERATIONBEINGPROCESSED');
  });

  it('the refused command can be sent again once the call is settled', () => {
    const round = opened(WON);
    round.send(collectWin('c', 10));
    expect(round.refusal(addWin('w', 5))).toBe('OPERATIONBEINGPROCESSED');
    round.deliver(ACCEPTED);
    expect(round.do(addWin('w', 5))).toMatchObject({ amountToCollect: 35 });
  });
});
