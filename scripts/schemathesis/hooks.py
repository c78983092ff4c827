"""Hooks of schemathesis. They sign each call, put existing tokens and rounds into most calls, and count the answers."""

import atexit
import json
import os
import re
import threading
from collections import Counter, defaultdict

import schemathesis
from signing import Signer, request_id
from world import GAME, IDENTIFIER, RANDOM, World

# From scripts/schemathesis.ts: {baseUrl, countsFile, parties: {operator, provider, stranger: {id, secret}}}.
SETTINGS = json.loads(os.environ["SCHEMATHESIS_GAMEROUND"])

WORLD = World(SETTINGS["baseUrl"])
SIGNER = Signer(SETTINGS["parties"], WORLD.is_known_token)
WORLD.auth = SIGNER
schemathesis.auth.set_from_requests(SIGNER)

INVALIDREQUEST = 1000

# Probabilities. MOSTLY: an existing value replaces the generated one. RARELY: a useless or a history token is used.
MOSTLY = 0.85
RARELY = 0.07

MOVES = ("/addWin", "/endGameRound", "/collectWin", "/voidGameRound", "/addSpinCounterGameState")


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.body, dict):
        case.body = without_minus_zero(case.body)
        fill_body(case.operation.path, case.body)
    if isinstance(case.query, dict) and case.method.upper() == "GET":
        query = dict(case.query)
        fill_query(case.operation.path, query)
        case.query = query


