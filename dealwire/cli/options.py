"""Options that several commands share, and how their values become objects."""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, reduce, wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealwire.cli.terminal import echo
from dealwire.config.build import award_book
from dealwire.live import LineConfig
from dealwire.table.table import Table, TableTerms
from devices.dialects.known import dialect_named
from protocol.printable import printable
from rules.errors import SettlementRefused
from rules.game.load import Game, game_id_of, load_game, load_game_of
from rules.game.pairing import must_fit
from rules.meters.bank import MeterBank
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import cautions, load_setup
from rules.paytables.amounts import MOST_CENTS
from rules.settlement import HouseRake, MaximumPayout

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_GAME = "flushes-gone-wild.co"
USUAL_WAGER_CENTS: Final = 100
"""The progressive wager that a setup is held against when it does not say what lies on a sensor."""


def pairs(values: Sequence[str], option: str) -> dict[str, str]:
    """`name=value` options as a dictionary; a usage error names the one that has no `=`."""
    found = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE", param_hint=option)
        if name in found:
            raise click.BadParameter(f"{printable(repr(name), 40)} stands twice", param_hint=option)
        found[name] = rest
    return found


def cents(meters: Sequence[str]) -> dict[str, int]:
    """`--meter` as amounts; a usage error names the one that is none."""
    found = pairs(meters, "--meter")
    for value in found.values():
        if not is_cents(value):
            raise click.BadParameter(f"{no_cents(value)} up to {MOST_CENTS:,}", param_hint="--meter")
    return {name: int(value) for name, value in found.items()}


def seats(runners: Sequence[str]) -> dict[int, int]:
    """`--runners` as numbers by seat; a usage error names what is none."""
    found = pairs(runners, "--runners")
    for text in (*found, *found.values()):
        if not (text.isascii() and text.isdecimal() and len(text) <= 2):
            raise click.BadParameter(f"{printable(repr(text), 40)} is no number of two digits", param_hint="--runners")
    return {int(seat): int(number) for seat, number in found.items()}


def cache_folder() -> Path:
    """Where counted odds are kept: of this user alone, and it may be deleted at any time."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".cache"
    return base / "dealwire" / "odds"


def is_cents(text: str) -> bool:
    """True for digits 0 to 9 and nothing else, up to the most that an amount may be."""
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MOST_CENTS)) and int(text) <= MOST_CENTS


def no_cents(text: str) -> str:
    """`'five' is no number of cents`."""
    return f"{printable(repr(text), 40)} is no number of cents"


class WagerCents(click.IntRange):
    """An amount of some cents, in digits 0 to 9: `int` takes those of every script, signs and underscores, too."""

    name = "cents"

    def __init__(self) -> None:
        super().__init__(1, MOST_CENTS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The cents; a usage error when it is no amount of some."""
        if isinstance(value, str) and not is_cents(value):
            self.fail(f"{no_cents(value)} from 1 to {MOST_CENTS:,}", param, ctx)
        return super().convert(value, param, ctx)


class DecimalRange(click.FloatRange):
    """A number from a range; `nan` lies in none, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error when it is not in the range."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{number} is not in the range {self._describe_range()}.", param, ctx)
        return number


FILE: Final = click.Path(dir_okay=False, readable=False, path_type=Path)


def together(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Several options as one decorator, to be shown in this order."""

    def decorate(command: F) -> F:
        return reduce(lambda decorated, option: option(decorated), reversed(options), command)

    return decorate


