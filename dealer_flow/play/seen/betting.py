"""Chips of a hand in which players bet against each other, as an observer at the table sees them."""

from collections.abc import Mapping
from dataclasses import dataclass

from dealer_flow.play.course.turns import as_found, bets_called, blinds_of
from dealer_flow.play.seen.pots_lying import dead_money, in_pot, lying
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.record.details import ActionRecord, TakenPot
from dealer_flow.table.pots import Pot, Uncalled, cut, filled, left_in, with_dead
from dealer_flow.table.round import Round


@dataclass(frozen=True, slots=True)
class ChipsNow:
    """Chips of one seat, in cents.

    `lies` is what is in front of it in this betting round, or in blinds before the first one. `stake` and `behind` are
    None for a stake that was not reported.
    """

    stake: int | None
    behind: int | None
    lies: int
    all_in: bool


@dataclass(frozen=True, slots=True)
class BettingNow:
    """State of the betting.

    `step` is the betting round under way, `high` the bet to call in it, `turn` the seats that may act (the seat to act
    first), `passed` those of them that were passed by. What is in front of seats is in no pot yet; `over` is the
    uncalled bet, which goes back.
    """

    button: int | None
    step: str | None
    high: int
    turn: tuple[int, ...]
    passed: frozenset[int]
    chips: Mapping[int, ChipsNow]
    pots: tuple[Pot, ...]
    over: Uncalled | None
    actions: tuple[ActionRecord, ...]
    awards: tuple[TakenPot, ...]

    @property
    def total(self) -> int:
        """Cents that were put in and do not go back: the pots, and what is in front of seats."""
        return sum(pot.cents for pot in self.pots) + sum(each.lies for each in self.chips.values())


def betting_now(round_: Round) -> BettingNow | None:
    """Return the state of the betting; None in a game in which players do not bet against each other."""
    if round_.plan.betting is None:
        return None
    betting, live, step = round_.betting, round_.live, round_.step
    open_ = isinstance(step, BetStep) and round_.opened and betting.step == step.name and not bets_called(round_)
    turn = tuple(betting.waiting(live)) if open_ else ()
    chips = {number: _chips(round_, number, open_=open_) for number in _seats(round_)}
    pots, over = _pots(round_, chips, called=bool(betting.step) and not open_)
    return BettingNow(
        button=round_.first or None,
        step=betting.step if open_ else None,
        high=_to_call(round_, turn) if open_ else max((each.lies for each in chips.values()), default=0),
        turn=turn,
        passed=frozenset(betting.passed) & frozenset(turn[1:]),
        chips=chips,
        pots=tuple(pots),
        over=over,
        actions=tuple(betting.actions),
        awards=tuple(round_.awards),
    )


def _to_call(round_: Round, turn: tuple[int, ...]) -> int:
    """Return the bet that the seat to act has to call."""
    return as_found(round_, turn[0]).high if turn else round_.betting.high


def _pots(round_: Round, chips: Mapping[int, ChipsNow], *, called: bool) -> tuple[list[Pot], Uncalled | None]:
    """Return the pots without what lies in front of seats, each with the seats that may still win it."""
    inside = round_.active if round_.in_play else chips
    put = dict[int, int]()
    for number in inside:
        if cents := in_pot(round_.plan, round_.wagers.get(number, {})) - chips[number].lies:
            put[number] = cents
    dead = {number: cents for number in inside if (cents := dead_money(round_.plan, round_.wagers.get(number, {})))}
    if not round_.in_play:
        before = filled(cut(put, put.keys()), put) if put else []
        return with_dead(before, dead, put) if dead else before, None
    found, over, given_up = lying(round_, put, {}, called=called)
    found = with_dead(found, dead, round_.live) if dead else found
    return [pot for pot in left_in(found, {*round_.live}, given_up) if pot.cents], over


def _seats(round_: Round) -> list[int]:
    bets = {number for number, wagers in round_.wagers.items() if wagers}
    return sorted({*round_.active, *round_.betting.stakes, *bets})


def _put_in(round_: Round, number: int) -> int:
    """Return the cents that a seat has put in, in this and earlier betting rounds."""
    return sum(round_.wagers.get(number, {}).values())


def _chips(round_: Round, number: int, *, open_: bool) -> ChipsNow:
    betting = round_.betting
    lies = betting.lies(number) if open_ else 0
    if not betting.step:  # before the first betting round only blinds are out
        lies = blinds_of(round_, number)
    stake = betting.stakes.get(number)
    behind = betting.behind.get(number)
    if behind is None and stake is not None:
        behind = max(stake - _put_in(round_, number), 0)
    return ChipsNow(stake, behind, lies, all_in=number in round_.live and stake is not None and behind == 0)
