"""A game's dealing procedure: read from TOML, strict, every figure with the clause it comes from.

Code knows no game by name: what differs between games stands in `procedures/*.toml`. Whatever is wrong with a
file comes out as one `ProcedureError` that names file, line, key and what is allowed.
"""

import hashlib
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dealer_flow.result import ProcedureRef
from dealer_flow.tomlfile import Key, line_of, spell
from protocol.errors import LocalError
from protocol.faults import CLASSES, Fault

FOLDER: Final = Path(__file__).parent / "procedures"

Recipient = Literal["community", "seats", "dealer"]
CountPolicy = Literal["dead-hand", "dealer-misdeal", "as-dealer", "misdeal", "defective-deck"]
"""`dead-hand`: that seat only. `dealer-misdeal`: misdeal to the table, the progressive may be played.
`as-dealer`: whatever the dealer's count means. `misdeal`: the bets the clause names go back. `defective-deck`: every
bet goes back."""
FaultPolicy = Literal["note", "count", "person", "misdeal", "defective-deck", "unreliable"]
"""`note`: recorded only. `count`: the cards counted decide. `person`: whoever clears the fault decides."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Clause = Annotated[str, Field(min_length=1)]
Byte = Annotated[int, Field(ge=1, le=255)]


class ProcedureError(LocalError):
    """A procedure file, or an option asked of it, cannot be used."""

    def __init__(self, file: str, line: int | None, key: str, why: str) -> None:
        self.file, self.line, self.key, self.why = file, line, key, why
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {key}: {why}" if key else f"{place}: {why}")


class Part(BaseModel):
    """Base of every table in the file: strict, frozen, no unknown key; keys are kebab-case there."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-").rstrip("-")
    )


class DeckPart(Part):
    """The deck: how many cards it has, and how many decks take turns."""

    cards: Annotated[int, Field(ge=1, le=416)]
    jokers: Annotated[int, Field(ge=0, le=4)]
    alternating: Annotated[int, Field(ge=1, le=2)]
    clause: Clause


class SeatsPart(Part):
    """How many seats the cards are enough for."""

    most: Annotated[int, Field(ge=1, le=32)]
    clause: Clause


class PacketPart(Part):
    """One packet, or one for each seat that entered."""

    to: Recipient
    cards: Annotated[int, Field(ge=1, le=52)]
    clause: Clause


class BurnPart(Part):
    """Which cards of a spread packet are burned. `top_card` names the option that says where its top card lies;
    positions `from-top` count from that end."""

    of: Literal["community"]
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    top_card: str
    clause: Clause


class BetPart(Part):
    """A spot on the layout. A seat with an `enters` bet is dealt in."""

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision"]
    enters: bool = False
    progressive: bool = False
    clause: Clause


class DecisionPart(Part):
    """A choice a player has; `bet` is the bet that must go with it."""

    number: Byte
    name: Name
    folds: bool = False
    bet: str | None = None
    clause: Clause


class RevealPart(Part):
    """The order in which hands are shown."""

    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    clause: Clause


class Consequence(Part):
    """What a finding means: `then`, or the `option` that decides."""

    then: CountPolicy | None = None
    option: str | None = None
    clause: Clause


class CountPart(Part):
    """Wrong counts, by whose cards they are."""

    seats: Consequence
    dealer: Consequence
    community: Consequence | None = None
    deck: Consequence


class FacePart(Part):
    """Faces that cannot be in one whole deck."""

    duplicate: Consequence
    foreign: Consequence


class MisdealPart(Part):
    """Until when a person may call a misdeal."""

    until: Literal["first-decision", "end"]
    clause: Clause


class FaultPart(Part):
    """What a device's fault means, for a whole class or for one fault by name."""

    class_: str | None = None
    name: str | None = None
    then: FaultPolicy
    clause: Clause = "procedure"


class OptionPart(Part):
    """A reading where the text is silent; the default is used unless the table says otherwise."""

    name: Name
    default: str
    allowed: Annotated[tuple[str, ...], Field(min_length=1)]
    reason: Clause


