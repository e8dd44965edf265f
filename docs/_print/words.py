"""Procedure in plain words, as a dealer reads it: the steps, and the consequences if something is wrong."""

from collections.abc import Iterator
from typing import Final

from dealer_flow.english import a, cards, listed
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.tables import Consequence, ShoePart, WhenPart, WrongPart
from docs._print.early_cards import EarlyCards, early

THEN: Final = {
    "nothing": "play continues",
    "dead-hand": "that hand is dead, the table plays on",
    "progressive-only": "misdeal for the table; hands with the progressive bet are played for the progressive only",
    "misdeal": "misdeal, the round is void",
    "replace": "the card is dead, the next takes its place at once",
    "reshuffle": "cards go back into the deck, which is shuffled; play continues where it was",
    "set-aside": "the card is out of play; it goes back into the deck before the last one is dealt",
    "kept": "the card is the one that is due next",
    "bury": "the card goes to the discards, and one for each further player before the next are dealt",
    "stays-open": "the card plays; its player may declare all-in",
    "complete": "the hand gets the next card, after all others have theirs",
    "person": "stop and call a supervisor, who rules a misdeal or lets play continue",
    "defective-deck": "the deck is defective: it leaves the table",
    "unreliable": "nothing is settled, a supervisor decides",
}
"""Consequences at the table by the word that a procedure file has for them."""

_RESHUFFLE: Final = {
    "step": "the cards dealt go back into the deck, which is shuffled; new ones are dealt without a burn",
    "step-and-burn": "the cards dealt and the one burned before them go back into the deck, which is shuffled; a card"
    " is burned, and new ones are dealt",
}
"""Consequence `reshuffle` by the cards that go back, unless it is one card alone."""
_RETURNS: Final = {
    "dead-hand": "its bets go back",
    "progressive-only": "all other bets go back",
    "misdeal": "all bets go back",
    "defective-deck": "all bets go back",
}
_RUNS_OUT: Final = {
    "scramble": "the last card and the burned ones are scrambled, one is burned, the missing ones are dealt by hand;"
    " if they are too few, a supervisor rules",
    "scramble-or-community": "the last card and the burned ones are scrambled, one is burned, the missing ones are"
    " dealt by hand; if they are too few, no player gets one: a card is burned, and one that plays in every hand is"
    " turned up",
    "person": "a supervisor rules a misdeal or has them dealt by hand",
    "misdeal": f"{THEN['misdeal']}; {_RETURNS['misdeal']}",
}
_HOW: Final = {"short": "too few", "long": "too many"}
_LEFT: Final = {"short": "fewer", "long": "more"}
_SEEN: Final = {
    "exposed": "is exposed",
    "off-table": "falls off the table",
    "dropped": "is dropped",
    "early": "is dealt too early",
}


# ------------------------------------------------------------------ what the dealer does


def dealing(procedure: Procedure) -> Iterator[tuple[str, str]]:
    """Yield every step with its clause, from the bets to END GAME."""
    if procedure.betting is not None:
        yield "Key the stake of each player. A seat with a stake is dealt in.", procedure.betting.stakes_clause
        most = [each.clause for each in (procedure.betting.most_bet, procedure.betting.most_raise) if each is not None]
        yield procedure.betting.words(), ", ".join(most) or procedure.betting.stakes_clause
    for bet in procedure.bet:
        if bet.placed == "before-deal":
            marks = ["which deals the seat in"] if bet.enters else []
            marks += ["which is played for the progressive"] if bet.progressive else []
            marks += ["a fee, which is not returned"] if bet.fee else []
            if when := bet.enters_when:
                marks.append(f"which deals the seat in{_where(when)}")
            marks += [f"a tip for {a(bet.tip_for)}"] if bet.tip_for else []
            marks += [_where(bet.when).strip()] if bet.when else []
            yield f"Players may place {bet.name} (spot {bet.number}){', ' * bool(marks)}{', '.join(marks)}.", bet.clause
    if procedure.shoe is not None:
        yield from _drawing(procedure.shoe)
        return
    yield from _first_cards(procedure, "button")
    yield "START GAME closes the bets.", procedure.bets_closed or procedure.clause
    yield from _first_cards(procedure, "number")
    after = procedure.remainder.after if procedure.remainder else None
    last = after or [step.name for step in procedure.step if step.deals][-1]
    for step in procedure.step:
        only = f"Only if `{step.when.option}` is {step.when.is_}: " if step.when else ""
        yield only + step.words(procedure), step.clause
        if step.name == last and procedure.remainder is not None:
            yield _remainder(procedure), procedure.remainder.clause
    yield "Settle, then END GAME.", procedure.clause


def _where(when: WhenPart | None) -> str:
    return f" if `{when.option}` is {when.is_}" if when else ""


