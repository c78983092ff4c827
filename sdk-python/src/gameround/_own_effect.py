from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import cast

from .replies import GameReply, GameStateEntry, RoundInfoReply, TransactionRecord, VoidReply

# The effect of a command in its round: an entry of the game state (debit, genericwin), or an accepted transaction
# (credit, end). It has an amount if the command has one.
Trace = tuple[str, int | None]


def effect_of(round: RoundInfoReply, key: str, traces: Sequence[Trace]) -> GameReply | None:
    """Makes the reply to a command from getGameRoundInfo.

    None if the round does not show all effects of the command. The hashes identify the command's own effects
    (docs/interface#own-hash).
    """
    if round["gameRoundInfo"]["status"] == "cancel":
        return None
    if not all(_is_there(round, trace, key) for trace in traces):
        return None
    credit = _transaction_of(round, "credit", key)
    return cast(GameReply, {**round, "amountCredited": credit.get("amount", 0) if credit else 0})


def effect_of_void(round: RoundInfoReply) -> VoidReply | None:
    """A void has no key. It is done if the round is cancelled and each of its debits has a void."""

    def hashes_of(wanted: str) -> set[str]:
        return {one["hash"] for one in round["transactions"] if one["type"] == wanted}

    is_done = round["gameRoundInfo"]["status"] == "cancel" and hashes_of("debit") <= hashes_of("void")
    return cast(VoidReply, round) if is_done else None


def command_key(command: str, transaction_id: str) -> str:
    return f"{command}:transaction:{_normal_id(transaction_id)}"


def start_key(round: RoundInfoReply, rng_call_id: str | None) -> str:
    """The key of a start: with another rngCallId than the initial debit it is a follow-up debit, not a repeat."""
    entry = _entry_of(round, "debit", "start")
    first = entry["result"]["info"].get("rngCallId") if entry else None
    if rng_call_id is None or first is None or _normal_id(rng_call_id) == _normal_id(first):
        return "start"
    return f"debit:{_normal_id(rng_call_id)}"


def _is_there(round: RoundInfoReply, trace: Trace, key: str) -> bool:
    type_, amount = trace
    if type_ in ("credit", "end"):
        transaction = _transaction_of(round, type_, key)
        return transaction is not None and amount in (None, transaction.get("amount"))
    entry = _entry_of(round, type_, key)
    if entry is None:
        return False
    return amount in (None, entry["amountWagered"] if type_ == "debit" else entry["result"]["winAmount"])


def _entry_of(round: RoundInfoReply, type_: str, key: str) -> GameStateEntry | None:
    own = _hash_of(["gamestate", round["gameRoundInfo"]["hash"], type_, key])
    return next((one for one in round["gameState"] if one["hash"] == own), None)


def _transaction_of(round: RoundInfoReply, type_: str, key: str) -> TransactionRecord | None:
    own = _hash_of(["transaction", round["gameRoundInfo"]["hash"], type_, key])
    return next((one for one in round["transactions"] if one["hash"] == own), None)


def _hash_of(parts: list[str]) -> str:
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    digest = bytearray(hashlib.sha256(text.encode()).digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x80
    digest[8] = (digest[8] & 0x3F) | 0x80
    hex = digest.hex()
    return "-".join([hex[:8], hex[8:12], hex[12:16], hex[16:20], hex[20:]])


_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


def _normal_id(id: str) -> str:
    """Lower case for a UUID, since capitals mean the same id."""
    return id.lower() if _UUID.fullmatch(id) else id
