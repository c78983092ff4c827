"""Runs the kit's clients for python-kit.ts: a call a line on stdin, its result a line on stdout.

While a call runs, it can ask: to wait, and to hand over a debug entry. The answer is the next line on stdin.
"""

import json
import sys
from dataclasses import asdict
from typing import Any

import gameround
import gameround._retry

CLIENTS = {"provider": gameround.ProviderClient, "operator": gameround.OperatorClient}


def say(message: Any) -> None:
    print(json.dumps(message), flush=True)


def ask(message: Any) -> Any:
    say(message)
    return json.loads(sys.stdin.readline())


def debug(entry: gameround.DebugEntry) -> None:
    if not ask({"debug": asdict(entry)}):
        raise RuntimeError("the debug function has failed")


def told(error: BaseException | None) -> Any:
    if isinstance(error, gameround.InterfaceError):
        return {
            "kind": "InterfaceError",
            "operation": error.operation,
            "status": error.status,
            "body": error.body,
            "retryAfter": error.retry_after,
            "errorCode": error.error_code,
        }
    if isinstance(error, gameround.LostResponse):
        return {
            "kind": "LostResponse",
            "operation": error.operation,
            "neverSent": error.never_sent,
            "ids": error.ids,
            "round": error.round,
            "message": str(error),
            "cause": told(error.__cause__),
        }
    return None if error is None else {"kind": "other", "message": repr(error)}


gameround._retry.sleep = lambda seconds: ask({"sleep": seconds})  # type: ignore[assignment]

while line := sys.stdin.readline():
    call = json.loads(line)
    options = call["options"]
    if options.pop("debug"):
        options["debug"] = debug
    try:
        client = CLIENTS[call["client"]](**options)
        say({"result": getattr(client, call["method"])(**call["given"])})
    except Exception as error:
        say({"error": told(error)})
