"""What the shoe and its host say, as frozen values. Numbers a newer shoe may send are kept as they are."""

from enum import IntEnum

from protocol.cards import Card
from protocol.message import Message as Message


class Destination(IntEnum):
    """What a card drawn in a game is for, as the shoe's baccarat rules have it."""

    PLAYER = 0
    BANKER = 1
    BURN = 2
    FIRST_CARD = 4
    BURN_COUNT = 5


class Mode(IntEnum):
    """What the shoe is in when a card is drawn outside a game."""

    LOCK = 0
    ERROR = 1
    SETTING = 2


class Trouble(IntEnum):
    """What an error report can say."""

    CANNOT_READ = 1
    OVERDRAW = 2
    WRONG_BUTTON = 3
    PUSHED_BACK = 4
    PULLED_BACK = 5
    CODE_WRONG = 6
    DRAW_TOO_SLOW = 7


class Winner(IntEnum):
    """How the shoe's baccarat rules decide the game."""

    PLAYER = 1
    TIE = 2
    BANKER = 4
    FORCED_END = 7


# ------------------------------------------------------------------ shoe to host


class StartedMessage(Message, frozen=True):
    """S: the shoe was powered up or reset. What it said before does not count for repeats."""


class StandingByMessage(Message, frozen=True):
    """P: ready for the next game."""


class CardDrawnMessage(Message, frozen=True):
    """D: a card drawn in a game. `ordinal` counts in its destination, 0-15; `card` is none when it was not read."""

    destination: int
    ordinal: int
    card: Card


class CardReportedAgainMessage(Message, frozen=True):
    """R: a card's report sent again."""

    destination: int
    ordinal: int
    card: Card


class CardDrawnOutsideMessage(Message, frozen=True):
    """d: a card drawn outside a game."""

    mode: int
    ordinal: int
    card: Card


class CutCardDrawnMessage(Message, frozen=True):
    """C: the cut card."""


class GameResultMessage(Message, frozen=True):
    """G: what the shoe's rules make of the game."""

    winner: int
    player_pair: bool
    banker_pair: bool


class ErrorRaisedMessage(Message, frozen=True):
    """E: a trouble; `error_mode` when the shoe has gone into its error mode."""

    error_mode: bool
    trouble: int


class ErrorClearedMessage(Message, frozen=True):
    """e: a trouble is over."""

    trouble: int


class LockMovedMessage(Message, frozen=True):
    """L: the key was turned."""

    locked: bool


class SettingChangedMessage(Message, frozen=True):
    """M: a setting was changed; address and value as the shoe writes them."""

    address: str
    value: str


class UnknownReportMessage(Message, frozen=True):
    """A report with a letter this version does not know."""

    letter: str
    data: bytes


# ------------------------------------------------------------------ host to shoe


class LockMessage(Message, frozen=True):
    """LK: lock or unlock the shoe."""

    locked: bool


class ClearErrorMessage(Message, frozen=True):
    """EC: clear the trouble with this number, 0-99."""

    trouble: int


class AskGameMessage(Message, frozen=True):
    """GP: ask where the game is."""


# ------------------------------------------------------------------ answers, both ways


class AcknowledgedMessage(Message, frozen=True):
    """ACK: taken."""


class RejectedMessage(Message, frozen=True):
    """NAK: not taken; `reason` is a `framing.NakReason`."""

    reason: int


class TextMessage(Message, frozen=True):
    """An answer in words; no public program reads more out of it than its text."""

    text: str
