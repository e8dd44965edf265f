"""Builds a `Table` and its shared meters from a table's settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from dealer_flow.editions import Edition, load_edition
from dealer_flow.play.course.identity import Pin
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.procedure.plan import Plan
from dealwire.config.house import posted_of
from dealwire.config.table_parts import RakePart, TablePart
from dealwire.table.table import Table, TableTerms
from rules.errors import SettlementRefused
from rules.game.load import Game, load_game, load_game_of
from rules.game.pairing import check_fit
from rules.meters.award import AwardBook
from rules.meters.bank import MeterBank
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import load_setup
from rules.settlement import HouseRake, MaximumPayout, RakeStep

T = TypeVar("T", bound=Table)
Shared = TypeVar("Shared", MeterBank, JackpotBook)


class Banks:
    """Meters by setup file and pools by jackpot file, loaded once, so that tables with the same file share them."""

    def __init__(self) -> None:
        self._banks: dict[Path, MeterBank] = {}
        self._jackpots: dict[Path, JackpotBook] = {}

    def of(self, setup: Path | None) -> MeterBank | None:
        """Return the bank of a setup file; None without one."""
        return _shared(self._banks, setup, lambda file: MeterBank(load_setup(file)))

    def jackpot_of(self, file: Path | None) -> JackpotBook | None:
        """Return the jackpot of a file; None without one."""
        return _shared(self._jackpots, file, lambda file: JackpotBook(load_jackpot(file)))

    def all(self) -> list[MeterBank]:
        """Return every loaded bank, including those of jackpots' pools."""
        return [*self._banks.values(), *(book.bank for book in self._jackpots.values())]

    def put(self, file: Path, bank: MeterBank) -> None:
        """Use this bank, restored from its records, for a setup file."""
        self._banks[file.resolve()] = bank

    def put_jackpot(self, file: Path, book: JackpotBook) -> None:
        """Use this jackpot, restored from its records, for a file."""
        self._jackpots[file.resolve()] = book


def _shared(opened: dict[Path, Shared], file: Path | None, make: Callable[[Path], Shared]) -> Shared | None:
    if file is None:
        return None
    if (place := file.resolve()) not in opened:
        opened[place] = make(file)
    return opened[place]


def edition_of(part: TablePart) -> Edition | None:
    """Return the edition of the regulation that a table names; None if it follows the text in its files. EditionError
    says what is wrong with it."""
    return load_edition(part.edition) if part.edition is not None else None


def build_terms(part: TablePart, procedure: Procedure, banks: Banks) -> TableTerms | None:
    """Return the terms on which the table settles, in the edition of its procedure; None if it does not settle.
    SettlementRefused or TomlFileError names what does not fit."""
    if not part.settle:
        return None
    game = fitting_game(procedure, part.procedure, part.game, Plan(procedure, part.options).options)
    bank = banks.of(part.progressive) if game.progressive is not None else None
    try:
        return TableTerms(
            game,
            dict(part.paytables),
            dict(part.readings),
            dict(part.meters),
            part.token_cents,
            part.envy_base_cents,
            part.limit_cents,
            part.accept_suspect,
            bank,
            MaximumPayout(**part.maximum.model_dump()),
            part.commission,
            part.house_way,
            rake_of(part.rake),
            banks.jackpot_of(part.jackpot),
            signed=part.signed,
            unsigned=part.unsigned_readings,
        )
    except SettlementRefused as refused:
        raise refused.advising("accept-suspect = true") from None


def rake_of(part: RakePart) -> HouseRake:
    """Return the rake of a table's settings."""
    return HouseRake(
        part.percent,
        part.cap_cents,
        part.step_cents,
        part.jackpot_cents or 0,
        part.pool_percent,
        tuple(RakeStep(step.from_cents, step.take_cents) for step in part.steps),
        part.no_flop_no_drop,
        part.jackpot_least_pot_cents,
        part.jackpot_least_players,
    )


def fitting_game(procedure: Procedure, source: str | Path, named: str | None, options: Mapping[str, str]) -> Game:
    """Return the game that settles a procedure read from `source`, in the edition of the procedure: the `named` one,
    else its own under `options`. A DealwireError names what does not fit."""
    edition = procedure.edition
    if named:
        game = load_game(named, {procedure.id: source}, edition=edition)
    else:
        game = load_game_of(procedure.id, options, edition, source=source)
    if procedure.id in game.spec.procedures:  # `Table` refuses another
        check_fit(game, source, options)
    return game if edition is not None else replace(game, edition=None)


def build_table(part: TablePart, banks: Banks, make: type[T], *, names_edition: bool = True) -> T:
    """Return a table of class `make` for these settings; a DealwireError names what does not fit. Without
    `names_edition` its rounds name none, as before editions had files."""
    procedure = load_procedure(part.procedure, edition_of(part)).at_house(posted_of(part))
    if not names_edition:
        procedure = procedure.standing_in(None)
    terms = build_terms(part, procedure, banks)
    awards = award_book(procedure, terms, part.name) if part.awards else None
    return make(
        procedure,
        terms,
        name=part.name,
        awards=awards,
        options=part.options,
        least_confidence=part.least_confidence,
        pins=pins_of(part),
    )


def pins_of(part: TablePart) -> dict[str, Pin]:
    """Return the pinned devices of the table, by line."""
    return {device.name: Pin(**device.pin.facts()) for device in part.device if device.pin is not None}


def award_book(procedure: Procedure, terms: TableTerms | None, table: str) -> AwardBook | None:
    """Return the book that moves the meters with awards at the controller; None if the terms have no such meters."""
    if terms is None or terms.bank is None or terms.game.progressive is None:
        return None
    spot = next((bet.number for bet in procedure.bet if bet.progressive), 0)
    chosen = terms.chosen[terms.game.progressive.name]
    return AwardBook(terms.bank, terms.game, spot=spot, paytable=chosen, readings=terms.readings, table=table)
