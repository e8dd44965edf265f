"""Checks of a house's file: its keys against each other, and against the edition of the regulation."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from dealer_flow.editions import Edition, EditionError
from dealer_flow.english import dollars
from dealer_flow.procedure.load import Procedure, ProcedureError, known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from protocol.errors import DealwireError
from protocol.nearest import instead
from protocol.tomlfile import Key, TomlFileError
from rules.errors import SettlementRefused
from rules.facts.terms import agree
from rules.game.load import Game
from rules.game.readings import READINGS
from rules.house.amounts import amount_faults
from rules.house.house import HouseRules
from rules.house.schema import HouseGamePart, HouseSpec, RakeSchedulePart
from rules.meters.jackpot_setup import JackpotSetup, load_jackpot

Fault = tuple[Key, str]
JACKPOT_CLAUSE: Final = "47.1-1018(2)"
_REFUSED_AT: Final = (
    ("rake for a jackpot", "jackpot-rake-cents"),
    ("rake", "rake"),
    ("limit", "most-bet-cents"),
    ("maximum", "maximum"),
    ("reading", "readings"),
    ("suspect reading", "readings"),
    ("jackpot award", "jackpot"),
    ("hand of the jackpot award", "jackpot"),
    ("bet of the jackpot award", "jackpot"),
)
"""Start of a refusal's name -> key of the game in the file."""


def house_faults(house: HouseRules) -> Iterator[Fault]:
    """Yield every fault of a file whose keys are valid one by one."""
    spec = house.spec
    try:
        edition = house.edition
    except EditionError as error:
        yield ("edition",), error.why if error.line is None else str(error)
        return
    yield from _days(spec, edition)
    yield from _time_to_act(spec)
    yield from _schedules(spec)
    yield from _jackpots(spec)
    loaded: list[tuple[Procedure, Game]] = []
    wrong = dict(_of_all_games(house))
    yield from wrong.items()
    broken, stated = bool(wrong), set[tuple[str | None, str]]()
    for index, part in enumerate(spec.game) if not wrong else ():
        key: Key = ("game", index)
        if part.name in [each.name for each in spec.game[:index]]:
            yield (*key, "name"), f"game {part.name!r} is offered twice"
        faults = [*_game(house, part, loaded)]
        broken |= bool(faults)
        for at, why in faults:
            if at != ("rake",) or (part.rake, why) not in stated:  # of one schedule in several games
                yield (*key, *at), why
            stated.add((part.rake, why))
    if not broken:
        yield from _unused(house, loaded)


def _days(spec: HouseSpec, edition: Edition | None) -> Iterator[Fault]:
    if edition is None:
        return
    first, last = edition.part.effective, edition.part.until
    if last is not None and spec.effective > last:
        yield ("effective",), f"{spec.effective} is after {last}, when {edition.id} ends"
    if first is not None and spec.effective < first:
        yield ("effective",), f"{spec.effective} is before {first}, when {edition.id} begins"


def _time_to_act(spec: HouseSpec) -> Iterator[Fault]:
    act, warning = spec.act_seconds, spec.warning_seconds
    if act is not None and warning is None:
        yield ("act-seconds",), f"{act} without warning-seconds; the dealer warns before the limit ends (47.1-1038)"
    if warning is not None and warning >= (act or 0):
        allowed = f"less than act-seconds, {act}" if act else "none without act-seconds"
        yield ("warning-seconds",), f"{warning}; allowed: {allowed} (47.1-1038)"


def _of_all_games(house: HouseRules) -> Iterator[Fault]:
    """Yield the options and readings of the file whose value one of its games does not allow."""
    for name, option in house.spec.readings.items():
        if name in READINGS and option not in READINGS[name]:
            yield ("readings", name), f"{option!r}; allowed: {', '.join(READINGS[name])}"
    for part in house.spec.game:
        with suppress(TomlFileError):  # a wrong procedure is a fault of its game
            procedure = load_procedure(part.procedure, house.edition)
            for each in procedure.option:
                given = house.spec.options.get(each.name, each.default)
                if given not in each.allowed and each.name not in part.options:
                    yield ("options", each.name), f"{given!r}; allowed in {procedure.id}: {', '.join(each.allowed)}"


