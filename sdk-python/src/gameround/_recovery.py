from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeGuard, TypeVar

from ._retry import Retries, attempts, is_too_many
from .errors import InterfaceError, LostResponse
from .replies import RoundInfoReply

Reply = TypeVar("Reply")

GAMEROUNDNOTACTIVE = 2000
GAMEROUNDCRASHED = 2012
WALLETUNAVAILABLE = 3000


@dataclass(frozen=True)
class NamedCommand(Generic[Reply]):
    """A command with idempotency keys: it can be sent any number of times and is carried out once."""

    operation: str
    #: Its idempotency keys.
    ids: Mapping[str, str]
    #: The game chose the key, so it may have sent the command before.
    may_be_repeat: bool
    send: Callable[[], Reply]
    #: Calls getGameRoundInfo for the round.
    ask: Callable[[], RoundInfoReply]
    #: The reply to the command, if its round shows that it took effect.
    effect_in: Callable[[RoundInfoReply], Reply | None]


def carried_out(retries: Retries, command: NamedCommand[Reply]) -> Reply:
    """Sends a command until it has a definite answer (docs/interface#lost-reply).

    After a lost reply it calls getGameRoundInfo. If that does not show the command's own effect, it sends the same
    command with the same keys again. It sends nothing else. Raises InterfaceError if the command was refused and has
    no effect, and LostResponse if the outcome is unknown.
    """
    in_doubt = False
    round: RoundInfoReply | None = None

    def attempt() -> Reply:
        nonlocal in_doubt, round
        try:
            return command.send()
        except (InterfaceError, LostResponse) as error:
            in_doubt = in_doubt or _is_uncertain(error)
            if _is_over(error):
                is_asked = in_doubt or command.may_be_repeat
            else:
                is_asked = in_doubt and isinstance(error, LostResponse)
            if not is_asked:
                raise
            round = _answer(command.ask) or round
            effect = None if round is None else command.effect_in(round)
            if effect is None:
                raise
            return effect

    try:
        return attempts(retries, attempt, lambda error: _is_uncertain(error) or _is_not_carried_out(error))
    except (InterfaceError, LostResponse) as error:
        if not in_doubt or _is_refusal(error):
            raise
        advice = _advice_after(error, round)
        raise LostResponse(command.operation, False, ids=command.ids, round=round, advice=advice) from error


def _answer(ask: Callable[[], RoundInfoReply]) -> RoundInfoReply | None:
    try:
        return ask()
    except (InterfaceError, LostResponse):
        return None


def _advice_after(error: Exception, round: RoundInfoReply | None) -> str:
    if not _is_over(error):
        return "Send the same call again, with the ids of this error."
    if round is None:
        return "The round takes no more calls. Ask getGameRoundInfo whether it has this one."
    return "The round takes no more calls, and it does not show this one. Look at the round of this error."


def _is_not_carried_out(error: Exception) -> bool:
    return is_too_many(error) or (isinstance(error, LostResponse) and error.never_sent)


def _is_uncertain(error: Exception) -> bool:
    """The command may have been carried out, or may still be carried out: there is no reply, or no definite one."""
    if isinstance(error, LostResponse):
        return not error.never_sent
    if not isinstance(error, InterfaceError) or _is_bet_given_back(error):
        return False
    return error.status < 400 or error.status == 408 or error.status >= 500


def _is_bet_given_back(error: InterfaceError) -> bool:
    """A definite answer of the round: the bet is not in play (docs/interface#what-the-provider-gets)."""
    return error.status == 502 and _id_of(error) == WALLETUNAVAILABLE and _status_in(error) is not None


def _is_over(error: Exception) -> TypeGuard[InterfaceError]:
    """The round accepts no more commands. A repeat of a command that was carried out may also get this error."""
    return isinstance(error, InterfaceError) and _id_of(error) in (GAMEROUNDNOTACTIVE, GAMEROUNDCRASHED)


def _is_refusal(error: Exception) -> bool:
    """Whether the error is definite.

    While the round is open, a repeat gets the first answer. A cancelled round pays nothing.
    """
    if _is_over(error):
        return _status_in(error) == "cancel"
    return isinstance(error, InterfaceError) and (error.status == 400 or _is_bet_given_back(error))


def _id_of(error: InterfaceError) -> int | None:
    return error.error_code["id"] if error.error_code else None


def _status_in(error: InterfaceError) -> object:
    about = error.body.get("gameRoundInfo") if isinstance(error.body, dict) else None
    return about.get("status") if isinstance(about, dict) else None
