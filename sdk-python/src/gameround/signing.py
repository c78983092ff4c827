"""The signatures of the interface (docs/interface#signing): base64(HMAC-SHA256(secret, message)).

The message differs by API and direction, so use the function for your direction.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

AUTH_ID = "X-H-AUTH-ID"
SIGNATURE = "X-H-AUTH-SIG"
TIMESTAMP = "X-H-TIMESTAMP"
REQUEST_ID = "X-Request-Id"

SECRET_SHOWN = "<secret>"

# Joins the signed parts. Identifiers must not contain it: otherwise two field lists could have the same signature.
_SEPARATOR = "#"


def fields_message(secret: str, auth_id: str, timestamp: str, fields: Iterable[str] = ()) -> str:
    """The message that sign_fields signs."""
    return _SEPARATOR.join([secret, auth_id, timestamp, *fields])


def sign_fields(secret: str, auth_id: str, timestamp: str, fields: Iterable[str] = ()) -> str:
    """For the operator API in both directions, and for calls of the service to a provider."""
    return _hmac(secret, fields_message(secret, auth_id, timestamp, fields).encode())


def sign_body(secret: str, raw_body: bytes, timestamp: str) -> str:
    """For calls of a provider to the service: signs the exact bytes of the body, `#`, and the timestamp header."""
    return _hmac(secret, raw_body + f"{_SEPARATOR}{timestamp}".encode())


def verify_fields(
    signature: str, secrets: Sequence[str], auth_id: str, timestamp: str, fields: Iterable[str] = ()
) -> bool:
    """`secrets` are all that are valid now. During a rotation there are two."""
    signed = list(fields)
    return _matches_any(signature, secrets, lambda secret: sign_fields(secret, auth_id, timestamp, signed))


def verify_body(signature: str, secrets: Sequence[str], raw_body: bytes, timestamp: str) -> bool:
    return _matches_any(signature, secrets, lambda secret: sign_body(secret, raw_body, timestamp))


def _hmac(secret: str, message: bytes) -> str:
    return base64.b64encode(hmac.new(secret.encode(), message, hashlib.sha256).digest()).decode()


def _matches_any(signature: str, secrets: Sequence[str], expected: Callable[[str], str]) -> bool:
    """Compares with every secret, even after a match, so that the time does not show which secret it was."""
    matched = False
    for secret in secrets:
        matched = hmac.compare_digest(_bytes(signature), expected(secret).encode()) or matched
    return matched


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


Request = Mapping[str, Any]


def _if_present(value: Any) -> list[str]:
    """A field that is signed only if present: an absent or empty value adds no field and no separator."""
    return [value] if value else []


def _transaction_fields(transactions: Iterable[Request]) -> list[str]:
    """The hash and the amount of each transaction. An amount that is absent or 0 is left out."""
    fields: list[str] = []
    for one in transactions:
        fields.append(one["hash"])
        if one.get("amount"):
            fields.append(str(one["amount"]))
    return fields


# The signed fields after secret, X-H-AUTH-ID and X-H-TIMESTAMP in the operator API. For a GET, the decoded query values.
OPERATOR_FIELDS: Mapping[str, Callable[[Request], list[str]]] = {
    "doTransactions": lambda body: [
        body["playerId"],
        body["gameCode"],
        body["gameRound"],
        *_transaction_fields(body["transactions"]),
    ],
    "doGameRoundReport": lambda body: [],
    "getBalance": lambda query: [query["playerId"], query["currency"], *_if_present(query.get("gameCode"))],
    "reconcileTransactions": lambda body: [body["gameRound"]],
    "getGameRoundDetails": lambda query: [query["playerId"], query["gameRound"]],
    "getGameConfiguration": lambda query: [query["gameCode"], query["currency"]],
    "getGameURL": lambda body: [
        *_if_present(body.get("playerId")),
        body["currency"],
        body["gameCode"],
        body["mode"],
    ],
    "getGameRoundReport": lambda body: [body["playerId"], body["gameRound"]],
    "registerPlayer": lambda body: [body["playerId"]],
    "getGameList": lambda query: [],
}

# The signed fields of the service's calls to a provider. doAutoClose is not signed.
PROVIDER_FIELDS: Mapping[str, Callable[[Request], list[str]]] = {
    "getGameConfiguration": lambda query: [query["currency"]],
    "getGameResult": lambda body: [body["gameRound"]],
    "doGetGameHistory": lambda body: [body["gameRound"]],
}

_FULL_DATE_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](\d{1,9}))?(?:[Zz]|([+-]\d{2}):?(\d{2}))?", re.ASCII
)


def timestamp_now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_timestamp(text: str) -> float | None:
    """Seconds since the epoch for a full ISO 8601 date-time. Without a time zone it is UTC. None for anything else."""
    match = _FULL_DATE_TIME.fullmatch(text)
    if match is None:
        return None
    local, fraction, hours, minutes = match.groups()
    zone = f"{hours}:{minutes}" if hours else "+00:00"
    try:
        seconds = datetime.fromisoformat(local + zone).timestamp()
    except (ValueError, OverflowError):
        return None
    return seconds + float(f"0.{fraction or 0}")
