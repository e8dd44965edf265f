"""Options that define a table, and their conversion into its procedure, terms and lines."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from dealer_flow.editions import Edition, load_edition
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.table.shoe import LEAST_CONFIDENCE
from dealwire.cli.amounts import CENTS, cents
from dealwire.cli.house_options import HouseTerms
from dealwire.cli.options import (
    A_FILE,
    ADDRESS,
    DIALECT,
    FLAG,
    ID_OR_FILE,
    LINE_KEYS,
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
    """Parse `--runners SEAT=N`. Raise a usage error that names a bad number."""
    found = pairs(runners, "--runners")
    for text in (*found, *found.values()):
        if not (text.isascii() and text.isdecimal() and len(text) <= 2):
            raise click.BadParameter(
                f"{printable(repr(text), 40)} is not a number of at most two digits", param_hint="--runners"
            )
    return {int(seat): int(number) for seat, number in found.items()}


TERMS: Final[tuple[Row, ...]] = (
    ("--game", ID_OR_FILE, "Game that settles: bets and pay tables; by default the procedure's own."),
    ("--edition", ID_OR_FILE, "Edition of the regulation; by default the text in the files."),
    ("--house", A_FILE, "The house's posted rules; they replace the options that set what they post."),
    ("--house-game", {"metavar": "NAME"}, "Game of --house, if it offers several by one procedure."),
    ("--paytable paytables", many("BET=ID"), "Pay table of a bet."),
    ("--reading readings", many("NAME=OPTION"), "Reading of an ambiguous rule."),
    ("--meter meters", many("NAME=CENTS"), "Current value of a progressive meter."),
    ("--token", usually(25, CENTS), "Smallest chip; payouts of the house are rounded down to a multiple of it."),
    (
        "--envy-base",
        CENTS,
        "Progressive wager that the printed envy amounts refer to; by default the pay table's.",
    ),
    (
        "--progressive",
        A_FILE,
        "Progressive setup with contribution, reserve and seed of each meter; instead of --meter.",
    ),
    ("--jackpot", A_FILE, "Jackpot setup: pools, the drop from each pot, and who qualifies."),
    (
        "--limit limit_cents",
        CENTS,
        "Maximum of one bet; by default the figure in the regulation, if it has one.",
    ),
    ("--commission", PERCENT, "Commission on wins, if the game has one."),
    ("--rake", PERCENT, "Rake from each pot, if players bet against each other."),
    ("--rake-cap rake_cap_cents", CENTS, "Maximum rake per round."),
    ("--rake-step rake_step_cents", CENTS, "Multiple that the rake is rounded down to; by default --token."),
    ("--jackpot-rake jackpot_rake_cents", CENTS, "Jackpot drop per round, in addition to --rake."),
    ("--pool-rake", PERCENT, "Rake from a pool that runners have won."),
    ("--runners", many("SEAT=N"), "Runners in front of a seat, in games with a pool; by default none."),
    ("--house-way", ID_OR_FILE, "House way of setting the dealer's hand; by default the one in the regulation."),
    ("--max-round max_round_cents", CENTS, "Maximum payout per round on bets that pay 50 to 1 or more."),
    ("--max-player max_player_cents", CENTS, "Maximum such payout per player and round."),
    ("--max-tip max_tip_cents", CENTS, "Maximum payout on a tip, if the regulation lets the house set one."),
    (
        "--least-bet least_bet_cents",
        CENTS,
        "Minimum bet at the table, which limits --max-round and --max-player in the regulation.",
    ),
    ("--accept-suspect", FLAG, "Settle even by a pay table or reading that appears to be a misprint."),
)
"""Options that define the terms of settlement: `--game --paytable --reading --meter ...`."""

terms_options = declared(*TERMS)
table_options = declared(
    ("--procedure", ID_OR_FILE, f"Dealing procedure; by default the one that the recording names, or {DEFAULT_GAME}."),
    ("--no-settle", FLAG, "Deal without settling."),
    *TERMS,
    ("--table table_name", usually("table-1"), "Name of the table in every result."),
    (
        "--least-confidence",
        usually(LEAST_CONFIDENCE, whole(0, 100, "N")),
        "Treat a card as not read if the shoe's reader is less sure of it, in percent.",
    ),
    ("--awards", FLAG, "Let awards at the controller move the meters of --progressive, and compare both."),
)
"""Options that make a `Table`: `--procedure --table --no-settle --awards --least-confidence` and the terms."""

reconnect_option = click.option(
    "--reconnect/--no-reconnect", default=True, show_default=True, help="Reopen a line after it was lost."
)
"""Option that decides whether a lost line is reopened."""


def make_terms(
    game: Game, options: Mapping[str, Any], bank: MeterBank | None, jackpot: JackpotBook | None = None
) -> TableTerms:
    """Return the terms that the options describe for this game, with this bank's meters and this jackpot. Warnings
    about deviations from the maker's recommendations are printed."""
    one_owner(bank, jackpot, options["meters"], options["jackpot_rake_cents"])
    chosen = pairs(options["paytables"], "--paytable"), pairs(options["readings"], "--reading")
    most = (options[f"{name}_cents"] for name in ("max_round", "max_player", "max_tip", "least_bet"))
    taken = (options["rake"], options["rake_cap_cents"], options["rake_step_cents"])
    drop = options["jackpot_rake_cents"] or 0
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
            options.get("posted_maximum") or MaximumPayout(*most),
            options["commission"],
            options["house_way"],
            options.get("posted_rake") or HouseRake(*taken, drop, options["pool_rake"]),
            jackpot,
            runners=seats(options["runners"]),
            signed=options.get("signed", ()),
        )
    except SettlementRefused as refused:
        raise refused.advising("--accept-suspect") from None
    _jackpot_offered(terms, drop)
    for caution in cautions_of(terms) if terms.bank is not None else ():
        echo(f"dealwire: caution: {caution}", err=True)
    return terms