class Procedure(Part):
    """One game in one jurisdiction. Made by `load_procedure`, which checks what spans several keys."""

    schema_: Literal["dealwire.procedure/1"]
    id: Name
    title: Clause
    jurisdiction: Clause
    clause: Clause
    stages: tuple[Literal["deal", "burn", "decide", "reveal"], ...]
    deck: DeckPart
    seats: SeatsPart
    packet: Annotated[tuple[PacketPart, ...], Field(min_length=1)]
    burn: BurnPart | None = None
    bet: Annotated[tuple[BetPart, ...], Field(min_length=1)]
    decision: tuple[DecisionPart, ...] = ()
    reveal: RevealPart
    count: CountPart
    face: FacePart
    misdeal: MisdealPart
    fault: tuple[FaultPart, ...] = ()
    option: tuple[OptionPart, ...] = ()

    def ref(self) -> ProcedureRef:
        """Id and SHA-256 of the canonical JSON of the content: comments and layout of the file do not count."""
        content = json.dumps(self.model_dump(mode="json", by_alias=True), sort_keys=True, separators=(",", ":"))
        return ProcedureRef(id=self.id, sha256=hashlib.sha256(content.encode()).hexdigest())


def known_procedures() -> tuple[str, ...]:
    """Ids of the procedures that come with the package."""
    return tuple(sorted(path.name.removesuffix(".toml") for path in FOLDER.glob("*.toml")))


def load_procedure(source: str | Path) -> Procedure:
    """The procedure with this id, or in this file. ProcedureError says in one line what is wrong and where."""
    path = _locate(source)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProcedureError(str(path), None, "", f"not UTF-8 text at byte {error.start}") from None
    except OSError as error:
        raise ProcedureError(str(path), None, "", f"cannot be read: {error.strerror}") from None
    return parse_procedure(text, str(path))


