"""Texas Shootout, 47.1-1017.51: two of four cards, or both pairs of them, and five on the board, from six decks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

from tests.oracle import hands
from tests.oracle.deal import Layout, Player
from tests.oracle.hands import Unseen
from tests.oracle.settling import HELD, LOSE, MOST_UNREAD, PUSH, Deal, Line, Lines, Seat, Settle, Table, printed, versus

_ORDER = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind"),
    *("five of a kind", "straight flush", "five of a kind suited"),
)
"""Card value (3), weakest first."""


@lru_cache(maxsize=400_000)
def ranked(cards: tuple[str, ...]) -> hands.Rank:
    """Rank five cards of six decks."""
    rank = hands.five(cards)
    if rank[0] == hands.STRAIGHT_FLUSH:
        return 9, *rank[1:]
    if rank[0] in (hands.FIVE_KIND, hands.FIVE_ACES):
        return (10 if len({card[1] for card in cards}) == 1 else 8), *rank[1:]
    return rank


def best(cards: Sequence[str]) -> hands.Rank:
    """Rank the best five; a card may occur several times."""
    return max(ranked(each) for each in set(combinations(sorted(hands.known(cards)), 5)))


def row(rank: hands.Rank) -> str:
    return "royal flush" if rank[:2] == (9, 14) else _ORDER[rank[0]]


def four_row(cards: Sequence[str]) -> str:
    """Return the best row of the first four cards, or of those shown of them, quick draw (1) to (3)."""
    four = hands.known(cards)
    shape, _ = hands.grouped([hands.value(card) for card in four])
    suited = len({card[1] for card in four}) == 1
    top = hands.run_top([hands.value(card) for card in four]) if len(four) == 4 else 0
    if shape == (4,):
        return "four of a kind suited" if suited else "four of a kind"
    if suited and top:
        return "royal flush" if top == 14 else "straight flush"
    if top:
        return "straight"
    if suited and len(four) == 4:
        return "flush"
    if shape[0] == 3:
        return "three of a kind"
    return "two pair" if shape[:2] == (2, 2) else "pair" if shape[0] == 2 else ""


def house_way(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the two cards that the dealer plays, house ways."""
    twos = [tuple(sorted(each, key=hands.value, reverse=True)) for each in combinations(hands.known(cards), 2)]
    for rule in _WAYS:
        fitting = [each for each in twos if rule(*_values(each), each[0][1] == each[1][1])]
        if fitting:
            top = max(_values(each) for each in fitting)
            return min((each for each in fitting if _values(each) == top), key=_suits)
    raise AssertionError


def _values(two: Sequence[str]) -> tuple[int, int]:
    return hands.value(two[0]), hands.value(two[1])


def _suits(two: Sequence[str]) -> tuple[bool, list[str]]:
    """Order pairs of a rank: a suited one first, as the third line says and (17) assumes; then alphabetically."""
    return two[0][1] != two[1][1], sorted(card[1] for card in two)


_WAYS: tuple[Callable[[int, int, bool], bool], ...] = (
    lambda high, low, suited: high == low >= 8,
    lambda high, low, suited: high == 14 and low >= 11,
    lambda high, low, suited: high == low and suited,
    lambda high, low, suited: high == low,
    lambda high, low, suited: high == 14 and suited,
    lambda high, low, suited: low >= 10 and suited,
    lambda high, low, suited: low >= 10,
    lambda high, low, suited: high == 14,
    lambda high, low, suited: 11 <= high <= 13 and suited,
    lambda high, low, suited: 11 <= high <= 13,
    lambda high, low, suited: high - low == 1 and suited,
    lambda high, low, suited: high - low == 1,
    lambda high, low, suited: suited,
    lambda high, low, suited: True,
)
"""Tests of the ranks of two cards, the higher first, and of their being suited. The first that any two satisfy decides,
and the highest two that satisfy it."""


def play(player: Player) -> None:
    """Keep two cards or play two hands; a bonus wager is then on one of them, or one on each."""
    cents = player.bet("shootout")
    player.bet("quick-draw", cents)
    bonus = player.bet("shootout-bonus", chance=0.6)
    player.tips("shootout", "quick-draw", "shootout-bonus")
    if player.rng.random() < (0.9 if four_row(player.cards) else 0.05):
        player.declares(player.cards)
    four = list(player.cards)
    player.rng.shuffle(four)
    two = ("two-hands-bonus", "bonus-on-first", "bonus-on-second") if bonus else ("two-hands",)
    choice = player.choose("choice", *("one-hand",) * len(two), *two)
    if choice == "one-hand":
        player.stages["hands"] = list(player.cards)
        player.cards = four[:2]
        if player.rng.random() < 0.5:
            player.discards = four[2:]
        return
    player.split = {"low": four[:2], "rest": four[2:], "by": "player", "foul": False}
    player.bet("second-hand", cents)
    player.tips("second-hand")
    if choice == "two-hands-bonus":
        player.bet("second-bonus", bonus)
        player.tips("second-bonus")


LAYOUT = Layout("texas-shootout.co", own=4, dealer=4, community=5, decks=6, play=play, shoe=True, early=("quick-draw",))
"""A player who declares a winning hand is paid, and the game continues, card delivery (4)."""

