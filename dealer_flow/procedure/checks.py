"""What each key of a procedure file allows and the keys together do not: names, bets, choices, consequences."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, get_args

from dealer_flow.procedure.bets import rule_faults
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps import (
    AnyStep,
    BurnCardStep,
    BurnStep,
    CardsSoFar,
    Complaint,
    DecideStep,
    ExchangeStep,
    unknown_bets,
)
from dealer_flow.procedure.tables import (
    EXPLAINED,
    RESTS,
    RUNS_OUT,
    UNTIL,
    WON,
    Consequence,
    GivesUpPart,
    Recipient,
    ShoePart,
    Then,
    WhenPart,
    WrongPart,
)
from protocol.faults import CLASSES, Fault
from protocol.tomlfile import Key

THENS: Final[tuple[str, ...]] = get_args(Then)
_OF_BURNED: Final = ("nothing", "person", "misdeal", "unreliable")
_OWN_NAMES: Final = ("seats", "dealer", "community", "remainder")
SUIT_COLUMNS: Final = {"clubs": "C", "diamonds": "D", "hearts": "H", "spades": "S"}
"""Column of a suit -> the suit's letter."""
EXTRA: Final = ("when-bet", "always", "never")
"""When the extra card is drawn. `when-bet`: when a bet that rests on it was made."""
UNREAD_BY: Final = ("supervisor", "dealer", "anyone")
"""Who may name a card the shoe did not read. `supervisor`: a supervisor's or executive's badge; `dealer`: any badge."""
OVERDRAW: Final = ("note", "unreliable")
"""What a card drawn after the end means."""
CUT_CARD: Final = ("finish-race", "one-more-race", "play-on")
"""What may still be dealt once the cut card is out. `play-on`: whatever the shoe holds."""


def contradictions(procedure: Procedure) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    yield from _name_faults(procedure)
    yield from _deck_faults(procedure)
    yield from _bet_faults(procedure)
    yield from rule_faults(procedure)
    if (procedure.shoe is None) == (not procedure.step):
        yield ("step",), "give [[step]]s, or a [shoe] that cards are drawn from, one of them"
    elif procedure.shoe is None:
        yield from _step_faults(procedure)
        yield from _choice_faults(procedure)
        yield from _wrong_faults(procedure)
    else:
        yield from _shoe_faults(procedure, procedure.shoe)
    yield from _consequence_faults(procedure)
    yield from _burned_faults(procedure)
    yield from _runs_out_faults(procedure)
    yield from _won_row(procedure)
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
    if procedure.device != "card-shoe":
        who = "a packet-shuffler" if procedure.device == "packet-shuffler" else "a dealer's hand"
        if deck.decks > 1:
            yield ("deck", "decks"), f"{who} deals from one deck; several lie in a card-shoe"
        if deck.fresh != "each-round":
            yield ("deck", "fresh"), f"{who} deals each round from a whole deck: each-round"
    if procedure.shoe is not None and procedure.device != "card-shoe":
        yield ("device",), "a game with a [shoe] table is drawn from a card-shoe"
    if deck.rounds is not None and deck.fresh == "each-round":
        yield ("deck", "rounds"), "a deck that is fresh each-round is dealt one round; rounds go with until-cut-card"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None and deck.fresh != "each-round":
        yield ("remainder", "cards"), "an exact remainder needs a deck that is fresh each-round"
    values = {option.name: option.allowed for option in procedure.option}
    for name, age in (("age", procedure.care.age), ("least", procedure.care.least)):
        if age is not None and not all(value.isdecimal() for value in values.get(age.option, ("",))):
            yield (
                ("care", name, "option"),
                f"no option {age.option!r} that chooses between numbers of rounds, 0 for no limit",
            )
    if procedure.care.alternate is not None and deck.alternating < 2:
        yield ("care", "alternate"), "one deck cannot take turns; [deck] alternating = 2"


# ------------------------------------------------------------------ bets and choices


