"""Hold'em against the dealer by a game's file: from its bets and pay tables to terms, and from the count to odds.

`[odds] bets` names the first bets and then the raises, which are made instead of folding. The possible raises are read
from the procedure.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Final

from protocol.cards import ACE_HIGH, parse_cards
from rules.bets.bet import Bet
from rules.bets.outcome import BetFacts
from rules.game.load import Game
from rules.kinds.against import AgainstBet
from rules.kinds.table import TableBet
from rules.odds.decide.decisions import decisions
from rules.odds.decide.holdem_terms import FirstBet, HoldemCount, HoldemEnding, HoldemTerms, Line, Net
from rules.odds.decide.settings import holdem_settings
from rules.odds.holdem.count import count_holdem
from rules.odds.holdem.deck import HoldemDeck
from rules.odds.holdem.rules import holdem_strategy
from rules.odds.holdem.showdowns import OUTCOMES
from rules.odds.holdem.strength import CATEGORIES, ladder
from rules.odds.holdem.walks import SHOWDOWNS
from rules.odds.joint import Ending, joint_odds
from rules.odds.question import OneDeck, Question
from rules.odds.returns import Odds, gain_of
from rules.paytables.paytable import PaidRow


class _UnsupportedBet(Exception):
    """A bet of the file depends on more than the two hands' categories and which is better."""


