"""Debug mode: the data of each request that a client sent or a wallet received."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DebugEntry:
    method: str
    url: str
    #: The signed message, with `<secret>` in place of the secret. Empty if it could not be made.
    signed: str
    #: The HTTP status; None without a complete reply.
    status: int | None
    #: The JSON body of the reply; None if there is none.
    reply: Any
    seconds: float


#: Called after each request. The signed message contains tokens and player ids: do not log it in production.
Debug = Callable[[DebugEntry], object]


def tell(debug: Debug | None, entry: DebugEntry) -> None:
    """Calls the debug function. Its errors are ignored, so that they don't affect the request."""
    if debug is None:
        return
    try:
        debug(entry)
    except Exception:
        pass
