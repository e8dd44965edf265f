"""Reading a `table.toml`: strict, and checked as a whole before anything is opened.

Whatever is wrong comes out as one `TomlFileError` that names file, line, key and what is allowed.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

from dealer_flow.editions import EditionError
from dealer_flow.play.course.identity import PARTS
from dealer_flow.procedure.load import Procedure, ProcedureError, check_procedure, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.tomlfile import fault_at, first_fault, named_faults, parsed, read, validated
from dealwire.config.build import Banks, award_book, build_terms, edition_of
from dealwire.config.schema import Configuration, DevicePart, TablePart
from dealwire.table.table import Table, TableTerms
from devices.dialects.drivers import UnknownKind
from devices.dialects.known import UnknownDialect, dialect_named
from devices.drive.address import check_address
from protocol.errors import DealwireError, LineUnusable, LocalError
from protocol.tomlfile import Key, TomlFileError
from rules.errors import SettlementRefused
from rules.game.load import game_id_of, load_game
from rules.game.pairing import pair_faults
from rules.meters.bank import MeterBank
from rules.meters.linked import known_meters

Fault = tuple[Key, str]

_KEY_OF: Final = (
    ("meter", "meters"),
    ("pay table", "paytables"),
    ("suspect pay table", "paytables"),
    ("reading", "readings"),
    ("suspect reading", "readings"),
    ("signed", "signed"),
    ("limit", "limit-cents"),
    ("token", "token-cents"),
    ("envy", "envy-base-cents"),
    ("commission", "commission"),
    ("game of jackpot", "jackpot"),
    ("award of jackpot", "jackpot"),
    ("jackpot award", "jackpot"),
    ("hand of the jackpot award", "jackpot"),
    ("bet of the jackpot award", "jackpot"),
    ("rake", "rake"),
    ("house way", "house-way"),
    ("maximum", "maximum"),
    ("procedure", "game"),
)
"""What the rules refuse, by how its name begins -> the key it stands at."""
_SETTINGS: Final = frozenset(name.replace("-", "_") for _, name in _KEY_OF) - {"game"}
"""Keys without which a table still is one."""


_DEALS: Final = {"packet-shuffler": ("shuffler",), "card-shoe": ("shoe",), "hand": ()}
"""What a procedure is dealt from -> the kinds of devices that deal."""


def load_configuration(path: str | Path) -> Configuration:
    """The file at `path`, its own paths taken from its folder. TomlFileError says in one line what is wrong."""
    return first_fault(*examined(Path(path)))


def examined(file: Path) -> tuple[Configuration | None, Iterator[TomlFileError]]:
    """What the file says, None where its keys do not fit, and everything that is wrong with it. TomlFileError when it
    cannot be read, or is no TOML."""
    text = read(file)
    content = parsed(file, text, TomlFileError)
    context = {"folder": file.absolute().parent}
    found, wrong = validated(content, Configuration, contradictions, context)
    return found, named_faults(iter(wrong), lambda key, why: fault_at(file, text, key, why, TomlFileError))


def contradictions(found: Configuration) -> Iterator[Fault]:
    """Everything that is wrong with the file as a whole, in its order."""
    banks = Banks()
    tables = (_table(part, ("table", index), banks) for index, part in enumerate(found.table))
    yield from [*_seals(found), *_doubles(found), *chain.from_iterable(tables)] or _meters(found, banks)


def _meters(found: Configuration, banks: Banks) -> Iterator[Fault]:
    """A meter is known by its name in the journal, so one setup only may have it."""
    whose: dict[str, Path] = {}
    for index, part in enumerate(found.table):
        for key, file, bank in _shared(part, banks):
            for name in bank.meters():
                if whose.setdefault(name, file).resolve() != file.resolve():
                    yield ("table", index, key), f"meter {name!r} is also one of {whose[name]}"


def _shared(part: TablePart, banks: Banks) -> Iterator[tuple[str, Path, MeterBank]]:
    """The meters that a table shares, with the key of the file and the file."""
    bank, jackpot = banks.of(part.progressive), banks.jackpot_of(part.jackpot)
    if bank is not None and part.progressive is not None:
        yield "progressive", part.progressive, bank
    if jackpot is not None and part.jackpot is not None:
        yield "jackpot", part.jackpot, jackpot.bank


def _seals(found: Configuration) -> Iterator[Fault]:
    if found.journal.key_file is not None and found.journal.auditor_key_file is not None:
        yield ("journal", "auditor-key-file"), "key-file and auditor-key-file both seal the journal; give one of them"


def _doubles(found: Configuration) -> Iterator[Fault]:
    """Names and lines that may stand once only."""
    names: set[str] = set()
    lines: dict[str, str] = {}
    for index, part in enumerate(found.table):
        if part.name in names:
            yield ("table", index, "name"), f"table {part.name!r} stands twice"
        names.add(part.name)
        devices: set[str] = set()
        for number, device in enumerate(part.device):
            key: Key = ("table", index, "device", number)
            if device.name in devices:
                yield (*key, "name"), f"device {device.name!r} stands twice at table {part.name!r}"
            devices.add(device.name)
            if device.address in lines:
                yield (*key, "address"), f"the line {device.address} is already that of {lines[device.address]}"
            lines[device.address] = f"{device.name} at {part.name}"


def _table(part: TablePart, key: Key, banks: Banks) -> Iterator[Fault]:
    wrong = check_procedure(part.procedure)
    for error in wrong:
        yield (*key, "procedure"), error.why if error.line is None else str(error)
    if wrong:
        return
    try:
        edition = edition_of(part)
        procedure = load_procedure(part.procedure, edition)
    except EditionError as error:
        yield (*key, "edition"), error.why if error.line is None else str(error)
        return
    if edition is not None and not edition.of(procedure.jurisdiction):
        why = f"{edition.id} is of {edition.jurisdiction}; {procedure.id} is of {procedure.jurisdiction}"
        yield (*key, "edition"), why
    if part.seats is not None and part.seats > procedure.seats.most:
        why = (
            f"{part.seats} seats; {procedure.id} is dealt to at most {procedure.seats.most} ({procedure.seats.clause})"
        )
        yield (*key, "seats"), why
    refused = dict(_options(part, procedure))
    yield from (((*key, "options", name), why) for name, why in refused.items())
    yield from _devices(part, key, procedure)
    allowed = {name: value for name, value in part.options.items() if name not in refused}
    yield from _terms(part.model_copy(update={"options": allowed}), key, procedure, banks)


def _options(part: TablePart, procedure: Procedure) -> Iterator[tuple[str, str]]:
    """Options that the procedure does not have, and why not."""
    for name, value in part.options.items():
        try:
            Plan(procedure, {name: value})
        except ProcedureError as error:
            yield name, error.why


def _devices(part: TablePart, key: Key, procedure: Procedure) -> Iterator[Fault]:
    needed = [*_DEALS[procedure.device], "table-controller"]
    kinds: list[str] = [device.kind for device in part.device]
    for wanted in needed:
        if kinds.count(wanted) != 1:
            yield (*key, "device"), f"{kinds.count(wanted)} of kind {wanted!r}; {procedure.id} needs exactly one"
    for number, device in enumerate(part.device):
        place: Key = (*key, "device", number)
        if device.kind not in needed:
            yield (*place, "kind"), f"{device.kind!r}; {procedure.id} is dealt with {' and '.join(needed)}"
        yield from _dialect(device, place)
        try:
            check_address(device.address)
        except LineUnusable as error:
            yield (*place, "address"), str(error)


def _dialect(device: DevicePart, place: Key) -> Iterator[Fault]:
    says_who = True
    try:
        dialect = dialect_named(device.dialect)
        says_who = dialect.says_who
        dialect.driver(device.kind, where=device.name)
    except UnknownKind as error:
        yield (*place, "kind"), f"dialect {device.dialect}: {error.why}"
    except (UnknownDialect, LocalError) as error:
        yield (*place, "dialect"), str(error)
    yield from _pin(device, place, says_who)
    if device.role == "control" and device.dialect != "tdp":
        yield (*place, "role"), f"nothing can be asked of a device that speaks {device.dialect}; allowed: 'observe'"


def _pin(device: DevicePart, place: Key, says_who: bool) -> Iterator[Fault]:
    if device.pin is None:
        return
    if all(value is None for value in device.pin.model_dump().values()):
        yield (*place, "pin"), f"pins nothing; allowed: {', '.join(PARTS)}"
    elif not says_who:
        yield (*place, "pin"), f"a device that speaks {device.dialect} does not say who it is, so none would fit"


def _terms(part: TablePart, key: Key, procedure: Procedure, banks: Banks) -> Iterator[Fault]:
    if part.progressive is not None and part.meters:
        yield (*key, "meters"), "progressive and meters both say where the meters stand; give one of them"
        return
    if part.awards and (part.progressive is None or not part.settle):
        yield (*key, "awards"), "awards need progressive, and a table that settles"
        return
    if part.jackpot is not None and not part.settle:
        yield (*key, "jackpot"), "a jackpot needs a table that settles"
        return
    if part.jackpot is not None and part.progressive is not None:
        yield (*key, "jackpot"), "progressive and jackpot are of different games; give one of them"
        return
    if part.jackpot is not None and part.rake.jackpot_cents is not None:
        yield (*key, "rake", "jackpot-cents"), "jackpot and jackpot-cents both say what is taken; give one of them"
        return
    yield from _refusals(part, key, procedure, banks)


def _refusals(part: TablePart, key: Key, procedure: Procedure, banks: Banks) -> Iterator[Fault]:
    """Everything that the rules refuse. They name one thing at a time: that is left out, and they are asked again."""
    rest: TablePart | None = part
    while rest is not None:
        place: Key = ()
        try:
            yield from _no_progressive(rest, key, procedure, build_terms(rest, procedure, banks))
            return
        except SettlementRefused as error:
            place = _place(error)
            if rest.jackpot is not None and error.what == "rake for a jackpot":  # it is the file that takes it
                place = ("jackpot",)
            yield (*key, *place), f"{error.what} {error.given!r}; allowed: {', '.join(error.allowed) or 'none'}"
        except TomlFileError as error:
            at = "procedure" if isinstance(error, ProcedureError) else "game"
            at = {str(rest.progressive): "progressive", str(rest.jackpot): "jackpot"}.get(str(error.file), at)
            for why in _of_files(error, rest, procedure):
                yield (*key, at), why
        except DealwireError as error:
            yield key, str(error)
        rest = _without(rest, place)


def _no_progressive(part: TablePart, key: Key, procedure: Procedure, terms: TableTerms | None) -> Iterator[Fault]:
    """That awards have a progressive, and a progressive its meters. SettlementRefused as of the terms."""
    Table(procedure, terms)  # refuses a game that does not settle this procedure
    if part.awards and award_book(procedure, terms, part.name) is None:
        yield (*key, "awards"), "awards need a game that has a progressive"
    if terms is not None and terms.bank is not None:
        known_meters(terms.bank.meters(), terms.game, terms.chosen)


def _of_files(error: TomlFileError, part: TablePart, procedure: Procedure) -> list[str]:
    """What is wrong with a table's files: all in which game and procedure differ, where `error` is the first of it."""
    options = Plan(procedure, part.options).options
    if part.game is None and game_id_of(procedure.id, options) is None:
        return [f"no game settles {procedure.id}; name one, or deal without settling: settle = false"]
    with suppress(DealwireError):
        files = {procedure.id: part.procedure}
        game = load_game(part.game, files, edition=procedure.edition) if part.game is not None else None
        if game is not None and procedure.id in game.spec.procedures:
            return [str(fault) for fault in pair_faults(game, part.procedure, part.options)] or [str(error)]
    return [str(error)]


def _without(part: TablePart, place: Key) -> TablePart | None:
    """The table without its setting at `place`; None where there is none to be left out."""
    name = str(place[0]).replace("-", "_") if place else ""
    if name not in _SETTINGS:
        return None
    given = getattr(part, name)
    if len(place) > 1:
        rest: object = {each: value for each, value in given.items() if each != place[1]}
    else:
        rest = TablePart.model_fields[name].get_default(call_default_factory=True)
    return part.model_copy(update={name: rest}) if rest != given else None


def _place(error: SettlementRefused) -> Key:
    """The key that a refusal is about: `readings.NAME` where the name is known."""
    for begins, name in _KEY_OF:
        if error.what.startswith(begins):
            if error.what.startswith("meter ") and "pay table" in error.what:
                return ("progressive",)
            return (name, str(error.given)) if error.what in ("meter", "reading") else (name,)
    return ()
