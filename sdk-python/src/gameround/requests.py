"""Parts of requests, with the names of the interface (docs/interface#game-engine-api)."""

from __future__ import annotations

from typing import TypedDict


class RngResult(TypedDict, total=False):
    rngCallId: str
    result: str
    winAmount: int
    betData: dict[str, str]


class UseTicketInfo(TypedDict):
    useTicket: bool


class _DebitCurrency(TypedDict):
    currency: str


class DebitInformation(_DebitCurrency, total=False):
    """debitAmount is in minor units, including the currency multiplier. Omit it if a ticket pays."""

    debitAmount: int
    useTicketInfo: UseTicketInfo


class JackpotPayout(TypedDict):
    jackpotId: str
    jackpotMode: str


class SpinResult(TypedDict, total=False):
    awarded: int
    used: int


class _SpinRngCall(TypedDict, total=False):
    rngCallId: str


class SpinRngResult(_SpinRngCall):
    result: SpinResult


class RandomPayload(TypedDict):
    count: int
    min: float
    max: float
