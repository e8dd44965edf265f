"""Command `dealwire check`: validate TOML files of procedures, games, tables and their parts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dealer_flow.editions import load_edition
from dealer_flow.english import a
from dealer_flow.layers import texts_in
from dealer_flow.procedure.load import (
    ProcedureError,
    check_part,
    check_procedure,
    known_parts,
    known_procedures,
    load_procedure,
)
from dealer_flow.tomlfile import TOML_MAX_BYTES, fault_in, load
from dealwire.cli.exits import Exit
from dealwire.cli.terminal import echo, say_object
from dealwire.config.load import examined
from dealwire.service.readiness import editions
from devices.files import read_file
from protocol.tomlfile import TomlFileError
from rules.facts.terms import agree
from rules.game.house_ways import load_houseway
from rules.game.keep_rules import load_keep
from rules.game.law import edition_faults
from rules.game.load import Game, game_ids, load_game
from rules.game.pairing import game_faults
from rules.hands.poker import load_ranking
from rules.house.load import examined_house, load_house
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import load_setup
from rules.paytables.paytable import load_paytable

if TYPE_CHECKING:
    from rules.odds.strategy.file import Strategy

CHECK_SCHEMA = "dealwire.check/1"


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per file.")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Check FILEs for errors: procedures and their parts, games, pay tables, rankings, house ways, ways of keeping
    cards, progressives, jackpots, strategies, editions of the regulation, a house's posted rules, and tables of a
    service. The schema in a file decides how it is checked.

    A game is checked against the procedures that it names: among FILEs, in dealwire, or as ID.toml in its folder. The
    edition of a table must be in force on this gaming day; see also `dealwire run --check`. An edition is checked
    against all procedures and games in dealwire and among FILEs.

    Each error is one line: file, line, key, allowed values. FILE may also be the id of a procedure or game in dealwire.
    The exit code is 2 if anything has an error.
    """
    bad, given = False, _procedures(files)
    games = [Path(name) for name in files if name not in game_ids() and says_schema(name, "dealwire.game/")]
    for name in files:
        for kind, faults in faults_of(name, given, games):
            bad |= bool(faults)
            if as_json:
                say_object(CHECK_SCHEMA, "check", file=name, kind=kind, faults=faults)
            elif faults:
                for fault in faults:
                    echo(fault, err=True)
            else:
                echo(f"{name}: {a(kind)}, valid")
                for option in unheeded(name) if kind == "procedure" else ():
                    echo(f"{name}: warning: nothing in it uses its option {option!r}", err=True)
                if kind == "house" and (loose := load_house(name).unsigned()):
                    echo(f"{name}: warning: nobody has signed: {', '.join(loose)}", err=True)
                if kind == "game" and (unsigned := unsigned_of(name)):
                    echo(f"{name}: warning: unsigned readings: {', '.join(unsigned)}", err=True)
    if bad:
        ctx.exit(Exit.USAGE)


def _procedures(files: Iterable[str]) -> dict[str, Path]:
    """Return the valid procedure files among `files`, by id."""
    found: dict[str, Path] = {}
    for name in files:
        if name not in known_procedures() and says_schema(name, "dealwire.procedure/"):
            try:
                found.setdefault(load_procedure(Path(name)).id, Path(name))
            except ProcedureError:  # which is its own line
                continue
    return found


def faults_of(name: str, procedures: Mapping[str, Path], games: Iterable[Path] = ()) -> Iterator[tuple[str, list[str]]]:
    """Yield the kinds of file that `name` stands for, each with its errors, one line per error.

    Kinds are `procedure`, `procedure part`, `game`, `ranking` and so on; an id may stand for a procedure and a game. A
    game is checked against `procedures`, by id, before the ones in dealwire; an edition also against `games`.
    """
    path, game = Path(name), name in game_ids() or says_schema(name, "dealwire.game/")
    if name in known_parts() or says_schema(name, "dealwire.procedure-part/"):
        yield "procedure part", _all(lambda: check_part(name))
    elif other := next((kind for kind in OTHERS if says_schema(name, f"dealwire.{kind.replace(' ', '')}/")), None):
        yield other, _all(lambda: _read(OTHERS[other], path))
    elif says_schema(name, "dealwire.edition/"):
        yield "edition", _all(lambda: edition_faults(load_edition(path), procedures.values(), games))
    elif says_schema(name, "dealwire.house/"):
        yield "house", _all(lambda: examined_house(path)[1])
    elif says_schema(name, "dealwire.table/"):
        yield "table", _all(lambda: _of_tables(path))
    elif name in known_procedures() or not game:
        yield "procedure", _all(lambda: check_procedure(name))
    if game:
        yield "game", _all(lambda: _of_game(load_game(name, procedures), procedures))


def _all(find: Callable[[], Iterable[TomlFileError]]) -> list[str]:
    """Return every error as text. If an error prevents reading the file, it is the only one."""
    try:
        return [str(fault) for fault in find()]
    except TomlFileError as fault:
        return [str(fault)]


def _read(load_file: Callable[[Path], object], path: Path) -> tuple[()]:
    load_file(path)
    return ()


def _of_game(game: Game, procedures: Mapping[str, Path]) -> Iterator[TomlFileError]:
    from rules.odds.solvers import odds_faults  # the other files are checked where no odds are installed

    yield from game_faults(game, procedures)
    yield from odds_faults(game, procedures)


def _of_tables(path: Path) -> list[TomlFileError]:
    """Return the errors in a service's tables or, if there are none, those of their editions on this gaming day."""
    found, faults = examined(path)
    wrong = [*faults]
    if found is not None and not wrong:
        wrong = [fault_in(path, each.key, each.text) for each in editions(found) if each.error is not None]
    return wrong


def _load_strategy(path: Path) -> "Strategy":
    """Load a strategy and check it against the game that it names."""
    from rules.odds.strategy.file import StrategyFile, load_strategy

    game = load(path, StrategyFile).game
    if game not in game_ids():
        why = f"{game!r} is not a known game" if game else "missing"
        raise fault_in(path, ("game",), f"{why}; `dealwire odds GAME --strategy {path.name}` checks it with any game")
    return load_strategy(path, load_game(game))


OTHERS: Final[Mapping[str, Callable[[Path], object]]] = {
    "ranking": load_ranking,
    "pay table": load_paytable,
    "house way": load_houseway,
    "keep": load_keep,
    "progressive": load_setup,
    "jackpot": load_jackpot,
    "strategy": _load_strategy,
}
"""Loaders of the remaining kinds of file. The key is the file's schema, with a space between words."""


def unsigned_of(name: str) -> list[str]:
    """Return the unsigned readings of a game, if its file has signatures."""
    game = load_game(name)
    return [each for each in game.spec.readings if each not in agree(game).signed] if game.spec.signed else []


def unheeded(name: str) -> list[str]:
    """Return the options of a procedure that nothing else in it uses. They are most likely misspelled, since choosing a
    value has no effect."""
    procedure = load_procedure(name)
    named = {*texts_in(procedure.model_dump(exclude={"option"}))}
    return [option.name for option in procedure.option if option.name not in named]


def says_schema(name: str, schema: str) -> bool:
    """Return True if the file names this schema. An unreadable file is treated as a procedure."""
    try:
        text = read_file(name, TOML_MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return False
    return any(line.startswith("schema") and schema in line for line in text.splitlines())
