"""Lines that a package above this one opens, by the scheme of their address: `sim` is dealwire's."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from devices.clock import Clock
    from devices.transport.base import Transport

FURTHER: Final[dict[str, "Callable[[str, Clock | None], Transport]"]] = {}
