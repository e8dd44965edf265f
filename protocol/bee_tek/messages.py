"""What the shoe says, as frozen values. `mode` is the shoe's own word for what it is doing (`Game` ...)."""

from dataclasses import dataclass
from typing import Final

from protocol.cards import Card

GAME: Final = "Game"
BURN: Final = "Manual Burn Cards"
ALARM: Final = "GameAlarm"


@dataclass(frozen=True, slots=True)
class Message:
    """Base of everything that travels."""

    mode: str


@dataclass(frozen=True, slots=True)
class CardDrawn(Message):
    """A card came out and was read."""

    card: Card


@dataclass(frozen=True, slots=True)
class CardNotRead(Message):
    """A card came out and was not read: the item has no card in it."""


@dataclass(frozen=True, slots=True)
class Alarm(Message):
    """Something is wrong: a code such as `E3`, and words. Either may be empty."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Warned(Message):
    """A warning number; no public program knows their meanings."""

    code: int


@dataclass(frozen=True, slots=True)
class UnknownItem(Message):
    """An item this version does not know."""

    item: str
