"""The rules of doTransactions (docs/interface#do-transactions and the rules after it) as pure functions.

A round is plain JSON, in the form of the TypeScript kit: `playerId`, `gameCode`, `currency`, `status` (open, closed, voided,
failed), `initialDebit`, and `processed`: the processed transactions by type and hash. A refused debit has its error.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .errors import ErrorObject

MAX_AMOUNT = 2**53 - 1

Transaction = Mapping[str, Any]
Round = dict[str, Any]


class WalletState(NamedTuple):
    """`balance` is None if the account does not exist, `round` if the wallet does not know the round yet."""

    balance: int | None
    round: Round | None


@dataclass(frozen=True)
class WalletCall:
    player_id: str
    game_code: str
    game_round: str
    currency: str
    transactions: list[Transaction]


_IDS = {
    "GAMEROUNDALREADYSTARTED": 12,
    "GAMEROUNDNOTSTARTED": 15,
    "TRANSACTIONCOUNTMISMATCH": 16,
    "INVALIDREQUEST": 1000,
    "SIGNATUREWRONG": 1001,
    "REQUESTTOOLARGE": 1002,
    "INTERNALERROR": 1004,
    "NOTFOUND": 1005,
    "GAMEROUNDNOTACTIVE": 2000,
    "IDEMPOTENCYMISMATCH": 2002,
    "PLAYERNOTFOUND": 2003,
    "NOTICKETAVAILABLE": 2008,
}


def wallet_error(name: str, detail: str | None = None) -> ErrorObject:
    msg = name if detail is None else f"{name}: {detail}"
    return {"id": _IDS[name], "msg": msg, "clientmsg": "The operator refused the request."}


# An example of an operator's own error id, which is not in the interface.
_INSUFFICIENTFUNDS: ErrorObject = {
    "id": 5001,
    "msg": "INSUFFICIENTFUNDS",
    "clientmsg": "Your balance is too low.",
}


def refusal_of_call(round: Round | None, call: WalletCall, count: object) -> ErrorObject | None:
    """The error if the whole call is refused and no transaction is processed."""
    # True is an int, and equal to 1.
    if type(count) is not int or count != len(call.transactions):
        return wallet_error("TRANSACTIONCOUNTMISMATCH")
    types = [one["type"] for one in call.transactions]
    if "end" in types and "debit" in types[types.index("end") :]:
        return wallet_error("INVALIDREQUEST", "a debit follows an end")
    if round is None:
        return None
    if (round["playerId"], round["gameCode"]) != (call.player_id, call.game_code):
        return wallet_error("INVALIDREQUEST", "gameRound of another player or game")
    if round["currency"] != call.currency:
        return wallet_error("INVALIDREQUEST", "currency of the gameRound")
    return None


def process_call(before: WalletState, call: WalletCall) -> tuple[WalletState, list[dict[str, Any]]]:
    """Processes the transactions of a call in order. Returns the new state and the result of each transaction."""
    at_work = _Process(before, call)
    results: list[dict[str, Any]] = []
    has_failed = False
    for transaction in call.transactions:
        error = at_work.process(transaction, has_failed)
        has_failed = has_failed or error is not None
        results.append({"hash": transaction["hash"], **({} if error is None else {"errorCode": error})})
    return WalletState(at_work.balance, at_work.round), results


def _key(type_: str, hash: str) -> str:
    return f"{type_}:{hash.lower()}"


class _Process:
    def __init__(self, before: WalletState, call: WalletCall) -> None:
        self.balance = before.balance
        self.round = copy.deepcopy(before.round)
        self.call = call

    def process(self, transaction: Transaction, has_failed: bool) -> ErrorObject | None:
        if transaction["type"] == "debit":
            return self._debit(transaction)
        if transaction["type"] == "void":
            self._void(transaction)
            return None
        return self._credit_or_end(transaction, has_failed)

    def _own_round(self, transaction: Transaction) -> Round:
        """The round. It is created for its first transaction."""
        if self.round is None:
            self.round = {
                "playerId": self.call.player_id,
                "gameCode": self.call.game_code,
                "currency": self.call.currency,
                "status": "open",
                "initialDebit": transaction["hash"].lower(),
                "processed": {},
            }
        return self.round

    def _debit(self, transaction: Transaction) -> ErrorObject | None:
        amount: int = transaction.get("amount", 0)
        key = _key("debit", transaction["hash"])
        known = self.round
        if known is not None:
            if known["status"] == "voided":
                return wallet_error("GAMEROUNDNOTACTIVE", "voided")
            repeated = known["processed"].get(key)
            if repeated is not None:
                return repeated.get("errorCode") or _mismatch(repeated["amount"], amount)
            # The void arrived before the debit, so the debit counts as voided.
            if _key("void", transaction["hash"]) in known["processed"]:
                return None
        elif not transaction["isFirstDebit"]:
            return wallet_error("GAMEROUNDNOTSTARTED")

        error = self._refusal_of_debit(transaction, amount)
        round = self._own_round(transaction)
        if error is None:
            self.balance = (self.balance or 0) - amount
        elif known is None:
            round["status"] = "failed"
        round["processed"][key] = {"amount": amount, **({} if error is None else {"errorCode": error})}
        return error

    def _refusal_of_debit(self, transaction: Transaction, amount: int) -> ErrorObject | None:
        if self.round is not None and transaction["isFirstDebit"]:
            return wallet_error("GAMEROUNDALREADYSTARTED")
        if self.round is not None and self.round["status"] != "open":
            return wallet_error("GAMEROUNDNOTACTIVE", self.round["status"])
        if "serial" in transaction:
            return wallet_error("NOTICKETAVAILABLE")
        if self.balance is None:
            return wallet_error("PLAYERNOTFOUND")
        return _INSUFFICIENTFUNDS if amount > self.balance else None

    def _credit_or_end(self, transaction: Transaction, has_failed: bool) -> ErrorObject | None:
        amount: int = transaction.get("amount", 0)
        key = _key(transaction["type"], transaction["hash"])
        round = self.round
        if round is None:
            return wallet_error("GAMEROUNDNOTSTARTED")
        if round["status"] == "voided":
            return wallet_error("GAMEROUNDNOTACTIVE", "voided")
        repeated = round["processed"].get(key)
        if repeated is not None:
            return _mismatch(repeated["amount"], amount)
        if has_failed:
            return wallet_error("GAMEROUNDNOTACTIVE", "an earlier transaction of the call failed")
        if round["status"] != "open":
            return wallet_error("GAMEROUNDNOTACTIVE", round["status"])

        if transaction["type"] == "credit":
            balance = (self.balance or 0) + amount
            if balance > MAX_AMOUNT:
                return wallet_error("INVALIDREQUEST", "amount too large")
            self.balance = balance
        else:
            round["status"] = "closed"
        round["processed"][key] = {"amount": amount}
        return None

    def _void(self, transaction: Transaction) -> None:
        """A void is processed in any state of the round. It gives the debit back once."""
        hash = transaction["hash"]
        round = self._own_round(transaction)
        if _key("void", hash) in round["processed"]:
            return
        taken = round["processed"].get(_key("debit", hash))
        amount = 0 if taken is None or "errorCode" in taken else taken["amount"]
        if self.balance is not None:
            self.balance += amount
        round["processed"][_key("void", hash)] = {"amount": amount}
        if hash.lower() == round["initialDebit"]:
            round["status"] = "voided"


def _mismatch(before: int, now: int) -> ErrorObject | None:
    """The same hash with another amount is an error of the caller."""
    return None if before == now else wallet_error("IDEMPOTENCYMISMATCH")
