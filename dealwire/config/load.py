"""Reads a `table.toml` strictly, and checks it as a whole before anything is opened.

Every problem is a `TomlFileError` that names file, line, key and what is allowed.
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
from dealwire.config.house import at_house
from dealwire.config.schema import Configuration
from dealwire.config.table_parts import DevicePart, TablePart
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
"""Start of a refusal's name -> key in the file."""
_SETTINGS: Final = frozenset(name.replace("-", "_") for _, name in _KEY_OF) - {"game"}
"""Settings without which a table is still complete."""


DEALING_DEVICES: Final = {"packet-shuffler": ("shuffler",), "card-shoe": ("shoe",), "hand": ()}
"""Dealing device of a procedure -> kinds of devices that deal."""
BESIDE: Final = {"hand": ("shuffler",)}
"""Dealing device of a procedure -> kinds of devices that may be there, too: one that hands the dealer a whole deck."""


def load_configuration(path: str | Path) -> Configuration:
    """Return the file at `path`; its own paths are relative to its folder. TomlFileError says in one line what is
    wrong."""
    return first_fault(*examined(Path(path)))


def examined(file: Path) -> tuple[Configuration | None, Iterator[TomlFileError]]:
    """Return the content of the file (None if its keys are invalid) and all its problems. TomlFileError if it cannot be
    read or is not TOML."""
    text = read(file)
    content = parsed(file, text, TomlFileError)
    context = {"folder": file.absolute().parent}
    found, wrong = validated(content, Configuration, contradictions, context)
    if found is not None:  # the posted rules are settings of the table from here on
        found = found.model_copy(update={"table": tuple(at_house(part)[0] for part in found.table)})
    return found, named_faults(iter(wrong), lambda key, why: fault_at(file, text, key, why, TomlFileError))


def contradictions(found: Configuration) -> Iterator[Fault]:
    """Yield all problems of the file as a whole, in its order."""
    banks = Banks()
    tables = (_table(part, ("table", index), banks) for index, part in enumerate(found.table))
    whole = [*_seals(found), *_people(found), *_sealed_lines(found), *_doubles(found), *_attestation(found)]
    yield from [*whole, *chain.from_iterable(tables)] or _meters(found, banks)


def _meters(found: Configuration, banks: Banks) -> Iterator[Fault]:
    """Check that each meter has one setup: the journal knows a meter by its name."""
    whose: dict[str, Path] = {}
    for index, part in enumerate(found.table):
        for key, file, bank in _shared(part, banks):
            for name in bank.meters():
                if whose.setdefault(name, file).resolve() != file.resolve():
                    yield ("table", index, key), f"meter {name!r} is also defined in {whose[name]}"


def _shared(part: TablePart, banks: Banks) -> Iterator[tuple[str, Path, MeterBank]]:
    """Yield the meters that a table shares, with the key and the file."""
    bank, jackpot = banks.of(part.progressive), banks.jackpot_of(part.jackpot)
    if bank is not None and part.progressive is not None:
        yield "progressive", part.progressive, bank
    if jackpot is not None and part.jackpot is not None:
        yield "jackpot", part.jackpot, jackpot.bank


def _seals(found: Configuration) -> Iterator[Fault]:
    if found.journal.key_file is not None and found.journal.auditor_key_file is not None:
        yield ("journal", "auditor-key-file"), "key-file and auditor-key-file both seal the journal; give only one"


def _people(found: Configuration) -> Iterator[Fault]:
    if found.people is not None and found.console is not None and found.console.tokens_file is not None:
        yield ("console", "tokens-file"), "users-file and tokens-file both name those who may act; give only one"
    if found.people is not None and "post" in found.people.second_person and found.people.badges != "listed":
        yield ("people", "second-person"), 'post takes the badges of two people, so it needs badges = "listed"'


def _attestation(found: Configuration) -> Iterator[Fault]:
    """Check that every device can prove its firmware, or is named among those that need not."""
    part = found.attestation
    if part is None:
        return
    devices = {f"{table.name}/{each.name}": each for table in found.table for each in table.device}
    for name in part.without:
        if name not in devices:
            yield ("attestation", "without"), f"there is no device {name}; there are {', '.join(devices)}"
    for name, device in devices.items():
        if name not in part.without and (device.dialect != "tdp" or device.address.startswith("replay:")):
            what = f"uses {device.dialect}" if device.dialect != "tdp" else "is a recording"
            why = f"{name} {what} and cannot prove its firmware; add it to without, or leave the table out"
            yield ("attestation", "without"), why


def _sealed_lines(found: Configuration) -> Iterator[Fault]:
    for index, part in enumerate(found.table):
        for number, device in enumerate(part.device):
            key: Key = ("table", index, "device", number, "sealed")
            if device.sealed is not None and found.lines is None:
                yield key, "a sealed line needs the keys of [lines]; add [lines] with keys = 'FOLDER'"
            elif device.sealed is not None and device.dialect != "tdp":
                yield key, f"a device that uses {device.dialect} has no sealed line; allowed: dialect 'tdp'"


