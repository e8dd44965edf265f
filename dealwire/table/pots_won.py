"""Pots of a settled round between players: winners and the shown hands that won."""

from collections.abc import Mapping
from typing import Final

from dealwire.hub.view import PotsWonView, PotWinnerView, SettlementView
from dealwire.table.action_words import pots_words
from rules.settlement import PotWinner, WonWith, amount

ShownHands = Mapping[int, Mapping[WonWith, str]]
"""Shown hands by seat and way to win (`high`, `low`), as text."""

BY_THE_CARDS: Final[frozenset[WonWith]] = frozenset({"high", "low", "both"})
"""Ways to win a pot that the cards decide."""


def hand_of(winner: PotWinner, hands: Mapping[WonWith, str]) -> str:
    """Return the hand with which a seat wins a pot; empty if it was not shown or the cards do not decide."""
    if winner.won_with == "both":
        return " and ".join(f"{words} for {way}" for way, words in hands.items())
    return hands.get(winner.won_with, "")


def pots_won(shown: SettlementView) -> PotsWonView | None:
    """Return all pots of a round as one, each winner under its best pot; None without a pot."""
    if not shown.pots:
        return None
    taken: dict[int, PotWinnerView] = {}
    for each in (each for pot in shown.pots for each in pot.winners):
        before = taken.get(each.seat)
        taken[each.seat] = before.model_copy(update={"cents": before.cents + each.cents}) if before else each
    return PotsWonView(
        cents=sum(pot.cents for pot in shown.pots),
        rake=sum(pot.rake for pot in shown.pots),
        jackpot_rake=sum(pot.jackpot_rake for pot in shown.pots),
        winners=tuple(taken.values()),
    )


def between_players(shown: SettlementView) -> str:
    """Return the winners of the pots, and what players win or lose outside them."""
    pots = pots_won(shown)
    if pots is None:
        came, taken = "every bet is returned" if all(line.net == 0 for line in shown.lines) else "no pot was won", 0
    else:
        came, taken = pots_words(pots, shown.currency), pots.rake + pots.jackpot_rake
    beside = shown.players + taken
    if beside:
        came += f"; outside the pots players {'win' if beside > 0 else 'lose'} {amount(abs(beside), shown.currency)}"
    return came
