"""A simulated shoe joined to the real link and driver of its dialect by clean memory, on a manual clock."""

from collections.abc import Callable, Sequence

from devices import events as e
from devices.dialects.known import dialect_named
from devices.events import Body, Seen
from devices.line.session import Feed
from devices.simulator.shoe_table import SHOE, Act, ShoeTable
from protocol.link import Output
from protocol.tdp.messages import Role

START_NS = 1_700_000_000_000_000_000
DIALECTS = ("tdp", "angel-eye", "bee-tek")


class ShoeEvening:
    """Runs a script to its end. `seen` holds the reports that the table received, `heard` the received chunks with
    their times."""

    def __init__(
        self,
        acts: Sequence[Act],
        dialect: str,
        *,
        role: Role = Role.OBSERVE,
        spoil: Callable[[bytes], bytes] = lambda data: data,
        **options: int | None,
    ) -> None:
        self.table = ShoeTable(acts, dialect=dialect, **options)  # type: ignore[arg-type]
        self.now_ns = START_NS
        self.seen: list[Seen] = []
        self.outputs: list[Output] = []
        self.heard: list[tuple[int, bytes]] = []
        self.sent = b""
        self.link = dialect_named(dialect).make_link("shoe", role, False)
        driver = dialect_named(dialect).driver("shoe", where="test")
        self.feed = Feed("shoe-1", self.link, driver, self.seen.append, self.outputs.append)
        self.feed.settle = lambda _: None
        self._spoil = spoil
        self.table.power_on(self.now_ns)
        self._send(self.feed.start(self.now_ns))

    def run(self, limit_s: float = 900.0) -> "ShoeEvening":
        end_ns = self.now_ns + int(limit_s * 1e9)
        while not self.table.finished:
            assert self.now_ns < end_ns, "the script does not end"
            self.step()
        for _ in range(20):
            self.step()
        return self

    def step(self) -> None:
        dues = [self.table.next_deadline_ns, self.link.next_deadline_ns]
        self.now_ns = max(self.now_ns + 1_000_000, min((due for due in dues if due is not None), default=0))
        self.table.tick(self.now_ns)
        self._listen()
        self._send(self.feed.tick(self.now_ns))

    def request(self, command: object) -> int:
        request, outputs = self.link.request(command, self.now_ns)
        self._send(self.feed.report(outputs, self.now_ns))
        return request

    def _listen(self) -> None:
        while data := self._spoil(self.table.take_output(SHOE, self.now_ns)):
            self.heard.append((self.now_ns, data))
            self._send(self.feed.receive(data, self.now_ns))

    def _send(self, data: bytes) -> None:
        if data:
            self.sent += data
            self.table.receive(SHOE, data, self.now_ns)

    @property
    def bodies(self) -> list[Body]:
        return [seen.body for seen in self.seen]

    def cards(self) -> list[str]:
        """Return every card that the table received, in order: its text, `??` if unread, `(..)` outside a game, `GAP`
        for a loss."""
        told = []
        for body in self.bodies:
            match body:
                case e.CardDrawn(_, card, where):
                    told.append(card.text + ("*" if where == "burn" else ""))
                case e.CardUnread():
                    told.append("??")
                case e.DrawWhileLocked(card) | e.CardDrawnOutside(card, _):
                    told.append(f"({card.text})")
                case e.EventsLost():
                    told.append("GAP")
        return told