def parse_procedure(text: str, file: str) -> Procedure:
    """As `load_procedure`, from the text; `file` is the name that errors carry."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why, _, where = str(error).partition(" (at ")
        line = int(where.split()[1].rstrip(",")) if where.startswith("line ") else len(text.splitlines())
        raise ProcedureError(file, line, "", f"not TOML: {why}") from None
    try:
        procedure = Procedure.model_validate(_tuples(content))
    except ValidationError as error:
        key, why = _first_fault(error)
        raise ProcedureError(file, line_of(text, key), spell(key), why) from None
    for key, why in _contradictions(procedure):
        raise ProcedureError(file, line_of(text, key), spell(key), why)
    return procedure


def _locate(source: str | Path) -> Path:
    if isinstance(source, Path) or source.endswith(".toml") or "/" in source or "\\" in source:
        return Path(source)
    if source in known_procedures():
        return FOLDER / f"{source}.toml"
    raise ProcedureError(
        source, None, "", f"no such procedure; known: {', '.join(known_procedures())}, or a .toml file"
    )


def _tuples(value: Any) -> Any:
    """Arrays as tuples, which is what a frozen model holds."""
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _first_fault(error: ValidationError) -> tuple[Key, str]:
    fault = error.errors(include_url=False)[0]
    key: Key = fault["loc"]
    if fault["type"] == "extra_forbidden":
        return key, f"unknown key; allowed: {', '.join(_allowed_keys(key[:-1]))}"
    if fault["type"] == "missing":
        return key, "missing"
    why = fault["msg"].removeprefix("Input should be ").replace("\n", " ")
    return key, f"must be {why}, not {fault['input']!r}" if why != fault["msg"] else f"{why}, not {fault['input']!r}"


def _allowed_keys(key: Key) -> Iterator[str]:
    model: type[BaseModel] = Procedure
    for part in key:
        if isinstance(part, str):
            fields = {field.alias: field for field in model.model_fields.values()}
            model = next(iter(_models(fields[part].annotation)))
    return (str(field.alias) for field in model.model_fields.values())


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models(part)


def _contradictions(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    """What each key allows and the keys together do not."""
    yield from _deal_faults(procedure)
    yield from _bet_faults(procedure)
    yield from _policy_faults(procedure)


def _deal_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    sizes = {packet.to: packet.cards for packet in procedure.packet}
    seen: set[str] = set()
    for index, packet in enumerate(procedure.packet):
        if packet.to in seen:
            yield ("packet", index, "to"), f"{packet.to!r} already has a packet"
        seen.add(packet.to)
    if "seats" not in sizes:
        yield ("packet",), "no packet goes to 'seats'"
    most = procedure.seats.most
    needed = sum(size * (most if to == "seats" else 1) for to, size in sizes.items())
    if needed > procedure.deck.cards:
        per_seat = sizes.get("seats", 0)
        room = (procedure.deck.cards - needed + most * per_seat) // per_seat if per_seat else 0
        yield (
            ("seats", "most"),
            f"{most} seats need {needed} cards and the deck has {procedure.deck.cards}; at most {max(room, 0)}",
        )
    for index, to in enumerate(procedure.reveal.order):
        if to not in sizes:
            yield ("reveal", "order"), f"item {index + 1}: {to!r} gets no packet; allowed: {', '.join(sizes)}"
    if procedure.stages[:1] != ("deal",) or procedure.stages[-1:] != ("reveal",) or not _ascending(procedure.stages):
        yield ("stages",), "must run from 'deal' to 'reveal', in the order deal, burn, decide, reveal"
    yield from _burn_faults(procedure, sizes)


def _ascending(stages: tuple[str, ...]) -> bool:
    return list(stages) == [stage for stage in ("deal", "burn", "decide", "reveal") if stage in stages]


def _burn_faults(procedure: Procedure, sizes: dict[Recipient, int]) -> Iterator[tuple[Key, str]]:
    burn = procedure.burn
    if (burn is not None) != ("burn" in procedure.stages):
        yield ("stages",), "'burn' stands in the stages exactly when there is a [burn] table"
    if burn is None:
        return
    if burn.of not in sizes:
        yield ("burn", "of"), f"{burn.of!r} gets no packet"
        return
    size = sizes[burn.of]
    if max(burn.positions) > size:
        yield ("burn", "positions"), f"position {max(burn.positions)} of a packet of {size}; allowed: 1 to {size}"
    if len(set(burn.positions)) != len(burn.positions) or len(burn.positions) >= size:
        yield ("burn", "positions"), f"each position once, and fewer than the {size} cards of the packet"
    options = {option.name: option for option in procedure.option}
    if burn.top_card not in options or set(options[burn.top_card].allowed) != {"left", "right"}:
        yield ("burn", "top-card"), "must name an option whose allowed values are 'left' and 'right'"


def _bet_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    yield from _repeats("bet", [(bet.number, bet.name) for bet in procedure.bet])
    yield from _repeats("decision", [(choice.number, choice.name) for choice in procedure.decision])
    if not any(bet.enters and bet.placed == "before-deal" for bet in procedure.bet):
        yield ("bet",), "one bet placed before-deal must have enters = true"
    if sum(bet.progressive for bet in procedure.bet) > 1:
        yield ("bet",), "at most one bet is the progressive"
    if ("decide" in procedure.stages) != bool(procedure.decision):
        yield ("stages",), "'decide' stands in the stages exactly when there are decisions"
    allowed = [bet.name for bet in procedure.bet if bet.placed == "by-decision"]
    for index, choice in enumerate(procedure.decision):
        if choice.bet is not None and choice.bet not in allowed:
            yield ("decision", index, "bet"), f"no bet {choice.bet!r} placed by-decision; allowed: {', '.join(allowed)}"


def _repeats(table: str, rows: list[tuple[int, str]]) -> Iterator[tuple[Key, str]]:
    for index, (number, name) in enumerate(rows):
        earlier = rows[:index]
        if number in (other for other, _ in earlier):
            yield (table, index, "number"), f"{number} is taken; each number once"
        if name in (other for _, other in earlier):
            yield (table, index, "name"), f"{name!r} is taken; each name once"


def _policy_faults(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    options = {option.name: option for option in procedure.option}
    for index, option in enumerate(procedure.option):
        if option.default not in option.allowed:
            yield ("option", index, "default"), f"{option.default!r} is not among {', '.join(option.allowed)}"
    rows = {("count", key): getattr(procedure.count, key) for key in ("seats", "dealer", "community", "deck")}
    rows |= {("face", key): getattr(procedure.face, key) for key in ("duplicate", "foreign")}
    for place, row in rows.items():
        if row is None:
            if any(packet.to == place[1] for packet in procedure.packet):
                yield place, "missing: its packet can be wrong"
        elif (row.then is None) == (row.option is None):
            yield place, "give 'then' or 'option', one of them"
        elif row.option is not None and row.option not in options:
            yield (*place, "option"), f"no option {row.option!r}; known: {', '.join(options)}"
        elif row.option is not None and not set(options[row.option].allowed) <= set(CountPolicy.__args__):  # type: ignore[attr-defined]
            yield (*place, "option"), f"option {row.option!r} does not choose between consequences"
    names = [fault.name.lower().replace("_", "-") for fault in Fault if fault]
    for index, fault in enumerate(procedure.fault):
        if (fault.name is None) == (fault.class_ is None):
            yield ("fault", index), "give 'class' or 'name', one of them"
        elif fault.name is not None and fault.name not in names:
            yield ("fault", index, "name"), f"no fault {fault.name!r}; known: {', '.join(names)}"
        elif fault.class_ is not None and fault.class_ not in CLASSES.values():
            yield ("fault", index, "class"), f"no class {fault.class_!r}; known: {', '.join(CLASSES.values())}"