def _bet_faults(procedure: Procedure) -> Iterator[Complaint]:
    if not any(bet.enters and bet.placed == "before-deal" and bet.when is None for bet in procedure.bet):
        yield ("bet",), "one bet placed before-deal must have enters = true"
    extra = procedure.shoe is not None and procedure.shoe.extra is not None
    for index, bet in enumerate(procedure.bet):
        if bet.enters_when is not None:
            yield from _condition_faults(procedure, ("bet", index, "enters-when"), bet.enters_when)
            if bet.enters or bet.placed != "before-deal":
                yield ("bet", index, "enters-when"), "for a bet placed before-deal that has no enters = true"
        if bet.placed == "before-extra" and not extra:
            yield ("bet", index, "placed"), "no extra card to be placed before: there is no [shoe.extra] table"
    yield from _bet_conditions(procedure)
    names = [bet.name for bet in procedure.bet]
    late = [bet.name for bet in procedure.bet if bet.placed == "by-decision"]
    for index, choice in enumerate(procedure.decision):
        for key, bets in (("bet", choice.stakes[: choice.bet is not None]), ("bets", choice.bets)):
            for bet_name in bets:
                if bet_name not in late:
                    why = f"no bet {bet_name!r} placed by-decision; allowed: {', '.join(late) or 'none'}"
                    yield ("decision", index, key), why
        yield from unknown_bets(("decision", index, "needs"), choice.needs, names)
        yield from unknown_bets(("decision", index, "unless"), choice.unless, names)
        if choice.gives_up is not None:
            yield from _gives_up_faults(procedure, ("decision", index, "gives-up"), choice.gives_up)
        if choice.takes_back is not None and choice.takes_back not in names:
            yield ("decision", index, "takes-back"), f"no bet {choice.takes_back!r}; allowed: {', '.join(names)}"


def _bet_conditions(procedure: Procedure) -> Iterator[Complaint]:
    """What bets and their rules may not depend on."""
    conditions: list[tuple[Key, WhenPart | None]] = []
    for index, bet in enumerate(procedure.bet):
        conditions.append((("bet", index, "when"), bet.when))
        conditions += [(("bet", index, "must", at, "when"), must.when) for at, must in enumerate(bet.must)]
    conditions += [(("total", index, "when"), total.when) for index, total in enumerate(procedure.total)]
    for key, when in conditions:
        if when is not None:
            yield from _condition_faults(procedure, key, when)


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
    offered |= {step.unless for step in procedure.step if isinstance(step, ExchangeStep) and step.unless}
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
    if (next_ := _NEXT & thens) and "long" in row.how:
        yield (*key, decides), f"{min(next_)!r} gives a hand its next card; one that is long has too many"
    if thens & {"kept", "set-aside"} and row.how != ("early",):
        yield (*key, decides), 'said of a card that is dealt too early: how = ["early"]'


_NEXT: Final = frozenset({"complete", "replace", "set-aside", "kept"})
"""What is done with the next card, one at a time."""


def _thens(procedure: Procedure, row: Consequence) -> set[str]:
    """Every word the consequence may come to."""
    if row.then is not None:
        return {row.then}
    return {value for option in procedure.option if option.name == row.option for value in option.allowed}


def _consequences(procedure: Procedure) -> Iterator[tuple[Key, Consequence]]:
    for index, row in enumerate(procedure.wrong):
        yield ("wrong", index), row
    for name in ("duplicate", "foreign", "joker", "boxed", "by_player"):
        face: Consequence | None = getattr(procedure.face, name)
        if face is not None:
            yield ("face", name.replace("_", "-")), face
    if procedure.fouled is not None:
        yield ("fouled",), procedure.fouled
        for name in ("player", "others", "reconstructed"):
            fault: Consequence | None = getattr(procedure.fouled, name)
            if fault is not None:
                yield ("fouled", name), fault
    for index, step in enumerate(procedure.step):
        if isinstance(step, ExchangeStep) and step.otherwise is not None:
            yield ("step", index, "otherwise"), step.otherwise
    if procedure.foul_set is not None:
        yield ("foul-set",), procedure.foul_set
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
        elif (next_ := _NEXT & _thens(procedure, row)) and (
            procedure.device == "packet-shuffler" or not procedure.step
        ):
            why = f"{min(next_)!r} takes the next card, which a card-shoe or a dealer's hand alone gives"
            yield (*key, "then" if row.then else "option"), why
        elif not _thens(procedure, row) <= set(THENS):
            why = f"option {row.option!r} does not choose between consequences; allowed: {', '.join(THENS)}"
            yield (*key, "option"), why
        yield from unknown_bets((*key, "returns"), row.returns or (), bets)
        if row.also_when is not None:
            yield from _condition_faults(procedure, (*key, "also-when"), row.also_when)
        if row.returns_when is not None:
            yield from _condition_faults(procedure, (*key, "returns-when"), row.returns_when)
    yield from _misdeal_faults(procedure)
    yield from unknown_bets(("misdeal", "returns"), procedure.misdeal.returns or (), bets)


