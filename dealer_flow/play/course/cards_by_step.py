"""What is known to lie at each place when a step is over, and which bets are settled by then."""

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
    """The cards of a place as they lie there; without burned ones once they are burned, none of a place without."""
    hand = round_.ledger.hands.get(place)
    if hand is None:
        return ()
    return round_.ledger.playing(place) if hand.burned is not None else hand.cards


def _known(round_: Round, place: Place, step: AnyStep) -> tuple[Card, ...]:
    """What lies there after a step; of cards that it turned up some of, those."""
    cards, hand = lying(round_, place), round_.ledger.hands[place]
    if step.do == "show" and round_.plan.kind(place) in step.of and hand.opened and hand.revealed is None:
        return hand.opened + (UNREAD,) * max(len(cards) - len(hand.opened), 0)
    return cards


def note_stages(round_: Round, step: AnyStep | None) -> None:
    """This step is over: what lies at a place, where a face of it is known and it is not what lay there before."""
    if step is None or round_.over:
        return
    for place, hand in round_.ledger.hands.items():
        if hand.recognised or hand.opened or hand.revealed:  # else no face of it is known
            note_stage(round_, step, place)


def note_stage(round_: Round, step: AnyStep | None, place: Place) -> None:
    """The same for one place, whose cards are about to change within the step."""
    if step is None or place == BURN or place not in round_.ledger.hands:
        return
    cards, before = _known(round_, place, step), round_.stages.get(place, ())
    if cards.count(UNREAD) == len(cards):
        return
    stage = Stage(step=step.name, place=place.text, cards=tuple(spell_cards(cards)))
    if not before or before[-1].cards != stage.cards:
        round_.stages.setdefault(place, []).append(stage)


def correct_stages(round_: Round, place: Place, keyed: tuple[Card, ...], right: tuple[Card, ...]) -> None:
    """What was keyed for a place was other cards: so it was at the steps before."""
    for index, stage in enumerate(round_.stages.get(place, ())):
        cards = corrected(parse_cards(" ".join(stage.cards)), keyed, right)
        round_.stages[place][index] = replace(stage, cards=tuple(spell_cards(cards)))


def settle(round_: Round, *, seen: bool) -> None:
    """The step under way is over: its bets are settled. Where nothing of it need be `seen`, that shows by the next."""
    if seen:
        _settle(round_, round_.at)
    else:
        round_.passed.append(round_.at)


def reached_step(round_: Round, name: str) -> None:
    """A choice was made in this step, or a card dealt by it."""
    if round_.passed or round_.settled_by is not None:
        _reached(round_, round_.plan.order[name])


def reached_show(round_: Round, kind: str) -> None:
    """Cards of this recipient are shown: by the first step that may show them, of those whose bets are not settled for
    good and those that follow."""
    if not round_.passed and round_.settled_by is None:
        return
    first = min([*round_.passed, *(() if round_.settled_by is None else (round_.settled_by,))])
    for index in round_.plan.shown_by.get(kind, ()):
        if index >= first:
            _reached(round_, index)
            return


def _reached(round_: Round, index: int) -> None:
    """Something of this step is reported: what earlier ones settle, is, and no card of theirs revokes it any more."""
    if round_.settled_by is not None and round_.settled_by < index:
        round_.settled_by = None
    for passed in [each for each in round_.passed if each < index]:
        round_.passed.remove(passed)
        _settle(round_, passed)
        round_.settled_by = None


def _settle(round_: Round, index: int) -> None:
    """The bets of this step, and the tips on them, are settled at the seats it names whose hands are not dead."""
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
    """The bets that these rows of a step settle at a seat, by what it chose and declared."""
    made = {*round_.choices[number].values()} if number in round_.choices else set()
    if number in round_.declared and step.name in round_.declared[number]:
        made.add(DECLARED)
    return {bet for bet, of in rows if of is None or of in made}


def unsettle(round_: Round, kind: str, number: int | None = None) -> None:
    """The cards of this recipient are wrong: the bets that rest on them are not settled, if the step that dealt or
    showed them was the last of which anything was reported. Those of seat `number` alone, where nobody else's rest on
    them."""
    if round_.settled_by is None:
        return
    step = round_.plan.steps[round_.settled_by]
    if kind in step.recipients:
        named = {row.bet for row in step.settling}
        for seat, bets in round_.settled.items():
            if number in (None, seat):
                bets -= {bet for bet in bets if round_.plan.tips.get(bet, bet) in named}
        round_.passed.append(round_.settled_by)  # where it is put right they are, once the next thing is reported
        round_.settled_by = None


def finished(round_: Round, number: int, outcome: Outcome) -> frozenset[str]:
    """The bets of a seat that the table is done with, whatever voids the round: by a step that is over; of a deck found
    defective after the hand was shown, and compared, all of them, those in a pot when all hands were."""
    compared = number in round_.compared or (round_.all_shown and number in round_.active)
    if compared and number not in round_.dead and round_.plan.shown_stands and outcome == "defective-deck":
        return frozenset(round_.wagers.get(number, {})) - (frozenset() if round_.all_shown else round_.plan.in_pot)
    return frozenset(round_.settled[number]) if number in round_.settled else frozenset()


def settled_bets(round_: Round, number: int, outcome: Outcome) -> frozenset[str]:
    """Those of them that are settled: one that is held waits for a person."""
    over = finished(round_, number, outcome)
    return over - round_.held[number].keys() if number in round_.held else over


def note_declared(round_: Round, step: ShowStep, place: Place, cards: tuple[Card, ...]) -> None:
    """A player declares a hand by showing these cards of it; the last time counts."""
    hand = round_.ledger.hands.get(place)
    if hand is None or place.seat is None or round_.over:
        return
    covered = (UNREAD,) * max((hand.counted or 0) - len(cards), 0)
    found = round_.stages.setdefault(place, [])
    found[:] = [stage for stage in found if stage.step != step.name]
    found.append(Stage(step=step.name, place=place.text, cards=tuple(spell_cards(cards + covered))))
    round_.declared.setdefault(place.seat, set()).add(step.name)
