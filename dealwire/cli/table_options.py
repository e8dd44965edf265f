"""The options that make a table, and how their values become one: its procedure, its terms, its lines."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealwire.cli.amounts import CENTS, cents
from dealwire.cli.options import (
    A_FILE,
    ADDRESS,
    DIALECT,
    FLAG,
    ID_OR_FILE,
    PERCENT,
    Row,
    declared,
    many,
    pairs,
    usually,
    whole,
)
from dealwire.cli.terminal import echo
from dealwire.config.build import Banks, award_book, fitting_game
from dealwire.live import LineConfig
from dealwire.table.cautions import cautions_of
from dealwire.table.redaction import PublishedTable
from dealwire.table.table import Table, TableTerms
from devices.dialects.known import dialect_named
from protocol.printable import printable
from rules.errors import SettlementRefused
from rules.game.load import Game, game_id_of
from rules.meters.bank import MeterBank
from rules.meters.jackpot_book import JackpotBook
from rules.settlement import HouseRake, MaximumPayout

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_GAME = "flushes-gone-wild.co"


def seats(runners: Sequence[str]) -> dict[int, int]:
    """`--runners` as numbers by seat; a usage error names what is none."""
    found = pairs(runners, "--runners")
    for text in (*found, *found.values()):
        if not (text.isascii() and text.isdecimal() and len(text) <= 2):
            raise click.BadParameter(f"{printable(repr(text), 40)} is no number of two digits", param_hint="--runners")
    return {int(seat): int(number) for seat, number in found.items()}


TERMS: Final[tuple[Row, ...]] = (
    ("--game", ID_OR_FILE, "Pay tables and bets; by default the procedure's own."),
    ("--edition", ID_OR_FILE, "The edition of the law; by default the text that the files print."),
    ("--paytable paytables", many("BET=ID"), "A bet's pay table."),
    ("--reading readings", many("NAME=OPTION"), "A reading of the rules."),
    ("--meter meters", many("NAME=CENTS"), "A progressive meter as it stands now."),
    ("--token", usually(25, CENTS), "The smallest token: house pays are rounded down to it."),
    (
        "--envy-base",
        CENTS,
        "The progressive wager for which the printed envy amounts stand; by default the pay table's.",
    ),
    ("--progressive", A_FILE, "A progressive setup: meters with contribution, reserve and seed, instead of --meter."),
    ("--jackpot", A_FILE, "A jackpot file: pools, what is taken of pots for them, who has earned the award."),
    (
        "--limit limit_cents",
        CENTS,
        "The most one bet may be at this table; by default the law's figure, where it prints one.",
    ),
    ("--commission", PERCENT, "What the house takes of a win, where the game has it."),
    ("--rake", PERCENT, "What the house takes of a pot, where players bet into one."),
    ("--rake-cap rake_cap_cents", CENTS, "The most that --rake takes of the pots of a round."),
    ("--rake-step rake_step_cents", CENTS, "What --rake is rounded down to; by default the token."),
    ("--jackpot-rake jackpot_rake_cents", CENTS, "What is taken of the pots of a round for a jackpot, beside --rake."),
    ("--pool-rake", PERCENT, "What the house takes of a pool that runners have won."),
    ("--runners", many("SEAT=N"), "Runners before a seat, where they win a pool; else none."),
    ("--house-way", ID_OR_FILE, "How the house sets its hand; by default as the text prints."),
    ("--max-round max_round_cents", CENTS, "The most that a round is paid by bets at 50 to 1 and more."),
    ("--max-player max_player_cents", CENTS, "The most that a player is paid so in a round."),
    ("--max-tip max_tip_cents", CENTS, "The most that a tip is paid, where the text lets the house set it."),
    (
        "--least-bet least_bet_cents",
        CENTS,
        "The least bet at the table, by which the text bounds --max-round and --max-player.",
    ),
    ("--accept-suspect", FLAG, "Settle by a table or reading that cannot be meant as printed."),
)
"""`--game --paytable --reading --meter ...`: on which terms a round is settled."""

terms_options = declared(*TERMS)
table_options = declared(
    ("--procedure", ID_OR_FILE, f"Dealing procedure; by default the one a recording names, else {DEFAULT_GAME}."),
    ("--no-settle", FLAG, "Deal only; settle nothing."),
    *TERMS,
    ("--table table_name", usually("table-1"), "Name in every result."),
    (
        "--least-confidence",
        usually(LEAST_CONFIDENCE, whole(0, 100, "N")),
        "A card that a shoe's reader is less sure of, in percent, counts as not read.",
    ),
    ("--awards", FLAG, "Let the awards made at the controller move the meters of --progressive, and compare them."),
)
"""`--procedure --table --no-settle --awards --least-confidence` and the terms: what makes a `Table`."""

reconnect_option = click.option(
    "--reconnect/--no-reconnect", default=True, show_default=True, help="Open a line that is lost again."
)
"""What happens when a line is lost."""


def make_terms(
    game: Game, options: Mapping[str, Any], bank: MeterBank | None, jackpot: JackpotBook | None = None
) -> TableTerms:
    """The terms those options describe, for this game, on this bank's meters and for this jackpot. Which of the maker's
    recommendations the bank's setup goes against is said in passing."""
    one_owner(bank, jackpot, options["meters"], options["jackpot_rake_cents"])
    chosen = pairs(options["paytables"], "--paytable"), pairs(options["readings"], "--reading")
    most = (options[f"{name}_cents"] for name in ("max_round", "max_player", "max_tip", "least_bet"))
    taken = (options["rake"], options["rake_cap_cents"], options["rake_step_cents"])
    try:
        terms = TableTerms(
            game,
            *chosen,
            cents(options["meters"]),
            options["token"],
            options["envy_base"],
            options["limit_cents"],
            options["accept_suspect"],
            bank if game.progressive is not None else None,
            MaximumPayout(*most),
            options["commission"],
            options["house_way"],
            HouseRake(*taken, options["jackpot_rake_cents"] or 0, options["pool_rake"]),
            jackpot,
            runners=seats(options["runners"]),
        )
    except SettlementRefused as refused:
        raise refused.advising("--accept-suspect") from None
    for caution in cautions_of(terms) if terms.bank is not None else ():
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


class TableMaker:
    """Tables as those options describe them, which tell what any table may make known; every bad name or file is one
    line. Terms are made once a procedure, so
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
        self._banks = Banks()
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
        return PublishedTable(loaded, terms, name=self._name, awards=book, least_confidence=self._least_confidence)

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
        game = fitting_game(procedure, source, self._game, {})
        jackpot = self._banks.jackpot_of(self._jackpot)
        return make_terms(game, options, self._banks.of(self._progressive), jackpot)


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

    declare = declared(
        ("--shuffler", ADDRESS, "The packet shuffler's line, such as /dev/ttyUSB0."),
        ("--shoe", ADDRESS, "The card shoe's line."),
        ("--shoe-dialect", DIALECT, "What the shoe speaks: tdp, angel-eye, bee-tek or an added one."),
        ("--controller", ADDRESS, "The table controller's line."),
    )
    return cast(F, declare(with_lines))