def _misdeal_faults(procedure: Procedure) -> Iterator[Complaint]:
    misdeal = procedure.misdeal
    allowed = next((option.allowed for option in procedure.option if option.name == misdeal.option), None)
    if (misdeal.until is None) == (misdeal.option is None):
        yield ("misdeal",), "give 'until' or 'option', one of them"
    elif misdeal.option is not None and (allowed is None or not set(allowed) <= set(UNTIL)):
        yield ("misdeal", "option"), f"no option {misdeal.option!r} that chooses between {', '.join(UNTIL)}"


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


def _won_row(procedure: Procedure) -> Iterator[Complaint]:
    """What becomes of hands that were shown is for an option to say."""
    row, key = procedure.care.shown, ("care", "shown", "option")
    if row is None:
        return
    option = next((option for option in procedure.option if option.name == row.option), None)
    if option is None:
        yield key, f"no option {row.option!r}; known: {', '.join(option.name for option in procedure.option) or 'none'}"
    elif not set(option.allowed) <= set(WON):
        yield key, f"option {row.option!r} must choose between {', '.join(WON)}"


def _fault_rows(procedure: Procedure) -> Iterator[Complaint]:
    names = [fault.name.lower().replace("_", "-") for fault in Fault if fault]
    for index, fault in enumerate(procedure.fault):
        if (fault.name is None) == (fault.class_ is None):
            yield ("fault", index), "give 'class' or 'name', one of them"
        elif fault.name is not None and fault.name not in names:
            yield ("fault", index, "name"), f"no fault {fault.name!r}; known: {', '.join(names)}"
        elif fault.class_ is not None and fault.class_ not in CLASSES.values():
            yield ("fault", index, "class"), f"no class {fault.class_!r}; known: {', '.join(CLASSES.values())}"


# ------------------------------------------------------------------ the steps together, for every choice of options


def dealt_to(procedure: Procedure) -> dict[Recipient, list[str]]:
    """Every recipient that gets cards -> the names of the steps that give them, in their order."""
    found: dict[Recipient, list[str]] = {}
    for step in procedure.step:
        for to in step.recipients if step.gives else ():
            found.setdefault(to, []).append(step.name)
    return found


def chosen(when: WhenPart | None, options: dict[str, str]) -> bool:
    """True when a step with this condition is part of the procedure under these options."""
    return when is None or options.get(when.option) == when.is_


def cards_needed(steps: Iterable[AnyStep], seats: int, most: int) -> tuple[int, int]:
    """The most cards that leave the device, and that are dealt by hand, with so many seats in play."""
    device = by_hand = 0
    for step in steps:
        cards = step.most_cards(seats, most)
        device += cards if step.from_device else 0
        by_hand += 0 if step.from_device else cards
    return device, by_hand


def _step_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    yield from _recipient_faults(procedure)
    if procedure.device == "hand":
        yield from _origin_faults(procedure)
    yield from _when_faults(procedure)
    complaints: dict[tuple[Key, str], None] = {}
    for options in _choices(procedure):
        steps = [(index, step) for index, step in enumerate(procedure.step) if chosen(step.when, options)]
        complaints |= dict.fromkeys(_order_faults(procedure, steps))
        complaints |= dict.fromkeys(_size_faults(procedure, [step for _, step in steps]))
    yield from complaints
    yield from _remainder_faults(procedure)