def one_owner(progressive: object, jackpot: object, meters: Sequence[str], jackpot_rake_cents: int | None) -> None:
    """Raise UsageError if two options, each None or empty unless given, set the same money at the table."""
    if progressive is not None and meters:
        raise click.UsageError("--meter and --progressive exclude each other: both set the meters")
    if jackpot is not None and jackpot_rake_cents is not None:
        raise click.UsageError("--jackpot and --jackpot-rake exclude each other: both set the jackpot drop")
    if jackpot is not None and progressive is not None:
        raise click.UsageError("--progressive and --jackpot exclude each other: no game has both")


def _jackpot_offered(terms: TableTerms, drop: int) -> None:
    """Raise UsageError for a jackpot drop without a jackpot, or its meter, that it would go to."""
    charge = terms.game.spec.pot.jackpot_rake if terms.game.spec.pot is not None else None
    if drop and charge is not None and terms.jackpot is None and charge.meter not in terms.meters:
        why = f"--jackpot-rake needs a jackpot award that the house offers ({charge.clause})"
        raise click.UsageError(f"{why}: --jackpot FILE, or --meter {charge.meter}=CENTS")


def _edition_of(house: HouseTerms | None) -> Edition | None:
    return house.edition if house is not None else None


class TableMaker:
    """Factory of tables from options. Tables made here publish only what may be published.

    A bad name or file raises an error of one line. Terms are made once per procedure, so that meters carry over from
    one table to the next.
    """

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
        house: Path | None = None,
        house_game: str | None = None,
        **terms: Any,
    ) -> None:
        self.given = procedure
        self._house = HouseTerms.of(house, house_game, terms | {"game": game, "jackpot": jackpot, "edition": edition})
        self.edition = load_edition(edition) if edition is not None else _edition_of(self._house)
        self._game, self._no_settle, self._name = game, no_settle, table_name
        self._least_confidence = least_confidence
        self._awards, self._progressive, self._jackpot, self._options = awards, progressive, jackpot, terms
        self._names_edition = names_edition
        self._load = cache(self._read)
        self._banks = Banks()
        self._terms: dict[str, TableTerms | None] = {}

    def table(self, recorded: str = "") -> Table:
        """Return a table for the given procedure, else for the `recorded` one."""
        source = self.given or recorded or DEFAULT_GAME
        loaded = self._load(source)
        if loaded.id not in self._terms:
            self._terms[loaded.id] = self._make_terms(loaded, source)
        terms = self._terms[loaded.id]
        book = award_book(loaded, terms, self._name) if self._awards else None
        if self._awards and book is None:
            raise click.UsageError("--awards needs --progressive, and a game with a progressive that is settled")
        options = self._house.options(loaded, source) if self._house is not None else None
        confidence = self._least_confidence
        return PublishedTable(loaded, terms, name=self._name, awards=book, options=options, least_confidence=confidence)

    def _read(self, source: str) -> Procedure:
        found = load_procedure(source, self.edition)
        if self._house is not None:
            found = found.at_house(self._house.posted(source))
        return found if self._names_edition else found.standing_in(None)

    def _make_terms(self, procedure: Procedure, source: str) -> TableTerms | None:
        """Return the terms. Without terms options, a procedure that no game settles is dealt without settlement, and a
        note is printed."""
        options = self._options
        if self._no_settle:
            return None
        shared = self._progressive or self._jackpot or self._house
        named = self._game or shared or any(options[name] for name in ("paytables", "readings", "meters"))
        if not named and game_id_of(procedure.id) is None:
            echo(f"dealwire: note: no game settles {procedure.id}; its rounds are dealt without settlement", err=True)
            return None
        bank, house = self._banks.of(self._progressive), self._house
        if house is not None:
            part = house.part(source)
            game = fitting_game(procedure, source, part.game, house.options(procedure, source))
            return make_terms(game, house.about(part, game, options), bank, house.jackpot(part, self._banks))
        game = fitting_game(procedure, source, self._game, {})
        return make_terms(game, options, bank, self._banks.jackpot_of(self._jackpot))


