/* global document */
import { icon } from './reels.js';

export const byId = (id) => document.getElementById(id);

export function element(name, props = {}, ...children) {
  const made = Object.assign(document.createElement(name), props);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Sets a text only if it changes, so that screen readers read it once. */
export function put(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}

export function showSwitches(situations, flip) {
  byId('desk').hidden = situations.length === 0;
  const groups = { bets: 'Bets', payouts: 'Payouts' };
  const sets = Object.entries(groups).map(([group, title]) => {
    const labels = situations.filter((one) => one.group === group).map((one) => switchOf(one, flip));
    return element('fieldset', {}, element('legend', { textContent: title }), ...labels);
  });
  byId('switches').replaceChildren(...sets);
}

function switchOf({ id, label, then }, flip) {
  const box = element('input', { type: 'checkbox', id: `switch-${id}` });
  box.dataset.situation = id;
  box.addEventListener('change', () => flip(id, box.checked));
  const text = element('span', { textContent: label });
  return element('label', { className: 'switch' }, box, text, element('small', { textContent: then }));
}

export function showSwitchedOn(on) {
  for (const box of document.querySelectorAll('[data-situation]')) {
    box.checked = on.includes(box.dataset.situation);
    box.parentElement.classList.toggle('on', box.checked);
  }
}

export function showPays({ pays }) {
  const items = pays.map(({ line, odds }) =>
    element(
      'li',
      { className: 'icons' },
      element('span', {}, ...line.map(icon)),
      element('span', { textContent: `${odds} × the stake` }),
    ),
  );
  byId('pays').replaceChildren(...items);
}

export function showRounds(rounds, money, language) {
  const cells = (name, texts) => element('tr', {}, ...texts.map((text) => element(name, {}, text)));
  const when = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });
  const rows = rounds.map(({ timestamp, bet, won, story }) => {
    const line = String(story?.reels ?? '')
      .split(' ')
      .filter(Boolean);
    const shown = element('span', { className: 'icons' }, ...line.map(icon));
    return cells('td', [when.format(new Date(timestamp)), shown, money(bet), money(won)]);
  });
  const none = element('tr', {}, element('td', { textContent: 'No round is over yet.' }));
  const head = cells('th', ['Time', 'Reels', 'Bet', 'Won']);
  byId('rounds').replaceChildren(...(rows.length > 0 ? [head, ...rows] : [none]));
}

/** The title of a call of the service to the wallet. */
export function walletCallName({ path, body }) {
  const moved = (body?.transactions ?? []).map(({ type, amount }) => (amount ? `${type} ${amount}` : type));
  return `${path.split('/').at(-1)} ${moved.join(' + ')}`.trim();
}

const NO_OPEN_ROUND = 15;

function callOf(call, toWallet) {
  const headers = toWallet ? call.headers : {};
  return {
    key: `${toWallet ? 'w' : 's'}${call.n}`,
    at: call.at,
    toWallet,
    name: toWallet ? walletCallName(call) : call.path.slice(1),
    status: call.status,
    // The game asks for the open round of its token. That there is none is no fault.
    isNone: !toWallet && call.path === '/getGameRoundInfo' && call.reply?.errorCode?.id === NO_OPEN_ROUND,
    isOpen: toWallet && call.status === null && !call.clientLeft,
    ms: call.durationMs,
    fault: call.fault,
    facts: {
      'X-H-AUTH-ID': headers['X-H-AUTH-ID'] ?? call.authId,
      'X-H-TIMESTAMP': headers['X-H-TIMESTAMP'] ?? call.timestamp,
      'X-H-AUTH-SIG': headers['X-H-AUTH-SIG'] ?? call.signature,
    },
    request: toWallet ? (call.body ?? call.query) : call.request,
    reply: toWallet ? parsed(call.answer) : call.reply,
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text ?? null;
  }
}

const shown = new Map();

/** Existing rows stay open or closed. A row is created again when its call is answered. */
export function showCalls({ service, wallet }) {
  const calls = [
    ...service.map((call) => callOf(call, false)),
    ...wallet.map((call) => callOf(call, true)),
  ].sort((a, b) => (a.at < b.at ? 1 : -1));
  const rows = calls.map((call) => {
    const state = JSON.stringify([call.status, call.isOpen]);
    const known = shown.get(call.key);
    if (known?.state === state) return known.row;
    const row = rowOf(call);
    row.open = known?.row.open ?? false;
    shown.set(call.key, { state, row });
    return row;
  });
  const list = byId('calls');
  if (rows.length === list.children.length && rows.every((row, at) => row === list.children[at])) return;
  list.replaceChildren(...rows);
}

function rowOf({ name, toWallet, status, isOpen, isNone, ms, fault, facts, request, reply }) {
  const answer = isNone ? `${status}, no open round` : String(status);
  const text = isOpen ? 'waits …' : status === null ? 'no reply' : answer;
  const kind = isOpen ? 'open' : status === 200 || isNone ? '' : 'bad';
  const summary = element(
    'summary',
    {},
    element('span', { className: 'who', textContent: toWallet ? 'to wallet' : 'to service' }),
    element('span', { className: 'what', textContent: name }),
    element('span', {
      className: `status ${kind}`,
      textContent: ms === undefined ? text : `${text} · ${ms} ms`,
    }),
    fault && element('span', { className: 'fault', textContent: `by your switch: ${fault}` }),
  );
  const list = Object.entries(facts).flatMap(([header, value]) =>
    value
      ? [element('dt', { textContent: header }), element('dd', {}, element('code', { textContent: value }))]
      : [],
  );
  const json = (title, value) => [
    element('p', { className: 'hint', textContent: title }),
    element('pre', {
      tabIndex: 0,
      textContent: typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
    }),
  ];
  return element(
    'details',
    { className: toWallet ? 'call wallet' : 'call' },
    summary,
    element('dl', {}, ...list),
    ...json('Request', request),
    ...json(isOpen ? 'Reply: none yet' : 'Reply', reply),
  );
}
