"""A question about a game's odds, and the helpers that solvers share."""

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
"""Called with the number of steps done and their total."""


def _ignore_progress(done: int, of: int) -> None:
    """Ignore progress."""


def _ignore_name(name: str) -> None:
    """Ignore the name of the bets being counted."""


class OneDeck(NamedTuple):
    """Cards of each deck apart from jokers: the `ranks` from the lowest up, with 1 for an ace above the king, each in
    `suits` suits."""

    ranks: tuple[int, ...] = (*range(2, 14), 1)
    suits: int = 4

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, rank by rank."""
        return tuple(CARDS[suit << 4 | rank] for rank in self.ranks for suit in range(1, self.suits + 1))


WHOLE: Final = OneDeck()


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a game's odds.

    - `readings`, `paytable`: restrict the question; empty means all.
    - `meters`: in cents, for a wager of `wager_cents`.
    - `others`: the number of other bettors of the progressive, for their envy.
    - `decks`: the number of decks of a shoe, 0 for the procedure's default.
    - `workers`: the number of processes. `progress`: called with the steps done and their total.
    - `one`: the cards of each deck; fewer cards make a game of few deals.
    """

    game: Game
    readings: Mapping[str, str] = field(default_factory=dict)
    paytable: str = ""
    meters: Mapping[str, int] = field(default_factory=dict)
    wager_cents: int = 100
    workers: int = 1
    others: int = 0
    decks: int = 0
    progress: Progress = _ignore_progress
    begin: Callable[[str], None] = _ignore_name
    kept: KeptOdds | None = None
    strategy: Strategy | None = None
    one: OneDeck = WHOLE

    def key(self, bets: Sequence[str]) -> str:
        """Return the cache key of the odds of these bets: everything they depend on."""
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
        """Yield every combination of the readings `names` that the game leaves open, the default first."""
        options: dict[str, list[str]] = {}
        for name, reading in self.game.spec.readings.items():
            if name in names:
                others = [option for option in READINGS[name] if option != reading.default]
                options[name] = [self.readings[name]] if name in self.readings else [reading.default, *others]
        for chosen in product(*options.values()):
            yield dict(zip(options, chosen, strict=True))

    def tables(self, bet: Bet, beside: Sequence[Bet] = ()) -> Iterator[PayTable]:
        """Return the requested pay tables of `bet`; all of them if the requested one belongs to another bet in
        `beside`."""
        anothers = self.paytable not in bet.paytables and any(self.paytable in each.paytables for each in beside)
        return (self.game.paytables[name] for name in bet.paytables if anothers or self.paytable in ("", name))

    def tables_together(self, bets: Sequence[Bet]) -> Iterator[dict[str, str]]:
        """Yield every combination of requested pay tables, by id, for the bets that have some."""
        tabled = [bet for bet in bets if bet.paytables]
        for chosen in product(*(self.tables(bet, tabled) for bet in tabled)):
            yield {bet.name: table.id for bet, table in zip(tabled, chosen, strict=True)}

    def marks(self, table: PayTable, readings: Mapping[str, str]) -> dict[str, Any]:
        """Return the printed odds of the table, and the reason that it or a reading appears to be a misprint."""
        known = self.game.spec.readings
        taken = (known[name].suspect.get(option, "") for name, option in readings.items() if name in known)
        return {
            "printed": table.printed.model_dump() if table.printed else None,
            "suspect": "; ".join(filter(None, (table.suspect, *taken))),
        }
