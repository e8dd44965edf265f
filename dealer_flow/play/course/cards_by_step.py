"""Record of the cards known at each place when a step ends, and of the bets that are settled by then."""

from msgspec.structs import replace

from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.procedure.tables import DECLARED
from dealer_flow.record.details import Stage
from dealer_flow.record.result import Outcome
from dealer_flow.table.hand import corrected
from dealer_flow.table.round import Round
from protocol.cards import UNREAD, Card, parse_cards, spell_cards
from protocol.places import BURN, Place


def lying(round_: Round, place: Place) -> tuple[Card, ...]:
    """Return the cards of a place in order; without its burned cards once they are burned, empty if the place has no
    hand."""
    hand = round_.ledger.hands.get(place)
    if hand is None:
        return ()
    return round_.ledger.playing(place) if hand.burned is not None else hand.cards


def _known(round_: Round, place: Place, step: AnyStep) -> tuple[Card, ...]:
    """Return the cards of a place after a step; if the step turned up only some of them, those and `??` for the
    others."""
    cards, hand = lying(round_, place), round_.ledger.hands[place]
    if step.do == "show" and round_.plan.kind(place) in step.of and hand.opened and hand.revealed is None:
        return hand.opened + (UNREAD,) * max(len(cards) - len(hand.opened), 0)
    return cards


def note_stages(round_: Round, step: AnyStep | None) -> None:
    """Record, as this step ends, the cards of every place where a face is known and the cards have changed."""
    if step is None or round_.over:
        return
    if round_.plan.from_hand and step.do == "deal" and step.face == "up":
        return  # turned up now, and keyed in the next step
    for place, hand in round_.ledger.hands.items():
        if hand.recognised or hand.opened or hand.revealed:  # otherwise no face of it is known
            note_stage(round_, step, place)


def note_stage(round_: Round, step: AnyStep | None, place: Place) -> None:
    """Record the cards of one place, which are about to change within the step."""
    if step is None or place == BURN or place not in round_.ledger.hands:
        return
    cards, before = _known(round_, place, step), round_.stages.get(place, ())
    if cards.count(UNREAD) == len(cards):
        return
    stage = Stage(step=step.name, place=place.text, cards=tuple(spell_cards(cards)))
    if not before or before[-1].cards != stage.cards:
        round_.stages.setdefault(place, []).append(stage)


def correct_stages(round_: Round, place: Place, keyed: tuple[Card, ...], right: tuple[Card, ...]) -> None:
    """Replace cards that were keyed wrong for a place in what was recorded at the steps before."""
    for index, stage in enumerate(round_.stages.get(place, ())):
        cards = corrected(parse_cards(" ".join(stage.cards)), keyed, right)
        round_.stages[place][index] = replace(stage, cards=tuple(spell_cards(cards)))


def settle(round_: Round, *, seen: bool) -> None:
    """Settle the bets of the step under way, which is over.

    If nothing of the step has to be `seen`, its bets are settled only when the next report shows that play has moved
    on.
    """
    if seen:
        _settle(round_, round_.at)
    else:
        round_.passed.append(round_.at)


def reached_step(round_: Round, name: str) -> None:
    """Record that a choice was made in this step, or that it dealt a card."""
    if round_.passed or round_.settled_by is not None:
        _reached(round_, round_.plan.order[name])


def reached_show(round_: Round, kind: str) -> None:
    """Record that cards of this recipient are shown.

    They belong to the first step that may show them, from the earliest one whose bets are not final yet.
    """
    if not round_.passed and round_.settled_by is None:
        return
    first = min([*round_.passed, *(() if round_.settled_by is None else (round_.settled_by,))])
    for index in round_.plan.shown_by.get(kind, ()):
        if index >= first:
            _reached(round_, index)
            return


