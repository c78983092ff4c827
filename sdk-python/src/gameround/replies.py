"""The replies of the interface (docs/interface/objects.md), as the service sends them.

A field that may be absent is in a class with `total=False`. DiscountInfo and tickets are passed through as the operator
sent them, so they are plain dictionaries.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

RoundStatus = Literal["open", "closed", "cancel"]


class TokenData(TypedDict):
    operatorId: str
    playerId: str
    gameId: str
    mode: Literal["real", "demo", "history"]
    currency: str
    currentToken: str
    #: The hash of the round; empty if there is none.
    gameRound: str
    walletMode: str
    language: str
    currencyMultiplier: float
    device: str
    commonDraw: str


class Promotions(TypedDict):
    protocolVersion: int
    data: str


class FreePlayInfo(TypedDict):
    used: int
    granted: int
    won: int
    isLast: bool
    promotions: Promotions
    serial: str


class FreePlaysAvailable(TypedDict):
    currency: str
    stake: int
    count: int
    feature: str
    serial: str


class BalanceEntry(TypedDict):
    type: str
    currency: str
    amount: int


class _Balance(TypedDict):
    totalBalance: int
    mode: str
    currency: str
    balances: list[BalanceEntry]


class Balance(_Balance, total=False):
    discountInfo: dict[str, Any]
    tickets: list[dict[str, Any]]
    ticketInfo: FreePlayInfo


class GameRoundInfo(TypedDict):
    hash: str
    status: RoundStatus
    stake: int
    baseStake: int
    mode: str
    currency: str
    game: str
    currencyMultiplier: float
    commonRoundHash: str


class GameStateResult(TypedDict):
    winAmount: int
    info: dict[str, str]


class _GameStateEntry(TypedDict):
    hash: str
    type: str
    processedOn: str
    result: GameStateResult
    amountWagered: int
    collected: int
    reason: str


class GameStateEntry(_GameStateEntry, total=False):
    #: Entries of the service that are not in `info`, because the provider's data uses their names.
    own: dict[str, str]


class _TransactionRecord(TypedDict):
    type: Literal["debit", "credit", "end", "void"]
    currency: str
    hash: str
    timestamp: str


class TransactionRecord(_TransactionRecord, total=False):
    isFirstDebit: bool
    amount: int
    discountAmount: int
    discountCampaignId: str
    reason: str
    freePlayStake: int
    freePlayUsed: bool
    serial: str


class PromoWinInfo(TypedDict):
    referenceId: str


class _RoundReply(TypedDict):
    gameRoundInfo: GameRoundInfo
    commonGameRoundInfo: dict[str, str]
    gameState: list[GameStateEntry]
    amountToCollect: int
    amountCredited: int
    freePlaysAvailable: list[FreePlaysAvailable]
    passThroughData: dict[str, str]


class _RoundReplyMore(_RoundReply, total=False):
    #: Present if a ticket paid the bet.
    freePlayInfo: FreePlayInfo
    promoWinInfo: PromoWinInfo


class VoidReply(_RoundReplyMore, total=False):
    """Its balance is not authoritative (docs/interface#void-reply)."""

    tokenData: TokenData
    balance: Balance | int


class _GameReply(_RoundReplyMore):
    tokenData: TokenData


class GameReply(_GameReply, total=False):
    #: Absent if the service does not know it.
    balance: Balance


class SpinCounterReply(GameReply):
    spinsAvailable: int


class HistoryReply(GameReply):
    protectedInfo: dict[str, str]


class RoundInfoReply(GameReply):
    #: The sum of all wins of the round so far.
    totalWinAmount: int
    transactions: list[TransactionRecord]


class TokenDataReply(TypedDict):
    tokenData: TokenData


class UncollectedReply(TokenDataReply):
    amountToCollect: int


class AvailableSpinsReply(UncollectedReply):
    spinsAvailable: int


class RandomReply(TokenDataReply):
    values: list[float]
    rngRequestId: str


class _OpenRound(GameRoundInfo):
    timestamp: str
    amountToCollect: int


class OpenRound(_OpenRound, total=False):
    #: The round waits for a reconciliation.
    crashed: Literal[True]


class OpenRoundsReply(TypedDict):
    gameRoundList: list[OpenRound]


class LastRound(TypedDict):
    id: str
    status: Literal["closed"]
    timestamp: str
    bet: int
    won: int
    currency: str
    gameSpecificDetails: dict[str, str]


class LastRoundsReply(TypedDict):
    gameRoundList: list[LastRound]


class GameUrlReply(TypedDict):
    url: str
    isNew: bool
    internalPlayerId: str


class RegisterReply(TypedDict):
    internalPlayerId: str
    isNew: bool


class _HashProcessed(TypedDict):
    hash: str


class HashProcessed(_HashProcessed, total=False):
    errorCode: dict[str, Any]


class _RecordHead(TypedDict):
    hash: str
    player: str
    mode: str
    game: str
    operator: str
    status: RoundStatus
    language: str
    currency: str
    environment: str
    timestamp: str
    totalBetAmount: int
    totalWinAmount: int


class _RecordMore(_RecordHead, total=False):
    #: The round waits for a reconciliation.
    crashed: Literal[True]


class _GameRoundRecord(_RecordMore):
    transactions: list[TransactionRecord]


class GameRoundRecord(_GameRoundRecord, total=False):
    #: The provider's reply to getGameResult.
    dataStored: dict[str, str]


class TransactionDetail(TransactionRecord, total=False):
    payed: int
    balanceAfter: int


class _GameRoundDetail(_RecordMore):
    baseStake: int
    totalPayedAmount: int
    dataStored: dict[str, str]
    ticketUsed: bool
    transactions: list[TransactionDetail]


class GameRoundDetail(_GameRoundDetail, total=False):
    balanceAfter: int


class GameRoundDetailsReply(TypedDict):
    gameRound: GameRoundRecord


class GameRoundReportReply(TypedDict):
    gameRoundDetail: GameRoundDetail


class _ReconcileReply(TypedDict):
    gameRound: GameRoundRecord
    hashesProcessed: list[HashProcessed]
    currency: str
    mode: str


class ReconcileReply(_ReconcileReply, total=False):
    #: Sum of the balances in the operator's reply; absent if the reply has none.
    balance: int


class ExtendedGame(TypedDict):
    name: str
    studio: str


class GameListReply(TypedDict):
    gameList: dict[str, str]
    extendedGameList: dict[str, ExtendedGame]


class GameConfiguration(TypedDict):
    gameCode: str
    #: stakes, currency, currencyMultiplier, expectedRtp, maxPayoutOdds, and what the game adds.
    config: dict[str, Any]
