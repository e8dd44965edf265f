"""What is asked of a game's odds, and which bets are decided together."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, NamedTuple

from dealer_flow.procedure.load import load_procedure
from protocol.cards import CARDS, Card
from rules.bets.bet import Bet
from rules.game.house_ways import load_houseway
from rules.game.load import Game
from rules.game.pairing import procedure_source
from rules.game.readings import READINGS
from rules.odds.kept import KeptOdds, key_of
from rules.odds.strategy.file import Strategy
from rules.paytables.paytable import PayTable

Progress = Callable[[int, int], None]
"""Called with how many steps are done and of how many."""


def _silent(done: int, of: int) -> None:
    """Nobody is told how far it is."""


def _no_name(name: str) -> None:
    """Nobody is told what is counted."""


class OneDeck(NamedTuple):
    """The cards of each deck beside its jokers: the `ranks` from the lowest up, 1 for an ace above the king, each in so
    many `suits`."""

    ranks: tuple[int, ...] = (*range(2, 14), 1)
    suits: int = 4

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, rank by rank."""
        return tuple(CARDS[suit << 4 | rank] for rank in self.ranks for suit in range(1, self.suits + 1))


WHOLE: Final = OneDeck()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `readings` and `paytable` narrow it, empty asks for all; `meters` in cents, beside a wager of
    `wager_cents`; `others` is how many more bettors of the progressive sit there, for their envy; `decks`, of a shoe,
    0 for what the procedure has by default; `workers` is how many processes may count. `progress` is called with how
    many steps are done and of how many. `one` is what each deck has: fewer cards for a game of few deals."""

    game: Game
    readings: Mapping[str, str] = field(default_factory=dict)
    paytable: str = ""
    meters: Mapping[str, int] = field(default_factory=dict)
    wager_cents: int = 100
    workers: int = 1
    others: int = 0
    decks: int = 0
    progress: Progress = _silent
    begin: Callable[[str], None] = _no_name
    kept: KeptOdds | None = None
    strategy: Strategy | None = None
    one: OneDeck = WHOLE

    def key(self, bets: Sequence[str]) -> str:
        """Under what the odds of these bets are kept: all that they depend on."""
        given = (
            dict(self.readings),
            self.paytable,
            dict(self.meters),
            self.wager_cents,
            self.others,
            self.decks,
            self.one,
        )
        strategy = self.strategy.sha256 if self.strategy else ""
        found = procedure_source(self.game, self.game.spec.procedures[0])
        stands_on = [load_procedure(found).ref().sha256] if found is not None else []
        stands_on += [load_houseway(name).sha256 for name in self.game.spec.houseways]
        return key_of(self.game.id, self.game.sha256, stands_on, list(bets), strategy, *given)

    def choices(self, *names: str) -> Iterator[dict[str, str]]:
        """Every choice among the readings `names` that the game leaves open, its default first."""
        options: dict[str, list[str]] = {}
        for name, reading in self.game.spec.readings.items():
            if name in names:
                others = [option for option in READINGS[name] if option != reading.default]
                options[name] = [self.readings[name]] if name in self.readings else [reading.default, *others]
        for chosen in product(*options.values()):
            yield dict(zip(options, chosen, strict=True))

    def tables(self, bet: Bet, beside: Sequence[Bet] = ()) -> Iterator[PayTable]:
        """The pay tables of `bet` that are asked for; all where the one asked for is another's of those `beside` it."""
        anothers = self.paytable not in bet.paytables and any(self.paytable in each.paytables for each in beside)
        return (self.game.paytables[name] for name in bet.paytables if anothers or self.paytable in ("", name))

    def tables_together(self, bets: Sequence[Bet]) -> Iterator[dict[str, str]]:
        """Every choice of a pay table that is asked for, by its id, for each of these bets that has some."""
        tabled = [bet for bet in bets if bet.paytables]
        for chosen in product(*(self.tables(bet, tabled) for bet in tabled)):
            yield {bet.name: table.id for bet, table in zip(tabled, chosen, strict=True)}

    def marks(self, table: PayTable, readings: Mapping[str, str]) -> dict[str, Any]:
        """What the table prints of its own odds, and why it or one of the readings cannot be meant."""
        known = self.game.spec.readings
        taken = (known[name].suspect.get(option, "") for name, option in readings.items() if name in known)
        return {
            "printed": table.printed.model_dump() if table.printed else None,
            "suspect": "; ".join(filter(None, (table.suspect, *taken))),
        }