def bet_rules(procedure: Procedure) -> Iterator[tuple[str, str, str]]:
    """Yield each bet that has a rule, the rule, and its clause. A bet that breaks its rule is held."""
    for bet in procedure.bet:
        if bet.when is not None and bet.placed == "by-decision":
            yield bet.name, f"only{_where(bet.when)}", bet.clause
        if bet.until is not None:
            closing = next(step.clause for step in procedure.step if step.name == bet.until)
            yield bet.name, f"not placed or changed once a card of the step `{bet.until}` is out", closing
        if bet.tip_for is not None:
            yield bet.name, f"a tip for {a(bet.tip_for)}: only with it", bet.clause
        for must in bet.must:
            chosen = f" with the choice `{must.choice}`" if must.choice else ""
            yield bet.name, f"{must.words()}{chosen}{_where(must.when)}", must.clause
        if bet.pot is not None:
            words = "a pot of its players, settled after all hands are shown"
            if bet.pot.least > 1:
                words = f"a pot of at least {bet.pot.least} players: if fewer placed the bet, it goes back"
            yield bet.name, words, bet.pot.clause
    for total in procedure.total:
        yield f"{listed([*total.bets])} together", f"{total.words()}{_where(total.when)}", total.clause
    if procedure.limit is not None:
        without = [bet.name for bet in procedure.bet if not bet.capped({})]
        whose = f"every bet but {listed(without)}" if without else "every bet"
        yield whose, procedure.limit.words(), procedure.limit.clause


def _first_cards(procedure: Procedure, how: str) -> Iterator[tuple[str, str]]:
    """Yield how the place of the first cards is found: by a button before the bets are closed, or by a number after
    that."""
    after = [step for step in procedure.step if isinstance(step, AssignStep)]
    if after and any(step.when is None for step in after):
        return
    for step in procedure.step:
        if isinstance(step, DealStep) and step.first == how:
            only = ""
            if after and (when := after[0].when):
                others = [each.when.is_ for each in after if each.when and not each.early]
                only = f"Unless `{when.option}` is {listed(others, 'or')}: "
            clause = procedure.number.clause if procedure.number and how == "number" else step.clause
            yield only + step.selecting(), clause


def _remainder(procedure: Procedure) -> str:
    rest = procedure.remainder
    shuffler = procedure.device == "packet-shuffler"
    take = "Press the green button and take the cards that are left" if shuffler else "Count the cards that are left"
    if rest is None or rest.cards is None:
        return f"{take}." if shuffler else "No further card is dealt."
    return f"{take}. Spread them face down: exactly {cards(rest.cards)} must be left."


def _drawing(shoe: ShoePart) -> Iterator[tuple[str, str]]:
    yield "START GAME closes the bets, before the first card.", shoe.bets_closed
    columns = shoe.columns
    to = "the column of its suit" if columns.by == "suit" else "the next column"
    yield f"Draw one card at a time, face up, to {to}: {', '.join(columns.names)}.", columns.clause
    for end in shoe.end:
        what = "one column holds" if end.when == "column" else "all columns together hold"
        yield f"It is decided when {what} {end.cards} cards.", end.clause
    if shoe.extra:
        text = "After an end by all columns money may be moved"
        yield (
            f"{text} from {shoe.extra.moves_from}, and one more card is drawn (`{shoe.extra.option}`).",
            shoe.extra.clause,
        )
    yield "Settle, then END GAME.", columns.clause


# ------------------------------------------------------------------ when something is wrong


def wrongs(procedure: Procedure) -> Iterator[tuple[str, str, str]]:
    """Yield every error with the cards that the procedure covers, its consequence, and the clause."""
    for row in procedure.wrong:
        others = tuple(how for how in row.how if how != "early")
        if others:
            rest = row.model_copy(update={"how": others})
            yield _wrong(procedure, rest), follows(procedure, rest), row.clause
        if "early" in row.how:
            came = early(procedure, row)
            alone = row.model_copy(update={"how": ("early",), "at": ()})
            yield came.words or _wrong(procedure, alone), follows(procedure, row, came), row.clause
    rows: dict[str, Consequence | None] = {
        "a player's hand is set against the rules": procedure.foul_set,
        "a player exposes a card of the hand": procedure.face.by_player,
        **_fouled(procedure),
        "a stray joker comes out of the deck": procedure.face.joker,
        "a boxed card is in the deck, face up": procedure.face.boxed,
        "the same card appears twice": procedure.face.duplicate,
        "a card is not of this deck": procedure.face.foreign,
        "the deck's count is wrong, or cards do not add up": procedure.care.deck,
        "a burned card touches the discards before all cards are dealt": procedure.care.burned,
    }
    for what, consequence in rows.items():
        if consequence is not None:
            yield what, follows(procedure, consequence), consequence.clause
    yield from _burned(procedure)
    if unburned := procedure.care.unburned:
        offers = f"; each player may choose {unburned.offers}" if unburned.offers else ""
        yield "the dealer forgets to burn a card", follows(procedure, unburned) + offers, unburned.clause
    if shuffle := procedure.care.shuffle:
        alike = f", and after identical cards at {listed([*shuffle.identical])}" if shuffle.identical else ""
        text = f"it is shuffled before the next round (reading `{shuffle.option}`; or it shuffles itself)"
        yield f"{shuffle.rounds} rounds were dealt from one shuffle of the shoe{alike}", text, shuffle.clause
    if runs_out := procedure.care.runs_out:
        default = next(option.default for option in procedure.option if option.name == runs_out.option)
        text = f"{_RUNS_OUT[default]} (by default; reading `{runs_out.option}`)"
        yield "fewer cards are left than are due", text, runs_out.clause
    yield _misdeal(procedure)


