"""The wallet's side of the operator API (docs/interface#wallet-calls). You provide the storage of balances and rounds."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from urllib.parse import parse_qsl

from ._wallet_rules import (
    MAX_AMOUNT,
    Transaction,
    WalletCall,
    WalletState,
    process_call,
    refusal_of_call,
    wallet_error,
)
from .debug import Debug, DebugEntry, tell
from .errors import ErrorObject
from .replies import GameRoundDetail
from .signing import (
    AUTH_ID,
    OPERATOR_FIELDS,
    SECRET_SHOWN,
    SIGNATURE,
    TIMESTAMP,
    fields_message,
    parse_timestamp,
    verify_fields,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

MAX_BODY_BYTES = 1024 * 1024
_CHUNK_BYTES = 64 * 1024


class Account(NamedTuple):
    player_id: str
    currency: str


class WalletReply(NamedTuple):
    status: int
    body: dict[str, Any]


Change = Callable[[WalletState], WalletState]


class _Refused(Exception):
    def __init__(self, status: int, error_code: ErrorObject) -> None:
        super().__init__(error_code["msg"])
        self.status = status
        self.error_code = error_code


def _print_error(error: Exception) -> None:
    print(f"gameround wallet: {error!r}", file=sys.stderr)


class Wallet:
    """Handles requests of any framework with `handle`. It is a WSGI application, too.

    `balance(account)` returns the balance in minor units, or None if the player or the currency is unknown.

    `transact(account, game_round, change)` reads balance and round, calls `change` with them, and stores the result. Do
    all of it in one database transaction: no other call may change the account or the round in between. You may call
    `change` again.

    `on_error(error)` is called with errors of your storage. The service gets a 500. `report(detail)` is called for
    doGameRoundReport, possibly more than once per round. `secrets` are all that are valid now. `timestamp_tolerance` is
    in seconds, 0 turns the check off.
    """

    def __init__(
        self,
        operator_id: str,
        secrets: Sequence[str],
        *,
        balance: Callable[[Account], int | None],
        transact: Callable[[Account, str, Change], object],
        on_error: Callable[[Exception], object] = _print_error,
        report: Callable[[GameRoundDetail], object] | None = None,
        timestamp_tolerance: float = 300.0,
        debug: Debug | None = None,
    ) -> None:
        if isinstance(secrets, str):
            raise TypeError("secrets is a list of secrets, not one secret")
        self._operator_id = operator_id
        self._secrets = tuple(secrets)
        self._balance = balance
        self._transact = transact
        self._on_error = on_error
        self._report = report
        self._tolerance = timestamp_tolerance
        self._debug = debug

    def handle(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WalletReply:
        """`url` is path and query as they arrived, `body` the bytes as they arrived. It raises nothing."""
        begun = time.monotonic()
        request = _Request(self, method, url, headers, body)
        try:
            reply = request.answer()
        except _Refused as refused:
            reply = WalletReply(refused.status, {"errorCode": refused.error_code})
        except Exception as error:
            self._on_error(error)
            reply = WalletReply(500, {"errorCode": wallet_error("INTERNALERROR")})
        seconds = time.monotonic() - begun
        tell(self._debug, DebugEntry(method, url, request.signed, reply.status, reply.body, seconds))
        return reply

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The WSGI application."""
        body = _body_of(environ)
        if body is None:
            reply = WalletReply(413, {"errorCode": wallet_error("REQUESTTOOLARGE")})
        else:
            query = environ.get("QUERY_STRING", "")
            url = environ.get("PATH_INFO", "") + (f"?{query}" if query else "")
            headers = {name[5:].replace("_", "-"): value for name, value in environ.items() if name.startswith("HTTP_")}
            reply = self.handle(environ["REQUEST_METHOD"], url, headers, body)
        text = json.dumps(reply.body, separators=(",", ":")).encode()
        status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(text)))])
        return [text]


