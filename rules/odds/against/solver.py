"""Solver of games of one hand against the dealer's: fold, or play on at one stake or several."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any, Final, NamedTuple

import numpy as np

from protocol.cards import Card, parse_card
from rules.bets.bet import Bet
from rules.game.load import cards_of
from rules.game.schema import OddsSpec
from rules.hands import Made, Ranking
from rules.kinds.against import AgainstBet
from rules.odds.against.choices import Option, Played, play
from rules.odds.against.endings import PlayerHand, UnsupportedBet, Wagers, thresholds
from rules.odds.against.flush_cases import FlushCases, cases_of
from rules.odds.against.played_by import by_strategy
from rules.odds.against.versus import Cases, Contest, cases
from rules.odds.cards.decks import deals, dealt_from
from rules.odds.cards.distribution import FLUSHES
from rules.odds.cards.placed_sets import Pack
from rules.odds.decide.decisions import decisions
from rules.odds.decide.settings import AgainstSettings, WayToBet, against_settings
from rules.odds.joint import Ending, joint_odds
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds

FOLD: Final = "fold"
KICKER: Final = "wild-kicker"
"""Name of the reading that defines a wild card in such a hand."""


class _Standing(NamedTuple):
    strength: Any
    key: Hashable


class _Raise(NamedTuple):
    times: Fraction
    at_least: str


@dataclass(frozen=True)
class AgainstTable:
    """A game with one question about its odds."""

    question: Question
    bets: Sequence[Bet]
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Readings by which the hands are compared."""
    riding: Sequence[Bet] = ()
    """Bets that are not part of the decision but whose result depends on it."""

    @cached_property
    def settings(self) -> AgainstSettings:
        """The player's choices and the cards he sees."""
        return against_settings(decisions(self.question.game), self.bets)

    @property
    def spec(self) -> OddsSpec:
        """The `[odds]` table of the game file."""
        return self.question.game.spec.odds or OddsSpec()

    @cached_property
    def beside(self) -> list[Bet]:
        """Optional bets made with these."""
        return [self.question.game.bets[name] for name in self.spec.beside]

    @cached_property
    def against(self) -> AgainstBet:
        """The bet whose hands are compared."""
        return next(bet for bet in self.bets if isinstance(bet, AgainstBet))

    @cached_property
    def raises(self) -> list[_Raise]:
        """Stakes to play on with, the lowest first; the higher ones need a minimum hand."""
        hands = (bet.raised.at_least for bet in self.bets if isinstance(bet, AgainstBet) and bet.raised)
        hand = next(hands, "")
        return [_Raise(times, hand if number else "") for number, times in enumerate(self.settings.raises)]

    @cached_property
    def _steps(self) -> list[tuple[str, Any]]:
        """Minimum hands, as cards, and their strengths."""
        hands = (*thresholds(self.bets), *(each.at_least for each in self.raises if each.at_least))
        return [(hand, self.strength(hand)) for hand in dict.fromkeys(hands)]

    @cached_property
    def ranking(self) -> Ranking:
        """Ranking of the hands that are compared."""
        return self.question.game.ranking_of(self.against.hand, self.readings)

    @cached_property
    def readings(self) -> dict[str, str]:
        """Option in use, by reading."""
        return self.question.game.default_readings() | dict(self.question.readings) | dict(self.chosen)

    @cached_property
    def hands(self) -> list[str]:
        """Hands of these bets, which may be ranked in several ways."""
        return list(dict.fromkeys(bet.paying_hand for bet in (*self.bets, *self.beside)))

    def strength(self, cards: str) -> Any:
        """Return the strength of a hand as the file writes it."""
        return self.ranking.rank([parse_card(text) for text in cards.split()], self.readings).strength

    @cached_property
    def _least(self) -> Any:
        """Minimum strength of a dealer's hand that qualifies; None if all do."""
        rules = [bet.unqualified_by for bet in self.bets if bet.unqualified_by]
        if not rules:
            return None
        return self.strength(self.question.game.spec.qualifiers[rules[0].qualifier].at_least)

    def rank(self, cards: Sequence[Card]) -> _Standing:
        """Rank a hand as it is compared, and under every name that a pay table has for it."""
        best = self.ranking.rank(cards, self.readings)
        names = {self.against.hand: best.key}
        for hand in self.hands:
            if hand not in names and self._takes(hand, cards):
                names[hand] = self.question.game.ranking_of(hand, self.readings).rank(cards, self.readings).key
        reaches = frozenset(step for step, strength in self._steps if best.strength >= strength)
        return _Standing(best.strength, PlayerHand(tuple(names.items()), reaches))

    def _takes(self, hand: str, cards: Sequence[Card]) -> bool:
        least, most = self.question.game.ranking_of(hand, self.readings).sizes
        return least <= len(cards) <= most

    def name(self, kind: Hashable, cards: Sequence[Card]) -> Hashable:
        """Return the keys of a hand of more cards than count, under every name that a pay table has for it."""
        assert isinstance(kind, PlayerHand)
        keys = dict(kind.keys)
        for hand in self.hands:
            keys[hand] = self.question.game.ranking_of(hand, self.readings).rank(cards, self.readings).key
        return PlayerHand(tuple(keys.items()), kind.reaches)

    def qualifies(self, standing: Any) -> bool:
        """Return True if the dealer's hand qualifies."""
        return self._least is None or bool(standing.strength >= self._least)

    @cached_property
    def cards(self) -> int:
        """Number of cards of a hand."""
        return cards_of(self.question.game.hand(self.against.hand))[1]

    @cached_property
    def deck(self) -> Pack:
        """The deck that is dealt from."""
        return Pack(*self.question.one, dealt_from(self.question.game).jokers)

    def cases(self) -> Cases:
        """Count the possible endings of every decision."""
        if self.ranking.id == FLUSHES:
            return cases_of(self.question, self.hands, self.readings.get(KICKER, "highest-absent"))
        cards, deck, uses = self.cards, self.deck, self.ranking.uses
        found = Contest(self.rank, self.qualifies, cards, self.settings.seen, self.settings.dealer_up, deck)
        if uses is not None and cards > uses + 1:
            found = replace(found, uses=uses, name=self.name, fine=self._finer_kinds(deck, uses))
        return cases(found, self.question.progress)

    def _finer_kinds(self, deck: Pack, uses: int) -> frozenset[Hashable]:
        """Return the kinds of best cards that a pay table distinguishes further by the other cards."""
        wanted = set(self.spec.fine)
        if not wanted:
            return frozenset()
        kinds = {self.rank(deck.cards(cards)).key for cards in deck.alike(uses).sets}
        return frozenset(kind for kind in kinds if self.made(kind) in wanted)

    def made(self, kind: Hashable) -> str:
        """Name the hand made, as it is compared."""
        assert isinstance(kind, PlayerHand)
        key = dict(kind.keys)[self.against.hand]
        return key.made if isinstance(key, Made) else str(key)

    def words(self, found: Cases, situation: int) -> str:
        """Describe a hand that the player has seen: `queen high, QC 6C 4D`."""
        cards = found.deck.cards(found.own[situation])
        return f"{self.ranking.rank(cards, self.readings).text}, {' '.join(map(str, reversed(cards)))}"

    def raised(self, way: WayToBet) -> list[Fraction]:
        """Return the stakes to play on with, in units of the first bet."""
        made = (way.stakes[bet.name] for bet in way.bets if bet.fold == "absent" and not bet.on)
        least = next(made, Fraction(1))
        return [least * each.times for each in self.raises]

    def ways_beside(self) -> Iterator[WayToBet]:
        """Yield each way to bet with one unit of an optional bet added."""
        for way, bet in product(self.settings.ways, self.beside):
            yield WayToBet((*way.bets, bet), {**way.stakes, bet.name: Fraction(1)}, way.words)

    def options(self, wagers: Wagers) -> list[Option]:
        """Return the options: folding, and each stake to play on with."""

        def fold(kind: Hashable, _: str) -> Ending:
            assert isinstance(kind, PlayerHand)
            return wagers.folded(kind)

        return [Option(FOLD, fold), *(_raise(wagers, each) for each in self.raises)]


