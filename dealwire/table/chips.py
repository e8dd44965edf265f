"""The betting between players as a view shows it."""

from dealer_flow.play.seen.betting import BettingNow, ChipsNow
from dealer_flow.play.seen.legal import Legal
from dealer_flow.play.seen.snapshot import Snapshot
from dealwire.hub.view import ActionView, BettingView, ChipsView, PotView, TakenView
from dealwire.table.action_words import pot_name


def without_mucked(now: Snapshot, items: tuple[Legal, ...], waits: tuple[Legal, ...]) -> tuple[Legal, ...]:
    """Return the awaited items, without reveals of hands that were folded or are dead: between players those stay
    hidden.

    If nothing else is left, the table waits for END GAME.
    """
    if now.betting is None:
        return waits
    gone = {f"seat {seat.number}" for seat in now.seats if seat.status in ("folded", "dead")}
    found = tuple(each for each in waits if each.event != "HandRevealed" or each.place not in gone)
    return found or tuple(each for each in items if each.event == "GameEnded")


def chips_view(chips: ChipsNow) -> ChipsView:
    """Return a seat's chips."""
    return ChipsView(stake=chips.stake, behind=chips.behind, lies=chips.lies, all_in=chips.all_in)


def betting_view(now: BettingNow) -> BettingView:
    """Return the betting; its actions are those of the newest betting round."""
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
