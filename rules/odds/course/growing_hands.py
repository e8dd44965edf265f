"""Solvers of games in which a player sees their own hand grow and has no opponent.

The course is the procedure's, walked for all hands at once; each ending is settled. A solver provides the pay tables,
the ways to bet and the words.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import comb
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from rules.bets.bet import Bet
from rules.game.load import cards_of
from rules.odds.against.played_by import chosen
from rules.odds.cards.decks import dealt_from
from rules.odds.cards.hand_rows import HandRows
from rules.odds.cards.in_words import in_words
from rules.odds.cards.placed_sets import Choose, Pack
from rules.odds.cards.table_rows import TableRows
from rules.odds.course.growing import End, Growing
from rules.odds.course.seated import seated
from rules.odds.decide.decisions import decisions
from rules.odds.decide.settings import (
    bonus_settings,
    sizes,
    street_raises,
    surrender_settings,
)
from rules.odds.joint import Ending, joint_odds
from rules.odds.question import Question
from rules.odds.returns import Odds
from rules.paytables.paytable import PayTable

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
KEPT: Final = ("taken back", "stays")
GIVEN_UP: Final = ("surrender", "keep")


class _Walk:
    """Walk of a game with these bets, their tables and readings."""

    def __init__(
        self,
        question: Question,
        bets: Sequence[Bet],
        rows: Sequence[HandRows],
        *,
        choose: Choose | None = None,
        options: Mapping[str, str] = _NOTHING,
        without: Collection[str] = (),
    ) -> None:
        self._question, self._bets, self._tables = question, bets, [each.table.id for each in rows]
        self.pack = rows[0].pack
        seat = seated(question, bets, self._tables, options=options, without=without)
        self.course = Growing(*seat, self.pack, {each.table.hand: each for each in rows}, choose)
        self.ways = self.course.run()

    def taken(self, step: int, words: Sequence[str]) -> dict[str, int]:
        """Return the number of hands at a decision that take each way; several ways may share a word."""
        name = list(dict.fromkeys(name for name, _ in self.course.taken))[step]
        found = dict.fromkeys(words, 0)
        for at, word in enumerate(words):
            found[word] += self.course.taken.get((name, at), 0)
        return found

    def odds(
        self,
        words: Callable[[End], str],
        decided: Mapping[str, Mapping[str, int]],
        first: tuple[int, Sequence[str]] = (0, ()),
        *,
        readings: Mapping[str, str] = _NOTHING,
        assumes: str = "",
    ) -> Iterator[Odds]:
        """Yield the bets together and each separately: their endings in `words`, the decisions and, if the list is
        short, the `first` cards that take each way of the first decision."""
        ways: Counter[Ending] = Counter()
        for end, number in self.ways.items():
            ways[self.course.ending(end)._replace(what=words(end))] += number
        also: dict[str, Any] = {"decisions": decided}
        if found := self._first(*first):
            also["first_cards"] = found
        if assumes:
            also["assumes"] = assumes
        names = [bet.name for bet in self._bets]
        ids = {bet.name: name for bet in self._bets for name in self._tables if name in bet.paytables}
        yield from joint_odds(self._question, names, ways, tables=ids, readings=readings, also=also)

    def _first(self, known: int, words: Sequence[str]) -> dict[str, str]:
        options = list(dict.fromkeys(words))
        of = np.array([options.index(word) for word in words])
        return in_words(self.pack, known, of[self.course.first], options) if known and len(self.course.first) else {}


def _rows(question: Question, bet: Bet, table: PayTable, decks: int = 1) -> HandRows:
    return HandRows(Pack(*question.one, decks=decks), TableRows(question, bet, table), question.progress)


def take_back_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk the bets that may be taken back, in order, and the last one that stays."""
    names, (own, _) = [bet.name for bet in bets], sizes(question.game, bets[-1])

    def words(end: End) -> str:
        back = [str(place) for place, name in enumerate(names, 1) if name not in end.lying.wagers]
        return f"{KEPT[0]}: {', '.join(back)}" if back else "all stay"

    for table in question.tables(bets[-1]):
        walk = _Walk(question, bets, [_rows(question, bets[-1], table)], choose=chosen(question, [1]))
        decided = {f"bet {step + 1}": _ways_by_set(walk, step, own + step) for step in range(len(bets) - 1)}
        yield from walk.odds(words, decided, (own, KEPT))