def _raise(wagers: Wagers, raised: _Raise) -> Option:
    def settle(kind: Hashable, state: str) -> Ending:
        assert isinstance(kind, PlayerHand)
        return wagers.played(kind, state, raised.times)

    def open_to(kind: Hashable) -> bool:
        return not raised.at_least or (isinstance(kind, PlayerHand) and raised.at_least in kind.reaches)

    return Option("play" if raised.times == 1 else f"play {raised.times} x", settle, open_to)


def against_dealer(question: Question, bets: Sequence[Bet]) -> Iterator[Odds | NotComputed]:
    """Count the dealer's hands against every player's hand, and take the best option, for every pay table."""
    riding = _unbound_bets(question, bets)
    for chosen in question.choices(KICKER):
        yield from _odds_under(AgainstTable(question, [bet for bet in bets if bet not in riding], chosen, riding))


def _unbound_bets(question: Question, bets: Sequence[Bet]) -> list[Bet]:
    """Return, for a game whose file names no bets of its solver, the bets that no rule compares with the first."""
    law = question.game.law
    if question.game.spec.odds is not None or law is None:
        return []
    tied = law.tied.get(bets[0].name, {bet.name for bet in bets})
    return [bet for bet in bets if bet.name not in tied]


def _odds_under(table: AgainstTable) -> Iterator[Odds | NotComputed]:
    """Compute the odds under one choice of readings that compare hands."""
    question, bets = table.question, table.bets
    try:
        wanted = [(way, chosen, 0) for way in table.settings.ways for chosen in question.tables_together(way.bets)]
        wanted += [(way, chosen, 1) for way in table.ways_beside() for chosen in _alike_in_label(table, way.bets)]
        wagers = [(Wagers(question, way.bets, chosen, way.stakes), way, most) for way, chosen, most in wanted]
    except UnsupportedBet as beyond:
        names = [bet.name for bet in bets]
        for name in ("+".join(names), *names):
            yield NotComputed(question.game.id, name, deals(question.game), str(beyond))
        return
    found, known = table.cases() if wagers else None, set[tuple[Any, ...]]()
    for each, way, most in wagers:
        assert found is not None
        for odds in islice(_odds(table, found, each, way), most or None):
            key = odds.bet, odds.paytable, odds.outcomes
            if key not in known:  # yield results that no pay table changes only once
                known.add(key)
                yield odds


