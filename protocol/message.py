"""What travels, in any dialect, and what it is called."""

from msgspec import Struct


class Message(Struct, frozen=True, gc=False):
    """Base of everything that travels."""


def message_name(message: Message | type[Message]) -> str:
    """The message's name in documents, in output and in plans: its class's, without the suffix."""
    kind = message if isinstance(message, type) else type(message)
    return kind.__name__.removesuffix("Message") or kind.__name__
