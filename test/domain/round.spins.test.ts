import { addWin, opened, spins, throughJson } from './support';

describe('addSpinCounterGameState', () => {
  it('awards and consumes, and tells what is left', () => {
    const round = opened();
    expect(round.do(spins('a', 'free', 3, 0))).toMatchObject({ spinsAvailable: 3 });
    expect(round.do(spins('b', 'free', 0, 2))).toMatchObject({ spinsAvailable: 1 });
    expect(round.do(spins('c', 'free', 5, 1))).toMatchObject({ spinsAvailable: 5 });
    expect(round.do(spins('d', 'free', 0, 5))).toMatchObject({ spinsAvailable: 0 });
    expect(round.state.spinCounters.free).toEqual({ awarded: 8, used: 8 });
  });

  it('makes no wallet call, touches no money and leaves the round open', () => {
    const round = opened();
    round.do(addWin('w', 40));
    const reply = round.do(spins('a', 'free', 3, 0));
    expect(reply).toMatchObject({
      amountToCollect: 40,
      amountCredited: 0,
      gameRoundInfo: { status: 'open' },
    });
    expect(round.shapes).toEqual([['debit 100']]);
    expect(reply.gameState.at(-1)).toMatchObject({
      result: { winAmount: 0 },
      amountWagered: 0,
      collected: 0,
    });
  });

  it('more than were awarded: SPINCOUNTEREXHAUSTED, nothing counted, and the key stays free', () => {
    const round = opened();
    round.do(spins('a', 'free', 1, 0));
    const before = round.state;
    expect(round.refusal(spins('b', 'free', 0, 2))).toBe('SPINCOUNTEREXHAUSTED');
    expect(round.state).toBe(before);
    expect(round.do(spins('b', 'free', 0, 1))).toMatchObject({ spinsAvailable: 0 });
    expect(round.refusal(spins('c', 'free', 0, 1))).toBe('SPINCOUNTEREXHAUSTED');
  });

  it('never awarded: SPINCOUNTEREXHAUSTED', () => {
    expect(opened().refusal(spins('a', 'free', 0, 1))).toBe('SPINCOUNTEREXHAUSTED');
  });

  it('counters of different types are counted apart', () => {
    const round = opened();
    round.do(spins('a', 'free', 3, 0));
    round.do(spins('b', 'customspin', 1, 0));
    expect(round.refusal(spins('c', 'customspin', 0, 2))).toBe('SPINCOUNTEREXHAUSTED');
    expect(round.do(spins('d', 'free', 0, 2))).toMatchObject({ spinsAvailable: 1 });
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'a counterType of "%s" is one like any other, also through JSON',
    (counterType) => {
      const round = opened();
      expect(round.refusal(spins('a', counterType, 0, 1))).toBe('SPINCOUNTEREXHAUSTED');
      expect(round.do(spins('b', counterType, 2, 0))).toMatchObject({ spinsAvailable: 2 });
      round.replace(throughJson(round.state));
      expect(round.do(spins('c', counterType, 0, 1))).toMatchObject({ spinsAvailable: 1 });
      expect(Object.hasOwn(round.state.spinCounters, counterType)).toBe(true);
      expect(({} as Record<string, unknown>).awarded).toBeUndefined();
    },
  );

  it('the sum stays exact: beyond 2^53 - 1 it is refused', () => {
    const round = opened();
    round.do(spins('a', 'free', Number.MAX_SAFE_INTEGER, 0));
    expect(round.refusal(spins('b', 'free', 1, 0))).toBe('INVALIDREQUEST');
    expect(round.refusal(spins('c', 'free', 0, Number.MAX_SAFE_INTEGER))).toBe('not refused: accept');
    expect(round.refusal(spins('d', 'free', 0, 1))).toBe('INVALIDREQUEST');
  });

  it('its entry names the counter and keeps what the game said', () => {
    const round = opened();
    round.do({ ...spins('a', 'free', 3, 0), gameStateResult: { scene: 'bonus' } });
    expect(round.state.gameState[1]?.result.info).toMatchObject({ counterType: 'free', scene: 'bonus' });
  });
});
