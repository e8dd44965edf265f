"""`dealwire check`: is the file of a procedure, of a game, or of something that they stand on in order?"""

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
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import load_setup
from rules.paytables.paytable import load_paytable

if TYPE_CHECKING:
    from rules.odds.strategy.file import Strategy

CHECK_SCHEMA = "dealwire.check/1"


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per file.")
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Check FILEs: dealing procedures, parts of them, games, pay tables, rankings, house ways, ways of keeping cards,
    progressives, jackpots, strategies, editions of the law and the tables of a service, told apart by their schema.

    A game is held against the procedures that it names: among FILEs, with this program, or as ID.toml beside it. A
    table is held against this gaming day: its edition must be in force. `dealwire run --check` tries what else serving
    it needs. An edition is held against all that comes with this program, and the procedures and games among FILEs.
    Each fault is one line: file, line, key, what is allowed. An id instead of a file means what comes with this
    program under that name. Exit code 2 when anything has a fault.
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
                echo(f"{name}: {a(kind)}, in order")
                for option in unheeded(name) if kind == "procedure" else ():
                    echo(f"{name}: nothing in it goes by its option {option!r}", err=True)
                if kind == "game" and (unsigned := unsigned_of(name)):
                    echo(f"{name}: nobody has signed {', '.join(unsigned)}", err=True)
    if bad:
        ctx.exit(Exit.USAGE)


def _procedures(files: Iterable[str]) -> dict[str, Path]:
    """Id -> file, of those that are a procedure's and in order."""
    found: dict[str, Path] = {}
    for name in files:
        if name not in known_procedures() and says_schema(name, "dealwire.procedure/"):
            try:
                found.setdefault(load_procedure(Path(name)).id, Path(name))
            except ProcedureError:  # which is its own line
                continue
    return found


def faults_of(name: str, procedures: Mapping[str, Path], games: Iterable[Path] = ()) -> Iterator[tuple[str, list[str]]]:
    """What a name stands for, `procedure part`, `ranking`, `procedure`, `game` or the last two, and all faults of each,
    one line a fault. A game is held against `procedures`, by their ids, before those that come with the program, an
    edition against them and `games`, too."""
    path, game = Path(name), name in game_ids() or says_schema(name, "dealwire.game/")
    if name in known_parts() or says_schema(name, "dealwire.procedure-part/"):
        yield "procedure part", _all(lambda: check_part(name))
    elif other := next((kind for kind in OTHERS if says_schema(name, f"dealwire.{kind.replace(' ', '')}/")), None):
        yield other, _all(lambda: _read(OTHERS[other], path))
    elif says_schema(name, "dealwire.edition/"):
        yield "edition", _all(lambda: edition_faults(load_edition(path), procedures.values(), games))
    elif says_schema(name, "dealwire.table/"):
        yield "table", _all(lambda: _of_tables(path))
    elif name in known_procedures() or not game:
        yield "procedure", _all(lambda: check_procedure(name))
    if game:
        yield "game", _all(lambda: _of_game(load_game(name, procedures), procedures))


def _all(find: Callable[[], Iterable[TomlFileError]]) -> list[str]:
    """Every fault in words; that one keeps a file from being read is all that is known of it."""
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
    """What is wrong with the tables of a service; their editions on this gaming day, where nothing else is."""
    found, faults = examined(path)
    wrong = [*faults]
    if found is not None and not wrong:
        wrong = [fault_in(path, each.key, each.text) for each in editions(found) if each.error is not None]
    return wrong


def _load_strategy(path: Path) -> "Strategy":
    """A strategy held against the game that it names."""
    from rules.odds.strategy.file import StrategyFile, load_strategy

    game = load(path, StrategyFile).game
    if game not in game_ids():
        why = f"{game!r} is no game of this program" if game else "missing"
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
"""What stands in a file of its own, beside procedures and games, by what `schema` calls it without the space."""


def unsigned_of(name: str) -> list[str]:
    """The readings of a game whose default nobody has signed, where its file has signatures."""
    game = load_game(name)
    return [each for each in game.spec.readings if each not in agree(game).signed] if game.spec.signed else []


def unheeded(name: str) -> list[str]:
    """Options of a procedure that nothing else in it names: most likely misspelt, since a table that chooses one of
    their values changes nothing."""
    procedure = load_procedure(name)
    named = {*texts_in(procedure.model_dump(exclude={"option"}))}
    return [option.name for option in procedure.option if option.name not in named]


def says_schema(name: str, schema: str) -> bool:
    """True when the file says that it is of this schema; one that cannot be read is looked at as a procedure."""
    try:
        text = read_file(name, TOML_MAX_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return False
    return any(line.startswith("schema") and schema in line for line in text.splitlines())
