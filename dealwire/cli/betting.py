"""The betting of a round and its pots as lines for a person."""

from collections.abc import Iterator

from dealer_flow.record.result import RoundResult, Seat
from dealwire.table.action_words import WON_WITH, action_words, pot_name, settled_pot_name
from rules.settlement import PotTotal, Settlement, amount


def betting_lines(result: RoundResult) -> Iterator[str]:
    """The button, each betting round as it went, and what was taken in; nothing of a game without betting."""
    if not result.actions:
        return
    if result.button is not None:
        yield f"  button     seat {result.button}"
    for step in dict.fromkeys(each.step for each in result.actions):
        acts = (
            f"{each.seat} {action_words(each.action, each.cents, each.manner, result.currency)}"
            for each in result.actions
            if each.step == step
        )
        yield f"  {step.removesuffix('-betting') + ' ':<11}{', '.join(acts)}"
    if result.awards:
        takes = (f"seat {each.seat} {_money(each.cents, result)} of the {pot_name(each.pot)}" for each in result.awards)
        yield f"  taken in   {', '.join(takes)}"


def chips_of(seat: Seat, result: RoundResult) -> str:
    """`  put in $86 of $200`; empty for a seat without a stake."""
    if seat.stake is None:
        return ""
    gave_up = "  folded" if seat.status == "folded" else ""
    return f"{gave_up}  put in {_money(sum(seat.wagers.values()), result)} of {_money(seat.stake, result)}"


def pot_lines(settlement: Settlement) -> Iterator[str]:
    """Each pot, what was taken of it, and who has the rest."""
    for pot in settlement.pots:
        yield f"  {settled_pot_name(pot.name) + ' ':<11}{_pot(pot, settlement)}"


def _pot(pot: PotTotal, settlement: Settlement) -> str:
    taken = [f"{_money(pot.rake, settlement)} rake"] if pot.rake else []
    taken += [f"{_money(pot.jackpot_rake, settlement)} for the jackpot"] if pot.jackpot_rake else []
    less = f" less {' and '.join(taken)}" if taken else ""
    winners = (
        f"seat {each.seat} has {_money(each.cents, settlement)}, {WON_WITH[each.won_with]}" for each in pot.winners
    )
    return f"{_money(pot.cents, settlement)}{less}: " + (f"held, {pot.held}" if pot.held else "; ".join(winners))


def _money(cents: int, of: RoundResult | Settlement) -> str:
    return amount(cents, of.currency).removesuffix(".00")
