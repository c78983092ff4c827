import unittest
from typing import Any

from gameround import OperatorClient, ProviderClient

ADDRESS = "http://127.0.0.1:1"


class Arguments(unittest.TestCase):
    """A mistake in what a caller passes names the option or the argument. No test here sends a request."""

    def test_a_missing_option_is_named(self) -> None:
        for client, own in ((ProviderClient, "provider_id"), (OperatorClient, "operator_id")):
            good: dict[str, Any] = {"base_url": ADDRESS, own: "x", "secret": "s"}
            for name in good:
                for value in (None, ""):
                    with self.assertRaisesRegex(ValueError, f"the option {name} is missing"):
                        client(**{**good, name: value})

    def test_a_missing_argument_is_named(self) -> None:
        game: Any = ProviderClient(ADDRESS, "gp1", "s")
        operator: Any = OperatorClient(ADDRESS, "op1", "s")
        with self.assertRaisesRegex(ValueError, "start_game_round: the argument debit_information is missing"):
            game.start_game_round(token="t", debit_information=None)
        with self.assertRaisesRegex(ValueError, "add_win: the argument rng_result is missing"):
            game.add_win(token="t", game_round="r", rng_result=None)
        with self.assertRaisesRegex(ValueError, "get_game_url: the argument game_code is missing"):
            operator.get_game_url(currency="EUR", game_code=None, mode="real")
        with self.assertRaisesRegex(ValueError, "get_game_round_details: the argument player_id is missing"):
            operator.get_game_round_details(player_id=None, game_round="r")
