/* global document, sessionStorage, history, location, Option, URLSearchParams */
'use strict';

const SEAT_KEY = 'demo-slot-seat';
const LOG_LENGTH = 12;

const byId = (id) => document.getElementById(id);
let view;
let busy = false;

/** Minor units as money; codes the browser does not know (crypto) are shown as they are. */
function money(amount) {
  if (typeof amount !== 'number') return '–';
  try {
    const format = new Intl.NumberFormat(view.language, { style: 'currency', currency: view.currency });
    return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits);
  } catch {
    return `${amount} ${view.currency ?? ''}`;
  }
}

async function call(path, body) {
  const seat = view?.seat ?? sessionStorage.getItem(SEAT_KEY) ?? '';
  const response = await fetch(`/api/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Game-Seat': seat },
    body: JSON.stringify(body ?? {}),
  });
  const reply = await response.json();
  note(path, response.status, reply.reply ?? reply.error ?? {});
  if (reply.view) show(reply.view);
  showError(reply.error);
  return response.ok ? reply : undefined;
}

async function run(path, body) {
  if (busy) return undefined;
  busy = true;
  enableButtons();
  try {
    return await call(path, body);
  } catch {
    showError({ message: 'The game server did not answer.' });
    return undefined;
  } finally {
    busy = false;
    enableButtons();
  }
}

function show(next) {
  view = next;
  sessionStorage.setItem(SEAT_KEY, view.seat);
  document.documentElement.lang = view.language ?? 'en';
  const who = view.playerId ? ` · ${view.playerId}` : '';
  byId('mode').textContent = `${view.mode} play${who}`;
  byId('balance').textContent = money(totalOf(view.balance));
  byId('open').textContent = money(view.round?.amountToCollect ?? 0);
  byId('status').textContent = view.round?.status ?? 'none';
  byId('hash').textContent = view.round?.hash ?? '–';
  byId('controls').hidden = view.mode === 'history';
  showStakes();
  showReels(view.spin);
  if (view.mode === 'history') showHistory(view.history ?? {});
  enableButtons();
}

/** The balance of a void's reply may be a bare number. */
function totalOf(balance) {
  return typeof balance === 'number' ? balance : balance?.totalBalance;
}

function showStakes() {
  const select = byId('stake');
  if (select.options.length === 0) {
    for (const stake of view.stakes) select.add(new Option(money(stake), String(stake)));
  }
  const tickets = Array.isArray(view.freePlays) ? view.freePlays : [];
  const count = tickets.reduce((sum, ticket) => sum + (ticket.count ?? 0), 0);
  byId('ticket-label').hidden = count === 0;
  byId('ticket-label').lastChild.textContent = ` Use a free play (${count})`;
}

function showReels(spin) {
  const reels = byId('reels');
  const blank = Array.from({ length: 3 }, () => ['star', 'star', 'star']);
  // Words in colours, not pictures: no font is sure to have the pictures.
  const cells = (spin?.window ?? blank).flatMap((row, index) =>
    row.map((symbol) => {
      const cell = document.createElement('span');
      cell.textContent = symbol === 'seven' ? '7' : symbol;
      cell.className = `${symbol}${index === 1 ? ' line' : ''}`;
      return cell;
    }),
  );
  reels.replaceChildren(...cells);
  if (spin) reels.setAttribute('aria-label', `The line shows ${spin.line.join(', ')}`);
}

function showHistory({ gameRoundInfo, gameState, protectedInfo, gameHistory }) {
  byId('history').hidden = false;
  const line = String(gameHistory?.reels ?? '').split(' ');
  byId('reels').hidden = line.length !== 3;
  if (line.length === 3) showReels({ window: [[], line], line });
  const facts = { ...gameRoundInfo, ...protectedInfo, ...gameHistory };
  const entries = Object.entries(facts).flatMap(([name, value]) => {
    const term = document.createElement('dt');
    term.textContent = name;
    const text = document.createElement('dd');
    text.textContent = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return [term, text];
  });
  byId('history-facts').replaceChildren(...entries);
  const states = (gameState ?? []).map((state) => {
    const item = document.createElement('li');
    const won = state.result?.winAmount === undefined ? '' : `, won ${money(state.result.winAmount)}`;
    item.textContent = `${state.processedOn ?? ''} ${state.type}${won}`;
    return item;
  });
  byId('history-states').replaceChildren(...states);
  say('This round was played before. Nothing can be changed here.');
}

function enableButtons() {
  const open = view?.round?.status === 'open';
  byId('spin').disabled = busy || !view;
  for (const id of ['win', 'collect', 'end', 'void']) byId(id).disabled = busy || !open;
  byId('refresh').disabled = busy || !view;
}

function say(text) {
  byId('message').textContent = text;
}

function showError(error) {
  const box = byId('error');
  box.hidden = !error;
  const code = error?.errorCode ? ` (${error.errorCode.id} ${error.errorCode.msg})` : '';
  box.textContent = error ? `${error.message ?? error}${code}` : '';
}

function note(path, status, reply) {
  const item = document.createElement('li');
  const text = document.createElement('pre');
  text.textContent = JSON.stringify(reply, undefined, 2);
  item.append(`${path} → ${status}`, text);
  const log = byId('log');
  log.prepend(item);
  while (log.children.length > LOG_LENGTH) log.lastElementChild.remove();
}

async function spin(event) {
  event.preventDefault();
  const bet = {
    stake: Number(byId('stake').value),
    quick: byId('quick').checked,
    closeOpenGame: byId('replace').checked,
    useTicket: byId('ticket').checked && !byId('ticket-label').hidden,
  };
  if (bet.useTicket) bet.stake = view.freePlays[0]?.stake ?? bet.stake;
  say('Spinning…');
  const reply = await run('spin', bet);
  if (!reply) return say('No spin.');
  const won = view.spin?.winAmount ?? 0;
  say(
    won > 0 ? `${view.spin.line.join(', ')}: you win ${money(won)}` : `${view.spin.line.join(', ')}: no win`,
  );
}

const SAID = {
  win: () => `Bonus added. ${money(view.round?.amountToCollect)} to collect.`,
  collect: () => 'Collected. The round goes on.',
  end: () => 'The round is closed.',
  void: () => 'The bet was taken back.',
  state: () => 'Up to date.',
};

async function connect() {
  const query = new URLSearchParams(location.search);
  const token = query.get('token');
  if (token) {
    const body = { token, login: query.get('login') ?? '', gameCode: query.get('gameCode') ?? '' };
    const gameRound = query.get('gameRound');
    // The launch token is spent by this call and leaves the address bar.
    history.replaceState(null, '', location.pathname);
    return run('connect', gameRound ? { ...body, gameRound } : body);
  }
  if (sessionStorage.getItem(SEAT_KEY)) return run('state');
  showError({ message: 'Open the game from the casino: this page needs a launch link.' });
  return undefined;
}

byId('controls').addEventListener('submit', spin);
for (const button of document.querySelectorAll('[data-action]')) {
  button.addEventListener('click', async () => {
    const { action } = button.dataset;
    if (await run(action)) say(SAID[action]());
  });
}
showReels();
enableButtons();
connect().then((reply) => {
  if (reply && view.mode !== 'history')
    say(view.round?.status === 'open' ? 'Your round is still open.' : 'Good luck!');
  else if (!reply) say('');
});
