"""Base class of the messages of all dialects, and their display names."""

from msgspec import Struct


class Message(Struct, frozen=True, gc=False):
    """Base of all wire messages."""


def message_name(message: Message | type[Message]) -> str:
    """Return the name of a message in documents, output and plans: its class name without the suffix."""
    kind = message if isinstance(message, type) else type(message)
    return kind.__name__.removesuffix("Message") or kind.__name__