class _Request:
    def __init__(self, wallet: Wallet, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        self._wallet = wallet
        self._method = method
        self._url = url
        self._headers = {name.lower(): value for name, value in headers.items()}
        self._body = body
        #: The message that the signature must cover, for debugging. It is known after the fields are read.
        self.signed = ""

    def answer(self) -> WalletReply:
        path, _, query_text = self._url.partition("?")
        call = f"{self._method} {path.rsplit('/', 1)[-1]}"
        self._check_id_and_timestamp()
        if call == "GET getBalance":
            query = parse_qsl(query_text, keep_blank_values=True)
            return self._get_balance({"playerId": "", "currency": "", **dict(query)})
        if call == "POST doTransactions":
            return self._do_transactions(self._parsed())
        if call == "POST doGameRoundReport":
            self._check("doGameRoundReport", {})
            detail = self._parsed().get("gameRoundDetail")
            if not isinstance(detail, dict):
                _invalid("gameRoundDetail")
            if self._wallet._report is not None:
                self._wallet._report(detail)  # type: ignore[arg-type]
            return WalletReply(200, {})
        raise _Refused(404, wallet_error("NOTFOUND"))

    def _header(self, name: str) -> str:
        return self._headers.get(name.lower(), "")

    def _check_id_and_timestamp(self) -> None:
        seconds = parse_timestamp(self._header(TIMESTAMP))
        tolerance = self._wallet._tolerance
        is_late = seconds is None or (tolerance != 0 and abs(time.time() - seconds) > tolerance)
        if self._header(AUTH_ID) != self._wallet._operator_id or is_late:
            raise _Refused(401, wallet_error("SIGNATUREWRONG"))

    def _check(self, call: str, given: Mapping[str, Any]) -> None:
        """Checks the signature."""
        auth_id, timestamp, fields = self._header(AUTH_ID), self._header(TIMESTAMP), OPERATOR_FIELDS[call](given)
        self.signed = fields_message(SECRET_SHOWN, auth_id, timestamp, fields)
        if not verify_fields(self._header(SIGNATURE), self._wallet._secrets, auth_id, timestamp, fields):
            raise _Refused(401, wallet_error("SIGNATUREWRONG"))

    def _parsed(self) -> dict[str, Any]:
        try:
            value = json.loads(self._body.decode(errors="replace"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            _invalid("body")
        if not isinstance(value, dict):
            _invalid("body")
        return value

    def _get_balance(self, query: Mapping[str, str]) -> WalletReply:
        self._check("getBalance", query)
        amount = self._wallet._balance(Account(query["playerId"], query["currency"]))
        if amount is None:
            raise _Refused(404, wallet_error("PLAYERNOTFOUND"))
        return WalletReply(200, _balances(amount, query["currency"]))

    def _do_transactions(self, body: Mapping[str, Any]) -> WalletReply:
        call = _call_of(body)
        self._check("doTransactions", body)
        reply: WalletReply | None = None

        def change(before: WalletState) -> WalletState:
            nonlocal reply
            refusal = refusal_of_call(before.round, call, body.get("transactionCount"))
            if refusal is not None:
                reply = WalletReply(400, {"errorCode": refusal})
                return before
            state, results = process_call(before, call)
            error = next((one["errorCode"] for one in results if "errorCode" in one), None)
            reply = WalletReply(
                200 if error is None else 400,
                {
                    **({} if state.balance is None else _balances(state.balance, call.currency)),
                    **({} if error is None else {"errorCode": error}),
                    "hashesProcessed": results,
                },
            )
            return state

        self._wallet._transact(Account(call.player_id, call.currency), call.game_round.lower(), change)
        if reply is None:
            raise RuntimeError("transact has not called change")
        return reply


def _balances(amount: int, currency: str) -> dict[str, Any]:
    return {"balances": [{"type": "real", "amount": amount, "currency": currency}]}


def _invalid(field: str) -> NoReturn:
    raise _Refused(400, wallet_error("INVALIDREQUEST", field))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _call_of(body: Mapping[str, Any]) -> WalletCall:
    """Reads and checks the call. Refuses fields of a wrong type."""
    given = body.get("transactions")
    if not isinstance(given, list) or not given:
        _invalid("transactions")
    transactions = [_transaction_of(one) for one in given]
    currency: str = transactions[0]["currency"]
    if any(one["currency"] != currency for one in transactions):
        _invalid("currency")
    return WalletCall(
        player_id=_identifier(body, "playerId"),
        game_code=_identifier(body, "gameCode"),
        game_round=_identifier(body, "gameRound"),
        currency=currency,
        transactions=transactions,
    )


def _transaction_of(one: object) -> Transaction:
    if not isinstance(one, dict) or one.get("type") not in ("debit", "credit", "end", "void"):
        _invalid("transactions.type")
    type_, amount = one["type"], one.get("amount")
    _identifier(one, "hash")
    _identifier(one, "currency")
    # True is an int, but not an amount.
    is_amount = type(amount) is int and 0 <= amount <= MAX_AMOUNT
    may_lack = type_ != "credit" and not (type_ == "debit" and "serial" not in one)
    if not is_amount and not ("amount" not in one and may_lack):
        _invalid("transactions.amount")
    if type_ == "debit" and not isinstance(one.get("isFirstDebit"), bool):
        _invalid("transactions.isFirstDebit")
    return one


# `#` joins the signed fields, so with it two different calls could have the same signature. A lone surrogate can't be encoded
# as bytes, so it can't be signed.
_IDENTIFIER = re.compile("[^#\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


def _identifier(given: Mapping[str, Any], field: str) -> str:
    value = given.get(field)
    if not isinstance(value, str) or _IDENTIFIER.fullmatch(value) is None:
        _invalid(field)
    return value


def _body_of(environ: WSGIEnvironment) -> bytes | None:
    """The body, or None if it is too large."""
    stream = environ["wsgi.input"]
    # Without a length, the input may be read only if the server marks its end (wsgi.input_terminated).
    length = environ.get("CONTENT_LENGTH") or (str(sys.maxsize) if environ.get("wsgi.input_terminated") else "0")
    # With a wrong length nothing is read, and the empty body is refused.
    left = int(length) if re.fullmatch("[0-9]{1,19}", length) else 0
    body, size = bytearray(), 0
    # Reads the whole body, also if it is too large, so that the caller gets the reply.
    while left > 0 and (part := stream.read(min(left, _CHUNK_BYTES))):
        left -= len(part)
        size += len(part)
        if size <= MAX_BODY_BYTES:
            body += part
    return bytes(body) if size <= MAX_BODY_BYTES else None
