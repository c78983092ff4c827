"""Clients and wallet kit for the gameround interface."""

from ._wallet_rules import Round, WalletState
from .debug import Debug, DebugEntry
from .errors import ErrorObject, InterfaceError, LostResponse
from .operator_client import OperatorClient
from .provider_client import ProviderClient
from .signing import (
    OPERATOR_FIELDS,
    PROVIDER_FIELDS,
    parse_timestamp,
    sign_body,
    sign_fields,
    verify_body,
    verify_fields,
)
from .wallet import Account, Change, Wallet, WalletReply

__all__ = [
    "OPERATOR_FIELDS",
    "PROVIDER_FIELDS",
    "Account",
    "Change",
    "Debug",
    "DebugEntry",
    "ErrorObject",
    "InterfaceError",
    "LostResponse",
    "OperatorClient",
    "ProviderClient",
    "Round",
    "Wallet",
    "WalletReply",
    "WalletState",
    "parse_timestamp",
    "sign_body",
    "sign_fields",
    "verify_body",
    "verify_fields",
]
