import io
import json
import unittest
from collections.abc import Mapping, Sequence
from typing import Any

from gameround import Account, DebugEntry, Wallet, WalletState, sign_fields
from gameround.signing import timestamp_now

SECRET = "the-secret"
PATH = "/base/getBalance?playerId=alice&currency=EUR"


def headers(fields: Sequence[str], secret: str = SECRET, operator_id: str = "op1") -> dict[str, str]:
    timestamp = timestamp_now()
    signature = sign_fields(secret, operator_id, timestamp, fields)
    return {"x-h-auth-id": operator_id, "X-H-TIMESTAMP": timestamp, "X-H-AUTH-SIG": signature}


def debit(**more: Any) -> dict[str, Any]:
    return {"type": "debit", "hash": "d1", "currency": "EUR", "isFirstDebit": True, "amount": 300, **more}


class WalletKit(unittest.TestCase):
    def setUp(self) -> None:
        self.state = WalletState(1_000, None)
        self.errors: list[Exception] = []
        self.reports: list[Mapping[str, Any]] = []
        self.entries: list[DebugEntry] = []
        self.wallet = Wallet(
            "op1",
            [SECRET],
            balance=lambda account: self.state.balance if account == Account("alice", "EUR") else None,
            transact=self.transact,
            on_error=self.errors.append,
            report=self.reports.append,
            debug=self.entries.append,
        )

    def transact(self, account: Account, game_round: str, change: Any) -> None:
        self.assertEqual((account, game_round), (Account("alice", "EUR"), "r1"))
        self.state = change(self.state)

    def call(self, body: Any, fields: Sequence[str]) -> tuple[int, Any]:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.wallet.handle("POST", "/doTransactions", headers(fields), raw)

    def transactions(self, *transactions: dict[str, Any], count: Any = None, **more: Any) -> tuple[int, Any]:
        fields = ["alice", "g1", "R1"]
        for one in transactions:
            fields += [str(one["hash"]), *([str(one["amount"])] if one.get("amount") else [])]
        body = {"playerId": "alice", "gameCode": "g1", "gameRound": "R1", "transactions": transactions, **more}
        return self.call({**body, "transactionCount": len(transactions) if count is None else count}, fields)

    def test_a_failure_of_the_books_is_a_500_and_goes_to_on_error(self) -> None:
        def fail(*_: Any) -> Any:
            raise OSError("no database")

        wallet = Wallet("op1", [SECRET], balance=fail, transact=fail, on_error=self.errors.append)
        status, body = wallet.handle("GET", PATH, headers(["alice", "EUR"]), b"")
        self.assertEqual((status, body["errorCode"]["id"]), (500, 1004))
        self.assertEqual([str(error) for error in self.errors], ["no database"])

    def test_transact_that_does_not_call_change_is_a_500(self) -> None:
        self.wallet = Wallet(
            "op1", [SECRET], balance=lambda _: None, transact=lambda *_: None, on_error=self.errors.append
        )
        self.assertEqual(self.transactions(debit())[0], 500)
        self.assertEqual(len(self.errors), 1)

    def test_reports_are_handed_over(self) -> None:
        detail = {"hash": "r1", "player": "alice"}
        body = json.dumps({"gameRoundDetail": detail}).encode()
        self.assertEqual(self.wallet.handle("POST", "/doGameRoundReport", headers([]), body), (200, {}))
        self.assertEqual(self.reports, [detail])

    def test_debug_tells_each_request_and_what_its_signature_has_to_be_of(self) -> None:
        for secret, operator_id in (("wrong", "op1"), (SECRET, "op2"), (SECRET, "op1")):
            self.wallet.handle("GET", PATH, headers(["alice", "EUR"], secret, operator_id), b"")
        signed = [entry.signed for entry in self.entries]
        self.assertEqual([(entry.method, entry.url, entry.status) for entry in self.entries],
                         [("GET", PATH, 401), ("GET", PATH, 401), ("GET", PATH, 200)])  # fmt: skip
        self.assertRegex(signed[0], r"^<secret>#op1#[\d:.TZ-]+#alice#EUR$")
        self.assertEqual(signed[1], "")
        self.assertNotIn(SECRET, str(self.entries))

    def test_a_true_is_no_number(self) -> None:
        self.assertEqual(self.transactions(debit(), count=True)[1]["errorCode"]["id"], 16)
        self.assertEqual(self.transactions(debit(amount=True))[1]["errorCode"]["id"], 1000)
        self.assertEqual(self.transactions(debit(amount=300.0))[1]["errorCode"]["id"], 1000)
        self.assertEqual(self.state, WalletState(1_000, None))

    def test_what_is_no_json_is_refused(self) -> None:
        for raw in (b"", b"[]", b'{"a": NaN}', b"\xff", b"[" * 100_000, b'{"transactions": ' + b"9" * 5_000 + b"}"):
            status, body = self.call(raw, [])
            self.assertEqual((status, body["errorCode"]["id"]), (400, 1000), raw[:20])
        half = '{"playerId": "\\ud800", "gameCode": "g", "gameRound": "r", "transactionCount": 1, "transactions": [%s]}'
        self.assertEqual(self.call((half % json.dumps(debit())).encode(), [])[0], 400)
        self.assertEqual(self.errors, [])

    def test_the_stored_round_has_the_form_of_the_typescript_kit(self) -> None:
        self.assertEqual(self.transactions(debit(hash="D1"))[0], 200)
        processed = {"debit:d1": {"amount": 300}}
        self.assertEqual(
            self.state,
            WalletState(
                700,
                {
                    "playerId": "alice",
                    "gameCode": "g1",
                    "currency": "EUR",
                    "status": "open",
                    "initialDebit": "d1",
                    "processed": processed,
                },
            ),
        )

    def test_change_can_be_called_again(self) -> None:
        def twice(account: Account, game_round: str, change: Any) -> None:
            change(self.state)
            self.state = change(self.state)

        self.wallet._transact = twice
        self.assertEqual(self.transactions(debit())[0], 200)
        self.assertEqual(self.state.balance, 700)

    def wsgi(self, environ: dict[str, Any]) -> tuple[str, Any]:
        started: list[str] = []
        body = b"".join(self.wallet(environ, lambda status, _headers, _exc=None: started.append(status)))  # type: ignore
        return started[0], json.loads(body)

    def test_wsgi(self) -> None:
        signed = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers(["p é", "EUR"]).items()}
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/getBalance", "wsgi.input": io.BytesIO(), **signed}
        environ["QUERY_STRING"] = "playerId=p+%C3%A9&currency=EUR"
        self.assertEqual(self.wsgi(environ)[1]["errorCode"]["id"], 2003)

    def test_wsgi_reads_what_is_too_large_to_the_end(self) -> None:
        text = io.BytesIO(b" " * (1024 * 1024 + 1))
        environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/doTransactions", "wsgi.input": text}
        for more in ({"CONTENT_LENGTH": str(1024 * 1024 + 1)}, {"wsgi.input_terminated": True}):
            text.seek(0)
            status, body = self.wsgi({**environ, **more})
            self.assertEqual((status[:3], body["errorCode"]["id"], text.read()), ("413", 1002, b""))

    def test_odd_requests_are_refused(self) -> None:
        for url in ("//[", "http://[", "", "/%", "//"):
            self.assertIn(self.wallet.handle("POST", url, {}, b"[").status, (400, 401, 404))
        environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/doTransactions", "wsgi.input": io.BytesIO(b"{}")}
        for length in ("abc", "-5", "9" * 5000):
            self.assertEqual(self.wsgi({**environ, "CONTENT_LENGTH": length})[0][:3], "401")

    def test_one_secret_instead_of_a_list_is_a_mistake(self) -> None:
        with self.assertRaises(TypeError):
            Wallet("op1", SECRET, balance=lambda _: None, transact=lambda *_: None)
