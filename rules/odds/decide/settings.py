"""Settings of each solver, read from the players' choices in the game's procedure.

A procedure with any other choices is refused with its clause: DifferentDecisions. Nothing is counted here, so `dealwire
check` uses it too.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from dealer_flow.procedure.bets import Amount
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.tables import chosen
from rules.bets.bet import Bet
from rules.game.load import Game, cards_of
from rules.hands.hand_spec import OWN
from rules.odds.decide.decisions import DecisionPoint, Decisions, DifferentDecisions
from rules.odds.decide.holdem_terms import CallAndRaise, RaiseOnce

_BOARD: Final = "community"
_DEALER: Final = "dealer"
_ONCE: Final = (Fraction(1),)


class WayToBet(NamedTuple):
    """The `bets` that are made, the stake of each in units of the first, and the `words` that identify this way."""

    bets: tuple[Bet, ...]
    stakes: Mapping[str, Fraction]
    words: Mapping[str, str]


class AgainstSettings(NamedTuple):
    """Settings of `against-dealer`: the number of their own and of the dealer's cards that the player has seen; the
    multiples of the lowest stake to play on with; the ways to bet."""

    seen: int
    dealer_up: int
    raises: tuple[Fraction, ...]
    ways: tuple[WayToBet, ...]


class BonusSettings(NamedTuple):
    """Settings of `bonus-card`: the player's own and the community's cards at the first decision; fees in antes."""

    first_cards: int
    community: int
    insurance: Fraction
    fee: Fraction


class SurrenderSettings(NamedTuple):
    """Settings of `surrender`: the share of the last bet that may be given up, and the readings under which it may and
    may not be."""

    share: Fraction
    ways: tuple[tuple[bool, Mapping[str, str]], ...]


def sizes(game: Game, bet: Bet) -> tuple[int, int]:
    """Return the number of the player's first cards, and of the whole hand's. Raises DifferentDecisions for a hand
    without own cards."""
    hand = game.hand(bet.hand)
    own = hand.of.get(OWN)
    if own is None:
        raise DifferentDecisions(f"the hand of {bet.name} has no cards of the player's own")
    return own if isinstance(own, int) else own[1], cards_of(hand)[1]


# ------------------------------------------------------------------ matching the decisions


class _Counted(NamedTuple):
    """A decision as a solver counts it: the cards that the player has seen, and all his actions."""

    own: int
    does: Sequence[str]
    board: int = 0
    dealer: int = 0
    sets: int = 0

    def match(self, point: DecisionPoint) -> DecisionPoint:
        """Return the point if it is this decision, else raise DifferentDecisions."""
        seen = {OWN: self.own, _BOARD: self.board, _DEALER: self.dealer}
        ours = {place: cards for place, cards in seen.items() if cards}
        if (dict(point.seen), {each.words for each in point.choices}, point.sets) != (ours, {*self.does}, self.sets):
            cards = ", ".join(f"{place} {number}" for place, number in ours.items())
            does = "; ".join(self.does) or f"set {self.sets} in front"
            raise _refused(point, f"{point.words}; the solver counts, on {cards}: {does}")
        return point


def _matched(found: Decisions, *counted: _Counted) -> list[DecisionPoint]:
    """Return the decisions of the procedure, each checked against the corresponding one that is counted."""
    if len(found.points) != len(counted):
        steps = ", ".join(point.step for point in found.points) or "no step"
        raise DifferentDecisions(
            f"players decide at {steps} ({found.plan.clause}); the solver counts {len(counted)} decisions"
        )
    return [each.match(point) for point, each in zip(found.points, counted, strict=True)]


def _refused(point: DecisionPoint, why: str) -> DifferentDecisions:
    return DifferentDecisions(f"step {point.step!r} ({point.clause}): {why}")


def _units(point: DecisionPoint, bet: str) -> tuple[int, ...]:
    """Return the stakes of a bet, in the order of the choices."""
    stakes = point.sizes(bet)
    if any(stake.denominator > 1 for stake in stakes):
        raise _refused(point, f"{bet} of {', '.join(map(str, stakes))} units; the solver counts only whole ones")
    return tuple(map(int, stakes))


def _only_stake(point: DecisionPoint, bet: str) -> int:
    """Return the only stake of a bet."""
    stakes = _units(point, bet)
    if len(stakes) > 1:
        raise _refused(point, f"{bet} of {', '.join(map(str, stakes))} units; the solver counts one stake")
    return stakes[0]


def _of_the_unit(point: DecisionPoint, bet: str) -> None:
    if point.sizes(bet) != _ONCE:
        raise _refused(point, f"{bet} of {', '.join(map(str, point.sizes(bet)))} units; the solver counts one unit")


# ------------------------------------------------------------------ against the dealer


def against_settings(found: Decisions, bets: Sequence[Bet]) -> AgainstSettings:
    """Match one decision, on some or all of the player's cards and perhaps one of the dealer's: a fold, or one of these
    bets."""
    point, names = next(iter(found.points), None), [bet.name for bet in bets]
    compared = next((bet for bet in bets if bet.kind == "against"), None)
    if point is None or compared is None:
        raise DifferentDecisions(f"the solver needs a decision ({found.plan.clause}) and a bet against a hand")
    cards = cards_of(found.game.hand(compared.hand))[1]
    up = min(point.seen.get(_DEALER, 0), 1 if point.own == cards else 0)
    does = [f"bet {name}" for name in names] + [f"check, with {name}" for name in names]
    does = [each for each in does if each in {choice.words for choice in point.choices}]
    _matched(found, _Counted(point.own, ["fold", *does], dealer=up))
    taken: dict[frozenset[str], tuple[Fraction, ...]] = {}
    for choice in point.choices:
        made = frozenset({*choice.stakes, *choice.part.needs})
        if not choice.part.folds:
            taken[made] = point.sizes(*choice.stakes) if choice.stakes else _ONCE
    times = {tuple(size / min(sizes) for size in sorted(sizes)) for sizes in taken.values()}
    if len(times) != 1:
        raise _refused(point, "its bets may be raised by different multiples; the solver counts equal ones")
    return AgainstSettings(point.own, up, times.pop(), tuple(_ways(found, bets, taken)))


def _ways(
    found: Decisions, bets: Sequence[Bet], taken: Mapping[frozenset[str], Sequence[Fraction]]
) -> Iterator[WayToBet]:
    """Yield for each choice the bets that are made anyway, and the optional ones, at each possible stake."""
    given = found.game.spec.odds.stakes if found.game.spec.odds else {}
    by_choice = frozenset[str]().union(*taken)
    free: dict[str, list[Fraction | None]] = {}
    for name in (bet.name for bet in bets):
        if name not in by_choice and (name in found.optional or name in given):
            stakes = [Fraction(each) for each in given.get(name, ())] or [found.stakes.get(name, Fraction(1))]
            free[name] = [*stakes, *([None] if name in found.optional else [])]
    for made, played in taken.items():
        known = dict.fromkeys(made, min(played)) | dict(found.stakes)
        for each in product(*free.values()):
            chance = dict(zip(free, each, strict=True))
            absent = (by_choice - made) | {name for name, stake in chance.items() if stake is None}
            there = tuple(bet for bet in bets if bet.name not in absent)
            stakes_of = {bet.name: chance.get(bet.name) or known.get(bet.name, Fraction(1)) for bet in there}
            yield WayToBet(there, stakes_of, {name: _in_words(stake, found.unit) for name, stake in chance.items()})


def _in_words(stake: Fraction | None, unit: str) -> str:
    """Describe a stake: `half the first wager`."""
    return "none" if stake is None else Amount(stake, unit).words().replace("-", " ")


# ------------------------------------------------------------------ hold'em


def holdem_settings(found: Decisions, bets: Sequence[Bet]) -> RaiseOnce | CallAndRaise:
    """Match a single bet, smaller the later it is, or a fold on the complete board; or a bet or fold before the flop,
    and then optional further bets."""
    raised = [bet.name for bet in bets if bet.fold == "absent" and not bet.on]
    if len(raised) == 1:
        (bet,), at = raised, (("check", 0), ("check", 3), ("fold", 5))
        first, flop, river = _matched(found, *(_Counted(2, [other, f"bet {bet}"], board) for other, board in at))
        return RaiseOnce(_units(first, bet), _only_stake(flop, bet), _only_stake(river, bet))
    at = (("fold", 0), ("check", 3), ("check", 4))
    if not 2 <= len(raised) <= len(at):
        raise DifferentDecisions(f"{len(raised)} bets are made instead of folding; the solver counts one to three")
    points = _matched(
        found, *(_Counted(2, [other, f"bet {bet}"], board) for bet, (other, board) in zip(raised, at, strict=False))
    )
    call, flop_bet, turn = (*(_only_stake(point, bet) for point, bet in zip(points, raised, strict=True)), 0)[:3]
    return CallAndRaise(call, flop_bet, turn)


# ------------------------------------------------------------------ a player without an opponent


def street_raises(found: Decisions, bets: Sequence[Bet]) -> tuple[tuple[int, ...], ...]:
    """Return the settings of `streets`: the possible bets before each community card, in antes, the lowest first."""
    own, size = sizes(found.game, bets[0])
    raised = [bet.name for bet in bets[1:]]
    _of_number(raised, size - own)
    points = _matched(found, *(_Counted(own, ["fold", f"bet {bet}"], board) for board, bet in enumerate(raised)))
    return tuple(tuple(sorted(_units(point, bet))) for point, bet in zip(points, raised, strict=True))


def take_back_settings(found: Decisions, bets: Sequence[Bet]) -> None:
    """Match `take-back`: equal bets, all but the last of which may be taken back, each with one more community card
    seen."""
    own, size = sizes(found.game, bets[-1])
    names = [bet.name for bet in bets]
    _of_number(names[:-1], size - own)
    _matched(found, *(_Counted(own, ["check", f"take back {bet}"], board) for board, bet in enumerate(names[:-1])))
    if unlike := [name for name in names if found.stakes.get(name) != 1]:
        raise DifferentDecisions(
            f"{unlike[0]} is not as much as {found.unit} ({found.plan.clause}); the solver counts equal bets"
        )


def bonus_settings(found: Decisions, bets: Sequence[Bet]) -> BonusSettings:
    """Return the settings of `bonus-card`: the ante, the same again or a fold for each card; then a card for a player
    who bought the insurance."""
    if len(bets) < 4:
        raise DifferentDecisions("the solver needs an ante, bets to continue, an insurance and a fee")
    _, *raised, insurance, fee = (bet.name for bet in bets)
    size = sizes(found.game, bets[0])[1] - 1
    board = found.points[-1].seen.get(_BOARD, 0) if found.points else 0
    first = size - board - len(raised)
    card = ["fold", "check", f"bet {fee}, draw 1, with {insurance}"]
    bet_on = [_Counted(first + cards, ["fold", f"bet {bet}"], board) for cards, bet in enumerate(raised)]
    *points, last = _matched(found, *bet_on, _Counted(size - board, card, board))
    for point, bet in zip(points, raised, strict=True):
        _of_the_unit(point, bet)
    cost, part = last.sizes(fee), found.stakes.get(insurance)
    if part is None or len(cost) > 1:
        raise _refused(last, f"{insurance} or {fee} may have several stakes; the solver counts one")
    return BonusSettings(first, board, part, cost[0])


def discard_folds(found: Decisions, bets: Sequence[Bet]) -> bool:
    """Match `discard-one` and return True if a hand may be folded, False if it is kept without a bet; one card is laid
    aside, or the hand is shown at once."""
    if len(bets) != 3 or bets[0].name not in found.game.instead:
        raise DifferentDecisions("the solver needs an ante that also pays a hand shown at once, a bet and a bonus")
    own, bet = cards_of(found.game.hand(found.game.instead[bets[0].name].hand))[1], bets[1].name
    folds = any(choice.part.folds for point in found.points for choice in point.choices)
    (point,) = _matched(found, _Counted(own, ["fold" if folds else "lay down 1", f"bet {bet}, lay down 1", "check"]))
    _of_the_unit(point, bet)
    return folds


def surrender_settings(found: Decisions, bets: Sequence[Bet]) -> SurrenderSettings:
    """Return the settings of `surrender`: a share of the last bet given up on the first cards, where the house allows
    it to players who made all the bets."""
    steps = [step for step in found.plan.procedure.step if isinstance(step, DecideStep)]
    left_out = [step.when for step in steps if step.when and not chosen(step.when, found.plan.options)]
    offered = {when.option: when.is_ for when in left_out}
    names = [bet.name for bet in bets]
    gives_up = ", ".join([f"give up a part of {names[-1]}", *(f"with {name}" for name in names)])
    (point,) = _matched(found.under(offered), _Counted(sizes(found.game, bets[0])[0], ["check", gives_up]))
    (given, part), *others = [(each, part) for each in point.choices if (part := each.part.gives_up)]
    if others or given.rest != "comes-back":
        raise _refused(
            point, f"the rest of {names[-1]} {given.rest}; the solver counts one share, the rest of which comes-back"
        )
    ways = [(True, offered), (False, {name: found.plan.options[name] for name in offered})]
    return SurrenderSettings(Fraction(part.share), tuple(ways if offered else ways[:1]))


def community_discards(found: Decisions, bets: Sequence[Bet]) -> tuple[int, ...]:
    """Return the settings of `community-draw`: the possible numbers of discards from the first cards, which are a whole
    hand."""
    size = sizes(found.game, bets[0])[1]
    words = {choice.words for point in found.points for choice in point.choices}
    able = {number: f"lay down {number}" if number else "check" for number in range(size + 1)}
    numbers = tuple(number for number, each in able.items() if each in words)
    _matched(found, _Counted(size, [able[number] for number in numbers]))
    return numbers


def unseen_draw_settings(found: Decisions, bets: Sequence[Bet]) -> None:
    """Match `unseen-draw`: one card of a whole hand is exchanged, or the hand wins at once."""
    _matched(found, _Counted(cards_of(found.game.hand(bets[0].hand))[0], ["lay aside 1", "check"]))


def kept_pair_settings(found: Decisions, _bets: Sequence[Bet]) -> None:
    """Match `kept-pair`: two of four cards are kept before anything else is seen. Other choices do not affect the bet,
    which is counted for one hand."""
    point = next(iter(found.points), None)
    if point is None or dict(point.seen) != {OWN: 4} or all(each.words != "lay down 2" for each in point.choices):
        words = point.words if point else "nothing is chosen"
        raise DifferentDecisions(f"{words} ({found.plan.clause}); the solver counts, on own 4: lay down 2")


def low_and_high_settings(found: Decisions, bets: Sequence[Bet]) -> None:
    """Match `low-and-high`: the hand is arranged with one card in front, with no other choices."""
    _matched(found, _Counted(max(sizes(found.game, bet)[1] for bet in bets), (), sets=1))


def no_decisions(found: Decisions, _bets: Sequence[Bet]) -> None:
    """Match `points`: there are no choices."""
    _matched(found)


def only_bets(found: Decisions, _bets: Sequence[Bet]) -> None:
    """Match `two-shoes`: the only choices are to make a bet or not."""
    for point in found.points:
        made = [f"bet {bet}" for choice in point.choices for bet in choice.stakes]
        _Counted(point.own, ["check", *made], point.seen.get(_BOARD, 0)).match(point)


def _of_number(bets: Sequence[str], cards: int) -> None:
    if len(bets) != cards:
        raise DifferentDecisions(
            f"{', '.join(bets)} depend on a decision, and {cards} cards come; the solver counts one bet for each"
        )
