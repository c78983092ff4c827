"""Existing sessions and rounds for the generated calls, so that the calls get past the first checks."""

import random
import re
import threading
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import requests

from signing import request_id

GAME = "demo-slot"
CURRENCIES = ("EUR", "JPY")
SESSIONS = 16
KEPT_ROUNDS = 40
# An own generator: schemathesis seeds Python's global one, so its choices would repeat.
RANDOM = random.Random()
IDENTIFIER = re.compile("^[^#\u0000-\u001f\u007f-\u009f]{1,128}$")


@dataclass
class Session:
    token: str
    mode: str
    player: str
    currency: str
    open: list = field(default_factory=list)
    over: list = field(default_factory=list)


class World:
    """Thread-safe. `auth` signs the calls of this class, and the calls under test."""

    def __init__(self, base_url, auth=None):
        self.base_url = base_url
        self.auth = auth
        self.lock = threading.RLock()
        self.http = threading.local()
        self.sessions = []
        self.known = {}
        self.players = 0

    def is_known_token(self, token: str) -> bool:
        return token in self.known

    def call(self, method: str, path: str, **sent):
        if not hasattr(self.http, "session"):
            self.http.session = requests.Session()
        headers = {"X-Request-Id": request_id()}
        return self.http.session.request(
            method, self.base_url + path, auth=self.auth, headers=headers, timeout=30, **sent
        )

    # Tokens

    def launch(self, mode: str, player=None, gameround=None, currency=None) -> Session:
        """A session with an unused launch token."""
        with self.lock:
            self.players += 1
            player = player or f"schemathesis-{self.players}"
        currency = currency or RANDOM.choice(CURRENCIES)
        asked = {"playerId": player, "currency": currency, "gameCode": GAME, "mode": mode}
        if gameround is not None:
            asked["gameround"] = gameround
        reply = self.call("POST", "/getGameURL", json=asked)
        if reply.status_code != 200:
            raise RuntimeError(f"getGameURL answered {reply.status_code}: {reply.text[:200]}")
        token = parse_qs(urlsplit(reply.json()["url"]).query)["token"][0]
        session = Session(token, mode, player, currency)
        with self.lock:
            self.known[token] = session
        return session

    def session(self) -> Session:
        """A session from a changing set: three quarters play with money, the others in demo mode."""
        with self.lock:
            full = len(self.sessions) >= SESSIONS
            if full and RANDOM.random() < 0.01:
                self.sessions.pop(RANDOM.randrange(len(self.sessions)))
            elif full:
                return RANDOM.choice(self.sessions)
        mode = RANDOM.choice(["real", "real", "real", "demo"])
        made = self.launch(mode)
        with self.lock:
            self.sessions.append(made)
        return made

    def history(self) -> Session:
        shown = self.finished()
        return self.launch("history", shown.player, shown.over[-1], shown.currency)

    def session_token(self) -> str:
        """The token of a session that /connect has opened."""
        return self.connect(self.launch("real"))

    def connect(self, launched: Session) -> str:
        token = self.call("GET", "/connect", params={"token": launched.token}).json()["token"]
        with self.lock:
            self.known[token] = launched
        return token

    def useless_token(self) -> str:
        """The token of a session that was logged out, or a used launch token."""
        spent = self.launch("real")
        token = self.connect(spent)
        if RANDOM.random() < 0.5:
            return spent.token
        self.call("GET", "/logout", params={"token": token})
        return token

    # Rounds

    def with_open_round(self, fresh: bool = False) -> Session:
        session = self.session()
        if session.open and not fresh:
            return session
        self.start(session)
        return session if session.open else self.with_open_round()

    def finished(self) -> Session:
        with self.lock:
            known = [session for session in self.sessions if session.over and session.mode == "real"]
        if known:
            return RANDOM.choice(known)
        session = self.launch("real")
        self.start(session)
        self.command(session, "/endGameRound", session.open[-1])
        with self.lock:
            self.sessions.append(session)
        return session

    def start(self, session: Session) -> None:
        bet = {"debitAmount": RANDOM.randrange(1, 50), "currency": session.currency}
        name = request_id()[:32]
        won = {"rngCallId": name, "winAmount": RANDOM.choice([0, 500])}
        body = {"rngResult": won, "debitInformation": bet, "closeOpenGame": True}
        reply = self.call("POST", "/startGameRound", json={"token": session.token, **body})
        self.learn(reply)
        if reply.status_code != 200:
            self.drop(session)

    def command(self, session: Session, path: str, gameround: str) -> None:
        self.learn(self.call("POST", path, json={"token": session.token, "gameRound": gameround}))

    def drop(self, session: Session) -> None:
        """Removes a session whose player has no money left, or whose round is stuck."""
        with self.lock:
            if session in self.sessions:
                self.sessions.remove(session)

    def learn(self, reply) -> None:
        """Takes the session, round and status from a reply of a round call."""
        try:
            body = reply.json()
            gameround, status = body["gameRoundInfo"]["hash"], body["gameRoundInfo"]["status"]
            session = self.known[body["tokenData"]["currentToken"]]
        except (ValueError, KeyError, TypeError):
            return
        with self.lock:
            session.open = [each for each in session.open if each != gameround]
            session.over = [each for each in session.over if each != gameround]
            kept = session.open if status == "open" else session.over
            kept.append(gameround)
            del kept[:-KEPT_ROUNDS]
