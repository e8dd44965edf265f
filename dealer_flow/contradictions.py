"""What each key of a procedure file allows and the keys together do not."""

from collections.abc import Iterator

from dealer_flow.schema import CountPolicy, Procedure, Recipient
from dealer_flow.shoe_contradictions import shoe_faults
from dealer_flow.tomlfile import Key
from protocol.faults import CLASSES, Fault


def contradictions(procedure: Procedure) -> Iterator[tuple[Key, str]]:
    """What each key allows and the keys together do not."""
    if (procedure.shoe is None) == (not procedure.packet):
        yield ("packet",), "give packets, or a [shoe] that cards are drawn from, one of them"
    elif procedure.shoe is None:
        yield from _deal_faults(procedure)
    else:
        yield from shoe_faults(procedure, procedure.shoe)
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
    for index, to in enumerate(procedure.reveal.order if procedure.reveal else ()):
        if to not in sizes:
            yield ("reveal", "order"), f"item {index + 1}: {to!r} gets no packet; allowed: {', '.join(sizes)}"
    if procedure.reveal is None:
        yield ("reveal",), "missing: the order in which the hands are shown"
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
    extra = procedure.shoe is not None and procedure.shoe.extra is not None
    for index, bet in enumerate(procedure.bet):
        if bet.placed == "before-extra" and not extra:
            yield ("bet", index, "placed"), "no extra card to be placed before: there is no [shoe.extra] table"
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
