import { readCommand } from '../../src/domain/round/read-command';
import type { Command } from '../../src/domain/round/types';
import { addWin, collectWin, end, openedForFollowUps, spins, start, VOID } from './support';

function faultOf(type: Command['type'], raw: unknown): string | undefined {
  const read = readCommand(type, raw);
  return 'fault' in read ? read.fault : undefined;
}

const COMMANDS: Command[] = [
  start(),
  addWin('w', 5),
  end(),
  collectWin('c'),
  collectWin('c', 5),
  VOID,
  spins('s', 'f', 1, 0),
];

describe('a command from outside, a person at Temporal Web included', () => {
  it.each(COMMANDS)('%j is read as it is', (command) => {
    expect(readCommand(command.type, command)).toMatchObject({ command });
  });

  it('is of the type of its signal, whatever it says of itself', () => {
    expect(readCommand('void', { ...VOID, type: 'end' })).toMatchObject({ command: VOID });
  });

  it.each([undefined, null, {}])('an end or void that is %j is one by hand', (raw) => {
    expect(readCommand('end', raw)).toMatchObject({ command: { type: 'end' } });
    expect(readCommand('void', raw)).toMatchObject({ command: { type: 'void' } });
    expect(faultOf('addWin', raw)).toBe('winAmount');
    expect(faultOf('start', raw)).toBe('stake');
  });

  it.each(['x', '', 7, true, [], [1, 2]])('a command that is %j is refused', (raw) => {
    for (const { type } of [...COMMANDS, { type: 'settle' as const }])
      expect(faultOf(type, raw)).toBe('input');
  });
});

/** JSON can carry all of these (docs/interface#amounts). */
const NO_AMOUNTS = [0.5, -1, 1e21, Number('9007199254740993'), '100', null, true, [100], {}];

describe('amounts that are none: refused with the name of the field, nothing sent', () => {
  it.each(NO_AMOUNTS)('%j', (value) => {
    expect(faultOf('start', { ...start(), stake: value })).toBe('stake');
    expect(faultOf('start', { ...start(), winAmount: value })).toBe('winAmount');
    expect(faultOf('addWin', { ...addWin('w', 5), winAmount: value })).toBe('winAmount');
    expect(faultOf('addSpinCounter', { ...spins('s', 'f', 1, 0), awarded: value })).toBe('awarded');
    expect(faultOf('addSpinCounter', { ...spins('s', 'f', 1, 0), used: value })).toBe('used');
  });

  it.each(NO_AMOUNTS.filter((value) => value !== null))('collectWin of %j', (value) => {
    expect(faultOf('collectWin', { ...collectWin('c'), amount: value })).toBe('amount');
  });
});

describe('other fields', () => {
  const SETTLE = { key: 'k', reason: 'r', accepted: [] };

  it.each([
    ['start', { ...start(), debitAmount: -5 }, 'debitAmount'],
    ['start', { ...start(), ticket: { serial: 'T' } }, 'ticket'],
    ['start', { ...start(), discount: { amount: 0.5 } }, 'discount'],
    ['addWin', { ...addWin('w', 5), betData: { line: 3 } }, 'betData'],
    ['addWin', { ...addWin('w', 5), jackpotPayout: 'x' }, 'jackpotPayout'],
    ['addSpinCounter', { ...spins('s', 'f', 1, 0), gameStateResult: [] }, 'gameStateResult'],
    ['settle', { ...SETTLE, accepted: 'all' }, 'accepted'],
    ['settle', { ...SETTLE, accepted: undefined, acepted: ['h'] }, 'accepted'],
    ['settle', { ...SETTLE, accepted: Array(10_001).fill('h') }, 'accepted'],
    ['settle', { ...SETTLE, declined: 'rest' }, 'declined'],
    ['settle', { ...SETTLE, key: undefined }, 'key'],
    ['settle', { ...SETTLE, reason: undefined }, 'reason'],
    ['settle', {}, 'key'],
  ] as const)('%s %j: %s', (type, raw, fault) => {
    expect(faultOf(type, raw)).toBe(fault);
  });

  it.each([7, '', 'x'.repeat(100_000), 'a\u0000b', {}])('a key that is %j is refused', (key) => {
    expect(faultOf('addWin', { ...addWin('w', 5), key })).toBe('key');
    expect(faultOf('collectWin', { ...collectWin('c'), key })).toBe('key');
    expect(faultOf('end', { ...end(), key })).toBe('key');
  });

  it.each(['true', 1, null, undefined])('a flag that is %j is refused', (flag) => {
    expect(faultOf('start', { ...start(), endGame: flag })).toBe('endGame');
    expect(faultOf('start', { ...start(), useTicket: flag })).toBe('useTicket');
    expect(faultOf('addWin', { ...addWin('w', 5), collect: flag })).toBe('collect');
  });

  it('the hashes of a settle are read in capitals as well', () => {
    const hash = '1276f4d6-25fd-8d78-9644-fedd8d9abb93';
    const raw = { ...SETTLE, accepted: [hash.toUpperCase()], declined: ['OTHER'] };
    expect(readCommand('settle', raw)).toMatchObject({ command: { accepted: [hash], declined: ['OTHER'] } });
  });

  it('a rngCallId of null is none: without it a call with the same stake is a repeat, no second debit', () => {
    const round = openedForFollowUps();
    const read = readCommand('start', { ...start(), rngCallId: null });
    if (!('command' in read)) throw new Error('refused');
    expect(round.send(read.command)).toEqual({ kind: 'join', key: 'start' });
    expect(round.shapes).toEqual([['debit 100']]);
  });
});
