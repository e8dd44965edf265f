"""Five cards to the class of the hand: this project's tables beside its peers, in the same run, on this machine.

Every contestant gets the same hands in its own form of a card, made beforehand, and gives each hand's place in the
same order of 7,462 classes; that it does is checked before it is timed.
"""

import platform
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.table import Table, interleave
from protocol.cards import DECK
from rules.hands.tables import CLASSES, five_card_tree

HANDS = 20_000
BULK = 1_000_000

Hands = Sequence[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Contestant:
    """`rank` gives as many classes as it got hands. Without it, `absent` says why."""

    name: str
    rank: Callable[[], Sequence[int]] | None
    hands: int = 0
    absent: str = ""


def deal(number: int) -> Hands:
    """Hands drawn at random, always the same ones, as places in the deck."""
    draw = random.Random(52)
    return [tuple(draw.sample(range(52), 5)) for _ in range(number)]


def text_of(place: int) -> str:
    return DECK[place].text[0] + DECK[place].text[1].lower()


def tables(hands: Hands) -> Contestant:
    tree = five_card_tree()
    return Contestant("dealwire, plain Python", lambda: [tree[a][b][c][d][e] for a, b, c, d, e in hands], len(hands))


def bulk(hands: Hands) -> Contestant:
    try:
        import numpy as np
    except ImportError:
        return Contestant("dealwire, NumPy", None, absent="numpy is not installed")
    from rules.hands.bulk import five_card_classes

    times = -(-BULK // len(hands))
    columns = list(np.tile(np.array(hands, np.uint8).T, times).copy())

    def rank() -> Sequence[int]:
        found: Sequence[int] = five_card_classes(columns)  # type: ignore[assignment]  # an array is one, for our use
        return found

    return Contestant("dealwire, NumPy", rank, len(hands) * times)


def eval7(hands: Hands) -> Contestant:
    try:
        with warnings.catch_warnings(action="ignore"):  # it calls its parser by names that are going away
            import eval7 as peer
    except ImportError:
        return Contestant("eval7", None, absent="eval7 is not installed")
    cards = [[peer.Card(text_of(place)) for place in hand] for hand in hands]
    evaluate = peer.evaluate
    return Contestant("eval7 (Cython)", lambda: [evaluate(hand) for hand in cards], len(hands))


def phevaluator(hands: Hands) -> Contestant:
    try:
        from phevaluator import Card, evaluate_cards
    except ImportError:
        return Contestant("phevaluator", None, absent="phevaluator is not installed")
    cards = [[Card.to_id(text_of(place)) for place in hand] for hand in hands]
    return Contestant("phevaluator (C)", lambda: [evaluate_cards(*hand) for hand in cards], len(hands))


def treys(hands: Hands) -> Contestant:
    try:
        import treys as peer
    except ImportError:
        return Contestant("treys", None, absent="treys is not installed")
    cards = [[peer.Card.new(text_of(place)) for place in hand] for hand in hands]
    evaluate = peer.Evaluator().evaluate
    return Contestant("treys (Python)", lambda: [evaluate(hand, []) for hand in cards], len(hands))


def check(peer: Contestant, ours: Sequence[int]) -> None:
    """A peer may number classes its own way, up or down, but two hands must compare as ours do."""
    assert peer.rank is not None
    found = peer.rank()
    pairs = sorted({(mine, int(theirs)) for mine, theirs in zip(ours, found, strict=False)})
    theirs = [their for _, their in pairs]
    if len(pairs) != len(set(ours)) or theirs not in (sorted(theirs), sorted(theirs, reverse=True)):
        raise RuntimeError(f"{peer.name} orders hands another way")
    if max(ours) > CLASSES:
        raise RuntimeError("more classes than there are")


def run(seconds: float) -> Table:
    hands = deal(HANDS)
    peers = [make(hands) for make in (tables, bulk, eval7, phevaluator, treys)]
    timed = [peer for peer in peers if peer.rank is not None]
    assert timed[0].rank is not None
    ours = timed[0].rank()
    for peer in timed:
        check(peer, ours)
    medians = interleave([peer.rank for peer in timed if peer.rank is not None], seconds)
    speed = {peer.name: peer.hands / median for peer, median in zip(timed, medians, strict=True)}
    plain = speed[peers[0].name]
    return Table(
        "Five cards to the class of the hand, hands a second",
        ["", "hands a second", "ns a hand", "plain tables: times"],
        [
            [peer.name, f"{speed[peer.name]:,.0f}", f"{1e9 / speed[peer.name]:.1f}", f"{plain / speed[peer.name]:.2f}"]
            if peer.name in speed
            else [peer.name, "", peer.absent, ""]
            for peer in peers
        ],
        [
            f"Python {platform.python_version()}, {platform.machine()}; {HANDS:,} hands, {BULK:,} in bulk.",
            "One core, one thread; each peer is given cards in its own form, made beforehand.",
            "NumPy ranks whole columns; all others one hand a call, those of eval7 and phevaluator in C.",
        ],
    )
