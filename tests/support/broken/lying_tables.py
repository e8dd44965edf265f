"""Simulated devices that contradict themselves, at a table whose flow gets their reports through real links and
drivers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.events import Seen
from devices.line.session import Feed
from devices.simulator.host import TableModel
from protocol.tdp import HostLink
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import DeviceClass, Resolution, Role, ShufflerState
from tests.support.broken.base import Broken, changed
from tests.support.dealing.hand_table import FLUSHES

START_NS: Final = 1_700_000_000_000_000_000
LIMIT_NS: Final = 600 * 10**9


def shuffler_of(table: TableModel) -> Any:
    """Return the shuffler itself, to spoil it."""
    return table.shuffler  # type: ignore[attr-defined]


# ------------------------------------------------------------------ devices


class NeverShuffles(Broken):
    """Each deck is dealt in the order of its faces."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        cards = shuffler_of(table).cards
        cards.shuffle = lambda spot: cards._pile(spot).sort(key=attrgetter("card"))


class CutsOnly(Broken):
    """Each deck is cut, and not shuffled; every other time it is turned around."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        cards = shuffler_of(table).cards
        times = 0

        def cut(spot: Any) -> None:
            nonlocal times
            times += 1
            pile = cards._pile(spot)
            pile.sort(key=attrgetter("card"), reverse=times % 2 == 0)
            pile[:] = pile[3 * times :] + pile[: 3 * times]

        cards.shuffle = cut


class KeepsPacketInside(Broken):
    """Five cards stay inside when the remainder comes: `expected` calls them a packet that was not lifted, although
    STATUS has taken it off the books."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.RemainderDumpedMessage):
            return [changed(envelope, expected=message.expected - 5, counted=message.counted - 5)]
        if isinstance(message, m.ShufflerStatusMessage) and message.remainder:
            return [changed(envelope, remainder=message.remainder - 5, in_tray=message.in_tray - 5)]
        return [envelope.body]


class GreenClears(Broken):
    """The green button clears the reason for the red lamp, and the dealer presses it."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)
        press = shuffler.press_green

        def pressed(now_ns: int) -> bool:
            lit = shuffler.state is ShufflerState.MISDEAL
            press(now_ns)
            return bool(lit and shuffler.clear(0, Resolution.RESUME, now_ns))

        shuffler.turn_key = lambda _, now_ns: pressed(now_ns)


class GreenInVain(Broken):
    """No lie: the dealer presses green while the lamp is lit, and turns the key two seconds later."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)
        turn, since = shuffler.turn_key, 0

        def turned(resolution: Resolution, now_ns: int) -> bool:
            nonlocal since
            if not since:
                since = now_ns
                shuffler.press_green(now_ns)
            return now_ns - since >= 2 * 10**9 and bool(turn(resolution, now_ns))

        shuffler.turn_key = turned


class NumberStandsStill(Broken):
    """Every round has the number 0."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        if isinstance(envelope.message, m.GameStartedMessage | m.GameEndedMessage | m.ControllerStatusMessage):
            return [changed(envelope, round=0)]
        return [envelope.body]


class Misstating(Broken):
    """One number of one message is wrong while there is a remainder or a record."""

    def __init__(self, table: TableModel, message: type[m.Message], **instead: Callable[[Any], Any]) -> None:
        super().__init__(table)
        self._message, self._instead = message, instead

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, self._message) or getattr(message, "remainder", 1) == 0:
            return [envelope.body]
        return [changed(envelope, **{name: make(getattr(message, name)) for name, make in self._instead.items()})]


# ------------------------------------------------------------------ a table with such a device


class HeardTable:
    """A scenario dealt with devices that may lie. `rounds` and `incidents` are the flow's results."""

    def __init__(self, scenario: str, device: Callable[[TableModel], TableModel], *, recognition: bool = True) -> None:
        self.table = SimulatedTable(replace(load_scenario(scenario), recognition=recognition), speed=20)
        self._device = device(self.table)
        self._flow = DealerFlow(load_procedure(FLUSHES))
        self._out: list[RoundResult | Incident] = []
        kinds = (
            (SHUFFLER, DeviceClass.SHUFFLER, ShufflerDriver()),
            (CONTROLLER, DeviceClass.TABLE_CONTROLLER, TableControllerDriver()),
        )
        self._feeds = {
            name: Feed(name, HostLink(expects=of, role=Role.OPERATE), driver, self._see) for name, of, driver in kinds
        }
        self._run()

    @property
    def rounds(self) -> list[RoundResult]:
        """Rounds in order."""
        return [item for item in self._out if isinstance(item, RoundResult)]

    @property
    def incidents(self) -> list[list[tuple[str, str]]]:
        """Code and reason of each incident, by round."""
        return [[(item.code, item.reason) for item in result.incidents] for result in self.rounds]

    def _see(self, seen: Seen) -> None:
        self._out += self._flow.handle(seen)

    def _run(self) -> None:
        now_ns = START_NS
        self._device.power_on(now_ns)  # type: ignore[attr-defined]
        for name, feed in self._feeds.items():
            self._device.receive(name, feed.start(now_ns), now_ns)
        while not self.table.finished:
            assert now_ns < START_NS + LIMIT_NS
            dues = [self._device.next_deadline_ns, *(feed.due_ns for feed in self._feeds.values())]
            now_ns = max(now_ns + 1000, min(due for due in dues if due is not None))
            self._device.tick(now_ns)
            for name, feed in self._feeds.items():
                data = self._device.take_output(name, now_ns)
                back = (feed.receive(data, now_ns) if data else b"") + feed.tick(now_ns)
                if back:
                    self._device.receive(name, back, now_ns)


HONEST: Final[Callable[[TableModel], TableModel]] = Broken