_ROWS = (
    *("five of a kind suited", "royal flush", "straight flush", "five of a kind", "four of a kind", "full house"),
    *("flush", "straight", "three of a kind"),
)
_QUICK = (
    *("four of a kind suited", "royal flush", "straight flush", "four of a kind", "straight", "flush"),
    *("three of a kind", "two pair", "pair"),
)
TABLES: Mapping[str, Mapping[str, Table]] = {
    "quick-draw": {"TS-QUICK": printed(_QUICK, 200, 100, 50, 20, 5, 4, 3, 2, 1)},
    "shootout-bonus": {"TS-BONUS": printed(_ROWS, 1000, 200, 75, 40, 7, 3, 2, 1, PUSH)},
}
_ENVY = dict(zip(_ROWS, (1000, 250, 50, 10), strict=False))


def parts(seat: Seat) -> list[list[str]]:
    """Return the one hand played, or both."""
    if seat.chose("choice") == "one-hand":
        return [seat.cards]
    split = seat.data.get("split")
    if not split or not split["low"] or not split["rest"]:
        raise Unseen
    return [list(split["low"]), list(split["rest"])]


def bets(seat: Seat, deal: Deal) -> Mapping[str, Settle]:
    """(9), take and pay (1), (2), shootout bonus, quick draw."""

    def mine(index: int) -> hands.Rank:
        return best([*parts(seat)[index], *deal.community])

    def against(stake: int, index: int) -> Line:
        return versus(deal, mine(index), best([*house_way(deal.dealer), *deal.community]), stake)

    def quick(stake: int) -> Line:
        """Settle a winning hand that is declared before the discard, (5)."""
        if "declared" not in seat.data.get("choices", {}):
            return LOSE
        return deal.pay("quick-draw", four_row(deal.stage("declared", f"seat {seat.number}")), stake)

    def bonus(stake: int, index: int) -> Line:
        return deal.pay("shootout-bonus", row(mine(index)), stake)

    declared = int(seat.chose("choice") == "bonus-on-second")
    return {
        "shootout": lambda stake: against(stake, 0),
        "second-hand": lambda stake: against(stake, 1),
        "quick-draw": quick,
        "shootout-bonus": lambda stake: bonus(stake, declared),
        "second-bonus": lambda stake: bonus(stake, 1),
    }


def could_be(cards: Sequence[str], board: Sequence[str]) -> Iterator[hands.Rank]:
    """Yield every hand that one with unread cards may be; with six decks any card may be each."""
    seen = [card for card in cards if card != hands.UNREAD]
    stands = combinations_with_replacement(hands.DECK, len(cards) - len(seen))
    return (best([*seen, *each, *board]) for each in stands)


def pots(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> None:
    """Envy: for each bonus wager of five dollars, by others' highest hand of the round unless the board is that hand.

    By (3), both hands of a player qualify, each with its own wager, and count for others. (2) mentions the highest hand
    and no tie: each of several highest hands counts here. Envy is held while an unread hand might be higher, and so is
    the envy that an unread hand would earn.
    """
    if hands.UNREAD in deal.community:
        _on_unread_board(deal, lines, void)
        return
    board = best(deal.community)
    made: dict[int, list[hands.Rank]] = {}
    unread: list[tuple[int, list[str]]] = []
    for seat in deal.seats:
        if not seat.dead:
            two = parts(seat)
            made[seat.number] = [best([*each, *deal.community]) for each in two if hands.UNREAD not in each]
            unread += [(seat.number, each) for each in two if hands.UNREAD in each]
    highest = max((rank for ranks in made.values() for rank in ranks), default=(0,))
    dollars = _ENVY.get(row(highest), 0) if highest > board else 0
    in_doubt = any(rank > highest for _, each in unread for rank in could_be(each, deal.community))
    may_bring = {
        number
        for number, each in unread
        if any(rank >= highest and rank > board and row(rank) in _ENVY for rank in could_be(each, deal.community))
    }
    for seat, line in _envious(deal, lines, void):
        count = sum(ranks.count(highest) for number, ranks in made.items() if number != seat.number) if dollars else 0
        open_ = (in_doubt and count > 0) or bool(may_bring - {seat.number})
        if count or open_:
            before = lines.get((seat.number, "envy"), LOSE)
            envy = dollars * count * 100 if line is None and not in_doubt else 0
            held = line is not None or open_ or before[0] == "held"
            lines[seat.number, "envy"] = ("held" if held else "win", before[1] + envy, 0)


def _on_unread_board(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> None:
    """Hold all envy for an unread board if some faces make a hand with envy."""
    seen = [card for card in deal.community if card != hands.UNREAD]
    covered = len(deal.community) - len(seen)

    def may_bring(cards: Sequence[str]) -> bool:
        return covered + cards.count(hands.UNREAD) > MOST_UNREAD or any(
            row(rank) in _ENVY for rank in could_be([*cards, *[hands.UNREAD] * covered], seen)
        )

    bringing = {seat.number for seat in deal.seats if not seat.dead and any(map(may_bring, parts(seat)))}
    for seat, _ in _envious(deal, lines, void):
        if bringing - {seat.number}:
            lines[seat.number, "envy"] = HELD


def _envious(deal: Deal, lines: Lines, void: set[tuple[int, str]]) -> Iterator[tuple[Seat, Line | None]]:
    """Yield the bonus wagers that earn envy, and the line of a held one."""
    for seat in deal.seats:
        for bet in ("shootout-bonus", "second-bonus"):
            line = lines[seat.number, bet] if (seat.number, bet) in void else None
            if seat.wagers.get(bet, 0) >= 500 and line in (None, HELD):
                yield seat, line
