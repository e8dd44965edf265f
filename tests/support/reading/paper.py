"""Settlements that readers of the text worked out on paper (`tests/rules/paper`), as rounds that can be settled."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.details import Split, Stage
from dealer_flow.record.result import Hand, NamedHand, RoundResult, Seat
from rules import Game, Meter, Settlement, settle
from rules.game.load import load_game_of
from rules.settlement import SettlementLine
from tests.support.dealing.written_rounds import ended_round

PAPER = Path(__file__).parents[2] / "rules" / "paper"
PaperCase = dict[str, Any]


def paper_games() -> list[str]:
    """Return the games with settlements on paper."""
    return sorted(file.name.removesuffix(".toml") for file in PAPER.glob("*.*.toml"))


@cache
def paper_cases(game: str) -> tuple[PaperCase, ...]:
    """Return the settlements of one game."""
    return tuple(tomllib.loads((PAPER / f"{game}.toml").read_text())["case"])


def cards_of(text: str, joker: int = 1) -> tuple[str, ...]:
    """Return cards as a reader writes them; `joker` is the number of the first joker among them."""
    jokers = count(joker)
    return tuple(f"X{next(jokers)}" if card == "JK" else card for card in text.split())


class Paper:
    """One settlement: the round that the reader describes, and the expected result of each seat."""

    def __init__(self, name: str, case: PaperCase) -> None:
        self.case = case
        self.options: dict[str, str] = case.get("options", {})
        self.game: Game = load_game_of(name, self.options)
        self.procedure: Procedure = load_procedure(name)
        self._steps = {choice: step.name for step in self.procedure.step for choice in getattr(step, "choices", ())}
        self._folds = {row.name for row in self.procedure.decision if row.folds}

    def round(self) -> RoundResult:
        """Return the round at the moment of settlement."""
        seats = [self._seat(seat) for seat in self.case["seat"]]
        return ended_round(
            self.procedure.id,
            seats,
            () if self._in_parts() else cards_of(self.case.get("community", "")),
            options=self.options,
            dealer=self._dealer(),
            hands=tuple(self._hands()),
            stages=tuple(self._stages()),
            button=None,
        )

    def _joker(self, seat: PaperCase) -> int:
        """Return the number of the first joker at a seat: the deck's jokers are numbered in the order of the seats."""
        before = self.case["seat"][: self.case["seat"].index(seat)]
        return 1 + sum(f"{each.get('cards', '')} {each.get('aside', '')}".split().count("JK") for each in before)

    def _seat(self, seat: PaperCase) -> Seat:
        choices, cards = tuple(seat.get("choices", ())), cards_of(_held(seat), self._joker(seat))
        folded = seat.get("status") == "folded" or not self._folds.isdisjoint(choices)
        at = {self._steps[choice]: choice for choice in choices if choice in self._steps}
        if seat.get("declared"):
            at["declared"] = "declared"
        return Seat(
            seat=seat["seat"],
            status="folded" if folded else seat.get("status", "live"),
            cards=cards,
            counted=len(cards) or None,
            expected=len(cards),
            decision=choices[-1] if choices else None,
            decisions=choices if len(choices) > 1 else (),
            choices=at,
            discards=cards_of(seat.get("aside", ""), self._joker(seat)),
            split=_split(cards, seat["cards"] if "second" in seat else seat.get("low"), "player"),
            wagers=self._wagers(seat),
            propositions=seat.get("propositions", {}),
        )

    def _wagers(self, seat: PaperCase) -> dict[str, int]:
        """Return the seat's wagers. A wager of which half was given up is in the round with the part that is lost; the
        rest has gone back."""
        given = next((row.gives_up for row in self.procedure.decision if row.gives_up), None)
        wagers = seat["bets"] | {bet: sum(on.values()) for bet, on in seat.get("propositions", {}).items()}
        if "surrendered" not in seat or given is None:
            return wagers
        return {bet: cents for bet, cents in wagers.items() if bet != given.bet} | {given.as_: seat["surrendered"]}

    def _dealer(self) -> Hand | None:
        if "dealer" not in self.case:
            return None
        cards = cards_of(self.case["dealer"])
        split = _split(cards, self.case.get("dealer_low"), "dealer")
        return Hand(cards=cards, counted=len(cards), expected=len(cards), split=split)

    def _hands(self) -> Iterator[NamedHand]:
        places = {row.name: row.place for row in self.procedure.hand}
        for name, cards in self._named().items():
            place = str(places.get(name, name))
            taken = any(name in seat.get("choices", ()) for seat in self.case["seat"])
            split = _split(cards, self.case.get(f"{name}_low"), "player" if taken else "dealer")
            count = len(cards)
            yield NamedHand(
                name=name, place=place, status="live", cards=cards, counted=count, expected=count, split=split
            )

    def _in_parts(self) -> bool:
        """True if the community has several places of its own."""
        return any(place.startswith("community-") for hand in self.game.spec.hands.values() for place in hand.of)

    def _named(self) -> dict[str, tuple[str, ...]]:
        """Return the hands that belong to no one; where a reader writes a community in parts as one, its parts in
        order."""
        given = {name: cards_of(text) for name, text in self.case.get("hands", {}).items()}
        left = cards_of(self.case.get("community", ""))
        for hand in self.game.spec.hands.values():
            for place, number in hand.of.items():
                if place.startswith("community-") and place not in given:
                    given[place], left = left[:number], left[number:]
        return given

    def _stages(self) -> Iterator[Stage]:
        """Yield cards of earlier steps: the first of the community, and the hand that a reader calls `first`."""
        seen = set[tuple[str, str]]()
        for hand in self.game.spec.hands.values():
            for place, (step, *_) in hand.at.items():
                if (step, place) in seen:
                    continue
                seen.add((step, place))
                most = hand.of[place] if isinstance(hand.of[place], int) else hand.of[place][1]
                if place == "own":
                    for seat in self.case["seat"]:
                        cards = cards_of(seat.get("first", seat.get("cards", "")), self._joker(seat))[:most]
                        yield Stage(step, f"seat {seat['seat']}", cards)
                elif place == "community":
                    yield Stage(step, place, cards_of(self.case.get("community", ""))[:most])
                else:
                    yield Stage(step, place, cards_of(self.case.get("hands", {}).get(place, self.case.get(place, ""))))

    def settle(self, **options: Any) -> Settlement:
        """Return the program's settlement, on the tables that the reader names."""
        shown, known = self.case.get("meters", {}), self.game.meters()
        meters = {name if name in known else known[0]: Meter(cents) for name, cents in shown.items()}
        chosen = {bet: self._table(bet, label) for bet, label in self._labels()}
        readings = dict(self.case.get("readings", {}))
        if "joker" in self.case:
            readings["joker-use"] = self.case["joker"]
        given: dict[str, Any] = {"paytables": chosen, "readings": readings, "meters": meters, "accept_suspect": True}
        if "commission_percent" in self.case:
            given["commission"] = self.case["commission_percent"]
        return settle(options.pop("result", None) or self.round(), self.game, **(given | options))

    def _labels(self) -> Iterator[tuple[str, str]]:
        """Yield the named tables of the bets that have one of their own."""
        labels = ((self._tabled(bet), label) for bet, label in self.case.get("tables", {}).items())
        return ((bet, label) for bet, label in labels if self.game.bets[bet].chosen_with == bet)

    def _tabled(self, bet: str) -> str:
        """Return the bet that has the table: a reader names a payment on a bet as that bet."""
        bets = self.game.bets
        return bet if bets[bet].to_choose else next(name for name, each in bets.items() if each.on == bet)

    def _table(self, bet: str, label: str) -> str:
        tables = [self.game.paytables[name] for name in self.game.bets[bet].to_choose]
        named = [table.id for table in tables if label in (table.label, table.id)]
        assert named, f"{bet} has no table {label!r}; allowed: {[table.label or table.id for table in tables]}"
        return named[0]


