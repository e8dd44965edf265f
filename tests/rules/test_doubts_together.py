"""Random rounds with several doubts at once: money that is settled is the same however each doubt is resolved, and
every amount that may be owed has a line, held or paid."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dealer_flow.record.result import RoundResult, Seat
from protocol.cards import DECK
from rules import Game, Meter, Settlement, load_game, settle
from rules.settlement import SettlementLine
from tests.oracle import deal
from tests.oracle.compare import module_of
from tests.support.dealing import flushes
from tests.support.dealing.written_rounds import ended_round, seat_of

UNREAD: Final = "??"
OVER: Final = 10_100
"""Cents above the limit of every game here."""
OTHERS: Final = {1: ("QD", "3S"), 2: ("QS", "2H"), 3: ("3D", "TD"), 4: ("4S", "4H")}
"""Cards that no hand below has, two for each seat."""
MOST_WORLDS: Final = 9
METERS: Final = {"meter": Meter(1_234_567, 500_000)}

Round = Mapping[str, Any]
"""A round as its JSON object."""


class Doubt(NamedTuple):
    """A fact of a round that is in doubt, and each way in which a supervisor may resolve it."""

    name: str
    said: Callable[[RoundResult], RoundResult]
    resolved: tuple[Callable[[RoundResult], RoundResult], ...]


def seat_with(round_: RoundResult, number: int, change: Callable[[Seat], Seat]) -> RoundResult:
    return replace(round_, seats=tuple(change(seat) if seat.seat == number else seat for seat in round_.seats))


def as_it_is(round_: RoundResult) -> RoundResult:
    return round_


def with_card(round_: RoundResult, card: str, other: str) -> RoundResult:
    """Return the round with one card replaced by another everywhere."""
    return RoundResult.from_json(round_.to_json().replace(f'"{card}"', f'"{other}"'))


# ------------------------------------------------------------------ doubts of any game


def held_bet(number: int, bet: str) -> Doubt:
    """A bet that the round holds: a supervisor lets it stand or gives it back, with its tip."""

    def back(seat: Seat) -> Seat:
        away = {name: cents for name, cents in seat.wagers.items() if name in (bet, f"tip-{bet}")}
        return replace(seat, returned={**seat.returned, **away})

    return Doubt(
        f"seat {number} {bet} held",
        lambda round_: seat_with(round_, number, lambda seat: replace(seat, held={**seat.held, bet: "47.1-1002(2)"})),
        (as_it_is, lambda round_: seat_with(round_, number, back)),
    )


def unread_card(card: str, others: Sequence[str]) -> Doubt:
    """An unread card, which may be the actual card or one of some others."""
    return Doubt(
        f"{card} unread",
        lambda round_: with_card(round_, card, UNREAD),
        (as_it_is, *(lambda round_, other=other: with_card(round_, card, other) for other in others)),
    )


def doubts_of(round_: RoundResult, rng: random.Random, jokers: int) -> Iterator[Doubt]:
    """Yield the facts that may be in doubt in a round of any game."""
    for seat in round_.seats:
        if seat.status in ("live", "folded"):
            yield from (held_bet(seat.seat, bet) for bet in seat.wagers if not bet.startswith("tip-"))
    texts = Counter(re.findall(r'"([2-9TJQKA][CDHS])"', round_.to_json()))
    free = sorted({card.text for card in DECK} - texts.keys())
    hands = [seat.cards for seat in round_.seats if seat.status in ("live", "folded")]
    lying = Counter(card for seat in round_.seats for card in seat.cards)
    for cards in hands:
        for card in cards:
            if card in texts and lying[card] == 1 and len(free) > 3 and not jokers:
                yield unread_card(card, [free.pop(rng.randrange(len(free))) for _ in range(3)])


# ------------------------------------------------------------------ what must hold


def source(line: SettlementLine) -> str:
    """Return the seat whose hand an envy line is for."""
    found = re.search(r" of seat (\d+)", line.why) if line.bet == "envy" else None
    return found[1] if found else ""


Key = tuple[int, str, str, str]


def lines_of(settlement: Settlement) -> dict[Key, list[tuple[str, int, int]]]:
    """Return the result, pay and returned stake by seat, bet, seat of an envy hand, and outcome of a proposition."""
    found: dict[Key, list[tuple[str, int, int]]] = {}
    for line in settlement.lines:
        bet = "pot" if line.bet.startswith(("pot", "side-pot")) else line.bet  # one that is held has its bets' names
        seat = 0 if bet == "jackpot" else line.seat  # one that is held has one line
        for_hand = source(line) if settlement.readings.get("envy-tied") != "once" else ""
        key = seat, bet, for_hand, line.proposition or ""
        found.setdefault(key, []).append((str(line.result), line.pay, line.returned))
    return found


def owed(settlement: Settlement) -> dict[Key, list[tuple[str, int, int]]]:
    """Return the pays without a stake of their own: envy, an award, a bonus on another bet."""
    return lines_of(replace(settlement, lines=tuple(line for line in settlement.lines if not line.stake)))


def wagers_of(round_: RoundResult) -> set[tuple[int, str]]:
    return {(seat.seat, bet) for seat in round_.seats for bet in seat.wagers}


def check(round_: RoundResult, doubts: Sequence[Doubt], game: Game, **terms: Any) -> None:
    """Compare the round with all these doubts with the rounds in which they are resolved, and with the round with all
    but the last."""
    fewer_said = said = round_
    for doubt in doubts:
        fewer_said, said = said, doubt.said(said)
    found, before = lines_of(settle(said, game, **terms)), lines_of(settle(fewer_said, game, **terms))
    told = [doubt.name for doubt in doubts]
    gone = wagers_of(fewer_said) - wagers_of(said)
    for key, lines in before.items():
        if any(line[0] == "held" for line in lines) and key[:2] not in gone:
            assert any(line[0] == "held" for line in found.get(key, ())), (told, key, "one more doubt settles it")
    for ways in islice(product(*(doubt.resolved for doubt in doubts)), MOST_WORLDS):
        world = round_
        for way in ways:
            world = way(world)
        resolved = settle(world, game, **terms)
        true = lines_of(resolved)
        for key, lines in found.items():
            if all(line[0] != "held" for line in lines):
                assert true.get(key) == lines, (told, key, "settled, and not the same in each world")
        for key in owed(resolved):
            assert key in found, (told, key, "owed in a world, and no line")


# ------------------------------------------------------------------ games dealt at random

GAMES = (
    *("three-card.co", "texas-holdem-bonus.co", "mississippi-stud.co", "let-it-ride.co", "crazy-4.co"),
    *("ultimate-texas-holdem.co", "caribbean-draw.co", "fortune-pai-gow.co", "emperors-challenge.co"),
    *("texas-shootout.co", "western-stud.co", "3-5-7.co"),
)
ENVIED = {"envy-trigger": ("bettors", "anyone"), "folded-envy": ("collects", "none"), "envy-tied": ("each", "once")}


@pytest.mark.every(4)
@pytest.mark.parametrize("name", GAMES)
@given(st.integers(0, 1 << 32), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_what_is_settled_in_spite_of_doubts_is_so_in_every_world(name: str, seed: int, number: int) -> None:
    module, game, rng = module_of(name), load_game(name), random.Random(seed)
    data = next(data for data in iter(lambda: deal.deal(module.LAYOUT, rng), None) if data["outcome"] == "complete")
    round_ = RoundResult.from_json(json.dumps(data))
    doubts = [*doubts_of(round_, rng, module.LAYOUT.jokers)]
    chosen = rng.sample(doubts, min(number, len(doubts)))
    readings = {reading: rng.choice(ENVIED[reading]) for reading in ENVIED if reading in game.spec.readings}
    tables = (
        {"progressive": rng.choice(game.paytables_under("progressive", game.default_readings()))}
        if "progressive" in game.bets
        else {}
    )
    meters = METERS if "progressive" in game.bets else None
    check(round_, chosen, game, readings=readings, meters=meters, paytables=tables, accept_suspect=True)


# ------------------------------------------------------------------ folds in doubt, bets over the limit

DEALER, BOARD = "3C 4D 5C 6C 8C", "KD 9D"
HANDS = ("AH KH QH JH TH", "5S 6S 7S 8S 9S", "7C 7D 7H KC KS", "2C 2D 4C JC TS")


def played(seat: Seat) -> Seat:
    return replace(seat, status="live", decision="play", wagers={**seat.wagers, "play": 2 * seat.wagers["ante"]})


def folded(seat: Seat) -> Seat:
    wagers = {bet: cents for bet, cents in seat.wagers.items() if bet != "play"}
    return replace(seat, status="folded", decision="fold", wagers=wagers)


SAID = {
    "live without the play bet": lambda seat: replace(folded(seat), status="live", decision="play"),
    "folded with a play bet": lambda seat: replace(played(seat), status="folded", decision="fold"),
    "live and chose to fold": lambda seat: replace(folded(seat), status="live"),
    "live with a play bet and chose to fold": lambda seat: replace(played(seat), decision="fold"),
}


def fold_in_doubt(number: int, how: str) -> Doubt:
    ways = tuple(lambda round_, way=way: seat_with(round_, number, way) for way in (played, folded))
    return Doubt(f"seat {number} {how}", lambda round_: seat_with(round_, number, SAID[how]), ways)


def over_limit(number: int, bet: str) -> Doubt:
    """A bet above the limit: it is no bet, or one of the amount allowed."""

    def least(seat: Seat) -> Seat:
        return replace(seat, wagers={**seat.wagers, bet: OVER})

    def none(seat: Seat) -> Seat:
        return replace(seat, wagers={name: cents for name, cents in seat.wagers.items() if name != bet})

    resolved = (as_it_is,) if bet == "ante" else (as_it_is, lambda round_: seat_with(round_, number, none))
    return Doubt(f"seat {number} {bet} over the limit", lambda round_: seat_with(round_, number, least), resolved)


@st.composite
def evenings_of_flushes(draw: st.DrawFn) -> tuple[RoundResult, list[Doubt]]:
    seats, doubts = list[Seat](), list[Doubt]()
    for number, cards in enumerate(draw(st.permutations(HANDS)), 1):
        rush, extra = draw(st.sampled_from((0, 500))), draw(st.sampled_from((0, 100, 500)))
        status: Any = draw(st.sampled_from(("live", "live", "folded", "dead")))
        seats.append(flushes.seat(number, cards, flush_rush=rush, progressive=extra, status=status))
        if status == "dead":
            continue
        if draw(st.booleans()):
            doubts.append(fold_in_doubt(number, draw(st.sampled_from(sorted(SAID)))))
        bet = draw(st.sampled_from(("", "", "ante", "progressive", "flush-rush")))
        if bet and seats[-1].wagers.get(bet):
            doubts.append(over_limit(number, bet))
        if draw(st.sampled_from((False, False, False, True))):
            doubts.append(unread_card(draw(st.sampled_from(cards.split())), OTHERS[number]))
    return flushes.deal(BOARD, DEALER, *seats), draw(st.permutations(doubts))


@given(evenings_of_flushes(), st.sampled_from(ENVIED["envy-trigger"]), st.sampled_from(ENVIED["folded-envy"]))
@settings(max_examples=60, deadline=None)
def test_folds_in_doubt_bets_over_the_limit_and_unread_cards(
    evening: tuple[RoundResult, list[Doubt]], trigger: str, by_folded: str
) -> None:
    round_, doubts = evening
    readings = {"envy-trigger": trigger, "folded-envy": by_folded}
    check(round_, doubts[:4], flushes.GAME, readings=readings, meters=METERS)


def test_a_progressive_waits_where_the_fold_is_in_doubt_though_the_ante_is_over_the_limit() -> None:
    """Regression: the limit held ante, blind and play, and the progressive was settled as if the hand had been
    played."""
    round_ = flushes.deal(BOARD, DEALER, flushes.seat(1, HANDS[2], ante=OVER, play=0, progressive=100))
    lines = {line.bet: (line.result, line.why) for line in settle(round_, flushes.GAME, meters=METERS).lines}
    assert lines["progressive"] == ("held", "play of $0 is not equal to 2 times the ante of $101")
    assert lines["ante"] == ("held", "ante of $101 is over the limit of $100")


# ------------------------------------------------------------------ a jackpot award: Longhorn

LONGHORN = load_game("longhorn.co")
ON_BOARD: Final = ("AC", "AD", "KH", "KD", "2C")
SHOWN = ("AS QC", "KS KC", "9H 8H", "9D 8D", "AH JC")
STREETS = {"pot_1": 500, "pot_2": 500, "pot_3": 500, "bonus": 100}


def chose_to_fold(number: int) -> Doubt:
    """A live hand whose player chose to fold."""

    def said(round_: RoundResult) -> RoundResult:
        return seat_with(round_, number, lambda seat: replace(seat, decision="fold"))

    def gave_up(round_: RoundResult) -> RoundResult:
        return seat_with(round_, number, lambda seat: replace(seat, status="folded", decision="fold"))

    return Doubt(f"seat {number} chose to fold", said, (as_it_is, gave_up))


@st.composite
def evenings_of_longhorn(draw: st.DrawFn) -> tuple[RoundResult, list[Doubt]]:
    seats, doubts = list[Seat](), list[Doubt]()
    for number, cards in enumerate(draw(st.permutations(SHOWN))[: draw(st.integers(2, 4))], 1):
        bet = draw(st.sampled_from(({}, {"bad_beat": 100}, {"bad_beat": 100})))
        wagers: dict[str, Any] = STREETS | bet
        seats.append(seat_of(number, cards, **wagers))
        if draw(st.sampled_from((False, False, True))):
            doubts.append(chose_to_fold(number))
        if bet and draw(st.sampled_from((False, False, True))):
            doubts.append(held_bet(number, "bad-beat"))
        if draw(st.sampled_from((False, False, True))):
            doubts.append(unread_card(draw(st.sampled_from(cards.split())), OTHERS[number]))
    return ended_round("longhorn.co", seats, ON_BOARD), draw(st.permutations(doubts))


@given(evenings_of_longhorn(), st.sampled_from(("held", "highest")), st.sampled_from(("held", "divided")))
@settings(max_examples=60, deadline=None)
def test_an_award_that_hangs_on_a_doubt_is_held(
    evening: tuple[RoundResult, list[Doubt]], several: str, tied: str
) -> None:
    round_, doubts = evening
    terms: dict[str, Any] = {"meters": {"primary": 100_000}}
    terms["readings"] = {"beaten-hands": several, "tied-shares": tied}
    check(round_, doubts[:3], LONGHORN, **terms)
