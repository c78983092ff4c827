import json
import unittest
from pathlib import Path

from gameround import (
    OPERATOR_FIELDS,
    PROVIDER_FIELDS,
    parse_timestamp,
    sign_body,
    sign_fields,
    verify_body,
    verify_fields,
)

# The vectors of the TypeScript SDK's tests.
VECTORS = json.loads((Path(__file__).parents[2] / "test/vectors/signing.json").read_text(encoding="utf-8"))
SECRET, AUTH_ID, TIMESTAMP = VECTORS["secret"], VECTORS["authId"], VECTORS["timestamp"]


class Signing(unittest.TestCase):
    def test_fields(self) -> None:
        for lists, cases in ((OPERATOR_FIELDS, VECTORS["operator"]), (PROVIDER_FIELDS, VECTORS["provider"])):
            self.assertEqual({case["call"] for case in cases}, set(lists))
            for case in cases:
                with self.subTest(case["call"], what=case["what"]):
                    fields, signature = lists[case["call"]](case["given"]), case["signature"]
                    self.assertEqual(fields, case["fields"])
                    self.assertEqual(sign_fields(SECRET, AUTH_ID, TIMESTAMP, fields), signature)
                    self.assertTrue(verify_fields(signature, [SECRET], AUTH_ID, TIMESTAMP, fields))
                    self.assertFalse(verify_fields(signature, [SECRET], AUTH_ID, TIMESTAMP, [*fields, "x"]))
                    self.assertFalse(verify_fields(signature, [SECRET], "op2", TIMESTAMP, fields))

    def test_bodies(self) -> None:
        for case in VECTORS["bodies"]:
            with self.subTest(case["what"]):
                body, signature = bytes.fromhex(case["hex"]), case["signature"]
                self.assertEqual(sign_body(SECRET, body, TIMESTAMP), signature)
                self.assertTrue(verify_body(signature, ["newer", SECRET], body, TIMESTAMP))
                self.assertFalse(verify_body(signature, [SECRET], body + b" ", TIMESTAMP))

    def test_a_rotation_has_two_secrets(self) -> None:
        case = VECTORS["operator"][0]
        for secrets, is_right in (
            (["newer", SECRET], True),
            ([SECRET, "older"], True),
            (["newer"], False),
            ([], False),
        ):
            self.assertIs(
                verify_fields(case["signature"], secrets, AUTH_ID, TIMESTAMP, case["fields"]), is_right, secrets
            )

    def test_what_is_no_signature_is_wrong_and_raises_nothing(self) -> None:
        for signature in ("", "short", "####", "é" * 44, "\ud800" * 44):
            self.assertFalse(verify_body(signature, [SECRET], b"{}", TIMESTAMP))

    def test_timestamps(self) -> None:
        for text in VECTORS["timestamps"]["equal"]:
            self.assertEqual(parse_timestamp(text), VECTORS["timestamps"]["seconds"], text)
        for text in VECTORS["timestamps"]["invalid"]:
            self.assertIsNone(parse_timestamp(text), text)
