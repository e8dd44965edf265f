"""What the shoe says, as frozen values. `mode` is the shoe's own word for what it is doing (`Game` ...)."""

from typing import Final

from protocol import message
from protocol.cards import Card

GAME: Final = "Game"
BURN: Final = "Manual Burn Cards"
ALARM: Final = "GameAlarm"


class Message(message.Message, frozen=True):
    """Base of everything that travels."""

    mode: str


class CardDrawnMessage(Message, frozen=True):
    """A card came out and was read."""

    card: Card


class CardNotReadMessage(Message, frozen=True):
    """A card came out and was not read: the item has no card in it."""


class AlarmMessage(Message, frozen=True):
    """Something is wrong: a code such as `E3`, and words. Either may be empty."""

    code: str
    words: str


class WarnedMessage(Message, frozen=True):
    """A warning number; no public program knows their meanings."""

    code: int


class UnknownItemMessage(Message, frozen=True):
    """An item this version does not know."""

    item: str