def _choices(procedure: Procedure) -> Iterator[dict[str, str]]:
    """Every choice of the options that a step asks for."""
    named = {step.when.option for step in procedure.step if step.when}
    allowed = {option.name: option.allowed for option in procedure.option if option.name in named}
    for values in product(*allowed.values()):
        yield dict(zip(allowed, values, strict=True))


def _recipient_faults(procedure: Procedure) -> Iterator[Complaint]:
    known = ["seats", "dealer", "community", *(hand.name for hand in procedure.hand)]
    for index, step in enumerate(procedure.step):
        key: Key = ("step", index, step.places_key)
        for place in step.recipients:
            if place not in known:
                yield key, f"nobody is {place!r}; allowed: {', '.join(known)}, or the name of a [[hand]]"
        if len(set(step.recipients)) != len(step.recipients):
            yield key, "each place once"
    for index, hand in enumerate(procedure.hand):
        if hand.name not in dealt_to(procedure):
            yield ("hand", index, "name"), f"no step deals to {hand.name!r}"
    if "seats" not in dealt_to(procedure) and not any(hand.side == "players" for hand in procedure.hand):
        yield ("step",), "no step deals to 'seats', nor to a [[hand]] of the players"


def _origin_faults(procedure: Procedure) -> Iterator[Complaint]:
    """Where every card comes from the dealer's hand, each step says so."""
    for index, step in enumerate(procedure.step):
        if step.from_device:
            yield ("step", index, "origin"), 'no device deals this game; a step that deals or burns has origin = "hand"'


def _when_faults(procedure: Procedure) -> Iterator[Complaint]:
    for index, step in enumerate(procedure.step):
        if step.when is not None:
            yield from _condition_faults(procedure, ("step", index, "when"), step.when)


def _condition_faults(procedure: Procedure, key: Key, when: WhenPart) -> Iterator[Complaint]:
    """What a condition may not say: an option that is not there, a value that it does not have."""
    allowed = next((option.allowed for option in procedure.option if option.name == when.option), None)
    if allowed is None:
        known = ", ".join(option.name for option in procedure.option) or "none"
        yield key, f"no option {when.option!r}; known: {known}"
    elif when.is_ not in allowed:
        yield key, f"{when.is_!r} is no value of that option; allowed: {', '.join(allowed)}"


def _order_faults(procedure: Procedure, steps: list[tuple[int, AnyStep]]) -> Iterator[Complaint]:
    """The steps of one choice of options, one after the other."""
    so_far = CardsSoFar()
    reveals = [index for index, step in steps if step.do == "reveal"]
    if not reveals or steps[-1][0] != reveals[0]:
        where: Key = ("step", reveals[0], "do") if reveals else ("step",)
        yield where, "the last step, and no other, is a reveal"
    for index, step in steps:
        yield from step.mistakes(procedure, so_far, ("step", index))
        yield from unknown_bets(("step", index, "settles"), step.settles, [bet.name for bet in procedure.bet])
        step.happen(so_far)


def _size_faults(procedure: Procedure, steps: list[AnyStep]) -> Iterator[Complaint]:
    """The deck is enough for the most seats, a deck dealt by hand beside a shoe too."""
    most, deck = procedure.seats.most, procedure.deck
    whole = deck.cards * deck.decks
    beside = procedure.device == "card-shoe"  # what is dealt by hand beside a shoe comes from a deck of its own

    def over(seats: int, seated: int = most) -> tuple[int, int]:
        device, by_hand = cards_needed(steps, seats, seated)
        return (device, by_hand) if beside else (device + by_hand, 0)

    def fits(seats: int) -> bool:
        return over(seats, seats)[0] <= whole and over(seats, seats)[1] <= deck.cards

    if not fits(most):
        needed, has = (over(most)[0], whole) if over(most)[0] > whole else (over(most)[1], deck.cards)
        room = max((n for n in range(most) if fits(n)), default=0)
        yield ("seats", "most"), f"{most} seats need {needed} cards and the deck has {has}; at most {room}"
    rest = procedure.remainder
    if rest is not None and rest.cards is not None:
        left = whole - over(most)[0]
        same = over(1) == over(most) and all(step.foreseen or not step.deals for step in steps)
        if left < rest.cards or (same and left != rest.cards):
            yield ("remainder", "cards"), f"{most} seats leave {left} cards of {whole}, not {rest.cards}"


