"""What each key of a procedure file allows and the keys together do not: names, bets, choices, consequences."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, get_args

from dealer_flow.procedure.columns import shoe_faults
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.step_checks import dealt_to, step_faults, when_faults
from dealer_flow.procedure.steps import BurnCardStep, BurnStep, Complaint, DecideStep, ExchangeStep, unknown_bets
from dealer_flow.procedure.tables import RESTS, RUNS_OUT, Consequence, GivesUpPart, Then, WrongPart
from protocol.faults import CLASSES, Fault
from protocol.tomlfile import Key

THENS: Final[tuple[str, ...]] = get_args(Then)
_OF_BURNED: Final = ("nothing", "person", "misdeal", "unreliable")
_OWN_NAMES: Final = ("seats", "dealer", "community", "remainder")


def contradictions(procedure: Procedure) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    yield from _name_faults(procedure)
    yield from _deck_faults(procedure)
    yield from _bet_faults(procedure)
    if (procedure.shoe is None) == (not procedure.step):
        yield ("step",), "give [[step]]s, or a [shoe] that cards are drawn from, one of them"
    elif procedure.shoe is None:
        yield from step_faults(procedure)
        yield from _choice_faults(procedure)
        yield from _wrong_faults(procedure)
    else:
        yield from shoe_faults(procedure, procedure.shoe)
    yield from _consequence_faults(procedure)
    yield from _burned_faults(procedure)
    yield from _runs_out_faults(procedure)
    yield from _fault_rows(procedure)


# ------------------------------------------------------------------ names


def _name_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Each name and each number once in its table."""
    named: dict[str, Sequence[str | int]] = {
        "hand.name": [hand.name for hand in procedure.hand],
        "hand.place": [hand.place for hand in procedure.hand],
        "step.name": [step.name for step in procedure.step],
        "bet.number": [bet.number for bet in procedure.bet],
        "bet.name": [bet.name for bet in procedure.bet],
        "decision.number": [choice.number for choice in procedure.decision],
        "decision.name": [choice.name for choice in procedure.decision],
        "option.name": [option.name for option in procedure.option],
    }
    for where, values in named.items():
        table, key = where.split(".")
        for index, value in enumerate(values):
            if value in values[:index]:
                yield (table, index, key), f"{value!r} is taken; each {key} once"
    for index, hand in enumerate(procedure.hand):
        if hand.name in _OWN_NAMES:
            yield ("hand", index, "name"), f"{hand.name!r} is a place of every game; give the hand a name of its own"
    for index, option in enumerate(procedure.option):
        if option.default not in option.allowed:
            yield ("option", index, "default"), f"{option.default!r} is not among {', '.join(option.allowed)}"


def _deck_faults(procedure: Procedure) -> Iterator[Complaint]:
    deck = procedure.deck
    if deck.cards > 52 + deck.jokers:
        yield ("deck", "cards"), f"{deck.cards} cards of a deck with {deck.jokers} jokers; at most {52 + deck.jokers}"
    if procedure.device == "packet-shuffler":
        if deck.decks > 1:
            yield ("deck", "decks"), "a packet-shuffler deals from one deck; several lie in a card-shoe"
        if deck.fresh != "each-round":
            yield ("deck", "fresh"), "a packet-shuffler deals each round from a whole deck: each-round"
    if procedure.shoe is not None and procedure.device != "card-shoe":
        yield ("device",), "a game with a [shoe] table is drawn from a card-shoe"
    if deck.rounds is not None and deck.fresh == "each-round":
        yield ("deck", "rounds"), "a deck that is fresh each-round is dealt one round; rounds go with until-cut-card"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None and deck.fresh != "each-round":
        yield ("remainder", "cards"), "an exact remainder needs a deck that is fresh each-round"
    age = procedure.care.age
    values = {option.name: option.allowed for option in procedure.option}
    if age is not None and not all(value.isdecimal() for value in values.get(age.option, ("",))):
        yield (
            ("care", "age", "option"),
            f"no option {age.option!r} that chooses between numbers of rounds, 0 for no limit",
        )


# ------------------------------------------------------------------ bets and choices


