"""What a shell may offer in place of an unfinished word: the ids that this program knows, for any command that takes
one. Files, choices, options and commands click knows itself."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from rules.game.load import Game


def completed(command: click.Command) -> click.Command:
    """The command, whose parameters offer ids where they take some."""
    for parameter in command.params:
        known = IDS.get(parameter.name or "")
        if known is not None:
            parameter.shell_complete = partial(_offered, known)  # type: ignore[method-assign]
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        completed(below)
    return command


def _offered(known: Callable[[click.Context], Iterable[str]], ctx: click.Context, begun: str) -> list[CompletionItem]:
    """The ids that begin so; files where none does, since each of these may be one."""
    found = [CompletionItem(name) for name in known(ctx) if name.startswith(begun)]
    return found or [CompletionItem(begun, type="file")]


def _games(_: click.Context) -> Iterable[str]:
    from rules.game.load import game_ids

    return game_ids()


def _editions(_: click.Context) -> Iterable[str]:
    from dealer_flow.editions import edition_ids

    return edition_ids()


def _procedures(_: click.Context) -> Iterable[str]:
    from dealer_flow.procedure.load import known_procedures

    return known_procedures()


def _scenarios(ctx: click.Context) -> Iterable[str]:
    from dealwire.rehearsal.scenario_file import scenario_ids, shoe_scenario_ids

    return [*scenario_ids(), *(shoe_scenario_ids() if ctx.info_name == "sim" else ())]


def _dialects(_: click.Context) -> Iterable[str]:
    from devices.dialects.known import dialect_names

    return dialect_names()


def _plans(_: click.Context) -> Iterable[str]:
    from dealwire.bench.plan.plan import known_plans

    return known_plans()


def _house_ways(_: click.Context) -> Iterable[str]:
    from rules.game.house_ways import houseway_ids

    return houseway_ids()


def _checkable(ctx: click.Context) -> Iterable[str]:
    return dict.fromkeys([*_procedures(ctx), *_games(ctx)])


def _files(ctx: click.Context) -> Iterable[str]:
    return _checkable(ctx) if ctx.info_name == "check" else ()


def _paytables(ctx: click.Context) -> Iterable[str]:
    """Of the game that stands on the line already."""
    return [] if (game := _game(ctx)) is None else game.paytables


def _bet_paytables(ctx: click.Context) -> Iterable[str]:
    if (game := _game(ctx)) is None:
        return []
    return [f"{bet.name}={name}" for bet in game.spec.bets for name in getattr(bet, "paytables", ())]


def _bets(ctx: click.Context) -> Iterable[str]:
    return [] if (game := _game(ctx)) is None else [bet.name for bet in game.spec.bets]


def _readings(ctx: click.Context) -> Iterable[str]:
    if (game := _game(ctx)) is None:
        return []
    from rules.game.readings import READINGS

    return [f"{name}={option}" for name in game.default_readings() for option in READINGS[name]]


def _game(ctx: click.Context) -> "Game | None":
    """The game that the line names before the unfinished word, else the one that is meant without a name."""
    from dealwire.cli.options import DEFAULT_GAME
    from protocol.errors import DealwireError
    from rules.game.load import game_ids, load_game, load_game_of

    try:
        known = game_ids()  # an option without its value yet keeps click from giving arguments their names
        if name := ctx.params.get("game") or next((each for each in ctx.args if each in known), None):
            return load_game(name)
        return load_game_of(ctx.params.get("procedure") or DEFAULT_GAME)
    except DealwireError:
        return None


IDS: Final[dict[str, Callable[[click.Context], Iterable[str]]]] = {
    "bet": _bets,
    "dialect": _dialects,
    "edition": _editions,
    "files": _files,
    "game": _games,
    "games": _games,
    "house_way": _house_ways,
    "new": _editions,
    "old": _editions,
    "paytable": _paytables,
    "paytables": _bet_paytables,
    "plan": _plans,
    "procedure": _procedures,
    "procedures": _procedures,
    "readings": _readings,
    "scenario": _scenarios,
    "shoe_dialect": _dialects,
}
"""By the name of a parameter, which means the same in every command."""
