"""Rounds of any procedure at the simulated table: a clean one, one for each wrong hand in its clauses, and faults of
the device in the middle of a round. The expected results are read from the procedure's own rows, not from the flow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.tables import Consequence
from dealwire.rehearsal.scenario import Scenario, packets
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from protocol.places import BURN, MUCK, Place, parse_place

STEPPED: Final = tuple(name for name in known_procedures() if load_procedure(name).step)
"""Every procedure that is dealt step by step."""
Table = dict[str, Any]
"""A table of a scenario file."""
WORST: Final = ("complete", "progressive-only", "misdeal", "defective-deck", "unreliable")
"""Outcomes of a round, each worse than those before."""


def readings(procedure: Procedure) -> Iterator[dict[str, str]]:
    """Yield each reading of the procedure that is not the default, one at a time."""
    for option in procedure.option:
        for value in option.allowed:
            if value != option.default:
                yield {option.name: value}


@dataclass(frozen=True)
class RoundCase:
    """One round: its events, its expected result, and the hands that are dead at its end."""

    name: str
    round: Table
    outcome: str
    dead: frozenset[str] = frozenset()
    wrong: frozenset[str] = frozenset()
    """Places whose count is wrong."""


@dataclass
class Cases:
    """The rounds of one procedure. `options` are readings, the others are at their default."""

    procedure: Procedure
    options: dict[str, str] = field(default_factory=dict)
    players: int = 3

    def __post_init__(self) -> None:
        most = self.procedure.seats.most
        self.seats = [1, 3, 5][: self.players] if most >= 5 else list(range(1, min(self.players, most) + 1))
        self.at_shoe = self.procedure.device == "card-shoe"
        self.scenario = scenario_of(self.procedure, [self._round()], options=self.options)
        self.packets = packets(self.scenario.procedure, self.scenario.rounds[0])
        self.no_device = self.procedure.device == "hand"
        self.by_hand = [step.name for step in self.procedure.step if getattr(step, "origin", "") == "hand"]
        named = {hand.place: hand.name for hand in self.procedure.hand}
        self._named = named
        self._options = {option.name: option.default for option in self.procedure.option} | self.options

    def all(self) -> list[RoundCase]:
        """Return every case, the clean one first."""
        return [self.clean(), *self.wrong(), *self.mishaps(), *self.faults()]

    def clean(self) -> RoundCase:
        return RoundCase("clean", self._round(), "complete")

    def wrong(self) -> Iterator[RoundCase]:
        """Yield a hand of each recipient that is wrong in each way of its rows."""
        for row in self.procedure.wrong:
            for how in row.how:
                if row.of == "remainder":
                    continue
                makes = self._miscounted(row.of, how, row.at, row.missing or 1) if how in ("short", "long") else None
                if how in ("exposed", "off-table"):
                    makes = self._seen(row.of, how, row.at)
                if makes is None:
                    continue
                trouble, places = makes
                for ruling in ("misdeal", "go-on"):
                    ruled = self._ruled(trouble, places)
                    name = f"{row.of} {how}{f' in {row.at[0]}' if row.at else ''}{f', ruled {ruling}' if ruled else ''}"
                    yield self._case(name, trouble | {"ruling": ruling}, places, ruling)
                    if not ruled:
                        break

    def mishaps(self) -> Iterator[RoundCase]:
        """Yield a fouled hand, a stray joker, and a boxed card at the first hand that gets cards."""
        kinds = {
            "fouled": self.procedure.fouled,
            "fouled-by-player": self.procedure.fouled and self.procedure.fouled.player,
            "fouled-by-others": self.procedure.fouled and self.procedure.fouled.others,
            "joker": self.procedure.face.joker,
            "boxed": self.procedure.face.boxed,
        }
        beside = [] if self.no_device else self.by_hand
        dealt = (packet for packet in self.packets if packet.place != BURN and packet.step not in beside)
        first = next(packet for packet in dealt if self._plays(packet.place))
        for how, row in kinds.items():
            if row is None:
                continue
            trouble = {"what": how, "packet": first.place.text, "step": first.step}
            then = self._then(row)
            nobodys = first.place.text in [hand.place for hand in self.procedure.hand if hand.side == "players"]
            if how.startswith("fouled") and not first.place.seat and not (nobodys and how == "fouled-by-others"):
                # no player has a hand to lose by it: cards of the house, or a pile that the number has yet to assign
                then = "person" if then == "dead-hand" else then
            # a supervisor rules; a joker that came is replaced, and the round continues
            for ruling in {"person": ("misdeal", "go-on"), "complete": ("go-on",), "replace": ("go-on",)}.get(
                then, ("misdeal",)
            ):
                outcome, dead = self._follows(then, first.place, self._kind(first.place), ruling)
                yield RoundCase(
                    f"{how}, {then}{f' rules {ruling}' if then == 'person' else ''}",
                    self._round(trouble | {"ruling": ruling}),
                    outcome,
                    dead,
                )

    def faults(self) -> Iterator[RoundCase]:
        """Yield the device's own faults in the middle of a round."""
        if self.no_device:
            return
        last = len([packet for packet in self.packets if packet.step not in self.by_hand])
        if self.at_shoe:
            yield RoundCase("reader error", self._round({"what": "error", "card": max(1, last // 2)}), "complete")
            return
        yield RoundCase("jam", self._round({"what": "jam", "packet": 2, "tries": 2}), "complete")
        yield RoundCase(
            "door", self._round({"what": "door", "packet": 2}), self._fault("door-opened-mid-round", "integrity")
        )
        yield RoundCase(
            "lost card", self._round({"what": "lost-card", "packet": 2}), self._fault("card-lost", "card transport")
        )
        deck = self._then(self.procedure.care.deck)
        outcome = self._worst(deck, *self._rest_follows("short"))
        yield RoundCase("remainder", self._round({"what": "remainder", "cards": 1}), outcome)

    def scenario_of(self, cases: list[RoundCase], **more: Any) -> Scenario:
        """Return one evening of these rounds."""
        return scenario_of(self.procedure, [case.round for case in cases], options=self.options, **more)

    # ------------------------------------------------------------------ events

    def _round(self, *troubles: Table) -> Table:
        table = clean_round(self.procedure, self.seats)
        return table | ({"troubles": list(troubles)} if troubles else {})

    def _first(self, of: str, at: tuple[str, ...]) -> tuple[int, Due] | None:
        for number, packet in enumerate(self.packets, 1):
            in_step = not at or packet.step in at
            if self._kind(packet.place) == of and in_step and self._plays(packet.place):
                return number, packet
        return None

    def _miscounted(self, of: str, how: str, at: tuple[str, ...], by: int) -> tuple[Table, dict[str, Place]] | None:
        """Return the trouble, and the places that are wrong by it with the way of each; None if no hand can be wrong
        like this."""
        found = self._first(of, at)
        if found is None:
            return None
        number, packet = found
        if not self.at_shoe or packet.step in self.by_hand:
            if how == "short" and packet.cards == 1 and not (self.at_shoe or self.no_device):
                return None  # a packet of one card is there or not
            trouble = {"what": "packet", "packet": number, "by": -by if how == "short" else by}
            return trouble, {how: packet.place}
        if how == "short" and by == 1:
            return {"what": "skipped", "packet": number}, {"short": packet.place}
        if how == "short" and by > packet.cards:
            return None  # single cards go astray one by one
        if how == "short":
            return {"what": "misplaced", "packet": number, "to": MUCK.text, "cards": by}, {"short": packet.place}
        # counted at once, or once all others have their cards: too late if the next step deals on meanwhile
        at_once = "single" in self.procedure.id or len(self.procedure.id) % 2 == 0
        run = self._at_once(packet.step)
        same = [n for n, each in enumerate(self.packets, 1) if each.place == packet.place and each.step in run]
        return {"what": "extra", "packet": same[-1], "noticed": at_once}, {"long": packet.place}

    def _at_once(self, name: str) -> list[str]:
        """Return this step, and the steps whose cards follow at once."""
        steps = list(self.scenario.procedure.steps)
        start = next(number for number, step in enumerate(steps) if step.name == name)
        return [step.name for step in takewhile(lambda step: step.deals, steps[start:])]

    def _plays(self, place: Place) -> bool:
        """Return True if a player sits at the place, or if it is no seat."""
        return place.seat is None or place.seat in self.seats

    def _seen(self, of: str, how: str, at: tuple[str, ...]) -> tuple[Table, dict[str, Place]] | None:
        found = self._first(of, at)
        if found is None:
            return None
        return {"what": how, "packet": found[0]}, {how: found[1].place}

    # ------------------------------------------------------------------ consequences

    def _case(self, name: str, trouble: Table, places: dict[str, Place], ruling: str) -> RoundCase:
        words, dead = ["complete"], set[str]()
        for how, place in places.items():
            kind = self._kind(place)
            word, whose = self._follows(self._row(how, place, trouble), place, kind, ruling)
            words.append(word)
            dead |= whose
            if how in ("short", "long") and not self._explains(word):
                words += self._rest_follows("long" if how == "short" else "short")
        counted = frozenset(place.text for how, place in places.items() if how in ("short", "long"))
        return RoundCase(name, self._round(trouble), self._worst(*words), frozenset(dead), counted)

    def _ruled(self, trouble: Table, places: dict[str, Place]) -> bool:
        return any(self._row(how, place, trouble) == "person" for how, place in places.items())

    def _row(self, how: str, place: Place, trouble: Table) -> str:
        """Return the consequence that the rows give for a hand that is wrong in this way; a card that was seen or fell
        is one of the step that dealt it, a wrong count one of the first."""
        kind, by = self._kind(place), _cards(trouble)
        step = next(packet.step for packet in self.packets if packet.place == place)
        if how in ("exposed", "off-table"):
            step = self.packets[trouble["packet"] - 1].step
        rows = [row for row in self.procedure.wrong if row.of == kind and how in row.how and (row.missing or 1) <= by]
        rows = [row for row in rows if not row.at or step in row.at]
        # a row for so many cards goes before one for fewer, a row for the step before one for all
        rows.sort(key=lambda row: (row.missing or 1, bool(row.at)))
        return self._then(rows[-1]) if rows else "person"

    def _follows(self, then: str, place: Place, kind: str, ruling: str) -> tuple[str, frozenset[str]]:
        if then == "dead-hand":
            own = kind not in ("dealer", "community")  # the house has no hand of its own to lose
            return ("complete", frozenset({place.text})) if own else ("defective-deck", frozenset())
        if then == "progressive-only":
            has = any(bet.progressive for bet in self.procedure.bet)
            return ("progressive-only" if has else "misdeal"), frozenset()
        if then == "person":
            return ("misdeal" if ruling == "misdeal" else "complete"), frozenset()
        goes_on = ("nothing", "complete", "replace", "reshuffle")
        return ("complete" if then in goes_on else then), frozenset()

    def _explains(self, word: str) -> bool:
        """Return True if the count of the hand explains another number of cards left: the house's does where bets on
        a progressive play on, the players' by a reading."""
        rest = self.procedure.remainder
        by_hands = rest is not None and self._options.get(rest.explained or "") == "by-hands"
        return word == "progressive-only" or by_hands

    def _rest_follows(self, how: str) -> list[str]:
        """Return the consequences of a remainder that has the wrong number of cards."""
        rest = self.procedure.remainder
        if rest is None or rest.cards is None:
            return []
        rows = [row for row in self.procedure.wrong if row.of == "remainder" and how in row.how]
        return [self._then(row) for row in rows]

    def _fault(self, name: str, class_: str) -> str:
        rows = {row.name or row.class_: row.then for row in self.procedure.fault}
        then = rows.get(name) or rows.get(class_) or "note"
        # a deck taken out of the device in the middle of a round is at least a misdeal
        return self._worst("misdeal", *([then] if then in WORST else []))

    def _then(self, row: Consequence) -> str:
        return row.then or self._options[row.option or ""]

    def count_codes(self, case: RoundCase) -> list[str]:
        """Return the incidents for the wrong counts."""
        known = {"seats": "seat", "dealer": "dealer", "community": "community"}
        kinds = (self._kind(parse_place(text)) for text in sorted(case.wrong))
        return list(dict.fromkeys(f"{known.get(kind, 'hand')}-count-wrong" for kind in kinds))

    def _kind(self, place: Place) -> str:
        return "seats" if place.seat else self._named.get(place.text, place.text)

    @staticmethod
    def _worst(*words: str) -> str:
        return max((word for word in words if word in WORST), key=WORST.index)


def _cards(trouble: Table) -> int:
    """Return the number of cards by which a hand is wrong."""
    return abs(int(trouble.get("by", trouble.get("cards", 1))))


def read_as(name: str, **options: str) -> Procedure:
    """Return a procedure with other readings for its defaults."""
    procedure, wanted = load_procedure(name), {key.replace("_", "-"): value for key, value in options.items()}
    assert wanted.keys() <= {option.name for option in procedure.option}
    chosen = (
        option.model_copy(update={"default": wanted.get(option.name, option.default)}) for option in procedure.option
    )
    return procedure.model_copy(update={"option": tuple(chosen)})


DEALT_OTHERWISE: Final = {
    "pai-gow.co, the dragon for one": read_as("pai-gow.co", dragon_hand="one-player"),
    "pai-gow.co, the dragon for all": read_as("pai-gow.co", dragon_hand="community", dragon_is="seat-6"),
    "boston-5.co, the bonus alone": read_as("boston-5.co", bonus_alone="offered", second_burn="yes"),
    "3-5-7.co, half surrendered": read_as("3-5-7.co", surrender="offered"),
    "3-5-7.co, half plays on": read_as("3-5-7.co", surrender="offered", surrender_rest="plays-on"),
}
"""Procedures under readings that change the actions, not only the consequences of trouble."""
