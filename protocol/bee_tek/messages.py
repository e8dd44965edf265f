"""Messages of the shoe, as frozen values. `mode` is the shoe's own name of its current activity (`Game` ...)."""

from typing import Final

from protocol import message
from protocol.cards import Card

GAME: Final = "Game"
BURN: Final = "Manual Burn Cards"
ALARM: Final = "GameAlarm"


class Message(message.Message, frozen=True):
    """Base of all messages of this dialect."""

    mode: str


class CardDrawnMessage(Message, frozen=True):
    """A card came out and was read."""

    card: Card


class CardNotReadMessage(Message, frozen=True):
    """A card came out and was not read: the item contains no card."""


class AlarmMessage(Message, frozen=True):
    """An alarm: a code such as `E3`, and a text. Either may be empty."""

    code: str
    words: str


class WarnedMessage(Message, frozen=True):
    """A warning number. No public program knows what the numbers mean."""

    code: int


class UnknownItemMessage(Message, frozen=True):
    """An item that is unknown to this version."""

    item: str