def _schedules(spec: HouseSpec) -> Iterator[Fault]:
    for name, rake in spec.rake.items():
        key: Key = ("rake", name)
        percent = Fraction(rake.percent) or Fraction(rake.pool_percent)
        takes = percent or rake.steps or rake.cap_cents or rake.step_cents or rake.no_flop_no_drop
        if rake.time is not None and takes:
            yield (*key, "time"), "a charge by time takes nothing of a pot; give either the time or a rake"
        if rake.steps and not Fraction(rake.percent):
            yield (*key, "percent"), "missing; with steps, the most of each pot in percent"
        yield from ((("rake", name, *at), why) for at, why in _units(rake, spec.token_cents))


def _units(rake: RakeSchedulePart, token: int) -> Iterator[Fault]:
    """Yield the amounts of a rake that the smallest chip cannot make, and a cap below the unit, which takes nothing."""
    least = rake.step_cents or token
    steps: list[tuple[Key, int]] = [
        (("steps", index, "take-cents"), step.take_cents) for index, step in enumerate(rake.steps)
    ]
    if rake.cap_cents is not None and rake.cap_cents < least:
        yield ("cap-cents",), f"{dollars(rake.cap_cents)}; allowed: {dollars(least)} or more, else nothing is taken"
    elif rake.cap_cents is not None:
        steps.append((("cap-cents",), rake.cap_cents))
    for key, cents in (*steps, (("step-cents",), rake.step_cents or 0)):
        if cents % token:
            yield key, f"{dollars(cents)}; allowed: multiples of the smallest chip, {dollars(token)} (token-cents)"


def _jackpots(spec: HouseSpec) -> Iterator[Fault]:
    for name, part in spec.jackpot.items():
        try:
            load_jackpot(part.file)
        except TomlFileError as error:
            yield ("jackpot", name, "file"), str(error)


def _game(house: HouseRules, part: HouseGamePart, loaded: list[tuple[Procedure, Game]]) -> Iterator[Fault]:
    """Yield the faults of one offered game; a sound one is added to `loaded`."""
    try:
        procedure = load_procedure(part.procedure, house.edition)
    except ProcedureError as error:
        known = known_procedures()
        unknown = part.procedure not in known and not part.procedure.endswith(".toml")
        other = f"no such procedure: {part.procedure!r}{instead(part.procedure, known, 'known: ')}"
        yield ("procedure",), other if unknown else str(error)
        return
    if house.edition is not None and not house.edition.of(procedure.jurisdiction):
        why = f"{house.edition.id} is for {house.edition.jurisdiction}; {procedure.id} is for {procedure.jurisdiction}"
        yield ("procedure",), why
        return
    if part.seats is not None and part.seats > procedure.seats.most:
        yield ("seats",), f"{part.seats}; allowed: at most {procedure.seats.most} ({procedure.seats.clause})"
    if part.structure is not None and part.seats == 1:
        yield ("seats",), f"1; allowed: 2 to {procedure.seats.most}, since players bet against each other"
    refused = dict(_options(part, procedure))
    yield from ((key, why) for key, why in refused.items())
    yield from _names(house.spec, part)
    if refused:
        return
    yield from amount_faults(house, part, procedure)
    try:
        game = house.load(part)[1]
    except DealwireError as error:
        yield ("game",), str(error)
        return
    if procedure.id not in game.spec.procedures:
        allowed = ", ".join(game.spec.procedures)
        yield ("game",), f"{game.id} does not settle {procedure.id}; it settles: {allowed}"
        return
    yield from _settled(house, part, game)
    loaded.append((procedure, game))


def _options(part: HouseGamePart, procedure: Procedure) -> Iterator[Fault]:
    for name, value in part.options.items():
        try:
            Plan(procedure, {name: value})
        except ProcedureError as error:
            yield ("options", name), error.why


def _names(spec: HouseSpec, part: HouseGamePart) -> Iterator[Fault]:
    """Yield the rake and the jackpot that the file does not have, and a jackpot drop without a jackpot."""
    if part.rake is not None and part.rake not in spec.rake:
        yield ("rake",), f"no schedule {part.rake!r}; allowed: {', '.join(spec.rake) or 'none'}"
    if part.jackpot is not None and part.jackpot not in spec.jackpot:
        yield ("jackpot",), f"no jackpot {part.jackpot!r}; allowed: {', '.join(spec.jackpot) or 'none'}"
    players = spec.jackpot[part.jackpot].least_players if part.jackpot in spec.jackpot else 0
    if part.seats is not None and players > part.seats:
        yield ("jackpot",), f"{part.jackpot} needs {players} players, and there are {part.seats} seats at most"
    if part.jackpot_rake_cents is not None and part.jackpot is None:
        why = f"a jackpot rake needs a jackpot award that the house offers ({JACKPOT_CLAUSE})"
        yield ("jackpot-rake-cents",), f"{why}; name one in jackpot, or leave it out"


