"""Random rounds of a game as JSON objects of `dealwire.round/2`, by seed.

Cards come from a shuffled deck, half the time from a stacked one (few ranks, few suits, a run, the cards of a royal
flush first), so that rare rows, ties and the edges of a qualifier occur often. A few rounds are void, a few hands dead,
a few cards unread.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from dealer_flow.procedure.load import load_procedure
from tests.oracle.hands import DECK, RANKS, SUITS, UNREAD

Round = dict[str, Any]


@dataclass
class Player:
    """One seat of a round in preparation."""

    rng: random.Random
    seat: int
    cards: list[str]
    community: list[str]
    dealer: list[str]
    status: str = "live"
    wagers: dict[str, int] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    discards: list[str] = field(default_factory=list)
    blind: list[str] = field(default_factory=list)
    stages: dict[str, list[str]] = field(default_factory=dict)
    """The seat's own cards at the end of a step, by step."""
    split: dict[str, Any] | None = None
    """The two parts of a hand that was set."""
    propositions: dict[str, dict[str, int]] = field(default_factory=dict)
    expected: int | None = None
    """Number of cards the hand must have; the number dealt unless a choice changes it."""

    def amount(self, most: int = 10_000) -> int:
        """Return cents up to `most`: usually whole chips, at times odd cents."""
        unit = min(most, self.rng.choices((500, 100, 25, 1), (10, 4, 3, 2))[0])
        return unit * self.rng.randint(1, most // unit)

    def bet(self, name: str, cents: int | None = None, chance: float = 1.0) -> int:
        """Place a bet, or not, by chance; return its amount."""
        if self.rng.random() >= chance:
            return 0
        self.wagers[name] = self.amount() if cents is None else cents
        return self.wagers[name]

    def tips(self, *names: str, chance: float = 0.25, alike: int = 0) -> None:
        """Place tips with some of these bets, up to the player's own, or all `alike`."""
        for name in names:
            if name in self.wagers and self.rng.random() < chance:
                tip = alike or self.rng.choice((self.wagers[name], self.amount(self.wagers[name])))
                self.wagers[f"tip-{name}"] = tip

    def choose(self, step: str, *choices: str) -> str:
        self.choices[step] = self.rng.choice(choices)
        return self.choices[step]

    def declares(self, cards: list[str]) -> None:
        """Show these cards to declare them."""
        self.choices["declared"] = "declared"
        self.stages["declared"] = list(cards)

    def folds(self, step: str, choice: str, chance: float = 0.25) -> bool:
        if self.rng.random() >= chance:
            return False
        self.choices[step] = choice
        self.status = "folded"
        return True


@dataclass(frozen=True)
class Layout:
    """Facts about a game's deal that a settlement can see."""

    game: str
    own: int
    play: Callable[[Player], None]
    dealer: int = 0
    community: int = 0
    hands: Mapping[str, int] = field(default_factory=dict)
    """Named hands: the number of cards that play in each, in the order of the places `hand 1`, `hand 2`."""
    seats: int = 7
    decks: int = 1
    jokers: int = 0
    burns: tuple[tuple[str, int], ...] = ()
    """Burned cards of a packet: place and position."""
    shoe: bool = False
    stages: Callable[[Round, random.Random], list[tuple[str, str, list[str]]]] | None = None
    """Cards at the house's places at earlier steps."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Options of the procedure by which the round was dealt."""
    finish: Callable[[Round, random.Random], None] | None = None
    """Action of the house after all choices: it sets its hand."""
    early: tuple[str, ...] = ()
    """Bets that are paid when the hand is declared; a later void does not affect them."""


def shuffled(rng: random.Random, layout: Layout) -> list[str]:
    """Return the deck in a random order, at times with chosen cards first."""
    deck = [*DECK * layout.decks, *(f"X{number + 1}" for number in range(layout.jokers))]
    rng.shuffle(deck)
    way = rng.randrange(10)
    if way < 4:
        return deck
    low = rng.randrange(13)
    ranks = {
        4: set(rng.sample(RANKS, rng.randint(3, 7))),
        5: {RANKS[(low + step) % 13] for step in range(rng.randint(4, 7))},
        6: set(RANKS),
        7: set("TJQKA"),
        8: set("AKQ") | set(rng.sample(RANKS, 2)),
        9: set("A2345"),
    }[way]
    suits = set(SUITS) if way in (4, 8) else set(rng.sample(SUITS, rng.choice((1, 1, 2, 4))))
    first = [card for card in deck if card[0] == "X" or (card[0] in ranks and card[1] in suits)]
    keep = rng.choice((1.0, 1.0, 0.8))
    first = [card for card in first if rng.random() < keep]
    return first + _without(deck, first)


def _without(deck: Sequence[str], first: Sequence[str]) -> list[str]:
    rest = list(deck)
    for card in first:
        rest.remove(card)
    return rest


@cache
def _procedure(game: str) -> dict[str, str]:
    ref = load_procedure(game).ref()
    return {"id": ref.id, "sha256": ref.sha256}


def deal(layout: Layout, rng: random.Random, number: int = 1) -> Round:
    """Deal one round of the game."""
    deck = shuffled(rng, layout)
    places = sorted(rng.sample(range(1, layout.seats + 1), rng.randint(1, min(layout.seats, rng.choice((2, 4, 7))))))
    takers: list[tuple[str, int]] = [(f"seat {place}", layout.own) for place in places]
    takers += [("dealer", layout.dealer), ("community", layout.community), *layout.hands.items()]
    takers = [(name, count + sum(of == name for of, _ in layout.burns)) for name, count in takers]
    rng.shuffle(takers)
    hands = {name: [deck.pop(0) for _ in range(count)] for name, count in takers}
    burned = [hands[of].pop() for of, _ in layout.burns]
    players = [Player(rng, place, hands[f"seat {place}"], hands["community"], hands["dealer"]) for place in places]
    for player in players:
        layout.play(player)
    data = _round(layout, rng, players, hands, number)
    data["burned"] = [rng.choice((card, UNREAD)) for card in burned]
    data |= _left(layout, len(DECK) * layout.decks + layout.jokers, len(deck))
    if layout.finish is not None:
        layout.finish(data, rng)
    _spoil(layout, rng, data)
    return data


def _round(
    layout: Layout, rng: random.Random, players: list[Player], hands: dict[str, list[str]], number: int
) -> Round:
    data: Round = {"schema": "dealwire.round/2", "type": "round", "table": "table-1", "session": "0000beef"}
    data |= {
        "round": number,
        "procedure": _procedure(layout.game),
        "options": dict(layout.options),
        "outcome": "complete",
    }
    data |= {"packets": [], "community": hands["community"], "burned": [], "burn": None}
    data |= {"rejected": 0, "incidents": []}
    spread = [{"of": _place(layout, of), "positions": [at], "spread": "left-to-right"} for of, at in layout.burns]
    if spread:
        data["burn"] = spread[0]
    if len(spread) > 1:
        data["burns"] = spread
    data["seats"] = [_seat(layout, player) for player in players]
    cards = hands["dealer"]
    data["dealer"] = {"cards": cards, "counted": len(cards), "expected": len(cards)} if cards else None
    if layout.hands:
        data["hands"] = [_named(layout, name, hands[name]) for name in layout.hands]
    stages = [(step, f"seat {p.seat}", cards) for p in players for step, cards in p.stages.items()]
    stages += layout.stages(data, rng) if layout.stages else []
    if stages:
        data["stages"] = [{"step": step, "place": place, "cards": cards} for step, place, cards in stages]
    return data


def _place(layout: Layout, name: str) -> str:
    return f"hand {list(layout.hands).index(name) + 1}" if name in layout.hands else name


def _named(layout: Layout, name: str, cards: list[str]) -> dict[str, Any]:
    count = len(cards) + sum(of == name for of, _ in layout.burns)
    place = _place(layout, name)
    return {"name": name, "place": place, "status": "live", "cards": cards, "counted": count, "expected": count}


def _seat(layout: Layout, player: Player) -> dict[str, Any]:
    chosen = [choice for step, choice in player.choices.items() if step != "declared"]
    count = len(player.cards)
    seat: dict[str, Any] = {"seat": player.seat, "status": player.status, "cards": player.cards}
    seat |= {"counted": count, "expected": player.expected or count, "decision": chosen[-1] if chosen else None}
    if layout.own == 0:
        seat["counted"] = None
    if len(chosen) > 1:
        seat["decisions"] = chosen
    if len(player.choices) > 1:
        seat["choices"] = player.choices
    for key in ("discards", "blind", "split", "propositions"):
        if getattr(player, key):
            seat[key] = getattr(player, key)
    return seat | {"wagers": player.wagers}


def _left(layout: Layout, whole: int, left: int) -> Round:
    if layout.shoe:
        shoe = {"id": 1, "loaded": whole, "drawn": whole - left, "left": left}
        return {"deck": {"deck": 0, "loaded": None}, "remainder": None, "shoe": shoe}
    return {"deck": {"deck": 1, "loaded": whole}, "remainder": {"counted": left, "expected": left}}


def _spoil(layout: Layout, rng: random.Random, data: Round) -> None:
    """Now and then make a void round, a dead hand, held bets, or unread cards."""
    seats = data["seats"]
    way = rng.random()
    if way < 0.02:
        data["outcome"] = rng.choice(("misdeal", "defective-deck"))
        for seat in seats:
            seat["returned"] = _open(layout, seat)
    elif way < 0.03:
        data["outcome"] = "unreliable"
    elif way < 0.06 and layout.dealer and any("progressive" in seat["wagers"] for seat in seats):
        data["outcome"] = "progressive-only"
        for seat in seats:
            seat["returned"] = {bet: cents for bet, cents in seat["wagers"].items() if bet != "progressive"}
    elif way < 0.12:
        _kill(layout, rng, rng.choice(seats), data)
    elif way < 0.14:
        _hold(rng, rng.choice(seats), data)
    if rng.random() < 0.1:
        _unread(rng, data)


def _open(layout: Layout, seat: dict[str, Any]) -> dict[str, int]:
    """Return the wagers that were not settled before."""
    early = layout.early if "declared" in seat.get("choices", {}) else ()
    settled = [bet for bet in seat["wagers"] if bet.removeprefix("tip-") in early]
    if settled:
        seat["settled"] = settled
    return {bet: cents for bet, cents in seat["wagers"].items() if bet not in settled}


def _kill(layout: Layout, rng: random.Random, seat: dict[str, Any], data: Round) -> None:
    """Kill a hand: its bets come back, or are lost if its player fouled it; bets the clause does not name are lost."""
    seat["status"] = "dead"
    back = rng.choices((1.0, 0.0, 0.5), (8, 1, 1))[0]
    returned = {bet: cents for bet, cents in _open(layout, seat).items() if rng.random() < back}
    if returned:
        seat["returned"] = returned
    if back < 1:
        place = f"seat {seat['seat']}"
        data["incidents"] = [{"code": "hand-fouled", "clause": "47.1-1032(3)", "reason": "player", "place": place}]


def _hold(rng: random.Random, seat: dict[str, Any], data: Round) -> None:
    bets = [bet for bet in seat["wagers"] if rng.random() < 0.5]
    if bets:
        seat["held"] = dict.fromkeys(bets, "47.1-1002(2)")


def _unread(rng: random.Random, data: Round) -> None:
    """Make one card or a whole hand unread, there and at every earlier stage."""
    hands = [seat["cards"] for seat in data["seats"]] + [data["community"]]
    hands += [data["dealer"]["cards"]] if data["dealer"] else []
    hands += [each["cards"] for each in data.get("hands", ())]
    cards = rng.choice([each for each in hands if each] or [[]])
    gone = list(cards) if rng.random() < 0.3 else rng.sample(cards, min(len(cards), 1))
    everywhere = [*hands, *(stage["cards"] for stage in data.get("stages", ()))]
    setters = [*data["seats"], *data.get("hands", ()), *([data["dealer"]] if data["dealer"] else [])]
    everywhere += [each["split"][part] for each in setters if "split" in each for part in ("low", "rest")]
    for each in everywhere:
        each[:] = [UNREAD if card in gone else card for card in each]
