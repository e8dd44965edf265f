"""Rules on wagers: all rules on a procedure's bets under one choice of options, and the breaches by a seat's bets.

The flow evaluates them at START GAME and at END GAME, the settlement on a finished round from any source: one set of
rules, with one clause each.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from dealer_flow.procedure.bet_rules import ALONE, BetRule, Breach, rules_of, tied
from dealer_flow.procedure.bets import Amount, amount_of
from dealer_flow.procedure.betting import Raising
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.tables import DecisionPart, chosen


class _Way(NamedTuple):
    """A choice by which a hand is played on, with the bets that must go with it."""

    choice: DecisionPart
    stakes: tuple[str, ...]


class _Point(NamedTuple):
    """A step at which a hand may be given up, and the ways to play on; `only` is the bet of the seats that choose
    here."""

    only: str | None
    ways: tuple[_Way, ...]


class Law:
    """Rules on the wagers of a seat under these options, all of which have a value.

    `unrecorded` names options whose value a round does not record, so that it may have been another one.
    """

    def __init__(self, procedure: Procedure, options: Mapping[str, str], unrecorded: Set[str] = frozenset()) -> None:
        deciding = _deciding_options(procedure)
        open_to = {each.name: each.allowed for each in procedure.option if each.name in unrecorded & deciding}
        ways = (dict(zip(open_to, values, strict=True)) for values in product(*open_to.values()))
        self._otherwise = tuple(Law(procedure, {**options, **way}) for way in ways) if open_to else ()
        self.spots = tuple(bet for bet in procedure.bet if chosen(bet.when, options))
        """Bets that exist under the options."""
        self._closed = tuple(
            BetRule("offered", (bet.name,), bet.clause) for bet in procedure.bet if bet not in self.spots
        )
        self.before_deal = frozenset(bet.name for bet in self.spots if bet.placed == "before-deal")
        self.by_action = frozenset(bet.name for bet in self.spots if bet.placed == "by-action")
        """Bets made up of several raises: their total in a betting round is not one bet."""
        self.tips = {bet.name: bet.tip_for for bet in self.spots if bet.tip_for is not None}
        """Tip for the dealer -> the player's own bet that it plays with."""
        self.limit = procedure.limit
        self.most_cents = None if self.limit is None else int(amount_of(self.limit.each_bet).times)
        """Limit of any one bet in cents; None if the regulation prints no figure."""
        self.betting = procedure.betting
        self.raising = Raising.of(self.betting, options, unrecorded)
        """Settings that decide what counts as a raise."""
        self.full_blind = _full_blind(procedure)
        """Cents of the big blind that the house has posted; None if they are not known."""
        self.bet_of = {step.name: step.bet for step in procedure.step if isinstance(step, BetStep)}
        """Betting round -> the bet that its chips are."""
        self._rule(procedure, options)
        self._enter(procedure, options)
        self._choose(procedure, options)

    def _rule(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        self.rules = tuple(rules_of(procedure, self.spots, options))
        """All rules, in the order of the file."""
        self.at_start = tuple(rule for rule in self.rules if rule.named <= self.before_deal)
        """Rules on bets that are all placed before the deal."""
        self.at_end = tuple(
            rule for rule in self.rules if rule.choice is not None or not rule.named <= self.before_deal
        )
        """Rules that START GAME cannot decide: on other bets too, or on a choice."""
        there = {"", *(bet.name for bet in self.spots)}
        self._but_limit = tuple(
            rule
            for rule in self.rules
            if rule.kind != "limit" and not (rule.kind == "at-least" and rule.amount and rule.amount.bet not in there)
        )
        """Rules that stakes under the limit can break."""
        self.tied = tied(self.rules, self.tips)
        """Bet -> the bets that some rule compares it with, itself included. If they differ, it is unknown which of them
        is wrong."""

    def _enter(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        staked = procedure.betting is not None  # a seat enters by its stake; a bet before the deal implies one
        self.entering = frozenset(
            bet.name
            for bet in self.spots
            if bet.enters
            or (bet.enters_when is not None and chosen(bet.enters_when, options))
            or (staked and bet.placed == "before-deal")
        )
        self.entry_clause = next((bet.clause for bet in self.spots if bet.enters), procedure.clause)
        """Clause by which a seat is dealt in."""
        self._entry = () if staked or procedure.shoe is not None else tuple(self._entry_rules())

    def _choose(self, procedure: Procedure, options: Mapping[str, str]) -> None:
        self.choices: dict[str, DecisionPart] = {choice.name: choice for choice in procedure.decision}
        steps = [step for step in procedure.step if isinstance(step, DecideStep) and chosen(step.when, options)]
        self.by_steps = len(steps) > 1
        """True if a player may choose at several steps."""
        own = [step for step in steps if step.about is None]
        self._points = tuple(self._where_hands_fold(own))
        self._step_choices = tuple(step.choices for step in own)
        self._some_choice = tuple(self._rules_of_choices())
        self._only_without = tuple(
            BetRule("excludes", (choice.bet,), choice.clause, others=choice.unless)
            for choice in procedure.decision
            if choice.bet is not None and choice.unless
            if not any(choice.bet in other.stakes for other in procedure.decision if other is not choice)
        )
        """Rules on bets of the only choice that a player with another bet does not have; the table never offers it."""
        self._moves_bets = any(choice.takes_back or choice.gives_up for choice in self.choices.values())
        self._in_pots = frozenset(bet.name for bet in self.spots if bet.pot is not None)
        self.all_in_bets = frozenset(bet.name for bet in self.spots if bet.pot is not None and bet.pot.all_in_clause)
        """Bets that a seat may make smaller than required if its stake is no more."""
        self._by_choice = frozenset(
            bet.name for bet in self.spots if bet.placed == "by-decision" and bet.tip_for is None
        )

    def equal_to(self, bet: str) -> Amount | None:
        """Return the multiple of another bet that this bet must equal, whatever is chosen; None if no rule says so."""
        rules = (rule for rule in self.rules if rule.bets == (bet,) and rule.kind == "equal" and rule.choice is None)
        return next((rule.amount for rule in rules if rule.amount is not None and rule.amount.bet), None)

    def _entry_rules(self) -> Iterator[BetRule]:
        enter = tuple(bet.name for bet in self.spots if bet.name in self.entering)
        for bet in self.spots:
            if bet.name not in self.entering:
                yield BetRule("entry", (bet.name,), self.entry_clause, others=enter)

    def of_round(
        self, wagers: Mapping[str, int], made: Collection[str], *, alive: bool, all_choices: bool = False
    ) -> tuple[Breach, ...]:
        """Return the breaches of the rules by the bets of a seat in a finished round.

        `made` are the choices that the round records of the seat, `all_choices` says whether these are all; `alive`
        means the hand was played to its end and not folded. What only the order of events shows, such as a bet after
        its time, is not among the breaches, nor is anything allowed under some value of an unrecorded option. If no
        value allows what the seat bet, every breach under any value is returned.
        """
        found = self._of_round(wagers, made, alive, all_choices)
        if not found or not self._otherwise:
            return found
        every = [law._of_round(wagers, made, alive, all_choices) for law in self._otherwise]
        broken = [{bet for breach in other for bet in breach.bets} for other in every]
        always = [breach for breach in found if not any(bets.isdisjoint(breach.bets) for bets in broken)]
        return tuple(always if always or not all(every) else dict.fromkeys(each for other in every for each in other))

    def _of_round(
        self, wagers: Mapping[str, int], made: Collection[str], alive: bool, all_choices: bool
    ) -> tuple[Breach, ...]:
        lay: Mapping[str, int] = wagers if 0 not in wagers.values() else {bet: of for bet, of in wagers.items() if of}
        unknown = set[str]()
        if self._moves_bets and made:
            lay, unknown = self._as_they_lay(lay, made)
        if self._entry and self.entering.isdisjoint(lay):  # each bet lacks another one, or else the entering bet
            rules = (*self._closed, *(rule for rule in self.rules if rule.kind in ALONE), *self._entry)
            return tuple(breach for rule in rules if (breach := rule.breach(lay)) is not None)
        due = self._due(lay, made, unknown) if alive and self._points else {}
        found = [breach for rule in self._closed if (breach := rule.breach(lay)) is not None] if self._closed else []
        over = self.most_cents is not None and max(lay.values(), default=0) > self.most_cents
        for rule in self.rules if over else self._but_limit:
            if rule.choice is not None and rule.choice not in made:
                continue
            if unknown and rule.kind != "tip-alone" and not unknown.isdisjoint(rule.named):
                continue
            if (breach := rule.breach(lay, due)) is not None:
                found.append(breach)
        if self._some_choice:
            found += self._by_some_choice(lay, made, due)
        for rule in self._only_without:
            if (breach := rule.breach(lay)) is not None:
                found.append(breach)
        if due:
            broken = {bet for breach in found for bet in breach.bets}
            found += [Breach(rule, rule.bets, 0, 0) for bet, rule in due.items() if bet not in broken]
        if all_choices and made and not self._by_choice.isdisjoint(lay):
            found += self._left(lay, made)
        if self._moves_bets and made:
            found += (*self._taken_back(lay, made), *self._given_up(wagers, made))
        return tuple(found)

    def is_all_in(self, breach: Breach, wagers: Mapping[str, int], stake: int | None) -> bool:
        """Return True if the bets are too small only because the seat put in its whole `stake`."""
        short = stake is not None and breach.cents < breach.wanted and self.all_in_bets.issuperset(breach.bets)
        return short and sum(wagers.values()) >= (stake or 0)

    def of_propositions(self, on: Mapping[str, Mapping[str, int]]) -> Iterator[Breach]:
        """Yield the breaches by single wagers on propositions, given in cents by proposition.

        Each must be a multiple of the same amount as its spot.
        """
        for rule in self.rules:
            if rule.kind == "multiple-of" and rule.amount is not None and not rule.amount.bet:
                (bet,) = rule.bets
                broken = (rule.breach({bet: cents}) for cents in on.get(bet, {}).values())
                breach = next((each for each in broken if each is not None), None)
                if breach is not None:
                    yield breach

    def lone_tips(self, on: Mapping[str, Mapping[str, int]]) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Yield tips on propositions on which their player has no wager: the tip, the wagers that it lacks, and its
        clause.

        Only if it is known on which propositions the player's wagers are.
        """
        for spot in self.spots:
            own = on.get(spot.tip_for) if spot.tip_for is not None else None
            if own and (
                alone := tuple(f"{spot.tip_for} on {what}" for what in on.get(spot.name, {}) if what not in own)
            ):
                yield spot.name, alone, spot.clause

    def _as_they_lay(self, wagers: Mapping[str, int], made: Collection[str]) -> tuple[dict[str, int], set[str]]:
        """Return the bets as they were placed, and those that a choice took back: their amount is unknown."""
        lay, unknown = dict(wagers), set[str]()
        for name in made:
            choice = self.choices.get(name)
            if choice is not None and choice.takes_back and choice.takes_back not in lay:
                unknown.add(choice.takes_back)
            if choice is not None and (part := choice.gives_up) is not None and part.as_ in lay:
                share, lost = Fraction(part.share), lay.pop(part.as_)
                lay[part.bet] = lay[part.bet] + lost if part.bet in lay else int(lost / share)
        return lay, unknown

    def _where_hands_fold(self, steps: Sequence[DecideStep]) -> Iterator[_Point]:
        """Yield the steps at which a hand is given up or played on, with every way to play on.

        That includes the last choices of earlier steps, after which the player has no other.
        """
        last: list[_Way] = []
        for step in steps:
            choices = [self.choices[name] for name in step.choices]
            ways = [_Way(choice, choice.stakes) for choice in choices if not choice.folds]
            if not step.optional and len(ways) < len(choices):
                yield _Point(step.only, (*ways, *last))
            last += [way for way in ways if way.choice.last]

    def _due(self, lay: Mapping[str, int], made: Collection[str], back: Set[str]) -> dict[str, BetRule]:
        """Return the bets without which the hand could not have been played on, each with its rule.

        They are due if at some step every choice but a fold goes with a bet, and none of these bets is placed or was
        taken `back` by a later choice. Bets in a pot are not due: the pot decides who plays for it.
        """
        found: dict[str, BetRule] = {}
        for point in self._points:
            if point.only is not None and point.only not in lay:
                continue
            ways = []
            taken = tuple(way for way in point.ways if way.choice.name in made)
            for way in taken or point.ways:
                if (way.choice.needs or way.choice.unless) and not self._may(way.choice, lay):
                    continue
                ways.append(way)
                for bet in way.stakes:
                    if bet not in lay and bet not in back:
                        break
                else:
                    break  # this way of playing on fits the bets
            else:
                if ways:
                    way = next((way for way in ways if way.choice.name in made), ways[0])
                    there = {*lay, *back, *self._in_pots}
                    missing = tuple(bet for bet in way.stakes if bet not in there)
                    found |= dict.fromkeys(missing, BetRule("due", missing, way.choice.clause))
        return found

    def _taken_back(self, lay: Mapping[str, int], made: Collection[str]) -> Iterator[Breach]:
        """Yield bets that are still placed although the only recorded choice of a step took them back."""
        for choices in self._step_choices:
            here = [name for name in choices if name in made]
            bet = self.choices[here[0]].takes_back if len(here) == 1 else None
            if bet is not None and bet in lay:
                yield Breach(BetRule("taken-back", (bet,), self.choices[here[0]].clause), (bet,), lay[bet], 0)

    def _given_up(self, wagers: Mapping[str, int], made: Collection[str]) -> Iterator[Breach]:
        """Yield breaches by a seat that gave up part of a bet and lacks another bet that this choice requires."""
        for name in made:
            choice = self.choices.get(name)
            if choice is not None and (part := choice.gives_up) is not None:
                others = tuple(bet for bet in choice.needs if bet != part.bet)
                breach = BetRule("needs", (part.as_,), choice.clause, others=others).breach(wagers)
                if breach is not None:
                    yield breach

    @staticmethod
    def _may(choice: DecisionPart, lay: Mapping[str, int]) -> bool:
        """Return True if a seat with these bets is offered the choice."""
        return all(bet in lay for bet in choice.needs) and not any(bet in lay for bet in choice.unless)

    def _rules_of_choices(self) -> Iterator[tuple[str, tuple[str, ...], tuple[BetRule, ...]]]:
        """Yield each bet whose amount depends on a choice, with the choices that it goes with and these rules."""
        for bet in self.spots:
            ways = tuple(choice.name for choice in self.choices.values() if bet.name in choice.stakes)
            if rules := tuple(rule for rule in self.rules if rule.bets == (bet.name,) and rule.choice in ways):
                yield bet.name, ways, rules

    def _by_some_choice(self, lay: Mapping[str, int], made: Collection[str], due: Collection[str]) -> Iterator[Breach]:
        """Yield bets that fit none of the choices they may go with, if the round does not record which was made."""
        for bet, ways, rules in self._some_choice:
            if (bet in due or bet in lay) and not any(name in made for name in ways):
                broken = {rule.choice: breach for rule in rules if (breach := rule.breach(lay, due)) is not None}
                if len(broken) == len(ways):
                    yield min(broken.values(), key=lambda breach: abs(breach.cents - breach.wanted))

    def _left(self, lay: Mapping[str, int], made: Collection[str]) -> Iterator[Breach]:
        """Yield bets that go with a choice, but not with one that was made."""
        choices = [self.choices[name] for name in made if name in self.choices]
        wanted = {bet for choice in choices for bet in choice.stakes}
        for bet in self.spots if not any(choice.folds for choice in choices) else ():
            if bet.name in lay and bet.name in self._by_choice and bet.name not in wanted:
                yield Breach(BetRule("left", (bet.name,), bet.clause), (bet.name,), lay[bet.name], 0)


def _deciding_options(procedure: Procedure) -> set[str]:
    """Return the options that a rule on bets depends on."""
    conditions = [
        each for bet in procedure.bet for each in (bet.when, bet.enters_when, *(must.when for must in bet.must))
    ]
    conditions += [total.when for total in procedure.total]
    return {when.option for when in conditions if when is not None}


def _full_blind(procedure: Procedure) -> int | None:
    """Return the big blind by the house's posted rules, or else by the procedure."""
    part, game = procedure.betting, procedure.posted
    if part is None:
        return None
    forced = game.bets.forced if game is not None and game.bets is not None else {}
    blinds = [forced[name] for name in part.blinds if name in forced and name not in part.extra_blinds]
    return max(blinds) if blinds else part.full_blind.cents if part.full_blind is not None else None
