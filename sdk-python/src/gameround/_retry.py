from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import sleep
from typing import TypeVar

from .errors import InterfaceError

Reply = TypeVar("Reply")

MAX_BACKOFF = 10.0


@dataclass(frozen=True)
class Retries:
    #: The most attempts of one call, including the first.
    max_attempts: int = 4
    #: The pause in seconds before the second attempt. It doubles for each further one.
    backoff: float = 0.5


def is_too_many(error: Exception) -> bool:
    """429: the service had no free place for the call and did not carry it out (docs/interface#calls-at-a-time)."""
    return isinstance(error, InterfaceError) and error.status == 429


def is_retriable(error: Exception) -> bool:
    return is_too_many(error) or (isinstance(error, InterfaceError) and error.status >= 500)


def attempts(retries: Retries, attempt: Callable[[], Reply], is_retried: Callable[[Exception], bool]) -> Reply:
    made = 1
    while True:
        try:
            return attempt()
        except Exception as error:
            if not is_retried(error) or made >= retries.max_attempts:
                raise
            asked = error.retry_after if isinstance(error, InterfaceError) else 0.0
        sleep(min(max(retries.backoff * 2 ** (made - 1), asked), MAX_BACKOFF))
        made += 1
