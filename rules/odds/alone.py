"""Solvers of games in which a player has nobody against him, for the bets that he decides on.

Each reads the bets in the order in which the game's file names them, their hands and their tables, and off the
procedure what may be chosen; the engine of its kind of decision counts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rules.bets.bet import Bet
from rules.game.load import cards_of
from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.community_draw import community_draw
from rules.odds.decisions import decisions
from rules.odds.decks import dealt_from
from rules.odds.discard_one import NO_ROW, DiscardShape, HandPays, discard_one
from rules.odds.joint import Ending, of_joint
from rules.odds.kept_pair import kept_pair
from rules.odds.placed_sets import Pack
from rules.odds.played_by import chosen
from rules.odds.question import Question
from rules.odds.returns import Odds
from rules.odds.settings import community_discards, discard_folds, sizes
from rules.odds.table_rows import TableRows
from rules.paytables.paytable import PayTable


def pack_of(question: Question) -> Pack:
    """The cards of a game without jokers."""
    return Pack(*question.one)


def tables_of(question: Question, bet: Bet, bets: Sequence[Bet]) -> list[PayTable]:
    """The tables of one of several bets that have tables of their own; all where the one wanted is another bet's."""
    named = [each for each in bets if question.paytable in each.paytables]
    if named and bet not in named:
        return [question.game.paytables[name] for name in bet.paytables]
    return list(question.tables(bet))


def taken_of(found: PlayedOut) -> dict[str, Any]:
    """How often each option is taken, and with which of the first cards, as further figures of the odds."""
    return {"decisions": found.decided} | ({"first_cards": dict(found.first)} if found.first else {})


def one_table(
    question: Question, bets: Sequence[Bet], table: PayTable, found: PlayedOut, assumes: str = "", **readings: str
) -> Iterator[Odds]:
    """The odds of bets that are all paid by one table, a fee by none; what they assume, in words."""
    tables = {bet.name: table.id for bet in bets if table.id in bet.paytables}
    names = [bet.name for bet in bets]
    also = taken_of(found) | ({"assumes": assumes} if assumes else {})
    yield from of_joint(question, names, found.ways, tables=tables, readings=readings, also=also)


def community_draw_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """One bet on kept cards that the community fills."""
    (bet,) = bets
    discards = community_discards(decisions(question.game), bets)
    _, size = sizes(question.game, bet)
    for table in question.tables(bet):
        rows = TableRows(question, bet, table)
        found = community_draw(
            pack_of(question), rows.finder(pack_of(question)).all_rows(size), rows.pays, size=size, discards=discards
        )
        yield from one_table(question, bets, table, found)


def kept_pair_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """A bet on the two of four cards that are kept and the board, all from one shoe."""
    (bet,) = bets
    for table in question.tables(bet):
        rows = TableRows(question, bet, table)
        decks = question.decks or dealt_from(question.game).decks
        found = kept_pair(pack_of(question), decks, rows.row_of, rows.pays, progress=question.progress)
        yield from one_table(question, bets, table, found, "one hand, and its cards are kept for this bet alone")


def discard_one_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """The ante, the bet and the bonus. A strategy says where the bet is made, the discard is the best.

    First for each table the ante and the bet, played for them alone; then for each table of the bonus the bonus, played
    for it alone.
    """
    ante, bet, bonus = bets
    size = sizes(question.game, ante)[1]
    own = cards_of(question.game.hand(question.game.instead[ante.name].hand))[1]
    folds = discard_folds(decisions(question.game), bets)
    for table in tables_of(question, ante, bets):
        shape = DiscardShape(own=own, size=size, folds=folds)
        choose = chosen(question, [1])
        found = discard_one(pack_of(question), _hand_pays(question, ante, table, shape), None, shape, choose=choose)
        yield from one_table(question, [ante, bet], table, _without_last(found))
    for table in tables_of(question, bonus, bets):
        shape = DiscardShape(own=own, size=size, folds=folds, for_main=False)
        pays = _hand_pays(question, bonus, table, shape)
        found = _of_last(discard_one(pack_of(question), pays, pays, shape))
        yield from one_table(question, [bonus], table, found, "the hand is played for this bet alone")


def _hand_pays(question: Question, bet: Bet, table: PayTable, shape: DiscardShape) -> HandPays:
    """The rows of a table and, after them, those for hands shown before the flop."""
    shown = question.game.instead[bet.name]
    rows = TableRows(question, bet, table)
    early = TableRows(question, shown, question.game.paytables[shown.only_table])
    own = early.finder(pack_of(question)).all_rows(shape.own)
    pays = RowPays((*rows.pays.nets, *early.pays.nets), (*rows.pays.names, *early.pays.names))
    declared = np.where(own == early.none, NO_ROW, own + rows.none + 1)
    return HandPays(rows.finder(pack_of(question)).all_rows(shape.size), declared, pays)


def _without_last(found: PlayedOut) -> PlayedOut:
    return _some_bets(found, slice(0, -1))


def _of_last(found: PlayedOut) -> PlayedOut:
    return _some_bets(found, slice(-1, None))


def _some_bets(found: PlayedOut, chosen: slice) -> PlayedOut:
    """The same for some of the bets only."""
    ways: Counter[Ending] = Counter()
    for end, number in found.ways.items():
        ways[Ending(end.stakes[chosen], end.nets[chosen], end.what, end.rows[chosen])] += number
    return PlayedOut(ways, found.decided, found.first)
