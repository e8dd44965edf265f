"""A house with its posted rules: what each part of the program takes of the file."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from dealer_flow.editions import Edition, load_edition
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.posted import PostedBets, PostedGame
from dealer_flow.record.result import HouseRef
from dealer_flow.tomlfile import fault_at
from protocol.tomlfile import Key, TomlFileError
from rules.game.load import Game, load_game, load_game_of
from rules.game.schema import Signature
from rules.house.schema import HouseGamePart, HouseSpec
from rules.meters.jackpot_setup import JackpotSetup, load_jackpot
from rules.settlement import HouseRake, MaximumPayout, RakeStep


@dataclass(frozen=True, eq=False)
class HouseRules:
    """A house's file. `spec` is its content."""

    spec: HouseSpec
    file: str
    text: str

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the content, with that of its jackpots' files; layout and the place of the files do not count."""
        content = self.spec.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        for name, part in self.spec.jackpot.items():
            content["jackpot"][name]["file"] = hashlib.sha256(repr(load_jackpot(part.file)).encode()).hexdigest()
        for each in content["game"]:
            each |= {key: Path(each[key]).name for key in ("procedure", "game") if key in each}
        content |= {"edition": Path(content["edition"]).name} if "edition" in content else {}
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @cached_property
    def edition(self) -> Edition | None:
        """Edition that the rules are for; None if it is the text in the files."""
        return load_edition(self.spec.edition) if self.spec.edition is not None else None

    def games_of(self, procedure: str) -> tuple[HouseGamePart, ...]:
        """Return the games that are dealt by a procedure, given by id or file."""
        return tuple(each for each in self.spec.game if _same(each.procedure, procedure))

    def game(self, procedure: str, named: str | None = None) -> HouseGamePart:
        """Return the game of a table: the one with this name, or the only one that the procedure deals. TomlFileError
        names the games that are offered."""
        if named is not None:
            found = next((each for each in self.spec.game if each.name == named), None)
            if found is None:
                raise self.fault(("game",), f"no game {named!r}; offered: {', '.join(self.names())}")
            if not _same(found.procedure, procedure):
                raise self.fault(("game",), f"{named!r} is dealt by {found.procedure}, not by {procedure}")
            return found
        dealt = self.games_of(procedure)
        if not dealt:
            raise self.fault(("game",), f"no game is dealt by {procedure}; offered: {', '.join(self.names())}")
        if len(dealt) > 1:
            names = ", ".join(each.name for each in dealt)
            raise self.fault(("game",), f"{len(dealt)} games are dealt by {procedure}; name one: {names}")
        return dealt[0]

    def source(self, procedure: str) -> str:
        """Return the source of the procedure with this id: a file if one of the house's files has it, else the id."""
        return self._files.get(procedure, procedure)

    @cached_property
    def _files(self) -> dict[str, str]:
        files = dict.fromkeys(each.procedure for each in self.spec.game if each.procedure.endswith(".toml"))
        return {load_procedure(file, self.edition).id: file for file in files}

    def names(self) -> tuple[str, ...]:
        """Return the names of the games that are offered."""
        return tuple(each.name for each in self.spec.game)

    def options(self, part: HouseGamePart, procedure: Procedure) -> dict[str, str]:
        """Return the options of a game's procedure: the file's, and in their place its own."""
        known = {option.name for option in procedure.option}
        return {name: value for name, value in self.spec.options.items() if name in known} | part.options

    def readings(self, part: HouseGamePart, game: Game) -> dict[str, str]:
        """Return the readings of a game: the file's, and in their place its own."""
        known = game.spec.readings
        return {name: value for name, value in self.spec.readings.items() if name in known} | part.readings

    def signatures(self, game: Game) -> tuple[Signature, ...]:
        """Return the signatures of a game's readings."""
        found = (
            Signature(by=each.by, on=each.on, readings=own)
            for each in self.spec.signed
            if (own := {name: option for name, option in each.readings.items() if name in game.spec.readings})
        )
        return tuple(found)

    def unsigned(self) -> tuple[str, ...]:
        """Return the options and readings of the file for which no signature names the option in use."""
        signed = {each for part in self.spec.signed for each in (*part.options.items(), *part.readings.items())}
        games = [each for part in self.spec.game for each in (*part.options.items(), *part.readings.items())]
        given = (*self.spec.options.items(), *self.spec.readings.items(), *games)
        return tuple(dict.fromkeys(name for name, option in given if (name, option) not in signed))

    def rake(self, part: HouseGamePart) -> HouseRake:
        """Return what is taken of a game's pots; the drop of a jackpot's own file is left to that file."""
        found = self.spec.rake[part.rake] if part.rake is not None else None
        jackpot = self.spec.jackpot[part.jackpot] if part.jackpot is not None else None
        rake = HouseRake()
        if found is not None:
            steps = tuple(RakeStep(step.from_cents, step.take_cents) for step in found.steps)
            taken = (found.percent, found.cap_cents, found.step_cents, 0, found.pool_percent)
            rake = HouseRake(*taken, steps, found.no_flop_no_drop)
        if jackpot is None:
            return rake
        return HouseRake(
            *(rake.percent, rake.cap_cents, rake.step_cents, 0, rake.pool_percent, rake.steps, rake.no_flop_no_drop),
            jackpot.least_pot_cents,
            jackpot.least_players,
        )

    def maximum(self, part: HouseGamePart) -> MaximumPayout:
        """Return the maximum payouts of a game."""
        if part.maximum is None:
            return MaximumPayout()
        return MaximumPayout(**part.maximum.model_dump(), least_bet_cents=part.least_bet_cents)

    def posted(self, part: HouseGamePart) -> PostedGame:
        """Return what the flow enforces of a game."""
        bets = None
        if part.structure is not None:
            bets = PostedBets(
                part.structure,
                part.forced_cents,
                part.bring_in_cents or 0,
                part.sizes_cents,
                part.least_bet_cents or 0,
                part.most_bet_cents,
                part.least_raise,
            )
        least = 0 if bets is not None else part.least_bet_cents or 0
        return PostedGame(HouseRef(self.spec.id, self.sha256, part.name), self.spec.clause, bets, least)

    def jackpot_of(self, part: HouseGamePart) -> JackpotSetup | None:
        """Return the jackpot of a game; None if it has none."""
        return load_jackpot(self.spec.jackpot[part.jackpot].file) if part.jackpot is not None else None

    def load(self, part: HouseGamePart, edition: Edition | None = None) -> tuple[Procedure, Game]:
        """Return the procedure and the game of an offered game, in the edition of the file, else in the given one."""
        procedure = load_procedure(part.procedure, self.edition or edition)
        options = Plan(procedure, self.options(part, procedure)).options
        if part.game is not None:
            files: Mapping[str, str | Path] = {procedure.id: part.procedure}
            return procedure, load_game(part.game, files, edition=procedure.edition)
        return procedure, load_game_of(procedure.id, options, procedure.edition, source=part.procedure)

    def fault(self, key: Key, why: str) -> TomlFileError:
        """Return the error for a key of the file."""
        return fault_at(self.file, self.text, key, why, TomlFileError)


def _same(one: str, other: str) -> bool:
    """Return True if two sources of a procedure, ids or files, are the same."""
    if one == other:
        return True
    return one.endswith(".toml") and other.endswith(".toml") and Path(one).resolve() == Path(other).resolve()
