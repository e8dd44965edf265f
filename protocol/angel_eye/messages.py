"""Messages of the shoe and its host, as frozen values. Unknown numbers from a newer shoe are kept unchanged."""

from enum import IntEnum

from protocol.cards import Card
from protocol.message import Message as Message


class Destination(IntEnum):
    """Destination of a card drawn in a game, according to the shoe's baccarat rules."""

    PLAYER = 0
    BANKER = 1
    BURN = 2
    FIRST_CARD = 4
    BURN_COUNT = 5


class Mode(IntEnum):
    """Mode of the shoe when a card is drawn outside a game."""

    LOCK = 0
    ERROR = 1
    SETTING = 2


class Trouble(IntEnum):
    """Errors that an error report can name."""

    CANNOT_READ = 1
    OVERDRAW = 2
    WRONG_BUTTON = 3
    PUSHED_BACK = 4
    PULLED_BACK = 5
    CODE_WRONG = 6
    DRAW_TOO_SLOW = 7


class Winner(IntEnum):
    """Result of the game according to the shoe's baccarat rules."""

    PLAYER = 1
    TIE = 2
    BANKER = 4
    FORCED_END = 7


# ------------------------------------------------------------------ shoe to host


class StartedMessage(Message, frozen=True):
    """S: the shoe was powered up or reset. Earlier reports are not compared for repeats."""


class StandingByMessage(Message, frozen=True):
    """P: ready for the next game."""


class CardDrawnMessage(Message, frozen=True):
    """D: a card drawn in a game. `ordinal` counts within its destination, 0-15; `card` is none if it was not read."""

    destination: int
    ordinal: int
    card: Card


class CardReportedAgainMessage(Message, frozen=True):
    """R: the report of a card, sent again."""

    destination: int
    ordinal: int
    card: Card


class CardDrawnOutsideMessage(Message, frozen=True):
    """d: a card drawn outside a game."""

    mode: int
    ordinal: int
    card: Card


class CutCardDrawnMessage(Message, frozen=True):
    """C: the cut card was drawn."""


class GameResultMessage(Message, frozen=True):
    """G: result of the game according to the shoe's rules."""

    winner: int
    player_pair: bool
    banker_pair: bool


class ErrorRaisedMessage(Message, frozen=True):
    """E: an error. `error_mode` is true if the shoe entered its error mode."""

    error_mode: bool
    trouble: int


class ErrorClearedMessage(Message, frozen=True):
    """e: an error ended."""

    trouble: int


class LockMovedMessage(Message, frozen=True):
    """L: the key was turned."""

    locked: bool


class SettingChangedMessage(Message, frozen=True):
    """M: a setting was changed. Address and value are as the shoe writes them."""

    address: str
    value: str


class UnknownReportMessage(Message, frozen=True):
    """A report with a letter that is unknown to this version."""

    letter: str
    data: bytes


# ------------------------------------------------------------------ host to shoe


class LockMessage(Message, frozen=True):
    """LK: lock or unlock the shoe."""

    locked: bool


class ClearErrorMessage(Message, frozen=True):
    """EC: clear the error with this number, 0-99."""

    trouble: int


class AskGameMessage(Message, frozen=True):
    """GP: request the state of the game."""


# ------------------------------------------------------------------ answers, both ways


class AcknowledgedMessage(Message, frozen=True):
    """ACK: accepted."""


class RejectedMessage(Message, frozen=True):
    """NAK: not accepted. `reason` is a `framing.NakReason`."""

    reason: int


class TextMessage(Message, frozen=True):
    """Text answer. No public program interprets more than its text."""

    text: str
