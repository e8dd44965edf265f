"""What the shoe and its host say, as frozen values. Numbers a newer shoe may send are kept as they are."""

from dataclasses import dataclass
from enum import IntEnum

from protocol.cards import Card


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


@dataclass(frozen=True, slots=True)
class Message:
    """Base of everything that travels."""


# ------------------------------------------------------------------ shoe to host


@dataclass(frozen=True, slots=True)
class Started(Message):
    """S: the shoe was powered up or reset. What it said before does not count for repeats."""


@dataclass(frozen=True, slots=True)
class StandingBy(Message):
    """P: ready for the next game."""


@dataclass(frozen=True, slots=True)
class CardDrawn(Message):
    """D: a card drawn in a game. `ordinal` counts in its destination, 0-15; `card` is none when it was not read."""

    destination: int
    ordinal: int
    card: Card


@dataclass(frozen=True, slots=True)
class CardReportedAgain(Message):
    """R: a card's report sent again."""

    destination: int
    ordinal: int
    card: Card


@dataclass(frozen=True, slots=True)
class CardDrawnOutside(Message):
    """d: a card drawn outside a game."""

    mode: int
    ordinal: int
    card: Card


@dataclass(frozen=True, slots=True)
class CutCardDrawn(Message):
    """C: the cut card."""


@dataclass(frozen=True, slots=True)
class GameResult(Message):
    """G: what the shoe's rules make of the game."""

    winner: int
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class ErrorRaised(Message):
    """E: a trouble; `error_mode` when the shoe has gone into its error mode."""

    error_mode: bool
    trouble: int


@dataclass(frozen=True, slots=True)
class ErrorCleared(Message):
    """e: a trouble is over."""

    trouble: int


@dataclass(frozen=True, slots=True)
class LockMoved(Message):
    """L: the key was turned."""

    locked: bool


@dataclass(frozen=True, slots=True)
class SettingChanged(Message):
    """M: a setting was changed; address and value as the shoe writes them."""

    address: str
    value: str


@dataclass(frozen=True, slots=True)
class UnknownReport(Message):
    """A report with a letter this version does not know."""

    letter: str
    data: bytes


# ------------------------------------------------------------------ host to shoe


@dataclass(frozen=True, slots=True)
class Lock(Message):
    """LK: lock or unlock the shoe."""

    locked: bool


@dataclass(frozen=True, slots=True)
class ClearError(Message):
    """EC: clear the trouble with this number, 0-99."""

    trouble: int


@dataclass(frozen=True, slots=True)
class AskGame(Message):
    """GP: ask where the game is."""


# ------------------------------------------------------------------ answers, both ways


@dataclass(frozen=True, slots=True)
class Acknowledged(Message):
    """ACK: taken."""


@dataclass(frozen=True, slots=True)
class Rejected(Message):
    """NAK: not taken; `reason` is a `framing.NakReason`."""

    reason: int


@dataclass(frozen=True, slots=True)
class Told(Message):
    """An answer in words; no public program reads more out of it than its text."""

    text: str