terms_options = together(
    click.option("--game", metavar="ID|FILE", help="Pay tables and bets; by default the procedure's own."),
    click.option(
        "--edition", metavar="ID|FILE", help="The edition of the law; by default the text that the files print."
    ),
    click.option("--paytable", "paytables", multiple=True, metavar="BET=ID", help="A bet's pay table."),
    click.option("--reading", "readings", multiple=True, metavar="NAME=OPTION", help="A reading of the rules."),
    click.option(
        "--meter", "meters", multiple=True, metavar="NAME=CENTS", help="A progressive meter as it stands now."
    ),
    click.option(
        "--token",
        type=WagerCents(),
        default=25,
        show_default=True,
        metavar="CENTS",
        help="The smallest token: house pays are rounded down to it.",
    ),
    click.option(
        "--envy-base",
        "envy_base",
        type=WagerCents(),
        metavar="CENTS",
        help="The progressive wager for which the printed envy amounts stand; by default the pay table's.",
    ),
    click.option(
        "--progressive",
        type=FILE,
        metavar="FILE",
        help="A progressive setup: meters with contribution, reserve and seed, instead of --meter.",
    ),
    click.option(
        "--jackpot",
        type=FILE,
        metavar="FILE",
        help="A jackpot file: pools, what is taken of pots for them, who has earned the award.",
    ),
    click.option(
        "--limit",
        "limit_cents",
        type=WagerCents(),
        metavar="CENTS",
        help="The most one bet may be at this table; by default the law's figure, where it prints one.",
    ),
    click.option(
        "--commission", metavar="PERCENT", default="0", help="What the house takes of a win, where the game has it."
    ),
    click.option(
        "--rake", metavar="PERCENT", default="0", help="What the house takes of a pot, where players bet into one."
    ),
    *(
        click.option(f"--{name}", f"{name.replace('-', '_')}_cents", type=WagerCents(), metavar="CENTS", help=text)
        for name, text in (
            ("rake-cap", "The most that --rake takes of the pots of a round."),
            ("rake-step", "What --rake is rounded down to; by default the token."),
            ("jackpot-rake", "What is taken of the pots of a round for a jackpot, beside --rake."),
        )
    ),
    click.option(
        "--pool-rake", metavar="PERCENT", default="0", help="What the house takes of a pool that runners have won."
    ),
    click.option(
        "--runners", multiple=True, metavar="SEAT=N", help="Runners before a seat, where they win a pool; else none."
    ),
    click.option("--house-way", metavar="ID|FILE", help="How the house sets its hand; by default as the text prints."),
    *(
        click.option(f"--{name}", f"{name.replace('-', '_')}_cents", type=WagerCents(), metavar="CENTS", help=text)
        for name, text in (
            ("max-round", "The most that a round is paid by bets at 50 to 1 and more."),
            ("max-player", "The most that a player is paid so in a round."),
            ("max-tip", "The most that a tip is paid, where the text lets the house set it."),
            ("least-bet", "The least bet at the table, by which the text bounds --max-round and --max-player."),
        )
    ),
    click.option(
        "--accept-suspect", is_flag=True, help="Settle by a table or reading that cannot be meant as printed."
    ),
)
"""`--game --paytable --reading --meter ...`: on which terms a round is settled."""

table_options = together(
    click.option(
        "--procedure",
        metavar="ID|FILE",
        help=f"Dealing procedure; by default the one a recording names, else {DEFAULT_GAME}.",
    ),
    click.option("--no-settle", is_flag=True, help="Deal only; settle nothing."),
    terms_options,
    click.option("--table", "table_name", default="table-1", show_default=True, help="Name in every result."),
    click.option(
        "--least-confidence",
        type=click.IntRange(0, 100),
        default=LEAST_CONFIDENCE,
        show_default=True,
        metavar="N",
        help="A card that a shoe's reader is less sure of, in percent, counts as not read.",
    ),
    click.option(
        "--awards",
        is_flag=True,
        help="Let the awards made at the controller move the meters of --progressive, and compare them.",
    ),
)
"""`--procedure --table --no-settle --awards --least-confidence` and the terms: what makes a `Table`."""

reconnect_option = click.option(
    "--reconnect/--no-reconnect", default=True, show_default=True, help="Open a line that is lost again."
)
"""What happens when a line is lost."""


def make_terms(
    game: Game,
    bank: MeterBank | None,
    *,
    paytables: Sequence[str],
    readings: Sequence[str],
    meters: Sequence[str],
    token: int,
    envy_base: int | None,
    max_round_cents: int | None = None,
    max_player_cents: int | None = None,
    max_tip_cents: int | None = None,
    least_bet_cents: int | None = None,
    rake: str = "0",
    rake_cap_cents: int | None = None,
    rake_step_cents: int | None = None,
    jackpot_rake_cents: int | None = None,
    pool_rake: str = "0",
    runners: Sequence[str] = (),
    jackpot: JackpotBook | None = None,
    **rest: Any,
) -> TableTerms:
    """The terms those options describe, for this game and on this bank's meters. Which of the maker's recommendations
    the bank's setup goes against is said in passing."""
    one_owner(bank, jackpot, meters, jackpot_rake_cents)
    chosen = pairs(paytables, "--paytable"), pairs(readings, "--reading"), cents(meters)
    mine = bank if game.progressive is not None else None
    maximum = MaximumPayout(max_round_cents, max_player_cents, max_tip_cents, least_bet_cents)
    of_pots = HouseRake(rake, rake_cap_cents, rake_step_cents, jackpot_rake_cents or 0, pool_rake)
    rest["runners"] = seats(runners)
    try:
        terms = TableTerms(
            game, *chosen, token, envy_base, bank=mine, maximum=maximum, rake=of_pots, jackpot=jackpot, **rest
        )
    except SettlementRefused as refused:
        raise refused.advising("--accept-suspect") from None
    for caution in cautions_of(terms):
        echo(f"dealwire: caution: {caution}", err=True)
    return terms


def one_owner(progressive: object, jackpot: object, meters: Sequence[str], jackpot_rake_cents: int | None) -> None:
    """UsageError where two of these options, each None or empty unless given, say the same of the money that lies at
    the table."""
    if progressive is not None and meters:
        raise click.UsageError("--meter and --progressive both say where the meters stand; give one of them")
    if jackpot is not None and jackpot_rake_cents is not None:
        raise click.UsageError("--jackpot and --jackpot-rake both say what is taken for it; give one of them")
    if jackpot is not None and progressive is not None:
        raise click.UsageError("--progressive and --jackpot are of different games; give one of them")