def _remainder_faults(procedure: Procedure) -> Iterator[Complaint]:
    rest = procedure.remainder
    if rest is None:
        if procedure.device == "packet-shuffler":
            yield ("remainder",), "missing: what is left of the deck is counted after every round"
        return
    names = [step.name for step in procedure.step]
    if rest.after is not None and rest.after not in names:
        yield ("remainder", "after"), f"no step {rest.after!r}; known: {', '.join(names)}"
    allowed = {option.name: option.allowed for option in procedure.option}
    if rest.explained is not None and not set(allowed.get(rest.explained, ("",))) <= set(EXPLAINED):
        yield ("remainder", "explained"), f"an option that chooses between {', '.join(EXPLAINED)}"


# ------------------------------------------------------------------ a game whose cards are drawn into columns


def _shoe_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    """Key and complaint, for everything that does not fit."""
    given = {"hand": procedure.hand, "decision": procedure.decision, "wrong": procedure.wrong}
    for name in [name for name, rows in given.items() if rows]:
        yield (name,), "belongs to a game of steps; this one is drawn from a shoe"
    if procedure.remainder is not None:
        yield ("remainder",), "belongs to a game of steps; this one is drawn from a shoe"
    yield from _column_faults(shoe)
    yield from _option_faults(procedure, shoe)
    names = [bet.name for bet in procedure.bet if bet.placed == "before-deal"]
    if shoe.extra and shoe.extra.moves_from not in names:
        yield (
            ("shoe", "extra", "moves-from"),
            f"no bet {shoe.extra.moves_from!r} placed before-deal; allowed: {', '.join(names)}",
        )


def _column_faults(shoe: ShoePart) -> Iterator[Complaint]:
    names = shoe.columns.names
    if shoe.columns.by == "suit" and sorted(names) != sorted(SUIT_COLUMNS):
        yield ("shoe", "columns", "names"), f"by suit they are {', '.join(SUIT_COLUMNS)}, in any order"
    if len(set(names)) != len(names):
        yield ("shoe", "columns", "names"), "each name once"
    sizes = {end.when: end.cards for end in shoe.end}
    if len(sizes) != len(shoe.end):
        yield ("shoe", "end"), "one end by column and one by all, at most"
    if shoe.extra and "all" not in sizes:
        yield ("shoe", "end"), "an extra card follows an end by all; there is none"
    if "column" in sizes and sizes.get("all", 0) > len(names) * (sizes["column"] - 1):
        most = len(names) * (sizes["column"] - 1)
        yield ("shoe", "end"), f"{sizes['all']} cards without {sizes['column']} in a column cannot be; at most {most}"


def _option_faults(procedure: Procedure, shoe: ShoePart) -> Iterator[Complaint]:
    options = {option.name: option for option in procedure.option}
    named: dict[str, tuple[str, tuple[str, ...] | None]] = {
        "decks": (shoe.decks.option, None),
        "unread": (shoe.unread.option, UNREAD_BY),
        "overdraw": (shoe.overdraw.option, OVERDRAW),
        "cut-card": (shoe.cut_card.option, CUT_CARD),
    }
    if shoe.extra:
        named["extra"] = (shoe.extra.option, EXTRA)
    for table, (name, known) in named.items():
        key = ("shoe", table, "option")
        if name not in options:
            yield key, f"no option {name!r}; known: {', '.join(options)}"
        elif known is None:
            if not all(value.isdecimal() and 1 <= int(value) <= 16 for value in options[name].allowed):
                yield key, f"option {name!r} must choose between numbers of decks, 1 to 16"
        elif not set(options[name].allowed) <= set(known):
            yield key, f"option {name!r} may choose between {', '.join(known)}"
