"""A house's posted rules applied to the settings of a table: what is posted counts, and a table contradicts none of
it."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from dealer_flow.procedure.posted import PostedGame
from dealwire.config.table_parts import MaximumPart, RakePart, TablePart
from protocol.tomlfile import Key, TomlFileError
from rules.house.house import HouseRules
from rules.house.load import load_house
from rules.house.schema import HouseGamePart, RakeStepPart
from rules.settlement import HouseRake

Fault = tuple[Key, str]


def house_of(part: TablePart) -> tuple[HouseRules, HouseGamePart] | None:
    """Return the house of a table and the game that it plays; None without a house. TomlFileError says what is
    wrong."""
    if part.house is None:
        return None
    house = _loaded(part.house, _stamp(part.house))
    return house, house.game(part.procedure, part.house_game)


@lru_cache(maxsize=16)
def _loaded(file: Path, stamp: object) -> HouseRules:  # noqa: ARG001 - a changed file is read again
    return load_house(file)


def _stamp(file: Path) -> object:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def posted_of(part: TablePart) -> PostedGame | None:
    """Return what the flow of a table enforces; None without a house."""
    found = house_of(part)
    return found[0].posted(found[1]) if found is not None else None


def at_house(part: TablePart) -> tuple[TablePart, list[Fault]]:
    """Return the table's settings with those of its house, and the keys in which it contradicts them.

    Applying them twice changes nothing.
    """
    if part.house is None:
        return part, [(("house-game",), "needs house, the file that offers it")] if part.house_game else []
    try:
        found = house_of(part)
        assert found is not None
        posted = settings_of(*found, settles=part.settle)
    except TomlFileError as error:
        at = "house-game" if part.house_game is not None and error.key == "game" else "house"
        return part, [((at,), str(error))]
    faults = [*_contradictions(part, posted, found[0])]
    wrong = {str(key[0]).replace("-", "_") for key, _ in faults}
    merged = {name: _merged(part, name, value) for name, value in posted.items() if name not in wrong}
    return part.model_copy(update=merged), faults


def settings_of(house: HouseRules, game: HouseGamePart, *, settles: bool = True) -> dict[str, Any]:
    """Return what a house posts of a game, as settings of a table by the names of its fields."""
    procedure, settled_by = house.load(game)
    found: dict[str, Any] = {"options": house.options(game, procedure), "token_cents": house.spec.token_cents}
    if house.spec.edition is not None:
        found["edition"] = house.spec.edition
    if game.game is not None:
        found["game"] = game.game
    if not settles:
        return found
    found |= {"readings": house.readings(game, settled_by), "rake": rake_part(house.rake(game))}
    found["signed"] = house.signatures(settled_by)
    if game.jackpot is not None:
        found["jackpot"] = house.spec.jackpot[game.jackpot].file
    if game.maximum is not None:
        found["maximum"] = MaximumPart.model_construct(**_plain(house.maximum(game)))
    if game.structure is None and game.most_bet_cents is not None:
        found["limit_cents"] = game.most_bet_cents
    return found


def rake_part(rake: HouseRake) -> RakePart:
    """Return a rake as it is written in a `table.toml`."""
    content = _plain(rake) | {"jackpot_cents": rake.jackpot_cents or None}
    content["steps"] = tuple(RakeStepPart.model_construct(**_plain(step)) for step in rake.steps)
    return RakePart.model_construct(**content)


def _plain(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}


def _contradictions(part: TablePart, posted: Mapping[str, Any], house: HouseRules) -> Iterator[Fault]:
    """Yield each key that the table sets otherwise than the house has posted."""
    fields = TablePart.model_fields
    for name, value in posted.items():
        key, given = fields[name].alias or name, getattr(part, name)
        if name not in part.model_fields_set or given == value or name == "signed":
            continue
        if isinstance(value, dict):
            for option in value.keys() & given.keys():
                if given[option] != value[option]:
                    why = f"{given[option]!r} is not as posted in {house.spec.id}; allowed: {value[option]!r}"
                    yield (key, option), why
        else:
            yield (key,), f"not as posted in {house.spec.id}; leave it out"
    if part.seats is not None and (most := _most_seats(part, house)) is not None and part.seats > most:
        yield ("seats",), f"{part.seats}; allowed: at most {most}, as posted in {house.spec.id}"


def _most_seats(part: TablePart, house: HouseRules) -> int | None:
    return house.game(part.procedure, part.house_game).seats


def _merged(part: TablePart, name: str, value: Any) -> Any:
    if isinstance(value, dict):
        return getattr(part, name) | value
    if name == "signed":
        return (*(each for each in part.signed if each not in value), *value)
    return value