def _burned(procedure: Procedure) -> Iterator[tuple[str, str, str]]:
    """Yield the rules on cards that are burned while no burn is due."""
    row, burned = procedure.care.extra_burn, procedure.care.burned
    if row is None:
        return
    if burned is not None:
        text = "it lies apart and is the burn that comes next"
        text += ", or the dealer lays it back on top" if burned.back_on_top else ""
        yield "a card is burned before it is due", f"{text}; play continues", burned.clause
    text = f"it lies apart, and the next card of the deck is dealt; {follows(procedure, row)}"
    yield "a card too many is burned", text, row.clause


def _fouled(procedure: Procedure) -> dict[str, Consequence | None]:
    fouled = procedure.fouled
    if fouled is None:
        return {}
    return {
        "a hand touches discards, and it is unknown by whose fault": fouled,
        "a hand touches discards by its player's fault": fouled.player,
        "a hand touches discards by no fault of its player": fouled.others,
        "a fouled hand is put together again, card by card": fouled.reconstructed,
    }


_UNTIL: Final = {
    "end": "before END GAME",
    "settlement": "before the first player's hand is settled",
    "first-decision": "before the first choice",
    "substantial-action": "before two players have put money in the pot, or three have done that or folded",
}


def _misdeal(procedure: Procedure) -> tuple[str, str, str]:
    misdeal = procedure.misdeal
    option = next((option for option in procedure.option if option.name == misdeal.option), None)
    until = _UNTIL[misdeal.until or (option.default if option else "")]
    text = f"{THEN['misdeal']}; {_back('misdeal', misdeal.returns)}"
    if option is not None:
        text += f" (until when: reading `{option.name}`)"
    return f"a misdeal is called {until}", text, misdeal.clause


def _wrong(procedure: Procedure, row: WrongPart) -> str:
    """Return an error in words: `a player has too few or too many cards, or a card is exposed`."""
    counts = [_HOW[how] for how in row.how if how in _HOW]
    seen = [_SEEN[how] for how in row.how if how in _SEEN]
    at = f" (cards of {listed([f'`{name}`' for name in row.at])})" if row.at else ""
    if row.of == "remainder":
        exact = procedure.remainder.cards if procedure.remainder else None
        return f"{listed([_LEFT[how] for how in row.how if how in _LEFT], 'or')} than {exact} cards are left"
    whose = {"seats": "a player", "dealer": "the dealer", "community": "the community"}.get(row.of, f"`{row.of}`")
    most = f", {row.missing} or more" if row.missing and row.missing > 1 else ""
    parts = [f"{whose} has {listed(counts, 'or')} cards{most}"] if counts else []
    parts += [f"a card of {whose} {listed(seen, 'or')}"] if seen else []
    return listed(parts, "or") + at


def follows(procedure: Procedure, row: Consequence, came: EarlyCards | None = None) -> str:
    """Return the consequence of a finding in words, of cards that `came` early with what is dealt in their place; if an
    option decides, the default one."""
    option = next((option for option in procedure.option if option.name == row.option), None)
    then = row.then or (option.default if option else "")
    text = _RESHUFFLE.get(row.back, THEN[then]) if then == "reshuffle" else THEN[then]
    text = came.consequence(procedure, then) or text if came is not None else text
    if back := _back(then, row.returns):
        text += f"; {back}"
    if when := row.returns_when:
        text += f" (if `{when.option}` is {when.is_}; otherwise none does)"
    if row.calls:
        text += f"; the {row.calls} comes at once"
    return text if option is None else f"{text} (by default; reading `{option.name}`)"


def _back(then: str, returns: tuple[str, ...] | None) -> str:
    if returns is None or then not in _RETURNS:
        return _RETURNS.get(then, "")
    if not returns:
        return "no bet goes back"
    return f"{listed(list(returns))} go{'es' * (len(returns) == 1)} back"
