"""Lines. `open_transport` opens one by its address."""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from devices.transport.base import LineClosed as LineClosed
    from devices.transport.base import Transport as Transport
    from devices.transport.memory import Faults as Faults
    from devices.transport.memory import memory_pair as memory_pair
    from devices.transport.opening import Opener as Opener

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "devices.transport.base": "LineClosed Transport",
        "devices.transport.memory": "Faults memory_pair",
        "devices.transport.opening": "Opener",
    },
)
