"""Bets on one hand against another: the dealer's, or one that belongs to no player."""

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Final, Literal, Self

from pydantic import model_validator

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from protocol.tomlfile import Key
from rules.bets.bet import Bet, Line, RoundFacts, Staked
from rules.bets.bet_keys import Decides, SpecFacts, unknown
from rules.bets.bet_terms import Doubt, OneColorTie, RaiseRequirement, Tie, TieRule, Unqualified
from rules.bets.compared import compared
from rules.bets.hold import Hold
from rules.bets.outcome import ONE_COLOUR, BetFacts, Outcome, paid
from rules.hands import Ranked
from rules.settlement import SettlementLine


class AgainstBet(Bet):
    """Two hands are compared. A win pays `pays`, or a row of a table by the player's hand."""

    kind: Literal["against"]
    against: str = "dealer"
    """The hand that it is compared with."""
    wins: Literal["higher", "lower"] = "higher"
    """Hand that wins: the higher or the lower."""
    table_hand: str = ""
    """Hand that the table ranks, if not the one compared."""
    below: Literal["push", "lose"] = "push"
    """Outcome of a win below the last row of the player's table."""
    always: Literal["", "stake-kept", "stake-lost"] = ""
    """If given, a hand in the table is paid regardless of the other hand; with `stake-lost`, its stake is lost when it
    is beaten."""
    tie: Tie = "push"
    """Outcome of a tie, unless a row of `ties` applies."""
    ties: tuple[TieRule, ...] = ()
    """Ties with a different outcome."""
    one_colour: OneColorTie | None = None
    raised: RaiseRequirement | None = None
    doubt: Doubt | None = None
    unqualified: Unqualified | None = None

    @property
    def compared_with(self) -> str:
        """The other hand."""
        return self.against

    @property
    def asks_more(self) -> bool:
        """True if the bet depends on more than which of the two hands is higher."""
        return bool(self.paytables or self.table_hand or self.always or self.unqualified)

    @model_validator(mode="after")
    def _is_paid(self) -> Self:
        if (self.pays is None) != bool(self.paytables) or (self.pays is not None and self.pays.unit != "to"):
            raise ValueError(f"bet {self.name!r} against a hand needs either pays = 'A to B' or paytables")
        return self

    @property
    def unqualified_by(self) -> Unqualified | None:
        """The rule for a hand that does not qualify, if any."""
        return self.unqualified

    @property
    def paying_hand(self) -> str:
        """The hand that its table ranks."""
        return self.table_hand or self.hand

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield errors: unknown hands, qualifiers and readings; outcomes that no row pays; a missing clause."""
        yield from unknown(("against",), "hand", (self.against,), spec.hands)
        yield from unknown(("table-hand",), "hand", (self.table_hand,) if self.table_hand else (), spec.hands)
        yield from unknown(("raised", "above"), "bet", (self.raised.above,) if self.raised else (), bets)
        if self.unqualified:
            yield from unknown(("unqualified",), "qualifier", (self.unqualified.qualifier,), spec.qualifiers)
            if not self.clauses.unqualified:
                yield ("clauses",), "unqualified: missing, and the bet checks whether the other hand qualifies"
        if self.doubt:
            yield from unknown(("doubt",), "reading", (self.doubt.reading,), spec.readings)
            yield from unknown(("doubt",), "hand", (self.doubt.hand, self.doubt.against), spec.hands)
        yield from self._unpaid_wins()

    def _unpaid_wins(self) -> Iterator[tuple[Key, str]]:
        """Yield an error for each outcome that wins by no row of the table, and so would be paid nothing."""
        ends: list[tuple[Key, str, str]] = [(("tie",), self.tie, "push, lose")]
        ends += [(("ties", number, "then"), rule.then, "push, lose") for number, rule in enumerate(self.ties)]
        if self.one_colour is not None:
            ends.append((("one-colour", "then"), self.one_colour.then, "push, lose"))
        if self.unqualified is not None:
            ends.append((("unqualified", "then"), self.unqualified.then, "push, acts"))
            for number, unless in enumerate(self.unqualified.unless):
                ends.append((("unqualified", "unless", number, "then"), unless.then, "push, acts"))
        for key, then, allowed in ends if self.paytables else ():
            if then == "win":
                yield key, f"'win' is paid by no row of a table, and the bet has no pays; allowed: {allowed}"

    def ranked_faults(self, decides: Decides) -> Iterator[tuple[Key, str]]:
        """Yield errors in minimum hands and in rows of a tie."""
        if self.raised:
            yield from decides.least(self.hand, self.raised.at_least, ("raised",))
        for place, unless in enumerate(self.unqualified.unless if self.unqualified else ()):
            yield from decides.least(self.hand, unless.at_least, ("unqualified", "unless", place))
        for place, rule in enumerate(self.ties):
            yield from decides.row(self.against, rule.row, ("ties", place, "row"))

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """Return the outcome of the hands, considering the qualifier and rows that are always paid.

        Returns None if it also depends on hands that were not compared.
        """
        if facts.folded and self.fold != "stands":
            return self.folded
        # Order matters: a row that is always paid, then the qualifier, then the comparison.
        if self.always == "stake-kept" and facts.row is not None:
            return paid(facts.row, by_table=True)
        if not facts.qualified and (ruled := self._unqualified(facts.also)) is not None:
            return ruled
        if facts.sign is None:
            return None
        sign, row = facts.sign if self.wins == "higher" else -facts.sign, facts.row if self.paytables else self.fixed
        if self.always == "stake-lost" and row is not None:
            return paid(row, by_table=True, stake_lost=sign < 0)
        if sign == 0:
            return self._tie_outcome(facts.also)
        if sign < 0:
            return Outcome("lose", self.clauses.lose)
        if row is not None:
            return paid(row, by_table=bool(self.paytables))
        if self.below == "push":
            return Outcome("push", self.clauses.below or self.clauses.win)
        return Outcome("lose", self.clauses.lose, by_table=True)

    def _unqualified(self, also: Collection[str]) -> Outcome | None:
        """Return the outcome against a hand that does not qualify; None if it acts as if it did."""
        if self.unqualified is None:
            return None
        for unless in self.unqualified.unless:
            if unless.at_least in also:
                return self._then(unless.then, unless.clause)
        return self._then(self.unqualified.then, self.clauses.unqualified)

    def _tie_outcome(self, also: Collection[str]) -> Outcome | None:
        """Return the outcome of a tie: by the first rule that applies to the other hand, else by the bet's own."""
        for rule in self.ties:
            if rule.row in also:
                return self._then(rule.then, rule.clause)
        if self.one_colour is not None and ONE_COLOUR in also:
            return self._then(self.one_colour.then, self.one_colour.clause)
        return self._then(self.tie, self.clauses.tie)

    def _then(self, then: Literal["win", "push", "lose", "acts", "held"], clause: str) -> Outcome | None:
        """Return the outcome of a rule of the file that does not depend on the hand; None if the hands decide."""
        if then == "acts":
            return None
        if then != "win":
            return Outcome(then, clause)
        assert self.fixed is not None, "the file was examined"
        return paid(self.fixed, clause=clause)

    @cached_property
    def by_hands(self) -> tuple[Outcome | None, ...]:
        """Outcomes by sign (tie, win, loss) of a bet that depends only on which hand is higher."""
        return tuple(self.outcome(BetFacts(sign)) for sign in (0, 1, -1))

    @property
    def settled_by(self) -> Line:
        """Function that makes its line: a faster one if the bet depends only on which hand is higher."""
        plain = not (self.raised or self.asks_more or self.doubt or self.wins == "lower")
        return self._by_hands_alone if plain else self.line

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line as soon as known facts decide it; hold the bet for an unknown fact that may decide it."""
        player = view.hand(staked.of.hand, seat)
        if isinstance(player, str):
            return self._unseen(player, staked, seat, view)
        if self.raised is not None and (wrong := _raised(self.raised, staked, seat, player)):
            return staked.held(wrong)
        shown = view.hand(self.table_hand, seat) if self.table_hand else player
        if isinstance(shown, str):
            return staked.held(Hold(shown, self.clauses.win))
        row, qualified, reached = staked.row(shown.key) if self.paytables else None, True, _NONE
        # Before the qualifier: a row that is always paid does not depend on the other hand.
        if row is not None and self.always and (outcome := self.outcome(BetFacts(row=row))) is not None:
            return staked.ended(outcome, f"{shown.text}, regardless of the dealer's hand")
        if (rule := self.unqualified) is not None:
            met = view.qualifies(rule.qualifier, seat)
            if isinstance(met, str):
                return staked.held(Hold(met, self.clauses.unqualified))
            if not met:
                terms, of = view.terms, staked.of.hand
                cards = (unless.at_least for unless in rule.unless)
                qualified, reached = False, frozenset(each for each in cards if terms.reaches(of, player, each))
                if (outcome := self.outcome(BetFacts(None, row, qualified, False, reached))) is not None:
                    return staked.ended(outcome, _does_not_qualify(rule, view))
        return self._compare_line(staked, seat, view, BetFacts(None, row, qualified, False, reached))

    def _unseen(self, why: str, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line for an unknown player's hand: settled if the other hand alone decides, else held."""
        rule = self.unqualified
        if rule is not None and not rule.unless and not self.always and not _is_raised(self.raised, staked, seat):
            met = view.qualifies(rule.qualifier, seat)
            if isinstance(met, str):
                return staked.held(Hold(met, self.clauses.unqualified))
            if not met and (outcome := self.outcome(BetFacts(qualified=False))) is not None:
                return staked.ended(outcome, _does_not_qualify(rule, view))
        return staked.held(Hold(why, self.clauses.win))

    def _compare_line(self, staked: Staked, seat: Seat, view: RoundFacts, known: BetFacts) -> SettlementLine:
        """Return the line by which of the two hands is higher."""
        found = compared(staked.of, staked.of.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, words, _ = found
        if self.doubt is not None and (doubt := _doubt(self.doubt, self.wins, sign, seat, view)):
            return staked.held(Hold(f"{words}, {doubt}", self.doubt.clause))
        also, colour = (known.also, "") if sign else self._tie_facts(staked.of.hand, seat, view)
        outcome = self.outcome(BetFacts(sign, known.row, known.qualified, False, also | known.also))
        assert outcome is not None, "the hands decide"
        return staked.ended(outcome, words + colour)

    def _tie_facts(self, hand: str, seat: Seat, view: RoundFacts) -> tuple[frozenset[str], str]:
        """Return the further facts of two hands that tie, and their words."""
        if self.one_colour is None and not self.ties:
            return _NONE, ""
        player, other = view.hand(hand, seat), view.hand(self.against, seat)
        assert not isinstance(player, str), "they tie"
        assert not isinstance(other, str), "they tie"
        also = frozenset(rule.row for rule in self.ties if view.terms.holds(self.against, other, rule.row))
        colours = {card.suit in ("D", "H") for card in (*player.cards, *other.cards)}
        if self.one_colour is None or len(colours) > 1:
            return also, ""
        return also | {ONE_COLOUR}, f", all {'red' if True in colours else 'black'}"

    def _by_hands_alone(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line of a bet with a fixed pay that depends only on which hand is higher."""
        of = staked.of
        found = view.compared.get((of.hand, of.against, seat.seat)) or compared(of, of.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, words, _ = found
        outcome = self.by_hands[sign]
        if outcome is None or (sign == 0 and (self.ties or self.one_colour)):
            return self._compare_line(staked, seat, view, BetFacts())
        return staked.ended(outcome, words)


_NONE: Final[frozenset[str]] = frozenset()


def _does_not_qualify(rule: Unqualified, view: RoundFacts) -> str:
    return f"the dealer does not qualify with {view.terms.game.spec.qualifiers[rule.qualifier].words}"


def _is_raised(raised: RaiseRequirement | None, staked: Staked, seat: Seat) -> bool:
    """Return True if the bet, or the bet that a tip is for, exceeds the amount that any hand may bet."""
    return raised is not None and seat.wagers.get(_bet_name(staked), 0) > seat.wagers.get(raised.above, 0)


def _bet_name(staked: Staked) -> str:
    """Return the name of the bet, or of the bet that a tip is for."""
    return staked.bet.tip_for or staked.bet.name


def _raised(raised: RaiseRequirement, staked: Staked, seat: Seat, player: Ranked) -> Hold | None:
    """Return the hold for a bet raised more than this hand allows; None if it is allowed or was not raised."""
    if not _is_raised(raised, staked, seat) or staked.terms.reaches(staked.of.hand, player, raised.at_least):
        return None
    name = _bet_name(staked)
    stake, other = seat.wagers.get(name, 0), seat.wagers.get(raised.above, 0)
    more = f"{name} of {dollars(stake)} with {raised.above} of {dollars(other)}"
    return Hold(f"{more} requires {raised.words}, and the hand is {player.text}", raised.clause)


def _doubt(doubt: Doubt, wins: str, sign: int, seat: Seat, view: RoundFacts) -> str:
    """Describe the doubt if the other ranking gives a different result; empty if it does not."""
    if not doubt.holds(view.terms.readings):
        return ""
    player, other = view.hand(doubt.hand, seat), view.hand(doubt.against, seat)
    if isinstance(player, str) or isinstance(other, str):
        return ""
    if (sign if wins == "higher" else -sign) == (player.strength > other.strength) - (player.strength < other.strength):
        return ""
    return "or the reverse: the regulation does not say how these hands rank"