def _bet_faults(procedure: Procedure) -> Iterator[Complaint]:
    if not any(bet.enters and bet.placed == "before-deal" for bet in procedure.bet):
        yield ("bet",), "one bet placed before-deal must have enters = true"
    extra = procedure.shoe is not None and procedure.shoe.extra is not None
    for index, bet in enumerate(procedure.bet):
        if bet.enters_when is not None:
            yield from when_faults(procedure, ("bet", index, "enters-when"), bet.enters_when)
            if bet.enters or bet.placed != "before-deal":
                yield ("bet", index, "enters-when"), "for a bet placed before-deal that has no enters = true"
        if bet.placed == "before-extra" and not extra:
            yield ("bet", index, "placed"), "no extra card to be placed before: there is no [shoe.extra] table"
    names = [bet.name for bet in procedure.bet]
    late = [bet.name for bet in procedure.bet if bet.placed == "by-decision"]
    for index, choice in enumerate(procedure.decision):
        for key, bets in (("bet", choice.stakes[: choice.bet is not None]), ("bets", choice.bets)):
            for bet_name in bets:
                if bet_name not in late:
                    why = f"no bet {bet_name!r} placed by-decision; allowed: {', '.join(late) or 'none'}"
                    yield ("decision", index, key), why
        yield from unknown_bets(("decision", index, "needs"), choice.needs, names)
        if choice.gives_up is not None:
            yield from _gives_up_faults(procedure, ("decision", index, "gives-up"), choice.gives_up)
        if choice.takes_back is not None and choice.takes_back not in names:
            yield ("decision", index, "takes-back"), f"no bet {choice.takes_back!r}; allowed: {', '.join(names)}"


def _gives_up_faults(procedure: Procedure, key: Key, part: GivesUpPart) -> Iterator[Complaint]:
    placed = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    if part.bet not in placed:
        yield (*key, "bet"), f"no bet {part.bet!r} placed before-deal; allowed: {', '.join(placed)}"
    if part.as_ in [bet.name for bet in procedure.bet]:
        yield (*key, "as"), f"{part.as_!r} is a bet of its own; give what was given up another name"
    if Fraction(part.share) >= 1:
        yield (*key, "share"), f"{part.share} is no part of a bet; allowed: less than 1"
    option = next((option for option in procedure.option if option.name == part.rest), None)
    if option is None or not set(option.allowed) <= set(RESTS):
        yield (*key, "rest"), f"no option {part.rest!r} that chooses between {', '.join(RESTS)}"


def _choice_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Every choice is offered by a step."""
    offered = {name for step in procedure.step if isinstance(step, DecideStep) for name in step.choices}
    exchanged = {to for step in procedure.step if isinstance(step, ExchangeStep) for to in step.to}
    for index, choice in enumerate(procedure.decision):
        if choice.name not in offered:
            yield ("decision", index, "name"), f"no step offers {choice.name!r}; add it to a decide step's choices"
        if choice.draws and "seats" not in exchanged:
            yield ("decision", index, "draws"), "no exchange step replaces cards of the seats"


# ------------------------------------------------------------------ what follows


def _wrong_faults(procedure: Procedure) -> Iterator[Complaint]:
    """A row for too few and too many cards wherever cards go, and none for places without."""
    steps = dealt_to(procedure)
    for index, row in enumerate(procedure.wrong):
        yield from _row_faults(procedure, ("wrong", index), row, steps)
    for place, names in steps.items():
        for how in ("short", "long"):
            rows = [row for row in procedure.wrong if row.of == place and how in row.how and (row.missing or 1) == 1]
            bare = [name for name in names if not any(not row.at or name in row.at for row in rows)]
            if bare:
                yield ("wrong",), f"missing: a row of {place!r} for {how!r}, cards of step {bare[0]!r}"
    if procedure.remainder is not None and procedure.remainder.cards is not None:
        for how in ("short", "long"):
            if not any(row.of == "remainder" and how in row.how for row in procedure.wrong):
                yield ("wrong",), f"missing: a row of 'remainder' for {how!r}, since its number is exact"


def _row_faults(procedure: Procedure, key: Key, row: WrongPart, steps: dict[str, list[str]]) -> Iterator[Complaint]:
    """What one row may not say."""
    places = [*steps, "remainder"] if procedure.remainder else [*steps]
    if row.of not in places:
        yield (*key, "of"), f"{row.of!r} gets no cards; allowed: {', '.join(places)}"
        return
    for name in row.at:
        if name not in steps.get(row.of, ()):
            allowed = ", ".join(steps.get(row.of, ())) or "none"
            yield (*key, "at"), f"{name!r} gives no cards to {row.of!r}; allowed: {allowed}"
    players = [hand.name for hand in procedure.hand if hand.side == "players"]
    thens, decides = _thens(procedure, row), "then" if row.then else "option"
    if "dead-hand" in thens and row.of not in ("seats", *players):
        others = ", ".join(then for then in THENS if then != "dead-hand")
        yield (*key, decides), f"{row.of!r} has no hand of a player that could be dead; allowed: {others}"
    if row.missing is not None and "short" not in row.how:
        yield (*key, "missing"), 'cards are missing from a hand that is short: for how = ["short"]'
    if "complete" in thens and "long" in row.how:
        yield (*key, decides), "'complete' gives a hand its next card; one that is long has too many"


def _thens(procedure: Procedure, row: Consequence) -> set[str]:
    """Every word the consequence may come to."""
    if row.then is not None:
        return {row.then}
    return {value for option in procedure.option if option.name == row.option for value in option.allowed}


def _consequences(procedure: Procedure) -> Iterator[tuple[Key, Consequence]]:
    for index, row in enumerate(procedure.wrong):
        yield ("wrong", index), row
    for name in ("duplicate", "foreign", "joker", "boxed"):
        face: Consequence | None = getattr(procedure.face, name)
        if face is not None:
            yield ("face", name), face
    if procedure.fouled is not None:
        yield ("fouled",), procedure.fouled
    yield ("care", "deck"), procedure.care.deck
    if procedure.care.burned is not None:
        yield ("care", "burned"), procedure.care.burned


def _consequence_faults(procedure: Procedure) -> Iterator[Complaint]:
    options = {option.name: option for option in procedure.option}
    bets = [bet.name for bet in procedure.bet]
    bets += [choice.gives_up.as_ for choice in procedure.decision if choice.gives_up is not None]
    for key, row in _consequences(procedure):
        if (row.then is None) == (row.option is None):
            yield key, "give 'then' or 'option', one of them"
        elif row.option is not None and row.option not in options:
            yield (*key, "option"), f"no option {row.option!r}; known: {', '.join(options) or 'none'}"
        elif "complete" in _thens(procedure, row) and (procedure.device != "card-shoe" or not procedure.step):
            yield (
                (*key, "then" if row.then else "option"),
                "'complete' takes the next card, which a card-shoe alone gives",
            )
        elif not _thens(procedure, row) <= set(THENS):
            why = f"option {row.option!r} does not choose between consequences; allowed: {', '.join(THENS)}"
            yield (*key, "option"), why
        yield from unknown_bets((*key, "returns"), row.returns or (), bets)
    yield from unknown_bets(("misdeal", "returns"), procedure.misdeal.returns or (), bets)


# ------------------------------------------------------------------ the decks


def _off_deck(procedure: Procedure) -> bool:
    """Whether cards are burned off the top of the device's deck."""
    return any(isinstance(step, BurnCardStep) and step.from_device for step in procedure.step)