def holdem_odds(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Count every board with every hand of both sides, with the best bet at every decision, for every pay table."""
    for tables in question.tables_together(bets):
        try:
            rows = _rows_of(question.game, bets, tables)
            terms = terms_of(question, bets, rows)
        except _UnsupportedBet as unfit:
            raise question.game.fault(("odds",), str(unfit)) from unfit
        found = _counted(question, terms)
        names = [bet.name for bet in bets]
        counted = _endings(found, bets, rows)
        yield from joint_odds(question, names, counted, tables=tables, also=_played(found, bets))


_KEPT: Final[dict[Hashable, HoldemCount]] = {}
_MOST_KEPT: Final = 4


def _counted(question: Question, terms: HoldemTerms) -> HoldemCount:
    """Return the count, which is shared by tables that pay these bets alike."""
    grid = product((False, True), CATEGORIES, (True, False), OUTCOMES)
    endings = [HoldemEnding(*ending) for ending in grid]
    nets = tuple(terms.gains(Line(ending.folded, (1,)), ending) for ending in endings)
    strategy = question.strategy.sha256 if question.strategy else ""
    key = terms.raises, terms.qualifier, nets, strategy, question.one
    if key not in _KEPT:
        if len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        played = holdem_strategy(question, terms.raises)
        _KEPT[key] = count_holdem(
            terms, deck=_deck(question.one), strategy=played, workers=question.workers, progress=question.progress
        )
    return replace(_KEPT[key], terms=terms)


def _deck(one: OneDeck) -> HoldemDeck:
    return HoldemDeck(tuple(ACE_HIGH if rank == 1 else rank for rank in one.ranks), one.suits)


# ------------------------------------------------------------------ from the file to terms

_Rows = Mapping[str, Mapping[str, PaidRow | None]]
"""Paying row by category, for each bet with a pay table."""


def _rows_of(game: Game, bets: Sequence[Bet], tables: Mapping[str, str]) -> _Rows:
    found = {}
    for bet in bets:
        if bet.name not in tables:
            continue
        if unknown := [row.when for row in game.paytables[tables[bet.name]].rows if row.when not in CATEGORIES]:
            raise _UnsupportedBet(f"{bet.name}: no category of hands: {', '.join(unknown)}")
        flat = game.tables[bet.name, tables[bet.name]]  # all hands of a category have the same row
        found[bet.name] = {name: flat[ladder().lowest(name).key] for name in CATEGORIES}
    return found


def terms_of(question: Question, bets: Sequence[Bet], rows: _Rows) -> HoldemTerms:
    """Return the terms of bets that are paid by these rows."""
    game = question.game
    for name, cards in (("player", {"own": 2, "community": 5}), ("dealer", {"dealer": 2, "community": 5})):
        if dict(game.hand(name).of) != cards or game.rankings[name].id != "poker":
            raise _UnsupportedBet(f"hand {name!r} is not two cards and the board by the ranking poker")
    raised, first = _raised(bets), [bet for bet in bets if bet not in _raised(bets)]
    nets = [_net(bet, rows) for bet in raised]
    grid = [HoldemEnding(False, category, *showdown) for category in CATEGORIES for showdown in SHOWDOWNS]
    if not nets or any([net(end) for end in grid] != [nets[0](end) for end in grid] for net in nets):
        raise _UnsupportedBet("the raises do not all pay the same")
    return HoldemTerms(
        tuple(FirstBet(bet.name, _net(bet, rows), staked=not bet.on) for bet in first),
        holdem_settings(decisions(game), bets),
        nets[0],
        _qualifier(game, bets),
    )


def _raised(bets: Sequence[Bet]) -> list[Bet]:
    return [bet for bet in bets if bet.fold == "absent" and not bet.on]


def _qualifier(game: Game, bets: Sequence[Bet]) -> str:
    names = {bet.unqualified_by.qualifier for bet in bets if bet.unqualified_by}
    if not names:
        return CATEGORIES[0]
    rank = game.rankings["dealer"].rank
    least = {rank(parse_cards(game.spec.qualifiers[name].at_least), {}).strength for name in names}
    for category in CATEGORIES:
        if least == {ladder().lowest(category).strength}:
            return category
    raise _UnsupportedBet("the dealer does not qualify by a category of hands")


def _net(bet: Bet, rows: _Rows) -> Net:
    """Return the gain of one unit of the bet, by its kind's outcome."""
    if not isinstance(bet, AgainstBet | TableBet):
        raise _UnsupportedBet(f"{bet.name} is of kind {bet.kind}")
    if isinstance(bet, AgainstBet) and (
        bet.ties or bet.always or (bet.unqualified and bet.unqualified.unless) or bet.fold == "stands"
    ):
        raise _UnsupportedBet(f"{bet.name}: ties, always, unless and a bet that stands after a fold are not supported")

    @cache
    def net(ending: HoldemEnding) -> Fraction:
        return _gain(bet, ending, rows)

    return net


def _gain(bet: Bet, ending: HoldemEnding, rows: _Rows) -> Fraction:
    folded, category, qualified, outcome = ending
    row = rows.get(bet.name, {}).get(category)
    gain = gain_of(bet.outcome(BetFacts(_SIGNS[outcome], row, qualified, folded)))
    if gain is None:
        raise _UnsupportedBet(f"{bet.name} is paid a share of a meter")
    return gain


_SIGNS: Final[Mapping[str, int]] = {"win": 1, "tie": 0, "lose": -1}


# ------------------------------------------------------------------ from the count to odds


def _endings(found: HoldemCount, bets: Sequence[Bet], rows: _Rows) -> Counter[Ending]:
    """Return the endings with the bets in the order of the file, each with the row that pays it."""
    order = [*(each.name for each in found.terms.first), *(each.name for each in _raised(bets))]
    places = [order.index(bet.name) for bet in bets]
    counted: Counter[Ending] = Counter()
    for (line, ending), number in found.ways.items():
        stakes, nets = found.terms.gains(line, ending)
        paid = tuple(
            row.when if nets[place] > 0 and (row := rows.get(bet.name, {}).get(ending.category)) else ""
            for bet, place in zip(bets, places, strict=True)
        )
        counted[Ending(tuple(stakes[at] for at in places), tuple(nets[at] for at in places), "", paid)] += number
    return counted


def _played(found: HoldemCount, bets: Sequence[Bet]) -> dict[str, Any]:
    """Return the player's decisions: deals by line of play, holes by the bet before the flop, and folded hands by
    category."""
    names = [bet.name for bet in _raised(bets)]
    lines: Counter[str] = Counter()
    folded: Counter[str] = Counter()
    for (line, ending), number in found.ways.items():
        lines[_words(line, names)] += number
        if line.folded:
            folded[ending.category] += number
    holes: dict[str, list[str]] = {}
    for name, units in found.before.items():
        holes.setdefault(str(units), []).append(name)
    return {
        "decisions": {"lines of play": dict(lines), "folded": dict(folded)},
        "before_the_flop": {units: " ".join(reversed(of)) for units, of in sorted(holes.items())},
    }


def _words(line: Line, names: Sequence[str]) -> str:
    if line.folded:
        return "fold"
    return " ".join(f"{name} {units}" for name, units in zip(names, line.units, strict=True) if units)
