"""Kinds of devices by the names that users write, on the command line and in a capture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from devices.dialects.shoe import ShoeDriver
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.dialects.translation import Driver
from protocol.errors import LocalError
from protocol.tdp.messages import DeviceClass


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """Kind of device: its name, the class it must announce, and the factory of its driver."""

    name: str
    device_class: DeviceClass
    make: Callable[[], Driver]


DRIVERS: Final = {
    kind.name: kind
    for kind in (
        DeviceKind("shuffler", DeviceClass.SHUFFLER, ShufflerDriver),
        DeviceKind("shoe", DeviceClass.SHOE, ShoeDriver),
        DeviceKind("table-controller", DeviceClass.TABLE_CONTROLLER, TableControllerDriver),
    )
}


class UnknownKind(LocalError):
    """A name that is not a kind of device."""

    def __init__(self, where: str, name: str, allowed: Sequence[str] = tuple(DRIVERS)) -> None:
        self.where, self.name = where, name
        what = f"no kind of device is called {name!r}" if name else "the kind of device is missing"
        self.why = f"{what}; allowed: {', '.join(allowed)}" if allowed else "this dialect is for no device of a table"
        super().__init__(f"{where}: {self.why}")


def kind_of(name: str, *, where: str) -> DeviceKind:
    """Return the kind called `name`. UnknownKind names `where` it was written and the allowed kinds."""
    try:
        return DRIVERS[name]
    except KeyError:
        raise UnknownKind(where, name) from None
