"""What is asked of a game's odds, and which bets are decided together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from rules.game import Bet, Game
from rules.paytable import PayTable
from rules.readings import READINGS

TOGETHER: Final = frozenset({"against-dealer", "margin"})
"""Kinds of bet that are decided by fold or play, and so only together."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `readings` and `paytable` narrow it, empty asks for all; `meters` in cents, beside a wager of
    `wager_cents`; `workers` is how many processes may count."""

    game: Game
    readings: Mapping[str, str] = field(default_factory=dict)
    paytable: str = ""
    meters: Mapping[str, int] = field(default_factory=dict)
    wager_cents: int = 100
    workers: int = 1

    def choices(self, *names: str) -> Iterator[dict[str, str]]:
        """Every choice among the readings `names` that the game leaves open, its default first."""
        options: dict[str, list[str]] = {}
        for name, reading in self.game.spec.readings.items():
            if name in names:
                others = [option for option in READINGS[name] if option != reading.default]
                options[name] = [self.readings[name]] if name in self.readings else [reading.default, *others]
        for chosen in product(*options.values()):
            yield dict(zip(options, chosen, strict=True))

    def tables(self, bet: Bet) -> Iterator[PayTable]:
        """The pay tables of `bet` that are asked for."""
        return (self.game.paytables[name] for name in bet.paytables if self.paytable in ("", name))

    def decided_with(self, bet: Bet) -> tuple[list[Bet], list[Bet]]:
        """The bets that stand or fall with `bet`, and those that ride on that decision, as a tip for the dealer does.

        A bet that no raise belongs to rides on the bets it is made beside.
        """
        game = self.game
        names = game.tied[bet.name]
        if bet.beside and not any(game.bets[name].fold == "absent" for name in names):
            names = game.tied[bet.beside.bet]
        together = [each for each in game.spec.bets if each.name in names]
        beside = [each for each in game.spec.bets if each.kind in TOGETHER and each.name not in names]
        return together, [each for each in beside if each.beside and each.beside.bet in names]

    def marks(self, table: PayTable, readings: Mapping[str, str]) -> dict[str, Any]:
        """What the table prints of its own odds, and why it or one of the readings cannot be meant."""
        taken = (self.game.spec.readings[name].suspect.get(option, "") for name, option in readings.items())
        return {
            "printed": table.printed.model_dump() if table.printed else None,
            "suspect": "; ".join(filter(None, (table.suspect, *taken))),
        }
