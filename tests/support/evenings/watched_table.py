"""A simulated table that a console can show: real devices and a real dealer, dealt in an owner's thread of its own,
which proceeds only as far as a test lets it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from dealwire.hub.hub import Hub, Request
from dealwire.hub.view import DeviceView, TableView
from dealwire.rehearsal.scenario import Scenario
from dealwire.table.table import Table
from dealwire.table.viewer import Viewer
from devices.events import Seen
from protocol.errors import LocalError
from tests.support.evenings.reported_table import colorado, reports

START_NS = 1_790_000_000_000_000_000
STEP_NS = 40_000_000
PATIENCE_S = 300.0
"""Failure guard: far above what any scenario takes."""


class NotNow(LocalError):
    """The owner's refusal of a request."""


class WatchedTable:
    """Deals `scenario` at `table` into `hub`. `go` deals until a view is as wanted, and no further.

    A request `refuse` is refused, `hang` is never answered, any other is noted in `asked` and answered.
    """

    def __init__(
        self, hub: Hub, scenario: Scenario | str, *, name: str = "pit-1", seats: int = 8, table: Table | None = None
    ) -> None:
        self.hub, self.name = hub, name
        self.asked: list[Request] = []
        self._table = table or colorado(name)
        self._viewer = Viewer(self._table, name, seats=seats)
        for device in ("shuffler", "table-controller"):
            kind = "shuffler" if device == "shuffler" else "table-controller"
            self._viewer.device(DeviceView(name=device, kind=kind, address=f"serial-id:DW{device[:2]}", link="waiting"))
        self._reports: Iterator[Seen] = reports(scenario)
        self._number = 0
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"owner of {name}")
        self._show()
        self._thread.start()

    def go(self, until: Callable[[TableView], bool] | None = None) -> TableView:
        """Deal until a view is as wanted, or to the end of the evening without `until`."""
        done: queue.SimpleQueue[TableView | None] = queue.SimpleQueue()
        self._work.put(lambda: done.put(self._deal(until)))
        view = done.get(timeout=PATIENCE_S)
        assert view is not None, "the evening ended before a view was as wanted"
        return view

    def do(self, change: Callable[[Viewer], None]) -> None:
        """Let the owner change its viewer."""
        done = threading.Event()

        def work() -> None:
            change(self._viewer)
            self._show()
            done.set()

        self._work.put(work)
        assert done.wait(PATIENCE_S)

    def answer_requests(self) -> None:
        """Serve the hub's requests from now on, in the owner's thread."""
        self.hub.on_request(lambda: self._work.put(self._answer))

    def close(self) -> None:
        self._work.put(None)
        self._thread.join(PATIENCE_S)

    def __enter__(self) -> WatchedTable:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ------------------------------------------------------------------ the owner's thread

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _deal(self, until: Callable[[TableView], bool] | None) -> TableView | None:
        view = None
        for seen in self._reports:
            self._number += 1
            seen = replace(seen, at_ns=START_NS + self._number * STEP_NS)
            self._viewer.update(seen, self._table.handle(seen))
            view = self._show()
            if until is not None and until(view):
                return view
        return view if until is None else None

    def _show(self) -> TableView:
        view = self._viewer.view(self._number, START_NS + self._number * STEP_NS)
        self.hub.show(view)
        return view

    def _answer(self) -> None:
        for request in self.hub.requests():
            self.asked.append(request)
            if request.action == "refuse":
                request.answer.set_exception(NotNow("not while cards are out"))
            elif request.action != "hang":
                request.answer.set_result(f"{request.who} asked")