def _held(seat: PaperCase) -> str:
    """Return all the cards of a seat: both parts of a hand that was split."""
    return f"{seat.get('cards', '')} {seat.get('second', '')}"


def _split(cards: tuple[str, ...], low: str | None, by: str) -> Split | None:
    if low is None:
        return None
    first, rest = cards_of(low), list(cards)
    for card in first:
        rest.remove(card)
    return Split(first, tuple(rest), by, foul=False)


def outcomes(settlement: Settlement, seat: int) -> dict[str, str]:
    """Return the result of each bet, as a reader writes it; envy as one total."""
    mine = [line for line in settlement.lines if line.seat == seat and line.bet != "envy"]
    found = {f"{line.bet} {line.proposition}".strip(): _spelled(line) for line in mine}
    envy = sum(line.pay for line in settlement.lines if line.seat == seat and line.bet == "envy")
    taken = sum(line.commission for line in settlement.lines if line.seat == seat)
    return found | ({"envy": str(envy)} if envy else {}) | ({"commission": str(taken)} if taken else {})


def expected(seat: Mapping[str, Any]) -> dict[str, str]:
    """Return the results that the reader expects."""
    outcomes: dict[str, str] = {}
    for bet, what in seat["expect"].items():
        outcomes |= {f"{bet} {on}": end for on, end in what.items()} if isinstance(what, dict) else {bet: what}
    if "surrendered" in seat:
        outcomes = {bet: what for bet, what in outcomes.items() if what != "returned"} | {"surrendered": "lose"}
    return outcomes | {key: str(seat[key]) for key in ("envy", "commission") if seat.get(key)}


def _spelled(line: SettlementLine) -> str:
    if line.result == "lose" and line.returned:  # part of the stake comes back, as a win for it would
        return f"win {line.returned} for"
    if line.result != "win":
        return line.result
    back = "" if line.returned == line.stake else " for"
    return f"win {line.pay}{back}"
