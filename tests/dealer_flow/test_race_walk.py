"""Every order of events on a small race, breadth first, until nothing new is found.

The race is the real procedure with two cards to a column and four in all, one seat, and cards of any suit. Rounds that
stand the same are followed once. What must hold is checked at every step, and a race that ends as `complete` is run
again from the path that led there, not from what the flow believes.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from dealer_flow.games import files_of
from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import parse_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.round import Round
from devices import events as e
from protocol.cards import DECK, SUITS, Card
from protocol.places import SHOE
from tests.support.dealing.flow_points import Point, load, round_of, save

TEXT = files_of("deal")["race-to-the-flush"].read_text(encoding="utf-8")
SMALL = parse_procedure(
    TEXT.replace('when = "column"\ncards = 5', 'when = "column"\ncards = 2').replace("cards = 16", "cards = 4"),
    "small.toml",
)
SPOTS = {bet.name: bet.number for bet in SMALL.bet}
Step = Callable[[Round], e.Body]


def fresh(now: Round, suit: str) -> Card:
    """A card of the suit that is still in the shoe."""
    shoe = now.shoes.current if now.shoes else None
    return next(card for card in DECK if card.suit == suit and not (shoe and shoe.out[card]))


def ordinal(now: Round) -> int:
    shoe = now.shoes.current if now.shoes else None
    return (shoe.drawn if shoe else 0) + 1


def new_suit(now: Round) -> str:
    """A suit with no card on the table, as long as there is one: which it is makes no difference."""
    assert now.draw is not None
    return next((suit for suit in SUITS if suit not in {card.suit for card in now.draw.cards}), "S")


def old_suit(now: Round) -> str:
    """The suit of the last card."""
    assert now.draw is not None
    return next((card.suit for card in reversed(now.draw.cards) if card.suit), "C")


STEPS: dict[str, Step] = {
    "bet": lambda now: e.WagerPlaced(1, SPOTS["number-17"], 100),
    "move": lambda now: e.WagerPlaced(1, SPOTS["switch-clubs"], 40),
    "start": lambda now: e.GameStarted(1),
    "unread": lambda now: e.CardUnread(ordinal(now), None),
    "badge": lambda now: e.BadgeSwiped(7, "supervisor"),
    "name C": lambda now: e.HandRevealed(SHOE, (fresh(now, "C"),), True),
    "name H": lambda now: e.HandRevealed(SHOE, (fresh(now, "H"),), True),
    "lose one": lambda now: e.CardDrawn(ordinal(now) + 1, fresh(now, "S"), None),
    "push back": lambda now: e.CardPushedBack(False),
    "cut card": lambda now: e.CutCardSeen(),
    "misdeal": lambda now: e.MisdealCalled(7, 0),
    "end": lambda now: e.GameEnded(1),
    "draw new": lambda now: e.CardDrawn(ordinal(now), fresh(now, new_suit(now)), None),
    "draw old": lambda now: e.CardDrawn(ordinal(now), fresh(now, old_suit(now)), None),
}
SPOILS = ("lose one", "push back")
FAULTS = {*SPOILS, "unread", "misdeal", "cut card"}


def fingerprint(state: State, now: Round) -> tuple[object, ...]:
    draw, shoes = now.draw, now.shoes
    assert draw is not None
    assert shoes is not None
    shoe = shoes.current
    return (
        state,
        tuple(card.suit for card in draw.cards),
        draw.extra,
        len(draw.overdrawn) > 0,
        tuple(sorted(now.wagers.get(1, {}).items())),
        now.badge is not None,
        (now.unreliable, now.misdeal, now.defective),
        shoe is not None and (shoe.cut_card, shoe.whole, shoe.drawn > 0),
    )


def run_again(path: tuple[str, ...]) -> tuple[int, str | None] | None:
    """Finish of the race that this path dealt; None when it must not be settled."""
    if "start" not in path or any(name.startswith(("draw", "unread", "lose")) for name in path[: path.index("start")]):
        return None
    cards: list[str | None] = []
    badge = moved = False
    for name in path[path.index("start") :]:
        word, _, suit = name.partition(" ")
        end = ended(cards)
        due = end == (4, None) and moved and len(cards) == 4
        if name in SPOILS and (end is None or (end == (4, None) and len(cards) == 4)):
            return None
        if word in ("draw", "unread") and (end is None or due):
            cards.append(suit or None)
            badge = badge and name != "unread"
        elif name == "move":
            moved = True
        elif name == "badge":
            badge = True
        elif word == "name" and None in cards and badge:
            cards[cards.index(None)], badge = suit, False
            if (end := ended(cards)) and len(cards) > end[0] and not due_card(cards, moved):
                del cards[end[0] :]
    end = ended(cards)
    return (5, cards[4]) if end == (4, None) and len(cards) == 5 else end


def due_card(cards: list[str | None], moved: bool) -> bool:
    """The fifth card was the extra card, not one drawn while another waited for its name."""
    return moved and len(cards) == 5 and ended(cards) == (4, None)


def ended(cards: list[str | None]) -> tuple[int, str | None] | None:
    """Return the end of the race after the first four cards; None while one that matters is unknown."""
    for number, suit in enumerate(cards[:4], 1):
        if suit is None:
            return None
        if cards[:number].count(suit) == 2:
            return number, suit
    return (4, None) if len(cards) >= 4 else None


def check_complete(path: tuple[str, ...], result: RoundResult) -> None:
    assert "misdeal" not in path[path.index("start") :]
    assert result.draw is not None
    assert result.draw.finish is not None
    column = result.draw.finish.column
    assert run_again(path) == (result.draw.finish.cards, column[0].upper() if column else None), (path, result)
    wagers = result.seats[0].wagers
    assert sum(wagers.values()) == 100
    assert ("switch-clubs" in wagers) == ("move" in path)


@pytest.mark.more
@pytest.mark.parametrize(("departures", "at_least"), [(2, 1000), pytest.param(3, 2000, marks=pytest.mark.slow)])
def test_every_order(departures: int, at_least: int) -> None:
    """Every order of legal steps with at most so many faults or steps out of turn among them, to the end."""
    flow = DealerFlow(SMALL)
    start = save(flow)
    frontier: list[tuple[tuple[str, ...], Point, int]] = [((), start, departures)]
    seen = {(fingerprint(*start[:2]), departures)}
    outcomes: Counter[str] = Counter()
    for _ in range(24):
        following = []
        for path, point, left in frontier:
            for name, make in STEPS.items():
                load(flow, point)
                before = round_of(flow)
                allowed = flow.legal()
                assert allowed, path
                body = make(before)
                if isinstance(body, e.CardDrawn) and name not in SPOILS:
                    name = f"draw {body.card.suit}"
                legal = name in ("badge", "unread") or any(item.event == type(body).__name__ for item in allowed)
                found = flow.handle(e.Seen("table", 1, 1, 1, body))
                for item in found:
                    if isinstance(item, RoundResult):
                        outcomes[item.outcome] += 1
                        assert RoundResult.from_json(item.to_json()) == item
                        if item.outcome == "complete":
                            check_complete((*path, name), item)
                codes = {item.code for item in found if isinstance(item, Incident)}
                assert not (legal and name.startswith("draw") and "out-of-turn" in codes), (path, name)
                if before is not round_of(flow):
                    continue
                new, remaining = save(flow), left - (name in FAULTS or not legal)
                key = (fingerprint(*new[:2]), remaining)
                if remaining >= 0 and key not in seen:
                    seen.add(key)
                    following.append(((*path, name), new, remaining))
        frontier = following
    assert not frontier, "the depth is too small to follow every order to its end"
    assert len(seen) > at_least, len(seen)
    assert min(outcomes[name] for name in ("complete", "unreliable", "misdeal")) > 10
