"""Solvers of games in which a player sees his own hand grow, and has nobody against him.

The course is that of the procedure, walked for all hands at once; each ending is settled. A solver names the tables,
the ways in which the bets may lie there, and the words.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import comb
from typing import Any, Final

import numpy as np

from rules.bets.bet import Bet
from rules.game.load import cards_of
from rules.odds.course import Way
from rules.odds.decisions import decisions
from rules.odds.decks import dealt_from
from rules.odds.growing import End, Growing, Grown
from rules.odds.hand_rows import HandRows
from rules.odds.in_words import in_words
from rules.odds.joint import Ending, of_joint
from rules.odds.placed_sets import Choose, Pack
from rules.odds.played_by import chosen
from rules.odds.question import Question
from rules.odds.returns import Odds
from rules.odds.seated import seated
from rules.odds.settings import (
    bonus_settings,
    community_discards,
    discard_folds,
    sizes,
    street_raises,
    surrender_settings,
)
from rules.odds.table_rows import TableRows
from rules.paytables.paytable import PayTable

KEPT: Final = ("taken back", "stays")
GIVEN_UP: Final = ("surrender", "keep")


class _Walk:
    """A game walked through with these bets, tables and readings."""

    def __init__(
        self,
        question: Question,
        bets: Sequence[Bet],
        rows: Mapping[str, HandRows],
        tables: Collection[str],
        *,
        choose: Choose | None = None,
        options: Mapping[str, str] | None = None,
        without: Collection[str] = (),
    ) -> None:
        seat = seated(question, bets, tables, options=options, without=without)
        self.pack: Pack = next(iter(rows.values())).pack
        self._course = Growing(*seat, self.pack, rows, choose)
        self.found: Grown = self._course.run()

    def endings(self, words: Callable[[End], str]) -> Counter[Ending]:
        """How many deals end each way, in `words`."""
        ways: Counter[Ending] = Counter()
        for end, number in self.found.ways.items():
            ways[self._course.ending(end)._replace(what=words(end))] += number
        return ways

    @property
    def first_ways(self) -> Sequence[Way]:
        """The ways that are open at the first decision, by their places."""
        return self._course.first_ways

    def taken(self, step: int, words: Sequence[str]) -> dict[str, int]:
        """Of the hands that come to a decision, how many take each way; several may be called the same."""
        name = list(dict.fromkeys(name for name, _ in self.found.taken))[step]
        found = dict.fromkeys(words, 0)
        for at, word in enumerate(words):
            found[word] += self.found.taken.get((name, at), 0)
        return found

    def first(self, known: int, words: Sequence[str]) -> dict[str, Any]:
        """The sets of `known` cards that take each way at the first decision, as a further figure where it is short."""
        options = list(dict.fromkeys(words))
        of = np.array([options.index(word) for word in words])
        found = in_words(self.pack, known, of[self.found.first], options) if len(self.found.first) else {}
        return {"first_cards": found} if found else {}


def _rows(question: Question, bet: Bet, table: PayTable) -> HandRows:
    return HandRows(Pack(*question.one), TableRows(question, bet, table), question.progress)


def take_back_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Bets that may be taken back, in order, and last the one that stays."""
    names, (own, _) = [bet.name for bet in bets], sizes(question.game, bets[-1])

    def words(end: End) -> str:
        back = [str(place) for place, name in enumerate(names, 1) if name not in end.lying.wagers]
        return f"{KEPT[0]}: {', '.join(back)}" if back else "all stay"

    for table in question.tables(bets[-1]):
        rows = {bets[-1].hand: _rows(question, bets[-1], table)}
        walk = _Walk(question, bets, rows, [table.id], choose=chosen(question, [1]))
        decided = {f"bet {step + 1}": _of_sets(walk, step, own + step) for step in range(len(bets) - 1)}
        also = {"decisions": decided, **walk.first(own, KEPT)}
        yield from _odds(question, bets, [table], walk.endings(words), also)


