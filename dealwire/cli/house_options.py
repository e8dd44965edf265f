"""The house's posted rules on the command line: `--house FILE`, and `--house-game NAME`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from dealer_flow.editions import Edition
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.posted import PostedGame
from dealer_flow.record.result import HouseRef
from dealwire.cli.options import pairs
from dealwire.config.build import Banks
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.house.house import HouseRules
from rules.house.load import load_house
from rules.house.schema import HouseGamePart
from rules.meters.jackpot_book import JackpotBook

_POSTED: Final[Mapping[str, tuple[str, object]]] = {
    "game": ("--game", None),
    "rake": ("--rake", "0"),
    "rake_cap_cents": ("--rake-cap", None),
    "rake_step_cents": ("--rake-step", None),
    "jackpot_rake_cents": ("--jackpot-rake", None),
    "pool_rake": ("--pool-rake", "0"),
    "jackpot": ("--jackpot", None),
    "limit_cents": ("--limit", None),
    "max_round_cents": ("--max-round", None),
    "max_player_cents": ("--max-player", None),
    "max_tip_cents": ("--max-tip", None),
    "least_bet_cents": ("--least-bet", None),
    "token": ("--token", 25),
}
"""Options that a house's file replaces -> their names, and the value that equals not setting them."""


@dataclass(frozen=True)
class HouseTerms:
    """A house's file, and the name of the game that was chosen in it."""

    house: HouseRules
    named: str | None

    @classmethod
    def of(cls, file: Path | None, named: str | None, options: Mapping[str, Any]) -> "HouseTerms | None":
        """Load the file, None without one. UsageError for an option that sets what the house has posted."""
        if file is None:
            if named is not None:
                raise click.UsageError("--house-game needs --house, the file that offers the game")
            return None
        for key, (option, unset) in _POSTED.items():
            if options.get(key, unset) != unset:
                raise click.UsageError(f"{option} and --house exclude each other: the house posts it")
        found = cls(load_house(file), named)
        if options.get("edition") is not None and found.house.spec.edition not in (None, options["edition"]):
            raise click.UsageError(f"--edition: the house has posted {found.house.spec.edition}; leave it out")
        return found

    @property
    def edition(self) -> Edition | None:
        """Edition that the house's rules are for."""
        return self.house.edition

    def part(self, source: str, recorded: HouseRef | None = None) -> HouseGamePart:
        """Return the game that is dealt by a procedure: the `recorded` one of a round, else the named one.
        SettlementRefused if they differ, or the round is of another hash."""
        if recorded is not None and recorded.sha256 != self.house.sha256:
            ours = f"{self.house.spec.id} of hash {self.house.sha256[:12]}"
            raise SettlementRefused("round of house", f"{recorded.id} of hash {recorded.sha256[:12]}", [ours])
        if recorded is not None and self.named not in (None, recorded.game):
            raise SettlementRefused("--house-game", self.named, [f"{recorded.game}, which the round names"])
        return self.house.game(source, self.named or (recorded.game if recorded is not None else None))

    def posted(self, source: str) -> PostedGame:
        """Return what the flow enforces of the procedure's game."""
        return self.house.posted(self.part(source))

    def options(self, procedure: Procedure, source: str) -> dict[str, str]:
        """Return the options of the procedure as posted."""
        return self.house.options(self.part(source), procedure)

    def jackpot(self, part: HouseGamePart, banks: Banks) -> JackpotBook | None:
        """Return the jackpot of a game; None if it has none."""
        return banks.jackpot_of(self.house.spec.jackpot[part.jackpot].file) if part.jackpot is not None else None

    def about(self, part: HouseGamePart, game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with those that the house has posted. UsageError for a reading that contradicts it."""
        readings, given = self.house.readings(part, game), pairs(options["readings"], "--reading")
        for name in given.keys() & readings.keys():
            if given[name] != readings[name]:
                raise click.UsageError(f"--reading {name}: the house has posted {readings[name]!r}; leave it out")
        return {
            **options,
            "readings": [f"{name}={option}" for name, option in (given | readings).items()],
            "token": self.house.spec.token_cents,
            "limit_cents": part.most_bet_cents if part.structure is None else None,
            "posted_rake": self.house.rake(part),
            "posted_maximum": self.house.maximum(part),
            "signed": self.house.signatures(game),
        }