def cautions_of(terms: TableTerms) -> list[str]:
    """What the maker's recommendations say against the bank's setup with the pay table that is chosen."""
    bet = terms.game.progressive
    if terms.bank is None or bet is None:
        return []
    table, setup = terms.game.paytables[terms.chosen[bet.name]], terms.bank.setup
    return cautions(setup, table, setup.sensor_cents or USUAL_WAGER_CENTS)


def open_bank(setup: Path | None) -> MeterBank | None:
    """The meters of a setup file, as they begin; None without one."""
    return MeterBank(load_setup(setup)) if setup is not None else None


def open_jackpot(file: Path | None) -> JackpotBook | None:
    """The pools of a jackpot file, as they begin; None without one."""
    return JackpotBook(load_jackpot(file)) if file is not None else None


class TableMaker:
    """Tables as those options describe them; every bad name or file is one line. Terms are made once a procedure, so
    that their meters go on from one table to the next."""

    def __init__(
        self,
        procedure: str | None,
        game: str | None,
        no_settle: bool,
        table_name: str,
        awards: bool,
        least_confidence: int,
        progressive: Path | None,
        jackpot: Path | None = None,
        edition: str | None = None,
        names_edition: bool = True,
        **terms: Any,
    ) -> None:
        self.given = procedure
        self.edition = load_edition(edition) if edition is not None else None
        self._game, self._no_settle, self._name = game, no_settle, table_name
        self._least_confidence = least_confidence
        self._awards, self._progressive, self._jackpot, self._options = awards, progressive, jackpot, terms
        self._names_edition = names_edition
        self._load = cache(self._read)
        self._open_bank, self._open_jackpot = cache(open_bank), cache(open_jackpot)
        self._terms: dict[str, TableTerms | None] = {}

    def table(self, recorded: str = "") -> Table:
        """A table for the procedure that was given, else for the `recorded` one."""
        source = self.given or recorded or DEFAULT_GAME
        loaded = self._load(source)
        if loaded.id not in self._terms:
            self._terms[loaded.id] = self._make_terms(loaded, source)
        terms = self._terms[loaded.id]
        book = award_book(loaded, terms, self._name) if self._awards else None
        if self._awards and book is None:
            raise click.UsageError("--awards needs --progressive and a game that has one, and settles")
        return Table(loaded, terms, name=self._name, awards=book, least_confidence=self._least_confidence)

    def _read(self, source: str) -> Procedure:
        found = load_procedure(source, self.edition)
        return found if self._names_edition else found.standing_in(None)

    def _make_terms(self, procedure: Procedure, source: str) -> TableTerms | None:
        """A procedure that no game settles is dealt only, which is said, unless terms are given for it."""
        options = self._options
        if self._no_settle:
            return None
        shared = self._progressive or self._jackpot
        named = self._game or shared or any(options[name] for name in ("paytables", "readings", "meters"))
        if not named and game_id_of(procedure.id) is None:
            echo(f"dealwire: no game settles {procedure.id}: its rounds are dealt only", err=True)
            return None
        edition = procedure.edition
        if self._game:
            game = load_game(self._game, {procedure.id: source}, edition=edition)
        else:
            game = load_game_of(procedure.id, edition=edition, source=source)
        if procedure.id in game.spec.procedures:  # `Table` refuses another
            must_fit(game, source)
        if edition is None:
            game = replace(game, edition=None)
        jackpot = self._open_jackpot(self._jackpot)
        return make_terms(game, self._open_bank(self._progressive), jackpot=jackpot, **options)


def make_table(**options: Any) -> Table:
    """The one table that `table_options` describe."""
    return TableMaker(**options).table()


def line_options(command: F) -> F:
    """`--shuffler --shoe --shoe-dialect --controller`: the table's lines, handed to the command as `lines`."""

    @wraps(command)
    def with_lines(
        *args: Any,
        shuffler: str | None,
        shoe: str | None,
        shoe_dialect: str,
        controller: str | None,
        **rest: Any,
    ) -> Any:
        given = (
            LineConfig("shuffler", "shuffler", shuffler or ""),
            LineConfig("shoe", "shoe", shoe or "", dialect_named(shoe_dialect).name),
            LineConfig("controller", "table-controller", controller or ""),
        )
        lines = [line for line in given if line.address]
        if not lines:
            raise click.UsageError("no line given: use --shuffler, --shoe or --controller with an ADDRESS, or several")
        return command(*args, lines=lines, **rest)

    declare = together(
        click.option("--shuffler", metavar="ADDRESS", help="The packet shuffler's line, such as /dev/ttyUSB0."),
        click.option("--shoe", metavar="ADDRESS", help="The card shoe's line."),
        click.option(
            "--shoe-dialect",
            default="tdp",
            show_default=True,
            metavar="NAME",
            help="What the shoe speaks: tdp, angel-eye, bee-tek or an added one.",
        ),
        click.option("--controller", metavar="ADDRESS", help="The table controller's line."),
    )
    return cast(F, declare(with_lines))
