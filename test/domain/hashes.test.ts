import { gameroundHash, gameStateHash, roundName, transactionHash } from '../../src/domain/hashes';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('hashes: 36-character UUID form, derived with SHA-256 from what the thing is', () => {
  /*
   * The expected values were computed without the code under test. For each JSON text:
   *   printf '%s' "$JSON" | openssl dgst -sha256 | sed 's/.*= //' | cut -c1-32 | sed -E \
   *     's/^(.{8})(.{4}).(.{3})(.)(.{3})(.{12})$/\1-\2-8\3-<\4>\5-\6/'
   * where <x>, one hexadecimal digit, becomes 8 + x mod 4 (RFC 9562: variant bits 10).
   */
  it.each([
    ['["gameround","op1","player-1","demo-slot","round:r-1"]', '433b5651-bb7d-8c13-a599-34834557bf38'],
    ['["gameround","op1","J\u00f6rg \u20ac","demo-slot","rng:42"]', 'e3958a18-4465-8c52-9365-3f1f735073c1'],
  ])('gameround %s', (json, expected) => {
    const [, operatorId, playerId, gameCode, name] = JSON.parse(json) as string[];
    expect(gameroundHash(operatorId!, playerId!, gameCode!, name!)).toBe(expected);
  });

  it.each([
    [
      '["transaction","3a2f1c00-0000-8000-8000-000000000001","debit","start"]',
      '1276f4d6-25fd-8d78-9644-fedd8d9abb93',
    ],
    [
      '["transaction","3a2f1c00-0000-8000-8000-000000000001","credit","end:e-1"]',
      '2c755b6e-f5a8-8262-aaab-cc8dd4413804',
    ],
  ])('transaction %s', (json, expected) => {
    const [, gameround, type, key] = JSON.parse(json) as string[];
    expect(transactionHash(gameround!, type!, key!)).toBe(expected);
  });

  it('game state entry', () => {
    // printf '%s' '["gamestate","3a2f1c00-0000-8000-8000-000000000001","genericwin","addWin:w-1"]' | openssl ...
    expect(gameStateHash('3a2f1c00-0000-8000-8000-000000000001', 'genericwin', 'addWin:w-1')).toBe(
      '2840a883-668e-841c-a54e-aed5bd880131',
    );
  });

  it.each([
    gameroundHash('', '', '', ''),
    gameroundHash('op', 'p', 'g', 'x'.repeat(10_000)),
    transactionHash('\u{1f600}', '\u0000', '"'),
    gameStateHash('a', 'b', 'c'),
  ])('%s has the form of a UUID of version 8', (hash) => {
    expect(hash).toHaveLength(36);
    expect(hash).toMatch(UUID);
  });

  it('is the same for the same thing, every time', () => {
    expect(transactionHash('r', 'debit', 'start')).toBe(transactionHash('r', 'debit', 'start'));
  });

  type Parts = [operatorId: string, playerId: string, gameCode: string, name: string];
  const pairs: [Parts, Parts][] = [
    [
      ['ab', 'c', 'g', 'n'],
      ['a', 'bc', 'g', 'n'],
    ],
    [
      ['a', '', 'b', 'n'],
      ['', 'a', 'b', 'n'],
    ],
    [
      ['a","b', 'c', 'g', 'n'],
      ['a', 'b","c', 'g', 'n'],
    ],
    [
      ['a#b', 'c', 'g', 'n'],
      ['a', 'b#c', 'g', 'n'],
    ],
    [
      ['op1', 'p', 'g', 'n'],
      ['op2', 'p', 'g', 'n'],
    ],
    [
      ['op1', 'p1', 'g', 'n'],
      ['op1', 'p2', 'g', 'n'],
    ],
    [
      ['op1', 'p', 'g1', 'n'],
      ['op1', 'p', 'g2', 'n'],
    ],
  ];

  it.each(pairs)('%j and %j are two rounds: equal ids of two operators or players', (left, right) => {
    expect(gameroundHash(...left)).not.toBe(gameroundHash(...right));
  });

  it('tells a round, a transaction and a game state entry of the same parts apart', () => {
    const hashes = [transactionHash('a', 'debit', 'c'), gameStateHash('a', 'debit', 'c')];
    const debitAndCredit = [transactionHash('a', 'debit', 'c'), transactionHash('a', 'credit', 'c')];
    expect(new Set(hashes).size).toBe(2);
    expect(new Set(debitAndCredit).size).toBe(2);
  });
});

describe('what names a round', () => {
  const full = { externalGameProviderRoundId: 'x', rngCallId: 'x', requestId: 'x' };

  it('externalGameProviderRoundId first, without it rngCallId, without both X-Request-Id', () => {
    const byRound = roundName(full);
    const byDraw = roundName({ ...full, externalGameProviderRoundId: undefined });
    const byRequest = roundName({ requestId: 'x' });
    expect(roundName({ ...full, rngCallId: 'y', requestId: 'z' })).toBe(byRound);
    expect(roundName({ rngCallId: 'x', requestId: 'z' })).toBe(byDraw);
    // The same text as another kind of name is another round.
    expect(new Set([byRound, byDraw, byRequest]).size).toBe(3);
  });

  it('a UUID is the same name in capitals; any other id is another one', () => {
    const id = '1276f4d6-25fd-8d78-9644-fedd8d9abb93';
    const namesOf = (text: string): string[] => [
      roundName({ externalGameProviderRoundId: text, requestId: 'r' }),
      roundName({ rngCallId: text, requestId: 'r' }),
      roundName({ requestId: text }),
    ];
    expect(namesOf(id.toUpperCase())).toEqual(namesOf(id));
    expect(namesOf('ABC')).not.toEqual(namesOf('abc'));
  });
});