def make_table(**options: Any) -> Table:
    """Return the one table that `table_options` describe."""
    return TableMaker(**options).table()


def line_options(command: F) -> F:
    """Add the options of a table's lines, `--shuffler --shoe --shoe-dialect --controller --keys --in-clear`, and pass
    the lines to the command as `lines`."""

    @wraps(command)
    def with_lines(
        *args: Any,
        shuffler: str | None,
        shoe: str | None,
        shoe_dialect: str,
        controller: str | None,
        folder: Path | None,
        in_clear: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        given = (
            LineConfig("shuffler", "shuffler", shuffler or ""),
            LineConfig("shoe", "shoe", shoe or "", dialect_named(shoe_dialect).name),
            LineConfig("controller", "table-controller", controller or ""),
        )
        lines = [line for line in given if line.address]
        if not lines:
            raise click.UsageError("no line given: use --shuffler, --shoe or --controller with an ADDRESS")
        return command(*args, lines=_sealed(lines, folder, in_clear), **rest)

    declare = declared(
        ("--shuffler", ADDRESS, "Line of the packet shuffler, such as /dev/ttyUSB0."),
        ("--shoe", ADDRESS, "Line of the card shoe."),
        ("--shoe-dialect", DIALECT, "Dialect of the shoe: tdp, angel-eye, bee-tek or an added one."),
        ("--controller", ADDRESS, "Line of the table controller."),
        ("--keys folder", LINE_KEYS, "Folder with the keys of sealed lines, or table.toml: seal every line."),
        (
            "--in-clear",
            {"multiple": True, "type": click.Choice(["shuffler", "shoe", "controller"])},
            "With --keys: do not seal this line. Repeatable.",
        ),
    )
    return cast(F, declare(with_lines))


def _sealed(lines: list[LineConfig], folder: Path | None, in_clear: tuple[str, ...]) -> list[LineConfig]:
    """Return the lines, sealed with the keys in `folder` if there is one. Raise UsageError for one that cannot be."""
    if folder is None:
        if in_clear:
            raise click.UsageError("--in-clear needs --keys: without it every line is in clear")
        return lines
    if absent := [name for name in in_clear if name not in {line.name for line in lines}]:
        raise click.UsageError(f"--in-clear {absent[0]}: there is no such line")
    from dealwire.cli.device_keys import seal_of  # the keys need an extra, and most lines have none

    seal = seal_of(folder)
    for line in lines:
        if line.dialect != "tdp" and line.name not in in_clear:
            raise click.UsageError(f"{line.dialect} has no sealed line: add --in-clear {line.name}")
    return [line if line.name in in_clear else dataclasses.replace(line, seal=seal) for line in lines]
