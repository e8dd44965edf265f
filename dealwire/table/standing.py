"""Connection state of a table's devices, and the red lamp.

A device that does not respond may have done anything since: the round and the lamp are then shown as last reported.
Nothing here knows a card.
"""

from collections.abc import Iterable
from typing import Any, Final

import devices.events as e
from dealwire.hub.view import DeviceView, Lamp, UnknownView
from dealwire.table.state import ViewerState
from devices.events import Seen

CONTROLLER: Final = "table-controller"
SHOE: Final = "shoe"


class TableStanding:
    """The devices of one table by name, and its lamp. `from_shuffler`: the procedure is dealt from a shuffler."""

    def __init__(self, *, from_shuffler: bool) -> None:
        self.devices: dict[str, DeviceView] = {}
        self.fault = 0
        """Fault for which the lamp is lit; 0 when it is off, or when the device did not report the fault."""
        self._from_shuffler = from_shuffler
        self._lamp: Lamp = "unknown"
        self.lamp_ns: int | None = None
        """Time of the lamp's last change, as reported."""
        self.reported_ns: int | None = None
        """Time at which a device last reported anything."""

    # ------------------------------------------------------------------ what happens

    def line(self, view: DeviceView) -> bool:
        """Set the state of a device's line, from its owner; True if it changed."""
        before = self.devices.get(view.name)
        since_ns = before.since_ns if before is not None and before.link == view.link else view.since_ns
        kept = {"state": before.state, "firmware": before.firmware} if before else {"state": ""}
        now = view.model_copy(update={**kept, "since_ns": since_ns})
        self.devices[view.name] = now
        return now != before

    def update(self, seen: Seen) -> None:
        """Take one report. It shows at least that its device's line is up."""
        body = seen.body
        if isinstance(body, e.BytesDropped | e.BadgesListed):
            return  # says nothing about the device
        before = self.devices.get(seen.device) or DeviceView(name=seen.device, kind="", address="", link="unknown")
        update: dict[str, Any] = {"link": "up"}
        if isinstance(body, e.LinkUp):
            update |= {"kind": before.kind or body.device_class, "problem": None}
        elif isinstance(body, e.LinkLost):
            update = {"link": "waiting", "problem": body.why}
        elif isinstance(body, e.StateChanged):
            update["state"] = body.state
        elif isinstance(body, e.FirmwareAttested):
            update = {"link": before.link, "firmware": _firmware(body)}
        if update["link"] != before.link:
            update["since_ns"] = seen.at_ns
        if not isinstance(body, e.LinkLost | e.FirmwareAttested):
            self.reported_ns = seen.at_ns
        if seen.device not in self.devices or any(getattr(before, name) != now for name, now in update.items()):
            self.devices[seen.device] = before.model_copy(update=update)
        if self.deals(seen.device) or isinstance(body, e.RedLamp):
            self._lamp_after(body, seen.at_ns)

    def lamp_in_status(self, lit: bool, fault: int, at_ns: int) -> bool:
        """Set the lamp from the dealing device's status, while its reports have not set it; True if it changed."""
        if self._lamp != "unknown":
            return False
        self._set_lamp("lit" if lit else "dark", fault if lit else 0, at_ns)
        return True

    @property
    def lamp_known(self) -> bool:
        """True if the dealing device has reported the state of its lamp."""
        return self._lamp != "unknown"

    def restore(self, devices: Iterable[DeviceView], state: ViewerState) -> None:
        """Restore the saved state; the lines then report their own state again."""
        self.devices = {device.name: device for device in devices}
        self.fault, self.lamp_ns, self.reported_ns = state.lamp, state.lamp_ns, state.reported_ns
        self._lamp = ("lit" if state.lamp else "dark") if state.lamp_known else "unknown"

    # ------------------------------------------------------------------ what is known

    def deals(self, device: str) -> bool:
        """True if the device deals: a shuffler or a shoe."""
        known = self.devices.get(device)
        return known is not None and known.kind not in ("", CONTROLLER)

    @property
    def away(self) -> list[DeviceView]:
        """Devices that do not respond."""
        return [device for device in self.devices.values() if device.link != "up"]

    def unknown(self, stopped: tuple[str, int] | None) -> UnknownView | None:
        """Return why and since when the round is unknown, None if it is known. `stopped` is the reason and time of a
        safe stop."""
        if stopped is not None:
            return UnknownView(since_ns=stopped[1], why="the table is in safe stop: device reports are not processed")
        away = self.away
        if not away:
            return None
        names = " and ".join(device.name for device in away)
        why = f"{names} {'is' if len(away) == 1 else 'are'} not responding"
        return UnknownView(since_ns=min(device.since_ns or 0 for device in away), why=why)

    def lamp(self, stopped_ns: int | None) -> tuple[Lamp, int | None]:
        """Return the lamp's state and since when."""
        dealing = [device for device in self.devices.values() if self.deals(device.name)]
        if any(device.kind == SHOE for device in dealing) or (not dealing and not self._from_shuffler):
            return "none", None
        gone = [device for device in dealing if device.link != "up"]
        if stopped_ns is not None and not gone:
            return "unknown", stopped_ns
        if gone:
            return "unknown", gone[0].since_ns
        return self._lamp, self.lamp_ns

    # ------------------------------------------------------------------ inside

    def _lamp_after(self, body: e.Body, at_ns: int) -> None:
        if isinstance(body, e.RedLamp):
            self._set_lamp("lit" if body.lit else "dark", body.fault if body.lit else 0, at_ns)
        elif isinstance(body, e.MisdealCleared | e.Booted | e.SessionChanged):
            self._set_lamp("dark", 0, at_ns)
        elif isinstance(body, e.EventsLost):
            self._set_lamp("unknown", 0, at_ns)
        elif isinstance(body, e.LinkUp) and self._lamp == "unknown":
            self._set_lamp("dark", 0, at_ns)  # a session repeats all its events, so one that lit the lamp would follow

    def _set_lamp(self, lamp: Lamp, fault: int, at_ns: int) -> None:
        if lamp != self._lamp:
            self.lamp_ns = at_ns
        self._lamp, self.fault = lamp, fault


def _firmware(body: e.FirmwareAttested) -> str:
    """Return the verdict about a device's firmware as text."""
    if body.state == "proved":
        return f"firmware {body.version} proved, list {body.list}"
    return f"firmware not proved: {body.why}" if body.why else "firmware not proved yet"
