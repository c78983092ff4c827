/* global document, history, location, Option, performance, sessionStorage, URLSearchParams, window */
import { byId, element, put, showCalls, showPays, showRounds } from './panels.js';
import { showSwitchedOn, showSwitches, walletCallName } from './panels.js';
import { createReels } from './reels.js';
import { click, fanfare, switchSound, thud } from './sound.js';

const SEAT_KEY = 'demo-slot-seat';
const WAIT_SHOWN_AFTER_MS = 600;
const LEAST_TURN_MS = 500;
const POLL_BUSY_MS = 400;
const POLL_IDLE_MS = 2_000;
const IDLE_STOPS = [6, 0, 13];

let view;
let reels;
let busy = false;
/** The calls of the last poll. */
let calls = { service: [], wallet: [], on: [] };
/** The number of answered calls to the wallet when the page last checked the round. */
let seenAnswers = 0;

const pause = (ms) => new Promise((done) => window.setTimeout(done, ms));

/** Formats minor units as money. An amount in a currency that the browser does not know is shown in minor units. */
function money(amount) {
  if (typeof amount !== 'number') return '–';
  try {
    const format = new Intl.NumberFormat(view.language, { style: 'currency', currency: view.currency });
    return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
  } catch {
    return `${amount} ${view.currency ?? ''}`;
  }
}