def _of_sets(walk: _Walk, step: int, known: int) -> dict[str, int]:
    """The ways taken at a decision, each set of the cards that are seen counted once, whichever of them came last."""
    back, stays = walk.taken(step, KEPT).values()
    same = (back + stays) // comb(walk.pack.size, known)
    return {KEPT[1]: stays // same, KEPT[0]: back // same}


def streets_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """The ante and a bet a street."""
    names, raises = [bet.name for bet in bets], street_raises(decisions(question.game), bets)
    own, _ = sizes(question.game, bets[0])

    def words(end: End) -> str:
        if end.lying.folded:
            return f"fold at street {len(end.lying.choices)}"
        wagers = end.lying.wagers
        return f"bets {'-'.join(str(wagers[name] // wagers[names[0]]) for name in names[1:])}"

    for table in question.tables(bets[0]):
        rows = {bets[0].hand: _rows(question, bets[0], table)}
        walk = _Walk(question, bets, rows, [table.id], choose=chosen(question, *raises))
        options = [("fold", *(f"{more}x" for more in each)) for each in raises]
        decided = {f"street {step + 1}": walk.taken(step, each) for step, each in enumerate(options)}
        also = {"decisions": decided, **walk.first(own, options[0])}
        yield from _odds(question, bets, [table], walk.endings(words), also)


def bonus_card_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """The ante, the bets made by going on, insurance and fee.

    Without the insurance the last card cannot be had, so both ways to play are counted.
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
            hands = {bets[0].hand: rows}
            choose = chosen(question, *[[1]] * (len(wagers) - 1), [settings.fee])
            walk = _Walk(question, made, hands, [table.id], choose=choose, without=without)
            last = len(wagers) - 1
            decided = {f"bet {step + 2}": walk.taken(step, ("fold", "bet")) for step in range(last)}
            stand, draw = walk.taken(last, ("stand", "draw")).values()
            whole = {end: n for end, n in walk.found.ways.items() if len(end.lying.choices) > last}
            stood = {end: n for end, n in whole.items() if not end.lying.folded and fee.name not in end.lying.wagers}
            won = sum(n for end, n in stood.items() if _wins(end)) * stand // max(sum(stood.values()), 1)
            decided["card"] = {"lost": stand - won, "win": won, "draw": draw}
            also = {"decisions": decided, **walk.first(seen, ("fold", "bet"))}
            yield from _odds(question, made, [table], walk.endings(words), also, {"insurance": word})


def surrender_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Bets on three hands that grow, a share of the last of which may be given up, or may not.

    First the three together, for all their tables, then each by itself; the first two hang on nothing but their cards.
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
        rows = {bet.hand: known[table.id] for bet, table in zip(bets, tables, strict=True)}
        for may, readings in settings.ways:
            walk = _Walk(question, bets, rows, [table.id for table in tables], options=readings)
            hands = comb(walk.pack.size, own)
            given_up = walk.taken(0, GIVEN_UP)[GIVEN_UP[0]] if may else 0
            hand = {"keep": hands - given_up, "surrender": given_up}
            also = {"decisions": {"hand": hand}, **walk.first(own, GIVEN_UP)}
            together, *each = _odds(question, bets, tables, walk.endings(words), also, readings)
            yield together
            for index, found in enumerate(each):
                key = index, tables[index].id, tuple(readings.items()) if index == len(tables) - 1 else ()
                alone.setdefault(key, found)
    yield from (replace(found, reading=dict(under)) for (_, _, under), found in alone.items())


def community_draw_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """One bet on kept cards that the community fills."""
    (bet,) = bets
    community_discards(decisions(question.game), bets)
    size = sizes(question.game, bet)[1]

    def words(end: End) -> str:
        return f"keeps {size - len(end.lying.aside)}"

    for table in question.tables(bet):
        walk = _Walk(question, bets, {bet.hand: _rows(question, bet, table)}, [table.id])
        kept = [f"keep {size - len(way.lying.aside)}" for way in walk.first_ways]
        yield from _odds(question, bets, [table], walk.endings(words), {"decisions": {"hand": walk.taken(0, kept)}})


def kept_pair_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """A bet on the two of four cards that are kept and the board, all from one shoe."""
    (bet,) = bets
    pack = Pack(*question.one, decks=question.decks or dealt_from(question.game).decks)
    for table in question.tables(bet):
        rows = HandRows(pack, TableRows(question, bet, table), question.progress)
        walk = _Walk(question, bets, {bet.hand: rows}, [table.id])
        also = {"decisions": {}, "assumes": "one hand, and its cards are kept for this bet alone"}
        yield from _odds(question, bets, [table], walk.endings(lambda _: ""), also)


def discard_one_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """The ante, the bet and the bonus. A strategy says where the bet is made, the discard is the best.

    First for each table the ante and the bet, played for them alone; then for each table of the bonus the bonus, played
    for it alone.
    """
    ante, bet, bonus = bets
    discard_folds(decisions(question.game), bets)
    own = cards_of(question.game.hand(question.game.instead[ante.name].hand))[1]

    def words(end: End) -> str:
        return end.lying.choices[-1][1]

    for made, assumes in (((ante, bet), {}), ((bonus,), {"assumes": "the hand is played for this bet alone"})):
        for table in question.tables(made[0], bets):
            shown = question.game.instead[made[0].name]
            rows = {
                made[0].hand: _rows(question, made[0], table),
                shown.hand: _rows(question, shown, question.game.paytables[shown.only_table]),
            }
            choose = chosen(question, [1]) if not assumes else None
            walk = _Walk(question, made, rows, [table.id], choose=choose)
            names = [way.choice.part.name for way in walk.first_ways if way.choice]
            also = {"decisions": {"hand": walk.taken(0, names)}, **walk.first(own, names)}
            yield from _odds(question, made, [table], walk.endings(words), also | assumes)


def _odds(
    question: Question,
    bets: Sequence[Bet],
    tables: Sequence[PayTable],
    ways: Counter[Ending],
    also: Mapping[str, Any],
    readings: Mapping[str, str] | None = None,
) -> Iterator[Odds]:
    ids = {bet.name: table.id for bet in bets for table in tables if table.id in bet.paytables}
    yield from of_joint(question, [bet.name for bet in bets], ways, tables=ids, readings=readings or {}, also=also)