def _doubles(found: Configuration) -> Iterator[Fault]:
    """Check names and lines that must be unique."""
    names: set[str] = set()
    lines: dict[str, str] = {}
    for index, part in enumerate(found.table):
        if part.name in names:
            yield ("table", index, "name"), f"table {part.name!r} is defined twice"
        names.add(part.name)
        devices: set[str] = set()
        for number, device in enumerate(part.device):
            key: Key = ("table", index, "device", number)
            if device.name in devices:
                yield (*key, "name"), f"device {device.name!r} is defined twice at table {part.name!r}"
            devices.add(device.name)
            if device.address in lines:
                yield (*key, "address"), f"the line {device.address} is already used by {lines[device.address]}"
            lines[device.address] = f"{device.name} at {part.name}"


def _table(part: TablePart, key: Key, banks: Banks) -> Iterator[Fault]:
    wrong = check_procedure(part.procedure)
    if not wrong:
        part, faults = at_house(part)
        yield from (((*key, *at), why) for at, why in faults)
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
        why = f"{edition.id} is for {edition.jurisdiction}; {procedure.id} is for {procedure.jurisdiction}"
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
    """Yield the options that the procedure does not have, with the reason."""
    for name, value in part.options.items():
        try:
            Plan(procedure, {name: value})
        except ProcedureError as error:
            yield name, error.why


def _devices(part: TablePart, key: Key, procedure: Procedure) -> Iterator[Fault]:
    needed = [*DEALING_DEVICES[procedure.device], "table-controller"]
    beside = BESIDE.get(procedure.device, ())
    kinds: list[str] = [device.kind for device in part.device]
    for wanted in needed:
        if kinds.count(wanted) != 1:
            yield (*key, "device"), f"{kinds.count(wanted)} of kind {wanted!r}; {procedure.id} needs exactly one"
    for number, device in enumerate(part.device):
        place: Key = (*key, "device", number)
        if device.kind in beside and kinds.count(device.kind) > 1:
            yield (*place, "kind"), f"{kinds.count(device.kind)} of kind {device.kind!r}; at most one"
        elif device.kind not in (*needed, *beside):
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
        yield (*place, "role"), f"a device that uses {device.dialect} takes no commands; allowed: 'observe'"


def _pin(device: DevicePart, place: Key, says_who: bool) -> Iterator[Fault]:
    if device.pin is None:
        return
    if device.pin.key is not None and device.sealed is None:
        yield (*place, "pin", "key"), "a key is pinned for a sealed line; add sealed = 'required' to the device"
    if all(value is None for value in device.pin.model_dump().values()):
        yield (*place, "pin"), f"pins nothing; allowed: {', '.join(PARTS)}, key"
    elif not says_who:
        yield (*place, "pin"), f"a device that uses {device.dialect} does not identify itself, so none would match"


def _terms(part: TablePart, key: Key, procedure: Procedure, banks: Banks) -> Iterator[Fault]:
    if part.progressive is not None and part.meters:
        yield (*key, "meters"), "progressive and meters both set the meters; give only one"
        return
    if part.awards and (part.progressive is None or not part.settle):
        yield (*key, "awards"), "awards need progressive, and a table that settles"
        return
    if part.jackpot is not None and not part.settle:
        yield (*key, "jackpot"), "a jackpot needs a table that settles"
        return
    if part.jackpot is not None and part.progressive is not None:
        yield (*key, "jackpot"), "progressive and jackpot belong to different games; give only one"
        return
    if part.jackpot is not None and part.rake.jackpot_cents is not None:
        yield (*key, "rake", "jackpot-cents"), "jackpot and jackpot-cents both set what is taken; give only one"
        return
    yield from _refusals(part, key, procedure, banks)


def _refusals(part: TablePart, key: Key, procedure: Procedure, banks: Banks) -> Iterator[Fault]:
    """Yield everything that the rules refuse. They name one problem at a time, so each is left out before the next
    attempt."""
    rest: TablePart | None = part
    while rest is not None:
        place: Key = ()
        try:
            yield from _no_progressive(rest, key, procedure, build_terms(rest, procedure, banks))
            return
        except SettlementRefused as error:
            place = _place(error)
            if rest.jackpot is not None and error.what == "rake for a jackpot":  # the jackpot's file sets that rake
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
    """Check that awards have a progressive, and a progressive its meters. SettlementRefused as for the terms."""
    Table(procedure, terms)  # refuses a game that does not settle this procedure
    pot = terms.game.spec.pot if terms is not None else None
    charge = pot.jackpot_rake if pot is not None else None
    if part.rake.jackpot_cents and charge is not None and part.jackpot is None and charge.meter not in part.meters:
        why = f"a jackpot rake needs a jackpot award that the house offers ({charge.clause})"
        yield (*key, "rake", "jackpot-cents"), f"{why}; name its file in jackpot, or its meter {charge.meter} in meters"
    if part.awards and award_book(procedure, terms, part.name) is None:
        yield (*key, "awards"), "awards need a game that has a progressive"
    if terms is not None and terms.bank is not None:
        known_meters(terms.bank.meters(), terms.game, terms.chosen)


def _of_files(error: TomlFileError, part: TablePart, procedure: Procedure) -> list[str]:
    """Return the problems of a table's files: all differences between game and procedure, if `error` is the first of
    them."""
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
    """Return the table without its setting at `place`; None if nothing can be left out."""
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
    """Return the key of a refusal: `readings.NAME` if the name is known."""
    for begins, name in _KEY_OF:
        if error.what.startswith(begins):
            if error.what.startswith("meter ") and "pay table" in error.what:
                return ("progressive",)
            return (name, str(error.given)) if error.what in ("meter", "reading") else (name,)
    return ()