# ------------------------------------------------------------------ settlement


def _settled(house: HouseRules, part: HouseGamePart, game: Game) -> Iterator[Fault]:
    for name, option in part.readings.items():
        if name not in game.spec.readings:
            yield ("readings", name), f"{game.id} has no such reading; allowed: {', '.join(game.spec.readings)}"
            return
        if option not in READINGS[name]:
            yield ("readings", name), f"{option!r}; allowed: {', '.join(READINGS[name])}"
            return
    jackpot = None
    if part.jackpot in house.spec.jackpot:
        try:
            jackpot = house.jackpot_of(part)
        except TomlFileError:  # which is a fault of the jackpot's own table
            return
    if jackpot is not None:
        wrong = [*_jackpot(part, game, jackpot)]
        yield from wrong
        jackpot = None if wrong else jackpot
    if part.rake is not None and part.rake not in house.spec.rake:
        return
    if part.jackpot is not None and part.jackpot not in house.spec.jackpot:
        return
    yield from _terms(house, part, game, jackpot)


def _jackpot(part: HouseGamePart, game: Game, jackpot: JackpotSetup) -> Iterator[Fault]:
    if game.id not in jackpot.games:
        yield ("jackpot",), f"{jackpot.id} is not offered in {game.id}; allowed: {', '.join(jackpot.games)}"
    if jackpot.rake_cents != (part.jackpot_rake_cents or 0):
        allowed = f"{jackpot.rake_cents}, the drop in the file of {jackpot.id}" if jackpot.rake_cents else "none"
        yield ("jackpot-rake-cents",), f"{part.jackpot_rake_cents or 'missing'}; allowed: {allowed}"
    if jackpot.award is None and game.spec.jackpot is None:
        yield ("jackpot",), f"{jackpot.id} has no [award] in its file, and {game.id} defines none"


def _terms(house: HouseRules, part: HouseGamePart, game: Game, jackpot: JackpotSetup | None) -> Iterator[Fault]:
    """Yield what the rules refuse of the rake, the jackpot's drop and award, the limit and the maximum payouts."""
    rake, against_house = house.rake(part), part.structure is None
    if jackpot is not None:
        rake = replace(rake, jackpot_cents=jackpot.rake_cents)
    try:
        agree(
            game,
            readings=house.readings(part, game),
            token_cents=house.spec.token_cents,
            limit_cents=part.most_bet_cents if against_house else None,
            maximum=house.maximum(part),
            rake=rake,
            jackpot=jackpot.award if jackpot is not None and game.spec.jackpot is None else None,
            signed=house.signatures(game),
        )
    except SettlementRefused as error:
        at = next((key for begins, key in _REFUSED_AT if error.what.startswith(begins)), "game")
        allowed = ", ".join(error.allowed) or "none"
        yield (at,), f"{error.what} {error.given!r}; allowed: {allowed}"


def _unused(house: HouseRules, loaded: list[tuple[Procedure, Game]]) -> Iterator[Fault]:
    """Yield options and readings of the file, and signatures, that no game of it has."""
    spec = house.spec
    options = {option.name: option.allowed for procedure, _ in loaded for option in procedure.option}
    readings = {name: tuple(READINGS[name]) for _, game in loaded for name in game.spec.readings}
    yield from _known(("options",), spec.options, options, "option")
    yield from _known(("readings",), spec.readings, readings, "reading")
    for index, each in enumerate(spec.signed):
        if not each.readings and not each.options:
            yield ("signed", index), "signs nothing; give readings or options"
        yield from _known(("signed", index, "options"), each.options, options, "option")
        yield from _known(("signed", index, "readings"), each.readings, readings, "reading")


def _known(key: Key, given: Mapping[str, str], known: Mapping[str, tuple[str, ...]], what: str) -> Iterator[Fault]:
    for name, value in given.items():
        if name not in known:
            yield (*key, name), f"no game of this file has such {'an' if what == 'option' else 'a'} {what}"
        elif value not in known[name]:
            yield (*key, name), f"{value!r}; allowed: {', '.join(known[name])}"
