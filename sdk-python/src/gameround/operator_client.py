"""The calls of an operator to the service (docs/interface#operator-calls)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlencode

from . import replies
from ._arguments import check_given, text_option
from ._retry import Retries, attempts, is_retriable
from ._transport import Transport
from .debug import Debug
from .errors import InterfaceError
from .signing import (
    AUTH_ID,
    OPERATOR_FIELDS,
    REQUEST_ID,
    SECRET_SHOWN,
    SIGNATURE,
    TIMESTAMP,
    fields_message,
    sign_fields,
    timestamp_now,
)


class OperatorClient:
    """Each method raises InterfaceError if the service refuses, and LostResponse if it does not respond.

    The client retries after 5xx and 429; all these calls can be repeated safely. A client can be used by many threads
    at a time.
    """

    def __init__(
        self,
        base_url: str,
        operator_id: str,
        secret: str,
        *,
        # Longer than the service waits for a wallet, so that a reconciliation can return its result.
        timeout: float = 30.0,
        max_attempts: int = Retries.max_attempts,
        backoff: float = Retries.backoff,
        debug: Debug | None = None,
    ) -> None:
        """`base_url` is the address of the service. Times are in seconds."""
        self._operator_id = text_option("operator_id", operator_id)
        self._secret = text_option("secret", secret)
        self._retries = Retries(max_attempts, backoff)
        self._transport = Transport(base_url, timeout, debug)

    def get_game_url(
        self,
        *,
        currency: str,
        game_code: str,
        mode: str,
        player_id: str | None = None,
        language: str | None = None,
        gameround: str | None = None,
        playerdetails: Mapping[str, Any] | None = None,
        profile: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> replies.GameUrlReply:
        check_given("get_game_url", currency=currency, game_code=game_code, mode=mode)
        body = {
            "playerId": player_id,
            "currency": currency,
            "gameCode": game_code,
            "language": language,
            "mode": mode,
            "gameround": gameround,
            "playerdetails": playerdetails,
            "profile": profile,
            "options": options,
        }
        return cast(replies.GameUrlReply, self._post("/getGameURL", body))

    def reconcile_transactions(self, *, game_round: str) -> replies.ReconcileReply:
        check_given("reconcile_transactions", game_round=game_round)
        return cast(replies.ReconcileReply, self._post("/reconcileTransactions", {"gameRound": game_round}))

    def get_game_round_details(self, *, player_id: str, game_round: str) -> replies.GameRoundDetailsReply:
        check_given("get_game_round_details", player_id=player_id, game_round=game_round)
        query = {"playerId": player_id, "gameRound": game_round}
        return cast(replies.GameRoundDetailsReply, self._get("/getGameRoundDetails", query))

    def get_game_round_report(self, *, player_id: str, game_round: str) -> replies.GameRoundReportReply:
        check_given("get_game_round_report", player_id=player_id, game_round=game_round)
        body = {"playerId": player_id, "gameRound": game_round}
        return cast(replies.GameRoundReportReply, self._post("/getGameRoundReport", body))

    def get_game_configuration(self, *, game_code: str, currency: str) -> replies.GameConfiguration:
        check_given("get_game_configuration", game_code=game_code, currency=currency)
        query = {"gameCode": game_code, "currency": currency}
        return cast(replies.GameConfiguration, self._get("/backoffice/getGameConfiguration", query))

    def get_game_list(self) -> replies.GameListReply:
        return cast(replies.GameListReply, self._get("/getGameList", {}))

    def register_player(
        self, *, player_id: str, playerdetails: Mapping[str, Any] | None = None
    ) -> replies.RegisterReply:
        check_given("register_player", player_id=player_id)
        body = {"playerId": player_id, "playerdetails": playerdetails}
        return cast(replies.RegisterReply, self._post("/registerPlayer", body))

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in body.items() if value is not None}
        raw = json.dumps(given, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        return self._call("POST", path, path, given, raw)

    def _get(self, path: str, query: Mapping[str, str]) -> Any:
        return self._call("GET", path, f"{path}?{urlencode(query)}" if query else path, query, None)

    def _call(self, method: str, path: str, target: str, given: Mapping[str, Any], raw: bytes | None) -> Any:
        fields = OPERATOR_FIELDS[path.rsplit("/", 1)[-1]](given)

        def attempt() -> Any:
            timestamp = timestamp_now()
            headers = {
                **({} if raw is None else {"Content-Type": "application/json"}),
                AUTH_ID: self._operator_id,
                TIMESTAMP: timestamp,
                SIGNATURE: sign_fields(self._secret, self._operator_id, timestamp, fields),
                REQUEST_ID: str(uuid.uuid4()),
            }
            signed = fields_message(SECRET_SHOWN, self._operator_id, timestamp, fields)
            reply = self._transport.exchange(method, target, headers, raw, signed)
            # A redirect, or a reply that is no JSON object, is an error, too.
            if reply.status != 200 or not isinstance(reply.body, dict):
                raise InterfaceError(path, reply.status, reply.body, reply.retry_after)
            return reply.body

        return attempts(self._retries, attempt, is_retriable)