def _burned_faults(procedure: Procedure) -> Iterator[Complaint]:
    burned = procedure.care.burned
    if burned is None:
        return
    key: Key = ("care", "burned")
    if not any(isinstance(step, BurnStep | BurnCardStep) for step in procedure.step):
        yield key, "no step burns a card"
    words = {value for option in procedure.option if option.name == burned.option for value in option.allowed}
    if strange := (words | ({burned.then} if burned.then else set())) - set(_OF_BURNED):
        decides = "then" if burned.then else "option"
        yield (
            (*key, decides),
            f"{', '.join(sorted(strange))}: a burned card is in nobody's hand; allowed: {', '.join(_OF_BURNED)}",
        )
    if burned.back_on_top and not (procedure.device == "card-shoe" and _off_deck(procedure)):
        yield (
            (*key, "back-on-top"),
            "only a card-shoe whose cards a burn-card step burns takes one back",
        )


def _runs_out_faults(procedure: Procedure) -> Iterator[Complaint]:
    row = procedure.care.runs_out
    if row is None:
        return
    key: Key = ("care", "runs-out")
    if procedure.device != "card-shoe" or not procedure.step or procedure.deck.fresh != "each-round":
        yield key, "single cards out of a card-shoe that is fresh each-round can run out, no other deck"
    option = next((option for option in procedure.option if option.name == row.option), None)
    if option is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield (*key, "option"), f"no option {row.option!r}; known: {known}"
    elif not set(option.allowed) <= set(RUNS_OUT):
        yield (*key, "option"), f"option {row.option!r} must choose between {', '.join(RUNS_OUT)}"
    elif "scramble" in option.allowed and not _off_deck(procedure):
        yield (*key, "option"), "'scramble' needs burned cards, and no burn-card step of the device burns any"


def _fault_rows(procedure: Procedure) -> Iterator[Complaint]:
    names = [fault.name.lower().replace("_", "-") for fault in Fault if fault]
    for index, fault in enumerate(procedure.fault):
        if (fault.name is None) == (fault.class_ is None):
            yield ("fault", index), "give 'class' or 'name', one of them"
        elif fault.name is not None and fault.name not in names:
            yield ("fault", index, "name"), f"no fault {fault.name!r}; known: {', '.join(names)}"
        elif fault.class_ is not None and fault.class_ not in CLASSES.values():
            yield ("fault", index, "class"), f"no class {fault.class_!r}; known: {', '.join(CLASSES.values())}"
