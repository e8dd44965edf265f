"""A small vocabulary for rounds: each word is one thing that happens at the table, as the devices report it."""

from __future__ import annotations

from dealer_flow.play.machine import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import DECK, parse_cards
from protocol.places import parse_place
from tests.support.sentences import check_incident, check_legal

SHUFFLER, CONTROLLER = "shuffler-1", "controller-1"
SPOTS = {"ante": 1, "blind": 2, "play": 3, "flush_rush": 4, "progressive": 5}
PROCEDURE = load_procedure("flushes-gone-wild.co")


class Table:
    """Reports go straight into a flow; `incidents` and `results` collect what comes out.

    `reads` says whether the shuffler recognises cards. `deal` lays real cards down: the device counts them right
    unless told to miscount, and `dump` brings what is physically left of 52.
    """

    def __init__(self, *, reads: bool = False, deck: int = 1, loaded: int = 52, **options: str) -> None:
        chosen = {name.replace("_", "-"): value for name, value in options.items()}
        self.flow = DealerFlow(PROCEDURE, options=chosen)
        self.reads, self.deck, self.loaded = reads, deck, loaded
        self.incidents: list[Incident] = []
        self.results: list[RoundResult] = []
        self.sessions = {SHUFFLER: 0xA1B2C3D4, CONTROLLER: 0x0C0FFEE0}
        self._numbers = {SHUFFLER: 0, CONTROLLER: 0}
        self._now_ns = 1_700_000_000_000_000_000
        self.round = 0
        self.fresh_deck()

    # ------------------------------------------------------------------ plumbing

    def see(self, device: str, body: e.Body, *, numbered: bool = True) -> Table:
        self._now_ns += 10_000_000
        self._numbers[device] += numbered
        seen = e.Seen(device, self.sessions[device], self._numbers[device] if numbered else 0, self._now_ns, body)
        for item in self.flow.handle(seen):
            (self.results if isinstance(item, RoundResult) else self.incidents).append(item)  # type: ignore[arg-type]
            if isinstance(item, Incident):
                check_incident(item)
        for listed in self.flow.legal():
            check_legal(listed)
        return self

    def shuffler(self, body: e.Body) -> Table:
        return self.see(SHUFFLER, body)

    def controller(self, body: e.Body) -> Table:
        return self.see(CONTROLLER, body)

    @property
    def codes(self) -> list[str]:
        return [incident.code for incident in self.incidents]

    # ------------------------------------------------------------------ the shuffler

    def fresh_deck(self) -> Table:
        self.left, self.ordinal = self.loaded, 0
        return self.shuffler(e.DeckVerified(self.deck, 52, self.loaded))

    def dispense(self, cards: str, *, counted: int | None = None) -> Table:
        faces = parse_cards(cards)
        self.ordinal += 1
        shown = faces if self.reads else ()
        body = e.PacketDispensed(self.deck, self.ordinal, 5, len(faces) if counted is None else counted, shown)
        self._tray = len(faces)
        return self.shuffler(body)

    def lift(self) -> Table:
        self.left -= self._tray
        return self.shuffler(e.PacketLifted(self.ordinal))

    def deal(self, cards: str, *, counted: int | None = None) -> Table:
        """The next packet comes and is taken to whoever is due it."""
        return self.dispense(cards, counted=counted).lift()

    def dump(self, counted: int | None = None) -> Table:
        return self.shuffler(e.RemainderDumped(self.deck, self.left, self.left if counted is None else counted))

    # ------------------------------------------------------------------ the table

    def seat(self, number: int, **cents: int) -> Table:
        for bet, amount in cents.items():
            self.controller(e.WagerPlaced(number, SPOTS[bet], amount))
        return self

    def start(self) -> Table:
        self.round += 1
        return self.controller(e.GameStarted(self.round))

    def burn(self, *positions: int, spread: str = "left-to-right", place: str = "community") -> Table:
        return self.controller(e.BurnConfirmed(parse_place(place), positions or (1, 2, 5), spread))

    def play(self, number: int, cents: int = 1000) -> Table:
        return self.seat(number, play=cents).controller(e.DecisionMade(number, 2))

    def fold(self, number: int) -> Table:
        return self.controller(e.DecisionMade(number, 1))

    def reveal(self, place: str, cards: str) -> Table:
        return self.controller(e.HandRevealed(parse_place(place), parse_cards(cards), True))

    def count(self, place: str, counted: int) -> Table:
        return self.controller(e.CardsCounted(parse_place(place), counted))

    def misdeal(self, badge: int = 77) -> Table:
        return self.controller(e.MisdealCalled(badge, 0))

    def end(self) -> RoundResult:
        """END GAME; the result of this round. A new deck is ready afterwards."""
        self.controller(e.GameEnded(self.round))
        self.fresh_deck()
        return self.results[-1]


def hands(count: int) -> list[str]:
    """`count` packets of five different cards, off one deck."""
    return [" ".join(card.text for card in DECK[5 * index : 5 * index + 5]) for index in range(count)]


def ready(seats: int = 1, **table: object) -> Table:
    """Ante and blind are down at seats 1 to `seats`, START GAME was pressed."""
    table_ = Table(**table)  # type: ignore[arg-type]
    for number in range(1, seats + 1):
        table_.seat(number, ante=500, blind=500)
    return table_.start()


def dealt(seats: int = 1, **table: object) -> Table:
    """As `ready`, and every packet and the remainder is out."""
    table_ = ready(seats, **table)
    for cards in hands(seats + 2):
        table_.deal(cards)
    return table_.dump()
