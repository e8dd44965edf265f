"""Shell completion of ids. Files, choices, options and commands are completed by click."""

import importlib
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from rules.game.load import Game


Known = Callable[[click.Context], Iterable[str]]
"""Function that returns the ids that may continue a command line. Ids of a game's parts belong to the game that is
already on the line."""


def completed(command: click.Command) -> click.Command:
    """Return the command with id completion added to its parameters."""
    for parameter in command.params:
        known = IDS.get(parameter.name or "")
        if known is not None:
            parameter.shell_complete = partial(_offered, known)  # type: ignore[method-assign]
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        completed(below)
    return command


def _offered(known: Known, ctx: click.Context, begun: str) -> list[CompletionItem]:
    """Return the ids that begin with `begun`, or file names if none does, since each of these parameters also takes a
    file."""
    found = [CompletionItem(name) for name in known(ctx) if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


def _of(module: str, function: str) -> Known:
    """Return a completer that calls a function of a module, which is imported on first use."""
    return lambda _: getattr(importlib.import_module(module), function)()


_GAMES: Final = _of("rules.game.load", "game_ids")
_EDITIONS: Final = _of("dealer_flow.editions", "edition_ids")
_PROCEDURES: Final = _of("dealer_flow.procedure.load", "known_procedures")
_DIALECTS: Final = _of("devices.dialects.known", "dialect_names")


def _of_game(names: "Callable[[Game], Iterable[str]]") -> Known:
    """Return a completer for parts of the game on the line; it offers nothing if there is none."""
    return lambda ctx: [] if (game := _game(ctx)) is None else names(game)


def _scenarios(ctx: click.Context) -> Iterable[str]:
    from dealwire.rehearsal.scenario_file import scenario_ids, shoe_scenario_ids

    return [*scenario_ids(), *(shoe_scenario_ids() if ctx.info_name == "sim" else ())]


def _files(ctx: click.Context) -> Iterable[str]:
    return dict.fromkeys([*_PROCEDURES(ctx), *_GAMES(ctx)]) if ctx.info_name == "check" else ()


def _bet_paytables(game: "Game") -> Iterable[str]:
    return [f"{bet.name}={name}" for bet in game.spec.bets for name in getattr(bet, "paytables", ())]


def _readings(game: "Game") -> Iterable[str]:
    from rules.game.readings import READINGS

    return [f"{name}={option}" for name in game.default_readings() for option in READINGS[name]]


def _game(ctx: click.Context) -> "Game | None":
    """Return the game on the line, or the default game."""
    from dealwire.cli.table_options import DEFAULT_GAME
    from protocol.errors import DealwireError
    from rules.game.load import game_ids, load_game, load_game_of

    try:
        known = game_ids()  # an option without its value yet keeps click from giving arguments their names
        if name := ctx.params.get("game") or next((each for each in ctx.args if each in known), None):
            return load_game(name)
        return load_game_of(ctx.params.get("procedure") or DEFAULT_GAME)
    except DealwireError:
        return None


IDS: Final[dict[str, Known]] = {
    "bet": _of_game(lambda game: [bet.name for bet in game.spec.bets]),
    "dialect": _DIALECTS,
    "edition": _EDITIONS,
    "files": _files,
    "game": _GAMES,
    "games": _GAMES,
    "house_way": _of("rules.game.house_ways", "houseway_ids"),
    "new": _EDITIONS,
    "old": _EDITIONS,
    "paytable": _of_game(lambda game: game.paytables),
    "paytables": _of_game(_bet_paytables),
    "plan": _of("dealwire.bench.plan.plan", "known_plans"),
    "procedure": _PROCEDURES,
    "procedures": _PROCEDURES,
    "readings": _of_game(_readings),
    "scenario": _scenarios,
    "shoe_dialect": _DIALECTS,
}
"""Completers by parameter name. A name means the same in every command."""