async function post(path, body) {
  const seat = view?.seat ?? sessionStorage.getItem(SEAT_KEY) ?? '';
  const response = await fetch(`/api/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Game-Seat': seat },
    body: JSON.stringify(body ?? {}),
  });
  return { ok: response.ok, ...(await response.json()) };
}

/** Runs a command of the player. Further commands are ignored until it has its outcome. */
async function run(path, body, settle = () => undefined) {
  if (busy) return undefined;
  busy = true;
  enableButtons();
  showError();
  const stopWaiting = showWaiting(path);
  try {
    const reply = await post(path, body);
    stopWaiting();
    await settle(reply);
    if (reply.view) show(reply.view);
    if (!reply.ok) await failed(reply.error);
    return reply.ok ? reply : undefined;
  } catch {
    stopWaiting();
    await settle({});
    showError({ message: 'The game server did not answer.' });
    return undefined;
  } finally {
    busy = false;
    enableButtons();
    void poll();
  }
}

/** Shows the error and reads round and balance again. */
async function failed(error) {
  showError(error);
  thud();
  if (!view) return;
  const now = await post('state').catch(() => ({}));
  if (now.ok) show(now.view);
}

/* While a call waits */

const WALLET_SILENT =
  'If the wallet has not answered after 5 seconds, the service cannot know whether the bet was taken. It then voids the bet and cancels the round, so the player loses nothing.';
const PAYOUT =
  'If the wallet does not accept the payout, the service sends it again with the same hash until the wallet accepts it. The payout is paid only once. Meanwhile the round stays open, and the game sends its call again with the same ids.';
const WAITS = {
  spin: ['The service asks the wallet for the bet.', WALLET_SILENT],
  win: ['The service adds the bonus to the round.', 'No money moves before you collect or end the round.'],
  collect: ['The service pays the wallet.', PAYOUT],
  end: ['The service pays the wallet and ends the round.', PAYOUT],
  void: ['The service gives the bet back.', 'It sends the void again until the wallet accepts it.'],
  state: ['The game asks the service for the state of the round.', ''],
  connect: ['The service asks the wallet for the balance.', ''],
};

function showWaiting(path) {
  const begun = performance.now();
  const [what, then] = WAITS[path] ?? ['', ''];
  const tick = () => {
    const ms = performance.now() - begun;
    if (ms < WAIT_SHOWN_AFTER_MS || what === '') return;
    byId('waiting').hidden = false;
    put('waiting-for', what);
    put('waiting-time', `${(ms / 1_000).toFixed(1)} s`);
    put('waiting-then', then);
    put('waiting-wallet', walletSays());
  };
  const ticking = window.setInterval(tick, 100);
  const polling = window.setInterval(() => void poll(), POLL_BUSY_MS);
  return () => {
    window.clearInterval(ticking);
    window.clearInterval(polling);
    byId('waiting').hidden = true;
  };
}

/** A text about the newest doTransactions call to the wallet. */
function walletSays() {
  const moving = calls.wallet.filter(({ path }) => path.endsWith('/doTransactions'));
  const last = moving.at(-1);
  if (last === undefined) return '';
  const { gameRound } = last.body ?? {};
  const tries = moving.filter((one) => one.body?.gameRound === gameRound).length;
  const said =
    last.status !== null
      ? `answered ${last.status}`
      : last.clientLeft
        ? 'gave no answer'
        : 'has not answered';
  return `Wallet: ${walletCallName(last)}: ${said}${tries > 1 ? `, call ${tries} of this round` : ''}.`;
}

/** Reads the calls and switches. Reads the round again after the wallet has answered a call in the background. */
async function poll() {
  if (!view || document.visibilityState === 'hidden') return;
  const next = await post('calls').catch(() => ({}));
  if (!next.ok) return;
  calls = next;
  showCalls(calls);
  showSwitchedOn(calls.on);
  const answers = calls.wallet.filter(
    ({ path, status }) => path.endsWith('/doTransactions') && status === 200,
  ).length;
  if (busy) return;
  const isNews = answers > seenAnswers && view.round?.status === 'open';
  seenAnswers = answers;
  if (!isNews) return;
  const before = view.round.hash;
  const now = await post('state').catch(() => ({}));
  if (!now.ok || busy) return;
  show(now.view);
  if (view.round?.hash === before && view.round.status === 'closed') {
    showError();
    say('The wallet has taken the payout. The round is closed.');
  }
}

/* The view */

function show(next) {
  view = next;
  sessionStorage.setItem(SEAT_KEY, view.seat);
  document.documentElement.lang = view.language ?? 'en';
  const who = view.playerId ? ` · ${view.playerId}` : '';
  put('mode', `${view.mode} play${who}`);
  put('balance', money(totalOf(view.balance)));
  put('open', money(view.round?.amountToCollect ?? 0));
  put('status', view.round?.status ?? 'none');
  put('hash', view.round?.hash ?? '–');
  for (const id of ['controls', 'meters', 'sound', 'tables']) byId(id).hidden = view.mode === 'history';
  // The service lists no demo rounds.
  byId('rounds-panel').hidden = view.mode !== 'real';
  showBets();
  if (reels === undefined) {
    reels = createReels(byId('reels'), view.machine.strip, click);
    showPays(view.machine);
    showSwitches(view.situations, flip);
    if (view.mode === 'history') showHistory(view.history ?? {});
    else showSpin(view.spin);
  }
  enableButtons();
}

/** The balance of a void's reply may be a bare number. */
function totalOf(balance) {
  return typeof balance === 'number' ? balance : balance?.totalBalance;
}

function freePlays() {
  const tickets = Array.isArray(view.freePlays) ? view.freePlays : [];
  return { count: tickets.reduce((sum, ticket) => sum + (ticket.count ?? 0), 0), stake: tickets[0]?.stake };
}

function showBets() {
  const select = byId('stake');
  if (select.options.length === 0) {
    for (const stake of view.stakes) select.add(new Option(money(stake), String(stake)));
  }
  const { count, stake } = freePlays();
  put('freeplays', String(count));
  byId('ticket-label').hidden = count === 0;
  byId('ticket-label').lastChild.textContent = ` Use a free play of ${money(stake)}`;
  if (count === 0) byId('ticket').checked = false;
}

function showSpin(spin, { light = true } = {}) {
  reels.show(spin?.stops ?? IDLE_STOPS);
  if (spin) byId('reels').setAttribute('aria-label', `The line shows ${spin.line.join(', ')}`);
  reels.light(light && spin ? litCells(spin) : 0);
}

/** The number of symbols that won: three equal ones, or two cherries. */
const litCells = ({ odds, line }) => (odds === 0 ? 0 : line[1] === line[2] ? 3 : 2);

function showHistory({ gameRoundInfo, gameState, protectedInfo, gameHistory }) {
  byId('history').hidden = false;
  const line = String(gameHistory?.reels ?? '').split(' ');
  const stops = line.map((symbol) => view.machine.strip.indexOf(symbol));
  byId('reels').parentElement.hidden = line.length !== 3;
  if (line.length === 3) showSpin({ stops, line, odds: 0 });
  const facts = { ...gameRoundInfo, ...protectedInfo, ...gameHistory };
  const entries = Object.entries(facts).flatMap(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (text === '') return [];
    return [element('dt', { textContent: name }), element('dd', { textContent: text })];
  });
  byId('history-facts').replaceChildren(...entries);
  const states = (gameState ?? []).map((state) => {
    const won = state.result?.winAmount === undefined ? '' : `, won ${money(state.result.winAmount)}`;
    return element('li', { textContent: `${state.processedOn ?? ''} ${state.type}${won}` });
  });
  byId('history-states').replaceChildren(...states);
  say('This round was played before. Nothing can be changed here.');
}

function enableButtons() {
  const open = view?.round?.status === 'open';
  byId('spin').disabled = busy || !view;
  for (const id of ['win', 'collect', 'end', 'void']) byId(id).disabled = busy || !open;
  for (const button of document.querySelectorAll('#refresh, [data-give]')) button.disabled = busy || !view;
}

function say(text, isWin = false) {
  put('message', text);
  byId('message').classList.toggle('win', isWin);
}

const BET_NOT_IN_PLAY =
  'The wallet gave no clear answer. The service has cancelled the round and voids the bet: the player loses nothing.';

function showError(error) {
  const box = byId('error');
  box.hidden = !error;
  const code = error?.errorCode ? ` (${error.errorCode.id} ${error.errorCode.msg})` : '';
  const then = error?.errorCode?.msg === 'WALLETUNAVAILABLE' ? ` ${BET_NOT_IN_PLAY}` : '';
  box.textContent = error ? `${error.message ?? error}${code}${then}` : '';
}

/* Actions of the player */

async function spin() {
  if (busy || !view) return;
  const bet = {
    stake: Number(byId('stake').value),
    quick: byId('quick').checked,
    closeOpenGame: byId('replace').checked,
    useTicket: byId('ticket').checked,
  };
  if (bet.useTicket) bet.stake = freePlays().stake ?? bet.stake;
  say('');
  byId('reels').parentElement.scrollIntoView({ block: 'nearest' });
  const before = view.spin;
  reels.turn();
  const turned = pause(LEAST_TURN_MS);
  const reply = await run('spin', bet, async (got) => {
    await turned;
    await reels.stop((got.ok ? got.view.spin : before)?.stops ?? IDLE_STOPS);
  });
  if (!reply) return undefined;
  showSpin(view.spin);
  const { winAmount, line } = view.spin;
  if (winAmount > 0) fanfare();
  say(winAmount > 0 ? `You win ${money(winAmount)}` : `${line.join(', ')}: no win`, winAmount > 0);
  void listRounds();
}

const SAID = {
  win: () => `Bonus added. ${money(view.round?.amountToCollect)} to collect.`,
  collect: () => 'Collected. The round goes on.',
  end: () => 'The round is closed.',
  void: () => 'The bet was taken back.',
  state: () => 'Up to date.',
};

async function flip(situation, on) {
  await post('switch', { situation, on }).catch(() => undefined);
  await poll();
}

const GIFTS = {
  freePlays: ['Five more free plays.', () => ({ freePlaysOf: Number(byId('stake').value) })],
  money: ['The account is filled.', () => ({ balance: view.stakes.at(-1) * 200 })],
  nothing: ['The account is empty.', () => ({ balance: 0 })],
};

async function listRounds() {
  if (!byId('rounds-panel').open || view.mode === 'history') return;
  const reply = await post('rounds').catch(() => ({}));
  if (reply.ok) showRounds(reply.rounds, money, view.language);
}

async function connect() {
  const query = new URLSearchParams(location.search);
  const token = query.get('token');
  if (token) {
    const body = { token, login: query.get('login') ?? '', gameCode: query.get('gameCode') ?? '' };
    const gameRound = query.get('gameRound');
    // The launch token is spent by this call and leaves the address bar.
    history.replaceState(null, '', location.pathname);
    // If the launch fails, the session of an earlier launch must not be played in its place.
    sessionStorage.removeItem(SEAT_KEY);
    return run('connect', gameRound ? { ...body, gameRound } : body);
  }
  if (sessionStorage.getItem(SEAT_KEY)) return run('state');
  showError({ message: 'This page needs a launch link.' });
  return undefined;
}

/** Without a session there is no game, only the error and the way to a launch. */
function showNoGame() {
  for (const id of ['meters', 'window', 'sound', 'tables', 'behind']) byId(id).hidden = true;
  put('mode', 'no game');
  byId('error').append(
    ' ',
    element('a', { href: '/', textContent: 'The start page has a launch link: Play.' }),
  );
}

byId('controls').addEventListener('submit', (event) => {
  event.preventDefault();
  void spin();
});
for (const button of document.querySelectorAll('[data-action]')) {
  button.addEventListener('click', async () => {
    const { action } = button.dataset;
    if (!(await run(action))) return;
    if (action === 'void') showSpin(undefined);
    else reels.light(0);
    say(SAID[action]());
    void listRounds();
  });
}
for (const button of document.querySelectorAll('[data-give]')) {
  button.addEventListener('click', async () => {
    const [text, gift] = GIFTS[button.dataset.give];
    if (await run('give', gift())) say(text);
  });
}
byId('rounds-panel').addEventListener('toggle', () => void listRounds());
byId('sound').addEventListener('click', ({ target }) => {
  const on = target.getAttribute('aria-pressed') !== 'true';
  target.setAttribute('aria-pressed', String(on));
  target.textContent = on ? 'Sound on' : 'Sound off';
  switchSound(on);
});
document.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || event.target.closest('button, input, select, summary, pre, a')) return;
  event.preventDefault();
  if (!event.repeat && !byId('controls').hidden) void spin();
});
window.setInterval(() => busy || void poll(), POLL_IDLE_MS);

enableButtons();
connect().then((reply) => {
  if (reply && view.mode !== 'history')
    say(view.round?.status === 'open' ? 'Your round is still open.' : 'Good luck!');
  else if (!reply) say('');
  if (!view) showNoGame();
});
