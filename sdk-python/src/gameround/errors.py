"""The exceptions of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from .replies import RoundInfoReply


class ErrorObject(TypedDict):
    """Error object of the interface (docs/interface#error-object)."""

    id: int
    msg: str
    clientmsg: str


class InterfaceError(Exception):
    """The service responded with an error. `body` is the whole reply. The text has its `hint` (docs/interface#signature-hint)."""

    def __init__(self, operation: str, status: int, body: Any, retry_after: float = 0) -> None:
        self.operation = operation
        self.status = status
        self.error_code = _error_code(body)
        self.body = body
        #: `Retry-After` of the reply (429 and 503 have it) in seconds; otherwise 0.
        self.retry_after = retry_after
        msg = self.error_code["msg"] if self.error_code else ""
        hint = body.get("hint") if isinstance(body, dict) else None
        why = ": ".join(text for text in (msg, hint) if isinstance(text, str) and text)
        super().__init__(f"{operation}: {status} {why}".rstrip())


class LostResponse(Exception):
    """There is no definite answer. Unless `never_sent` is true, the call may have been carried out."""

    def __init__(
        self,
        operation: str,
        never_sent: bool,
        *,
        ids: Mapping[str, str] | None = None,
        round: RoundInfoReply | None = None,
        advice: str | None = None,
    ) -> None:
        self.operation = operation
        self.never_sent = never_sent
        #: The idempotency keys of the command, including those that the client made, as its keyword arguments.
        self.ids: dict[str, str] = dict(ids or {})
        #: The last reply of getGameRoundInfo.
        self.round = round
        lost = "not sent" if never_sent else "no reply"
        super().__init__(f"{operation}: {lost if advice is None else f'the outcome is not known. {advice}'}")


def _error_code(body: Any) -> ErrorObject | None:
    error = body.get("errorCode") if isinstance(body, dict) else None
    if not isinstance(error, dict) or type(error.get("id")) not in (int, float):
        return None
    text = {name: value if isinstance(value := error.get(name), str) else "" for name in ("msg", "clientmsg")}
    return cast(ErrorObject, {"id": error["id"], **text})