def _ways_by_set(walk: _Walk, step: int, known: int) -> dict[str, int]:
    """Return the ways taken at a decision, with each set of seen cards counted once regardless of their order."""
    back, stays = walk.taken(step, KEPT).values()
    same = (back + stays) // comb(walk.pack.size, known)
    return {KEPT[1]: stays // same, KEPT[0]: back // same}


def streets_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk the ante and one bet per street."""
    names, raises = [bet.name for bet in bets], street_raises(decisions(question.game), bets)
    own, _ = sizes(question.game, bets[0])

    def words(end: End) -> str:
        if end.lying.folded:
            return f"fold at street {len(end.lying.choices)}"
        wagers = end.lying.wagers
        return f"bets {'-'.join(str(wagers[name] // wagers[names[0]]) for name in names[1:])}"

    for table in question.tables(bets[0]):
        walk = _Walk(question, bets, [_rows(question, bets[0], table)], choose=chosen(question, *raises))
        options = [("fold", *(f"{more}x" for more in each)) for each in raises]
        decided = {f"street {step + 1}": walk.taken(step, each) for step, each in enumerate(options)}
        yield from walk.odds(words, decided, (own, options[0]))


def bonus_card_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk the ante, the bets to continue, the insurance and the fee.

    Without the insurance the last card cannot be bought, so both ways to play are counted.
    """
    *wagers, insurance, fee = bets
    settings = bonus_settings(decisions(question.game), bets)
    seen = settings.first_cards + settings.community

    def words(end: End) -> str:
        if end.lying.folded:
            return f"fold before bet {len(end.lying.choices) + 1}"
        if fee.name in end.lying.wagers:
            return "with the card"
        return f"{'won' if _wins(end) else 'lost'} without a card"

    def _wins(end: End) -> bool:
        return rows.table.pays.nets[dict(end.rows)[wagers[0].hand]] != -1

    for table in question.tables(bets[0]):
        rows = _rows(question, bets[0], table)
        for without, word in (((), "paid"), ({insurance.name}, "not-paid")):
            made = wagers if without else bets
            choose = chosen(question, *[[1]] * (len(wagers) - 1), [settings.fee])
            walk = _Walk(question, made, [rows], choose=choose, without=without)
            last = len(wagers) - 1
            decided = {f"bet {step + 2}": walk.taken(step, ("fold", "bet")) for step in range(last)}
            stand, draw = walk.taken(last, ("stand", "draw")).values()
            whole = {end: n for end, n in walk.ways.items() if len(end.lying.choices) > last}
            stood = {end: n for end, n in whole.items() if not end.lying.folded and fee.name not in end.lying.wagers}
            won = sum(n for end, n in stood.items() if _wins(end)) * stand // max(sum(stood.values()), 1)
            decided["card"] = {"lost": stand - won, "win": won, "draw": draw}
            yield from walk.odds(words, decided, (seen, ("fold", "bet")), readings={"insurance": word})


def surrender_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk bets on three growing hands, with and without the surrender of a share of the last.

    First the three bets together, for all their tables, then each separately; the first two depend only on their cards.
    """
    alone: dict[tuple[int, str, tuple[tuple[str, str], ...]], Odds] = {}
    known: dict[str, HandRows] = {}
    settings = surrender_settings(decisions(question.game), bets)
    own, _ = sizes(question.game, bets[0])

    def words(end: End) -> str:
        return GIVEN_UP[not end.lying.given_up[0]]

    *others, last = ([*question.tables(bet, bets)] for bet in bets)
    for tables in ((*those, one) for one in last for those in product(*others)):
        for bet, table in zip(bets, tables, strict=True):
            known.setdefault(table.id, _rows(question, bet, table))
        rows = [known[table.id] for table in tables]
        for may, readings in settings.ways:
            walk = _Walk(question, bets, rows, options=readings)
            hands = comb(walk.pack.size, own)
            given_up = walk.taken(0, GIVEN_UP)[GIVEN_UP[0]] if may else 0
            hand = {"keep": hands - given_up, "surrender": given_up}
            together, *each = walk.odds(words, {"hand": hand}, (own, GIVEN_UP), readings=readings)
            yield together
            for index, found in enumerate(each):
                key = index, tables[index].id, tuple(readings.items()) if index == len(tables) - 1 else ()
                alone.setdefault(key, found)
    yield from (replace(found, reading=dict(under)) for (_, _, under), found in alone.items())


def community_draw_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk one bet on kept cards that the community completes."""
    (bet,) = bets
    size = sizes(question.game, bet)[1]

    def words(end: End) -> str:
        return f"keeps {size - len(end.lying.aside)}"

    for table in question.tables(bet):
        walk = _Walk(question, bets, [_rows(question, bet, table)])
        kept = [f"keep {size - len(way.lying.aside)}" for way in walk.course.first_ways]
        yield from walk.odds(words, {"hand": walk.taken(0, kept)})


def kept_pair_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk a bet on the two of four cards that are kept and the board, all from one shoe."""
    (bet,) = bets
    decks = question.decks or dealt_from(question.game).decks
    assumes = "one hand, and its cards are kept for this bet alone"
    for table in question.tables(bet):
        walk = _Walk(question, bets, [_rows(question, bet, table, decks)])
        yield from walk.odds(lambda _: "", {}, assumes=assumes)


def discard_one_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Walk the ante, the bet and the bonus with one discard. A strategy decides where the bet is made; the discard is
    the best one.

    First, for each of their tables, the ante and the bet, played for them alone; then, for each of its tables, the
    bonus, played for it alone.
    """
    ante, bet, bonus = bets
    own = cards_of(question.game.hand(question.game.instead[ante.name].hand))[1]

    def words(end: End) -> str:
        return end.lying.choices[-1][1]

    for made, assumes in (((ante, bet), ""), ((bonus,), "the hand is played for this bet alone")):
        shown = question.game.instead[made[0].name]
        early = _rows(question, shown, question.game.paytables[shown.only_table])
        for table in question.tables(made[0], bets):
            choose = chosen(question, [1]) if not assumes else None
            walk = _Walk(question, made, [_rows(question, made[0], table), early], choose=choose)
            names = [way.choice.part.name for way in walk.course.first_ways if way.choice]
            yield from walk.odds(words, {"hand": walk.taken(0, names)}, (own, names), assumes=assumes)
