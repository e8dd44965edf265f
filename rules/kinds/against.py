"""Bets on one hand against another: the dealer's, or one that belongs to nobody."""

from dataclasses import replace
from typing import Literal, Self

from pydantic import model_validator

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, Line, RoundFacts, Staked
from rules.bets.bet_terms import Doubt, OneColour, Raised, TieRule, Unqualified
from rules.bets.compared import compared
from rules.bets.hold import Hold
from rules.hands import Ranked
from rules.paytables.paytable import PaidRow
from rules.settlement import SettlementLine


class AgainstBet(Bet):
    """Two hands compared: a win pays `pays`, or by the player's hand from a table, below whose rows `below` decides.

    `wins`: whether the higher or the lower hand does.
    `table_hand`: the hand that the table looks at, where it is not the one compared.
    `always`: a hand in the table is paid whatever the other one has; `stake-lost`: and its stake is lost when it is
    beaten. `tie`: what a tie does, unless one of `ties` speaks of it.
    """

    kind: Literal["against"]
    against: str = "dealer"
    """The hand that it is compared with."""
    wins: Literal["higher", "lower"] = "higher"
    table_hand: str = ""
    below: Literal["push", "lose"] = "push"
    """What becomes of a win below the last row of the player's table."""
    always: Literal["", "stake-kept", "stake-lost"] = ""
    tie: Literal["push", "lose", "win"] = "push"
    ties: tuple[TieRule, ...] = ()
    """Ties of which something else comes."""
    one_colour: OneColour | None = None
    raised: Raised | None = None
    doubt: Doubt | None = None
    unqualified: Unqualified | None = None

    @property
    def compared_with(self) -> str:
        """The other hand."""
        return self.against

    @property
    def asks_more(self) -> bool:
        """Whether more is asked than which of the two hands is higher."""
        return bool(self.paytables or self.table_hand or self.always or self.unqualified)

    @model_validator(mode="after")
    def _is_paid(self) -> Self:
        if (self.pays is None) != bool(self.paytables) or (self.pays is not None and self.pays.unit != "to"):
            raise ValueError(f"bet {self.name!r} against a hand needs pays = 'A to B' or paytables, one of them")
        return self

    @property
    def settled_by(self) -> Line:
        """Its line; by the shorter way where nothing is asked but which of two hands is higher."""
        plain = not (self.raised or self.asks_more or self.doubt or self.wins == "lower")
        return self._by_hands_alone if plain else self.line

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Wins at a fixed pay or by a table, loses, or ties by the hands, as far as the other hand qualifies."""
        player = view.hand(staked.of.hand, seat)
        if isinstance(player, str):
            fixed = not self.always and not _is_raised(self.raised, staked, seat)
            ruled = self._unqualified(staked, seat, view, None) if fixed else None
            return ruled if ruled is not None else staked.held(Hold(player, self.clauses.win))
        if self.raised is not None and (wrong := _raised(self.raised, staked, seat, player)):
            return staked.held(wrong)
        shown = view.hand(self.table_hand, seat) if self.table_hand else player
        if isinstance(shown, str):
            return staked.held(Hold(shown, self.clauses.win))
        row = staked.row(shown.key) if self.paytables else None
        if self.always == "stake-kept" and row is not None:
            return staked.won(f"{shown.text}, whatever the dealer has", row, staked.paytable)
        ruled = self._unqualified(staked, seat, view, player) if self.unqualified is not None else None
        return ruled if ruled is not None else self._by_hands(staked, seat, view, row)

    def _unqualified(
        self, staked: Staked, seat: Seat, view: RoundFacts, player: Ranked | None
    ) -> SettlementLine | None:
        """The line of a bet against a hand that does not qualify; None when the hands decide, or a player's hand
        that is not known would have to."""
        rule = self.unqualified
        if rule is None or (player is None and rule.unless):
            return None
        qualified = view.qualifies(rule.qualifier, seat)
        if isinstance(qualified, str):
            return staked.held(Hold(qualified, self.clauses.unqualified))
        if qualified:
            return None
        clause, then = self.clauses.unqualified, rule.then
        name = staked.of.hand
        for unless in rule.unless:
            if player is not None and view.terms.reaches(name, player, unless.at_least):
                clause, then = unless.clause, unless.then
                break
        facts = f"the dealer does not qualify with {view.terms.game.spec.qualifiers[rule.qualifier].words}"
        if then == "acts":
            return None
        if then == "push":
            return staked.push(facts, clause)
        assert self.fixed is not None, "the file was examined"
        return staked.won(facts, replace(self.fixed, clause=clause))

    def _by_hands(self, staked: Staked, seat: Seat, view: RoundFacts, row: PaidRow | None = None) -> SettlementLine:
        """By which of the two hands is higher; `row` of its table, where it has one, pays a win."""
        found = compared(staked.of, staked.of.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, facts, _ = found
        sign = sign if self.wins == "higher" else -sign
        if self.doubt is not None and (doubt := _doubt(self.doubt, sign, seat, view)):
            return staked.held(Hold(f"{facts}, {doubt}", self.doubt.clause))
        row = row if self.paytables else staked.of.fixed
        if self.always == "stake-lost" and row is not None:
            return staked.won(facts, row, staked.paytable, stake_lost=sign < 0)
        if sign == 0:
            return self._tied(staked, seat, view, facts)
        if sign < 0:
            return staked.lose(facts, self.clauses.lose)
        if row is not None:
            return staked.won(facts, row, staked.paytable if self.paytables else None)
        if self.below == "push":
            return staked.push(facts, self.clauses.below or self.clauses.win)
        return staked.lose(facts, self.clauses.lose, staked.paytable)

    def _tied(self, staked: Staked, seat: Seat, view: RoundFacts, facts: str) -> SettlementLine:
        """A tie: as the first rule says that the other hand is in, else as the bet says."""
        then, clause = self.tie, self.clauses.tie
        player, other = view.hand(staked.of.hand, seat), view.hand(self.against, seat)
        assert not isinstance(player, str), "they tie"
        assert not isinstance(other, str), "they tie"
        colours = {card.suit in ("D", "H") for card in (*player.cards, *other.cards)}
        if self.one_colour is not None and len(colours) == 1:
            then, clause = self.one_colour.then, self.one_colour.clause
            facts += f", all {'red' if True in colours else 'black'}"
        for rule in self.ties:
            if view.terms.holds(self.against, other, rule.row):
                then, clause = rule.then, rule.clause
                break
        if then == "push":
            return staked.push(facts, clause)
        if then == "lose":
            return staked.lose(facts, clause)
        assert self.fixed is not None, "the file was examined"
        return staked.won(facts, replace(self.fixed, clause=clause))

    def _by_hands_alone(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """The same of a bet at a fixed pay of which nothing is asked but that its hand is the higher one."""
        of = staked.of
        found = view.compared.get((of.hand, of.against, seat.seat)) or compared(of, of.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, facts, _ = found
        if sign == 0:
            return self._tied(staked, seat, view, facts)
        if sign < 0:
            return staked.lose(facts, of.lost)
        assert of.fixed is not None, "it has no table"
        return staked.won(facts, of.fixed)


def _is_raised(raised: Raised | None, staked: Staked, seat: Seat) -> bool:
    """Whether the bet, or the one that a tip is for, is more than every hand may make it."""
    return raised is not None and seat.wagers.get(_own(staked), 0) > seat.wagers.get(raised.above, 0)


def _own(staked: Staked) -> str:
    """The bet, or the one that a tip is for."""
    return staked.bet.tip_for or staked.bet.name


def _raised(raised: Raised, staked: Staked, seat: Seat, player: Ranked) -> Hold | None:
    """Why a bet may not be raised as it was with this hand; None where it may, or was not raised."""
    if not _is_raised(raised, staked, seat) or staked.terms.reaches(staked.of.hand, player, raised.at_least):
        return None
    name = _own(staked)
    stake, other = seat.wagers.get(name, 0), seat.wagers.get(raised.above, 0)
    more = f"{name} of {dollars(stake)} beside {raised.above} of {dollars(other)}"
    return Hold(f"{more} asks for {raised.words}, and the hand is {player.text}", raised.clause)


def _doubt(doubt: Doubt, sign: int, seat: Seat, view: RoundFacts) -> str:
    """How the other ranking that the text leaves open has it, where it has it otherwise."""
    if not doubt.holds(view.terms.readings):
        return ""
    player, other = view.hand(doubt.hand, seat), view.hand(doubt.against, seat)
    if isinstance(player, str) or isinstance(other, str):
        return ""
    if sign == (player.strength > other.strength) - (player.strength < other.strength):
        return ""
    return "or the other way round: the text does not say how these hands rank"
