"""The betting of players against each other as a view shows it, and the words for what players do with their chips."""

from collections.abc import Mapping
from typing import Final

from dealer_flow.play.betting_view import BettingNow, ChipsNow
from dealer_flow.play.candidate import Legal
from dealer_flow.play.snapshot import Snapshot
from dealer_flow.record.details import DOLLAR
from dealwire.hub.view import ActionView, BettingView, ChipsView, PotView, TakenView
from devices.events import Action, Manner
from rules.settlement import amount

ACTIONS: Final[Mapping[str, str]] = {
    Action.BET: "bets {}",
    Action.RAISE: "raises to {}",
    Action.CALL: "calls {}",
    Action.FOLD: "folds",
    Action.CHECK: "checks",
    Action.ALL_IN: "all-in with {}",
    Action.BRING_IN: "brings in {}",
}
"""What a player does, with all that lies before the seat then."""

MANNERS: Final[Mapping[str, str]] = {
    Manner.STRING_BET: "a string bet",
    Manner.TIME_LIMIT: "by the time limit",
    Manner.CORRECTED: "corrected",
}

WON_WITH: Final[Mapping[str, str]] = {
    "high": "the high hand",
    "low": "the low hand",
    "both": "the high and the low hand",
    "last-hand": "the last hand",
    "award": "as it was awarded",
}
"""With what a seat takes a pot, or part of it."""


def action_words(action: str, cents: int, manner: str = "", currency: str = DOLLAR) -> str:
    """`raises to $9`, `calls $9 (a string bet)`; an action that is none of them as it came."""
    done = ACTIONS.get(action, f"{action} {{}}").format(amount(cents, currency).removesuffix(".00"))
    return f"{done} ({MANNERS.get(manner, manner)})" if manner else done


def step_words(step: str) -> str:
    """The name of a betting round: `pre-flop-betting` as `pre-flop betting`."""
    return f"{step.removesuffix('-betting')} betting"


def pot_name(number: int) -> str:
    """`main pot`, `side pot 1`: the main pot is number 1."""
    return "main pot" if number == 1 else f"side pot {number - 1}"


def settled_pot_name(name: str) -> str:
    """The name of a settled pot in words."""
    return "main pot" if name == "pot" else name.replace("-", " ")


def without_mucked(now: Snapshot, items: tuple[Legal, ...], waits: tuple[Legal, ...]) -> tuple[Legal, ...]:
    """What the table waits for, of `waits`: where players bet against each other, nobody shows a hand that was given
    up. END GAME when nothing else is left."""
    if now.betting is None:
        return waits
    gone = {f"seat {seat.number}" for seat in now.seats if seat.status in ("folded", "dead")}
    found = tuple(each for each in waits if each.event != "HandRevealed" or each.place not in gone)
    return found or tuple(each for each in items if each.event == "GameEnded")


def chips_view(chips: ChipsNow) -> ChipsView:
    """A seat's chips."""
    return ChipsView(stake=chips.stake, behind=chips.behind, lies=chips.lies, all_in=chips.all_in)


def betting_view(now: BettingNow) -> BettingView:
    """The betting; of its actions those of the newest betting round."""
    newest = now.step or (now.actions[-1].step if now.actions else "")
    return BettingView(
        button=now.button,
        step=now.step,
        high=now.high,
        turn=now.turn,
        passed=tuple(sorted(now.passed)),
        pots=tuple(
            PotView(name=pot_name(number), cents=pot.cents, seats=tuple(sorted(pot.contenders)))
            for number, pot in enumerate(now.pots, 1)
        ),
        total=now.total,
        over_seat=now.over.seat if now.over is not None else None,
        over=now.over.cents if now.over is not None else 0,
        acted=len(now.actions),
        actions=tuple(
            ActionView(step=each.step, seat=each.seat, action=each.action, cents=each.cents, manner=each.manner)
            for each in now.actions
            if each.step == newest
        ),
        taken=tuple(TakenView(pot=pot_name(each.pot), seat=each.seat, cents=each.cents) for each in now.awards),
    )
