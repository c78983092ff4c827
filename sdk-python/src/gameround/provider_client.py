"""The game provider's client of the game-engine API (docs/interface#game-engine-api)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from . import replies
from ._arguments import check_given, text_option
from ._own_effect import Trace, command_key, effect_of, effect_of_void, start_key
from ._recovery import NamedCommand, carried_out
from ._retry import Retries, attempts, is_retriable, is_too_many
from ._transport import Transport
from .debug import Debug
from .errors import InterfaceError, LostResponse
from .requests import DebitInformation, JackpotPayout, RandomPayload, RngResult, SpinRngResult
from .signing import AUTH_ID, REQUEST_ID, SIGNATURE, TIMESTAMP, sign_body, timestamp_now

Reply = TypeVar("Reply")


class ProviderClient:
    """Methods return the service's reply after the call has taken effect.

    They raise InterfaceError if the service refuses, and LostResponse if the outcome stays unknown. The client retries
    a command with the same idempotency keys until it gets a definite answer. It never sends a command that the game did
    not ask for. A client can be used by many threads at a time.
    """

    def __init__(
        self,
        base_url: str,
        provider_id: str,
        secret: str,
        *,
        # The service responds to a command with 503 after 10 s. A shorter timeout would lose that response.
        timeout: float = 15.0,
        max_attempts: int = Retries.max_attempts,
        backoff: float = Retries.backoff,
        debug: Debug | None = None,
    ) -> None:
        """`base_url` is the address of the service. Times are in seconds."""
        self._provider_id = text_option("provider_id", provider_id)
        self._secret = text_option("secret", secret)
        self._retries = Retries(max_attempts, backoff)
        self._transport = Transport(base_url, timeout, debug)

    def start_game_round(
        self,
        *,
        token: str,
        debit_information: DebitInformation,
        rng_result: RngResult | None = None,
        end_game: bool | None = None,
        close_open_game: bool | None = None,
        external_game_provider_round_id: str | None = None,
    ) -> replies.GameReply:
        """If there is no external_game_provider_round_id, the client makes one: a start without it can't be retried."""
        check_given("start_game_round", token=token, debit_information=debit_information)
        round_id = external_game_provider_round_id or _new_id()
        rng_call_id = (rng_result or {}).get("rngCallId")
        is_ticket = debit_information.get("useTicketInfo", {}).get("useTicket", False)
        taken: Trace = ("debit", None if is_ticket else debit_information.get("debitAmount"))
        traces: list[Trace] = [taken, ("end", None)] if end_game else [taken]
        return self._carried_out(
            "/startGameRound",
            _given(
                token=token,
                rngResult=rng_result or {},
                debitInformation=debit_information,
                endGame=end_game,
                closeOpenGame=close_open_game,
                externalGameProviderRoundId=round_id,
            ),
            ids={"external_game_provider_round_id": round_id},
            may_be_repeat=external_game_provider_round_id is not None,
            round={"token": token, "externalGameProviderRoundId": round_id},
            effect_in=lambda round: effect_of(round, start_key(round, rng_call_id), traces),
        )

    def add_win(
        self,
        *,
        token: str,
        game_round: str,
        rng_result: RngResult,
        collect: bool | None = None,
        jackpot_payout: list[JackpotPayout] | None = None,
        external_game_provider_transaction_id: str | None = None,
    ) -> replies.GameReply:
        check_given("add_win", rng_result=rng_result)
        won: Trace = ("genericwin", rng_result.get("winAmount", 0))
        traces: list[Trace] = [won, ("end", None)] if collect else [won]
        request = _given(rngResult=rng_result, collect=collect, jackpotPayout=jackpot_payout)
        return self._named("addWin", token, game_round, external_game_provider_transaction_id, request, traces)

    def end_game_round(
        self, *, token: str, game_round: str, external_game_provider_transaction_id: str | None = None
    ) -> replies.GameReply:
        traces: list[Trace] = [("end", None)]
        return self._named("end", token, game_round, external_game_provider_transaction_id, {}, traces)

    def collect_win(
        self,
        *,
        token: str,
        game_round: str,
        amount: int | None = None,
        external_game_provider_transaction_id: str | None = None,
    ) -> replies.GameReply:
        """`amount` is at most the open winnings. Without it all open winnings are collected."""
        request = _given(amount=amount)
        traces: list[Trace] = [("credit", amount)]
        return self._named("collectWin", token, game_round, external_game_provider_transaction_id, request, traces)

    def void_game_round(self, *, token: str, game_round: str) -> replies.VoidReply:
        request = {"token": token, "gameRound": game_round}
        return self._carried_out(
            "/voidGameRound", request, ids={}, may_be_repeat=False, round=request, effect_in=effect_of_void
        )

    def add_spin_counter_game_state(
        self,
        *,
        token: str,
        game_round: str,
        counter_type: str,
        rng_result: SpinRngResult,
        game_state_result: Mapping[str, str] | None = None,
        external_game_provider_transaction_id: str | None = None,
    ) -> replies.SpinCounterReply:
        request = _given(counterType=counter_type, rngResult=rng_result, gameStateResult=game_state_result)
        # getGameRoundInfo does not return spinsAvailable, so the effect can't be read there.
        reply = self._named("addSpinCounter", token, game_round, external_game_provider_transaction_id, request, None)
        return cast(replies.SpinCounterReply, reply)

    def get_available_spin_counter(
        self, *, token: str, game_round: str, counter_type: str
    ) -> replies.AvailableSpinsReply:
        request = {"token": token, "gameRound": game_round, "counterType": counter_type}
        return cast(replies.AvailableSpinsReply, self._read("/getAvailableSpinCounter", request))

    def get_game_round_info(
        self, *, token: str, game_round: str | None = None, external_game_provider_round_id: str | None = None
    ) -> replies.RoundInfoReply:
        request = _given(token=token, gameRound=game_round, externalGameProviderRoundId=external_game_provider_round_id)
        return cast(replies.RoundInfoReply, self._read("/getGameRoundInfo", request))

    def get_game_round_history_info(self, *, token: str, game_round: str) -> replies.HistoryReply:
        request = {"token": token, "gameRound": game_round}
        return cast(replies.HistoryReply, self._read("/getGameRoundHistoryInfo", request))

    def get_balance(self, *, token: str) -> replies.Balance:
        return cast(replies.Balance, self._read("/getBalance", {"token": token}))

    def get_token_for_game_round(self, *, game_round: str) -> replies.TokenDataReply:
        return cast(replies.TokenDataReply, self._read("/getTokenForGameRound", {"gameRound": game_round}))

    def get_token_data(self, *, token: str) -> replies.TokenDataReply:
        return cast(replies.TokenDataReply, self._read("/getTokenData", {"token": token}))

    def get_uncollected_amount(self, *, token: str, game_round: str) -> replies.UncollectedReply:
        request = {"token": token, "gameRound": game_round}
        return cast(replies.UncollectedReply, self._read("/getUncollectedAmount", request))

    def get_open_game_rounds(self, *, token: str) -> replies.OpenRoundsReply:
        return cast(replies.OpenRoundsReply, self._read("/getOpenGameRounds", {"token": token}))

    def get_open_game_rounds_by_game(
        self, *, game_code: str, max_records: int | None = None
    ) -> replies.OpenRoundsReply:
        request = _given(gameCode=game_code, maxRecords=max_records)
        return cast(replies.OpenRoundsReply, self._read("/getOpenGameRoundsByGame", request))

    def get_last_game_rounds(
        self, *, token: str, max_records: int | None = None, max_days: int | None = None
    ) -> replies.LastRoundsReply:
        request = _given(token=token, maxRecords=max_records, maxDays=max_days)
        return cast(replies.LastRoundsReply, self._read("/getLastGameRounds", request))

    def get_random_result(self, *, token: str, rng_end_point: str, rng_payload: RandomPayload) -> replies.RandomReply:
        """A lost draw is not repeated: a caller that can repeat a draw could choose between two results."""
        request = {"token": token, "rngEndPoint": rng_end_point, "rngPayload": rng_payload}
        drawn = attempts(self._retries, lambda: self._post("/getRandomResult", request), is_too_many)
        return cast(replies.RandomReply, drawn)

    def test_ping(self, *, test_data: Any) -> dict[str, Any]:
        return cast("dict[str, Any]", self._read("/testPing", {"testData": test_data}))

    def _read(self, path: str, request: Mapping[str, Any]) -> Any:
        """A read. It is retried after a lost response, 5xx and 429."""
        return attempts(
            self._retries,
            lambda: self._post(path, request),
            lambda error: is_retriable(error) or isinstance(error, LostResponse),
        )

    def _named(
        self,
        command: str,
        token: str,
        game_round: str,
        transaction_id: str | None,
        request: Mapping[str, Any],
        traces: list[Trace] | None,
    ) -> replies.GameReply:
        """A command on an open round. If it has no transaction id, the client makes one."""
        own_id = transaction_id or _new_id()
        round = {"token": token, "gameRound": game_round}
        return self._carried_out(
            _PATHS[command],
            {**round, **request, "externalGameProviderTransactionId": own_id},
            ids={"external_game_provider_transaction_id": own_id},
            may_be_repeat=transaction_id is not None,
            round=round,
            effect_in=lambda found: None if traces is None else effect_of(found, command_key(command, own_id), traces),
        )

    def _carried_out(
        self,
        path: str,
        request: Mapping[str, Any],
        *,
        ids: Mapping[str, str],
        may_be_repeat: bool,
        round: Mapping[str, str],
        effect_in: Callable[[replies.RoundInfoReply], Reply | None],
    ) -> Reply:
        command = NamedCommand[Reply](
            operation=path,
            ids=ids,
            may_be_repeat=may_be_repeat,
            send=lambda: self._post(path, request),
            ask=lambda: cast(replies.RoundInfoReply, self._post("/getGameRoundInfo", round)),
            effect_in=effect_in,
        )
        return carried_out(self._retries, command)

    def _post(self, path: str, request: Mapping[str, Any]) -> Any:
        """Sends one signed request. X-Request-Id is unique per request, so a retry has another one."""
        text = json.dumps(request, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        body = text.encode()
        timestamp = timestamp_now()
        headers = {
            "Content-Type": "application/json",
            AUTH_ID: self._provider_id,
            TIMESTAMP: timestamp,
            SIGNATURE: sign_body(self._secret, body, timestamp),
            REQUEST_ID: str(uuid.uuid4()),
        }
        reply = self._transport.exchange("POST", path, headers, body, f"{text}#{timestamp}")
        # Success is a 200 with a JSON object without errorCode. A redirect or a body without JSON is an error.
        if reply.status != 200 or not isinstance(reply.body, dict) or "errorCode" in reply.body:
            raise InterfaceError(path, reply.status, reply.body, reply.retry_after)
        return reply.body


_PATHS = {
    "addWin": "/addWin",
    "end": "/endGameRound",
    "collectWin": "/collectWin",
    "addSpinCounter": "/addSpinCounterGameState",
}


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that the caller gave."""
    return {name: value for name, value in fields.items() if value is not None}


def _new_id() -> str:
    """32 characters, the maximum of externalGameProviderRoundId (docs/interface#round-id-length)."""
    return uuid.uuid4().hex