def _alike_in_label(table: AgainstTable, bets: Sequence[Bet]) -> Iterator[dict[str, str]]:
    """Yield the choices whose tables have the same number, as schedules printed in pairs do."""
    paytables = table.question.game.paytables
    for chosen in table.question.tables_together(bets):
        if len({paytables[name].label for name in chosen.values()}) == 1:
            yield chosen


def _odds(table: AgainstTable, found: Cases, wagers: Wagers, way: WayToBet) -> Iterator[Odds]:
    question, chosen = table.question, wagers.tables
    options = table.options(wagers)
    played = play(found, options, by_strategy(question, table.raised(way)))
    names = [bet.name for bet in way.bets]
    if isinstance(found, FlushCases):
        also = found.by_suits(played.chosen > 0)
    else:
        also = {"deals": found.total, **_decisions(table, found, options, played)}
    if any(
        row.pays.unit in ("flat", "flat-to") for name in chosen.values() for row in question.game.paytables[name].rows
    ):
        also["wager_cents"] = question.wager_cents
    readings = {**way.words, **table.chosen}
    yield from joint_odds(question, names, played.joint, tables=chosen, readings=readings, also=also)
    for bet in table.riding:
        for tables in question.tables_together([bet]):
            stakes = {**way.stakes, bet.name: Fraction(1)}
            beside = Wagers(question, (*way.bets, bet), {**chosen, **tables}, stakes)
            joint = play(found, table.options(beside), lambda *_: played.chosen).joint
            *_, alone = joint_odds(question, [*names, bet.name], joint, tables=tables, readings=readings)
            yield alone


def _decisions(table: AgainstTable, found: Cases, options: Sequence[Option], played: Played) -> dict[str, Any]:
    """Return the number of hands that take each option, by hand made, and the lowest and highest hand of each
    option."""
    ways = {name: sum(hands.values()) for name, hands in played.hands.items()}
    also: dict[str, Any] = {"decisions": {"choice": {name: number for name, number in ways.items() if number}}}
    if found.strength is None:
        return also
    by_hand: dict[str, dict[str, int]] = {}
    for name, hands in played.hands.items():
        for kind, number in hands.items():
            of_kind = by_hand.setdefault(table.made(kind), {})
            of_kind[name] = of_kind.get(name, 0) + number
    also["by_hand"] = by_hand
    for end, pick in (("lowest", np.argmin), ("highest", np.argmax)):
        taken = {option.name: np.flatnonzero(played.chosen == at) for at, option in enumerate(options)}
        also[end] = {
            name: table.words(found, int(rows[pick(found.strength[rows])])) for name, rows in taken.items() if len(rows)
        }
    return also
