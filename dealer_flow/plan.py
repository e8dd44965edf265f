"""A procedure made ready to be asked: lookups instead of rows, every option chosen, every consequence resolved."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from dealer_flow.procedure import Procedure, ProcedureError
from dealer_flow.schema import BetPart, Consequence, DecisionPart, FaultPart
from dealer_flow.shoe_plan import shoe_plan
from dealer_flow.states import STAGES, State
from protocol.faults import Fault, fault_class
from protocol.places import COMMUNITY, DEALER, Place, seat

_PLACES: Final = {"community": COMMUNITY, "dealer": DEALER}


class Policy(NamedTuple):
    """What a finding means, and the clause that says so."""

    then: str
    clause: str


class Burn(NamedTuple):
    """Which cards of the packet at `place` are burned: `positions` from the dealer's left, `size` cards in all."""

    place: Place
    positions: frozenset[int]
    size: int
    top_at_left: bool
    clause: str

    def from_left(self, positions: tuple[int, ...], spread: str) -> frozenset[int]:
        """Positions counted from the dealer's left: position p from the right of n is n + 1 - p from the left."""
        if spread == "right-to-left":
            return frozenset(self.size + 1 - position for position in positions)
        return frozenset(positions)

    def from_top(self, position: int) -> int:
        """Index in the packet, its top card 0, of the card at `position` from the dealer's left."""
        return position - 1 if self.top_at_left else self.size - position


class Plan:
    """One procedure with one choice of options. ProcedureError when an option or its value is not known."""

    def __init__(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        self.procedure = procedure
        self.ref = procedure.ref()
        self.options = _choose(procedure, options)
        self.clause = procedure.clause
        self.bets: dict[int, BetPart] = {bet.number: bet for bet in procedure.bet}
        self.entering = frozenset(bet.name for bet in procedure.bet if bet.enters)
        self.progressive = next((bet.name for bet in procedure.bet if bet.progressive), None)
        self.decisions: dict[int, DecisionPart] = {choice.number: choice for choice in procedure.decision}
        self.folds = frozenset(choice.name for choice in procedure.decision if choice.folds)
        self.decision_bets = {choice.name: choice.bet for choice in procedure.decision}
        self.stages: tuple[State, ...] = tuple(STAGES[stage] for stage in procedure.stages)
        self.most_seats = procedure.seats.most
        self.cards = procedure.deck.cards
        self.jokers = procedure.deck.jokers
        self.sizes: dict[str, int] = {packet.to: packet.cards for packet in procedure.packet}
        self.reveal_order = procedure.reveal.order if procedure.reveal else ()
        self.shoe = shoe_plan(procedure, self.options)
        self.burn = self._burn()
        self._counts = {kind: self._policy(getattr(procedure.count, kind)) for kind in (*self.sizes, "deck")}
        self.duplicate = self._policy(procedure.face.duplicate)
        self.foreign = self._policy(procedure.face.foreign)
        self._faults = {row.name or row.class_: Policy(row.then, row.clause) for row in procedure.fault if _named(row)}

    def recipients(self, active: tuple[int, ...]) -> tuple[Place, ...]:
        """Who gets the first packet, the second ... when these seats entered (ascending is clockwise)."""
        places: list[Place] = []
        for packet in self.procedure.packet:
            places += [seat(number) for number in active] if packet.to == "seats" else [_PLACES[packet.to]]
        return tuple(places)

    def expected(self, place: Place) -> int:
        """Cards of a whole packet at `place`; 0 when the procedure sends none there."""
        return self.sizes.get(kind_of(place), 0)

    def count_policy(self, place: Place) -> Policy:
        """What a wrong count at `place` means."""
        return self._counts[kind_of(place)]

    @property
    def deck_policy(self) -> Policy:
        """What cards that do not add up mean."""
        return self._counts["deck"]

    def fault_policy(self, fault: int) -> Policy:
        """What a device's fault means, by its name or else by its class; one of neither is recorded only."""
        try:
            name = Fault(fault).name.lower().replace("_", "-")
        except ValueError:
            name = ""
        return self._faults.get(name) or self._faults.get(fault_class(fault)) or Policy("note", "procedure")

    def in_deck(self, card: int) -> bool:
        """True when the code can be a card of this deck."""
        return (1 <= card >> 4 <= 4 and 1 <= card & 0x0F <= 13) or 0x51 <= card < 0x51 + self.jokers

    def _policy(self, row: Consequence | None) -> Policy:
        assert row is not None, "a procedure is checked when it is read"
        then = row.then or self.options[row.option or ""]
        if then == "as-dealer":
            dealer = self._policy(self.procedure.count.dealer)
            return Policy(dealer.then, row.clause)
        return Policy(then, row.clause)

    def _burn(self) -> Burn | None:
        row = self.procedure.burn
        if row is None:
            return None
        size = self.sizes[row.of]
        plain = Burn(_PLACES[row.of], frozenset(), size, self.options[row.top_card] == "left", row.clause)
        spread = row.spread
        if spread == "from-top":
            spread = "left-to-right" if plain.top_at_left else "right-to-left"
        return plain._replace(positions=plain.from_left(row.positions, spread))


def kind_of(place: Place) -> str:
    """`seats`, `community`, `dealer`, or the place's own name."""
    return "seats" if place.seat else place.text


def _named(row: FaultPart) -> bool:
    return (row.name or row.class_) is not None


def _choose(procedure: Procedure, wanted: Mapping[str, str]) -> dict[str, str]:
    chosen = {option.name: option.default for option in procedure.option}
    allowed = {option.name: option.allowed for option in procedure.option}
    for name, value in wanted.items():
        if name not in chosen:
            why = f"{procedure.id} has no option {name!r}; known: {', '.join(chosen) or 'none'}"
            raise ProcedureError(procedure.id, None, f"option {name}", why)
        if value not in allowed[name]:
            why = f"{value!r} is not allowed; allowed: {', '.join(allowed[name])}"
            raise ProcedureError(procedure.id, None, f"option {name}", why)
        chosen[name] = value
    return chosen