def _reached(round_: Round, index: int) -> None:
    """Settle the bets of all steps before this one, of which something is reported: no card of theirs revokes them any
    longer."""
    if round_.settled_by is not None and round_.settled_by < index:
        round_.settled_by = None
    for passed in [each for each in round_.passed if each < index]:
        round_.passed.remove(passed)
        _settle(round_, passed)
        round_.settled_by = None


def _settle(round_: Round, index: int) -> None:
    """Settle the bets of this step, and the tips on them, at the seats it names whose hands are not dead."""
    step = round_.plan.steps[index]
    if round_.over or round_.house_wrong or round_.ledger.conserved is False:
        return
    rows, tips = round_.plan.settling[step.name], round_.plan.tips
    for number in round_.active if rows else ():
        if number not in round_.dead:
            named = _settling(round_, step, rows, number)
            if not named:
                continue
            named |= {tip for tip, bet in tips.items() if bet in named}
            over = round_.settled.setdefault(number, set())
            over |= named.intersection(round_.wagers.get(number, ()))
    round_.settled_by = index


def _settling(round_: Round, step: AnyStep, rows: tuple[tuple[str, str | None], ...], number: int) -> set[str]:
    """Return the bets that these rows of a step settle at a seat, by its choices and declarations."""
    made = {*round_.choices[number].values()} if number in round_.choices else set()
    if number in round_.declared and step.name in round_.declared[number]:
        made.add(DECLARED)
    return {bet for bet, of in rows if of is None or of in made}


def unsettle(round_: Round, kind: str, number: int | None = None, *, beside: bool = False) -> None:
    """Revoke the settlement of the bets that depend on this recipient's cards, which are wrong.

    This applies if the step that dealt or showed them is the last one of which anything was reported. With `number`,
    only that seat's bets are revoked, since no one else's depend on its cards. `beside`: any cards of the house that
    were shown last are treated as wrong.
    """
    if round_.settled_by is None:
        return
    step = round_.plan.steps[round_.settled_by]
    if kind in step.recipients or (beside and any(round_.plan.house(other) for other in step.recipients)):
        named = {row.bet for row in step.settling}
        for seat, bets in round_.settled.items():
            if number in (None, seat):
                bets -= {bet for bet in bets if round_.plan.tips.get(bet, bet) in named}
        round_.passed.append(round_.settled_by)  # if it is fixed, the next report settles them again
        round_.settled_by = None


def finished(round_: Round, number: int, outcome: Outcome) -> frozenset[str]:
    """Return the bets of a seat that are final even if the round is void: those settled by a step that is over.

    After a defective deck these are all bets of a hand that was shown and compared; bets in a pot only once all hands
    were.
    """
    compared = number in round_.compared or (round_.all_shown and number in round_.active)
    if compared and number not in round_.dead and round_.plan.shown_stands and outcome == "defective-deck":
        return frozenset(round_.wagers.get(number, {})) - (frozenset() if round_.all_shown else round_.plan.in_pot)
    return frozenset(round_.settled[number]) if number in round_.settled else frozenset()


def settled_bets(round_: Round, number: int, outcome: Outcome) -> frozenset[str]:
    """Return the final bets of a seat that are settled; a bet that is held waits for a supervisor."""
    over = finished(round_, number, outcome)
    return over - round_.held[number].keys() if number in round_.held else over


def note_declared(round_: Round, step: ShowStep, place: Place, cards: tuple[Card, ...]) -> None:
    """Record the hand that a player declares by showing these cards of it; the last declaration counts."""
    hand = round_.ledger.hands.get(place)
    if hand is None or place.seat is None or round_.over:
        return
    covered = (UNREAD,) * max((hand.counted or 0) - len(cards), 0)
    found = round_.stages.setdefault(place, [])
    found[:] = [stage for stage in found if stage.step != step.name]
    found.append(Stage(step=step.name, place=place.text, cards=tuple(spell_cards(cards + covered))))
    round_.declared.setdefault(place.seat, set()).add(step.name)