def without_minus_zero(value):
    """JSON Schema can't exclude -0, but the service refuses -0, because no amount is written like this."""
    if isinstance(value, dict):
        return {key: without_minus_zero(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_minus_zero(entry) for entry in value]
    return 0 if isinstance(value, float) and value == 0 else value


def fill_body(path, body):
    if "token" in body:
        fill_token_call(path, body)
    elif path == "/getTokenForGameRound":
        replace(body, "gameRound", some_round(finished=RANDOM.random() < 0.3)[1])
    elif path in ("/reconcileTransactions", "/getGameRoundReport"):
        fill_players_round(body)
    elif path == "/getGameURL":
        fill_launch(body)
    if path == "/getOpenGameRoundsByGame":
        replace(body, "gameCode", GAME)


def fill_token_call(path, body):
    chance = RANDOM.random()
    if chance < RARELY:
        return replace(body, "token", WORLD.useless_token(), always=True)
    if chance < 2 * RARELY:
        return replace(body, "token", WORLD.history().token, always=True)
    if chance > MOSTLY + RARELY:
        return None
    finished = path == "/getGameRoundHistoryInfo" or RANDOM.random() < 0.1
    if finished:
        session = WORLD.finished()
    elif "gameRound" in body:
        session = WORLD.with_open_round(fresh=path in MOVES and RANDOM.random() < 0.5)
    else:
        session = WORLD.session()
    replace(body, "token", session.token, always=True)
    rounds = session.over if finished else session.open
    if rounds:
        replace(body, "gameRound", rounds[-1])
    fill_amounts(body, session)
    fill_draw(path, body)
    if path == "/startGameRound":
        fill_start(body)


def fill_amounts(body, session):
    bet = body.get("debitInformation")
    if isinstance(bet, dict):
        bet = body["debitInformation"] = dict(bet)
        if isinstance(bet.get("currency"), str):
            bet["currency"] = session.currency
        shrink(bet, "debitAmount", 100)
    result = body.get("rngResult")
    if isinstance(result, dict):
        result = body["rngResult"] = dict(result)
        shrink(result, "winAmount", 1_000)
    shrink(body, "amount", 10)


def fill_start(body):
    """Replaces the round's name, since generated names are short and repeat. Mostly closes the session's open round."""
    replace(body, "externalGameProviderRoundId", request_id()[:32])
    if isinstance(body.get("closeOpenGame"), bool) and RANDOM.random() < 0.7:
        body["closeOpenGame"] = True


def fill_draw(path, body):
    draw = body.get("rngPayload")
    if path != "/getRandomResult" or not isinstance(draw, dict) or RANDOM.random() > MOSTLY:
        return
    if all(isinstance(draw.get(name), (int, float)) for name in ("count", "min", "max")):
        count = draw["count"]
        if isinstance(count, int) and 1 <= count <= 10_000:
            body["rngPayload"] = {**draw, "min": 1, "max": count if body.get("rngEndPoint") == "getShuffle" else 1_000}


def fill_players_round(fields):
    session, gameround = RANDOM.choice([some_round(finished=True), some_round(finished=False)])
    if RANDOM.random() < MOSTLY:
        replace(fields, "gameRound", gameround, always=True)
        replace(fields, "playerId", session.player, always=True)


def some_round(finished):
    session = WORLD.finished() if finished else WORLD.with_open_round()
    rounds = session.over if finished else session.open
    return session, rounds[-1]


def fill_launch(body):
    if RANDOM.random() > MOSTLY:
        return
    replace(body, "gameCode", GAME, always=True)
    replace(body, "currency", RANDOM.choice(["EUR", "USD", "JPY"]), always=True)
    if "gameround" in body:
        session, gameround = some_round(finished=True)
        replace(body, "gameround", gameround, always=True)
        replace(body, "playerId", session.player, always=True)
    if isinstance(body.get("profile"), str):
        body["profile"] = RANDOM.choice(["", "jurisdiction-de"])


def fill_query(path, query):
    if path == "/connect":
        set_token(query, lambda: WORLD.launch(RANDOM.choice(["real", "demo"])).token)
    elif path in ("/refresh", "/logout"):
        set_token(query, lambda: WORLD.session_token())
    elif path == "/getGameRoundDetails":
        fill_players_round(query)
    elif path == "/backoffice/getGameConfiguration":
        replace(query, "gameCode", GAME)
        replace(query, "currency", RANDOM.choice(["EUR", "JPY"]))


def set_token(query, make):
    chance = RANDOM.random()
    if chance < RARELY:
        query["token"] = WORLD.useless_token()
    elif chance < MOSTLY:
        query["token"] = make()


def replace(fields, name, value, always=False):
    """Replaces only a well-formed value. An error that schemathesis generated on purpose stays."""
    current = fields.get(name)
    if isinstance(current, str) and IDENTIFIER.match(current) and (always or RANDOM.random() < MOSTLY):
        fields[name] = value


def shrink(fields, name, below):
    value = fields.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and value > 0 and RANDOM.random() < 0.97:
        if value <= 2**53 - 1:
            fields[name] = value % below or 1


COUNTS = defaultdict(Counter)
COUNTS_LOCK = threading.Lock()


@schemathesis.hook
def after_call(context, case, response):
    WORLD.learn(response)
    with COUNTS_LOCK:
        COUNTS[case.operation.label][answer_of(response)] += 1


def answer_of(response) -> str:
    error = error_of(response)
    if error is None:
        return str(response.status_code)
    return f"{response.status_code} {str(error.get('msg', '')).split(':')[0]}"


def error_of(response):
    try:
        body = response.json()
    except ValueError:
        return None
    error = body.get("errorCode") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else None


@atexit.register
def write_counts():
    with open(SETTINGS["countsFile"], "w", encoding="utf-8") as file:
        json.dump(COUNTS, file)


# Messages of refusals with id 1000 for rules that JSON Schema can't express.
BEYOND_SCHEMAS = re.compile(
    "must be at most \\d+ bytes"  # of an object as JSON
    "|must be well-formed and at most \\d+ bytes"
    "|must be an http or https URL"  # the grammar of URLs is no regular expression
    "|rngPayload.\\w+ .*"  # one field compared with another
    "|currency is not configured for this operator"
    "|profile contains an unknown name"
    "|the body has a key that is not allowed"  # `__proto__`, also in objects that the service does not read
    "|the body is nested too deeply"
    "|debitInformation.currency is not the session’s currency"
)


@schemathesis.check
def documented_form_is_enough(ctx, response, case):
    """A request with the documented form may be refused for its content, but never for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    error = error_of(response)
    if response.status_code == 400 and error is not None and error.get("id") == INVALIDREQUEST:
        if BEYOND_SCHEMAS.search(error.get("msg", "")) is None:
            raise AssertionError(f"refused for its form: {error.get('msg')}")
