"""Steps of a round: which cards are due, when a step is done, and which reports end it."""

from fractions import Fraction
from typing import Final

import devices.events as e
from dealer_flow.play.course.cards_by_step import note_stage, note_stages, reached_step, settle
from dealer_flow.play.course.face_up import board_read
from dealer_flow.play.course.turns import open_betting
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.procedure.tables import DecisionPart, GivesUpPart
from dealer_flow.table.round import Round
from protocol.places import Place, seat

_CARDS_OUT: Final = (e.PacketLifted, e.CardDrawn, e.CardUnread)
_ENDS: Final = (e.RemainderDumped, e.GameEnded)


def may_open(round_: Round, step: AnyStep | None = None) -> bool:
    """Return False while a deal (the one under way unless given) waits for the seat that gets the first cards.

    A deal whose hands are assigned by a number afterwards does not wait.
    """
    if not round_.plan.selects_first:
        return True
    step = step or round_.step
    if not isinstance(step, DealStep) or not step.selects_first or round_.first is not None:
        return True
    return step.first == "number" and round_.plan.assign is not None


def open_step(round_: Round) -> None:
    """Open the step under way: its cards become due."""
    step = round_.step
    round_.opened = True
    if round_.doing == "bet" and step is not None and step.do == "bet" and not round_.won:
        open_betting(round_, step)
    if round_.aside and _is_last_burn(round_):
        round_.ledger.astray, round_.aside = round_.ledger.astray - round_.aside, 0
        return
    if step is not None and step.deals and not round_.won and not _begun_ahead(round_, step):
        from_device = step.from_device and not round_.dealt_by_hand
        (round_.dues if from_device else round_.by_hand).extend(step.dues(round_))


def _is_last_burn(round_: Round) -> bool:
    """Return True before the last card of the community: one set aside goes back, and none is burned (47.1-1021)."""
    if round_.doing != "burn-card" or round_.won:
        return False
    return not any(isinstance(step, DealStep) for step in round_.plan.steps[round_.at + 2 :])


def deal_ahead(round_: Round) -> None:
    """Make the players' cards of the steps that follow at once on the one under way due before what is due last."""
    if not isinstance(round_.step, DealStep):
        return
    for step in round_.plan.steps[round_.at + 1 :]:
        to_players = isinstance(step, DealStep) and "seats" in step.to and not round_.dealt_by_hand
        if not to_players or not _deals_at_once(round_, step):
            return
        if not _begun_ahead(round_, step):
            round_.dues.extend(step.dues(round_))


def _begun_ahead(round_: Round, step: AnyStep) -> bool:
    """Return True if the step's cards are due already."""
    return bool(round_.dues) and step.name in [due.step for due in round_.dues]


def choose(round_: Round, number: int, step: str, name: str) -> None:
    """Record a choice of a seat: lay down the cards that go with it, if the hand has so many, and give up the money."""
    reached_step(round_, step)
    made = round_.choices.setdefault(number, {})
    made[step] = name
    if round_.plan.folds.isdisjoint(made.values()):
        round_.gave_up.discard(number)
    else:
        round_.gave_up.add(number)
    choice = round_.plan.choices[name]
    if choice.discards or choice.lays_aside:
        _lay_down(round_, number, choice)
    if choice.gives_up is not None:
        _give_up(round_, number, choice.gives_up)


def _lay_down(round_: Round, number: int, choice: DecisionPart) -> None:
    """Discard the cards that go with a choice, or set them aside."""
    note_stage(round_, round_.step, seat(number))
    hand = round_.ledger.hands.get(seat(number))
    if hand is not None and 0 < choice.discards <= min(hand.expected, hand.counted or 0):
        hand.lay_down(choice.discards)
    if hand is not None and 0 < choice.lays_aside < hand.expected - hand.aside:
        hand.lay_aside(choice.lays_aside)


def _give_up(round_: Round, number: int, part: GivesUpPart) -> None:
    """Give a share of a bet to the house; the rest goes back or stays in play, as the option says."""
    bets = round_.wagers.get(number, {})
    placed = bets.get(part.bet, 0)
    lost = int(placed * Fraction(part.share))
    if not lost:
        return
    bets[part.as_] = lost
    if round_.plan.options[part.rest] == "plays-on" and placed > lost:
        bets[part.bet] = placed - lost
    else:
        del bets[part.bet]


def shown_out(round_: Round) -> bool:
    """Return True if as many cards are visible as the step under way requires."""
    step = round_.step
    if not isinstance(step, ShowStep):
        return False
    for kind in () if step.optional else step.of:
        places = [seat(number) for number in round_.live] if kind == "seats" else [round_.plan.place(kind)]
        for place in places:
            hand = round_.ledger.hands.get(place)
            if hand is None or kind in round_.dead_hands:
                continue
            wanted = step.cards or hand.expected - hand.set_aside
            if round_.open.get(place, 0) < min(wanted, hand.counted or wanted):
                return False
    return True


def to_set(round_: Round) -> list[Place]:
    """Return the hands to be set at the step under way: those of live players, and of the house if the step names
    them."""
    step = round_.step
    if not isinstance(step, SetStep):
        return []
    found: list[Place] = []
    for kind in step.of:
        if kind == "seats":
            found += [seat(number) for number in round_.live if _chose(round_, number, step.choices)]
        elif kind != "dealer" and kind not in round_.dead_hands and round_.plan.place(kind) in round_.ledger.hands:
            found.append(round_.plan.place(kind))
    return found


def _chose(round_: Round, number: int, choices: tuple[str, ...]) -> bool:
    return not choices or not set(choices).isdisjoint(round_.choices.get(number, {}).values())


def set_out(round_: Round) -> bool:
    """Return True if every hand to be set at the step under way was reported."""
    return isinstance(round_.step, SetStep) and all(place in round_.splits for place in to_set(round_))


def may_lie_open(round_: Round, place: Place, cards: int) -> bool:
    """Return True if this many cards of a place may be seen at this step."""
    limit = open_now(round_, place)
    return limit is None or cards <= limit


def blind_now(round_: Round) -> tuple[str, ...]:
    """Return the bets on later choices that may be placed now: those of the last step that let players choose."""
    return round_.plan.blind_now[round_.at]


def declares(round_: Round, place: Place) -> bool:
    """Return True if cards of a place may be shown at the player's discretion, all or some of them.

    That is so if the last show or reveal that concerned the place was an optional show.
    """
    kind, steps = round_.plan.kind(place), round_.plan.steps[: round_.at + 1]
    if kind not in round_.plan.declarable:
        return False
    shows = [step for step in steps if isinstance(step, ShowStep | RevealStep) and kind in step.recipients]
    return bool(shows) and isinstance(shows[-1], ShowStep) and shows[-1].optional


def declaring(round_: Round, place: Place) -> ShowStep | None:
    """Return the step by which a seat that shows cards now declares its hand.

    None if that step is past, or the game has no declarations. A seat that chose in a later step has had its turn,
    unless the step itself says until when hands are declared.
    """
    kind, steps = round_.plan.kind(place), round_.plan.steps[: round_.at + 1]
    if kind not in round_.plan.declarable:
        return None
    shows = [step for step in steps if isinstance(step, ShowStep) and step.optional and kind in step.of]
    if round_.over or not place.seat or not shows or not (declares(round_, place) or shows[-1].until is not None):
        return None
    step = shows[-1]
    if step.until is not None:
        return None if begun(round_, step.until) else step
    return None if _chose_after(round_, step, place.seat) else step


def declared_late(round_: Round, place: Place) -> ShowStep | None:
    """Return the step that a hand shown now is too late for; None if it declares in time, or is shown in its turn."""
    step = round_.step
    if not round_.plan.declarable or round_.over or step is None or isinstance(step, RevealStep):
        return None
    if not place.seat or not declares(round_, place):
        return None
    kind, steps = round_.plan.kind(place), round_.plan.steps[: round_.at + 1]
    shows = [each for each in steps if isinstance(each, ShowStep) and each.optional and kind in each.of]
    late = [each for each in shows if _too_late(round_, each, place.seat)]
    return late[-1] if late else None


def _too_late(round_: Round, step: ShowStep, number: int) -> bool:
    """Return True if the step that closes declarations has begun.

    If no such step is named, return True once a seat that declared nothing has chosen in a later step.
    """
    if step.until is not None:
        return begun(round_, step.until)
    return step.name not in round_.declared.get(number, ()) and _chose_after(round_, step, number)


def _chose_after(round_: Round, step: ShowStep, number: int) -> bool:
    order = round_.plan.order
    return any(order[name] > order[step.name] for name in round_.choices.get(number, {}))


def begun(round_: Round, name: str) -> bool:
    """Return True once anything of this step was reported: a choice, a card that it deals or turns up."""
    step = next((step for step in round_.plan.steps if step.name == name), None)
    if isinstance(step, ShowStep):
        return any(round_.open.get(round_.plan.place(kind), 0) for kind in step.of if kind != "seats")
    chosen = any(name in made for made in round_.choices.values())
    return chosen or any(due.step == name for due in round_.dues[: round_.given])


def next_step(round_: Round) -> None:
    """End the step under way; a hand that was offered and that no seat took is dead."""
    step = round_.step
    note_stages(round_, step)
    if step is not None and step.settles:
        settle(round_, seen=step.do != "show" or (not step.optional and shown_out(round_)))
    if step is not None and step.do == "bet" and round_.opened:
        bets_later = any(each.do == "bet" for each in round_.plan.steps[round_.at + 1 :])
        round_.betting.close(round_.live, final=not bets_later)
    if step is not None and step.do == "decide" and step.about is not None and not round_.taken(step):
        round_.dead_hands.add(step.about)
        round_.returns.add("hand", step.about, ())
    round_.go_to(round_.at + 1, opened=False)


def ends_by(round_: Round, body: e.Body) -> bool:
    """Return True if this report, which belongs to a later step, ends the step under way.

    Steps that end so are a show that was not reported, an optional choice, and the cards that the house exchanges.
    """
    step = round_.step
    if not round_.ends_early or step is None or not round_.opened:
        return False
    if isinstance(body, _CARDS_OUT) and round_.next_due is not None:
        return False  # the card completes a hand of an earlier step
    if isinstance(body, e.Confirmed) and round_.by_hand:
        return False  # CONFIRM is about the cards dealt by hand
    if isinstance(body, e.RemainderDumped) and not isinstance(step, ExchangeStep) and not round_.left_to_deal:
        return False  # the remainder may come at any time, whether or not cards are shown or choices made
    if step.do == "show":
        if isinstance(body, _CARDS_OUT) and not any(later.from_device for later in round_.plan.steps[round_.at + 1 :]):
            return False  # no later step deals, so the card is one too many
        if isinstance(body, e.HandRevealed):
            return round_.plan.kind(body.place) not in step.of and not body.place.seat
        if isinstance(body, e.DecisionMade):
            return _of_later_step(round_, body)
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.Confirmed))
    if step.do == "decide":
        if not step.optional:
            return False
        if isinstance(body, e.DecisionMade):
            choice = round_.plan.decisions.get(body.decision)
            return choice is not None and choice.name not in step.choices
        if isinstance(body, e.HandRevealed):
            about = round_.plan.kind(body.place) == step.about
            return about or _shows_more(round_, body) or _turns_up_next(round_, body)
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.Confirmed))
    if isinstance(step, SetStep):
        if isinstance(body, e.HandRevealed):
            return True
        return isinstance(body, (*_CARDS_OUT, *_ENDS, e.BurnConfirmed, e.DecisionMade, e.Confirmed))
    if isinstance(step, ExchangeStep) and (due := round_.next_due) is not None and due.at_most:
        if isinstance(body, e.HandRevealed):
            return (body.place == due.place and not _turned_up_late(round_, body)) or _shows_more(round_, body)
        return isinstance(body, (*_ENDS, e.DecisionMade, e.BurnConfirmed, e.Confirmed))
    return False


def _of_later_step(round_: Round, body: e.DecisionMade) -> bool:
    """Return True for a choice that a later step offers."""
    choice = round_.plan.decisions.get(body.decision)
    later = (step for step in round_.plan.steps[round_.at + 1 :] if isinstance(step, DecideStep | ExchangeStep))
    offered = (step.choices if isinstance(step, DecideStep) else (step.unless,) for step in later)
    return choice is not None and any(choice.name in names for names in offered)


def waits_for_cards(round_: Round, body: e.Body) -> bool:
    """Return True if cards of the device come between the step that this report ends and the report itself."""
    following = round_.plan.steps[round_.at + 1]
    return following.from_device and not isinstance(body, _CARDS_OUT)


def _shows_more(round_: Round, body: e.HandRevealed) -> bool:
    """Return True if cards of the house are shown that may not be visible yet: a later step has begun."""
    house = round_.plan.house(round_.plan.kind(body.place))
    return house and not may_lie_open(round_, body.place, len(body.cards))


def _turns_up_next(round_: Round, body: e.HandRevealed) -> bool:
    """Return True if the very next step turns up every hand of this recipient: it has begun."""
    following = round_.plan.steps[round_.at + 1]
    return (
        isinstance(following, ShowStep)
        and not following.optional
        and round_.plan.kind(body.place) in following.of
        and not may_lie_open(round_, body.place, len(body.cards))
    )


def _turned_up_late(round_: Round, body: e.HandRevealed) -> bool:
    """Return True if the hand that draws cards now, and has drawn none, is turned up only now.

    The step before should have turned it up, and had ended by a card that turned out to belong to another place.
    """
    before, exchange = round_.plan.steps[round_.at - 1], round_.plan.steps[round_.at]
    if not isinstance(before, ShowStep) or round_.plan.kind(body.place) not in before.of:
        return False
    drawn = any(due.step == exchange.name and due.place == body.place for due in round_.dues[: round_.given])
    return not drawn and not round_.open.get(body.place) and len(body.cards) == before.cards


def end_step(round_: Round) -> None:
    """Close what is still open of the step under way: undecided seats make the first choice, the house takes no more
    cards."""
    step = round_.step
    if isinstance(step, DecideStep):
        for number in round_.undecided:
            choose(round_, number, step.name, step.choices[0])
    elif isinstance(step, ExchangeStep) and (due := round_.next_due) is not None:
        rest = round_.dues[round_.given :]
        round_.dues[round_.given :] = [other for other in rest if not (other.at_most and other.place == due.place)]
        if round_.next_due is not None:
            return
    next_step(round_)


def _deals_at_once(round_: Round, step: AnyStep) -> bool:
    """Return True if the step deals from the device, so that its cards may follow at once."""
    return step.foreseen and step.from_device and may_open(round_, step)


def deals_on(round_: Round) -> bool:
    """Return True if cards of a later step follow at once on those of the step under way."""
    opened = round_.opened
    for step in round_.plan.steps[round_.at :]:
        if not _deals_at_once(round_, step):
            return False
        if not opened and not _begun_ahead(round_, step) and any(step.dues(round_)):
            return True
        opened = False
    return False


def follow(round_: Round) -> None:
    """Place cards of the device where they were due, in a state in which the order of play no longer matters."""
    while round_.next_due is None and round_.step is not None and round_.step.do != "reveal":
        if _deals_at_once(round_, round_.step) and not round_.opened:
            open_step(round_)
        elif not round_.opened and not may_open(round_):
            return
        else:
            next_step(round_)


def next_to_show(round_: Round, live: list[int] | None = None) -> str | None:
    """Return the recipient whose hand is shown next.

    None if all were shown, or if there is no live hand to compare with. `live` are the seats with a live hand, if
    known.
    """
    plan = round_.plan
    for kind in plan.reveal_order:
        if kind in round_.shown or kind in round_.dead_hands:
            continue
        if kind in plan.hands and plan.hands[kind] not in round_.ledger.hands:
            continue
        if kind == "community" and plan.betting is not None and board_read(round_):
            continue
        return kind if (round_.somebody_lives if live is None else live) else None
    return None


def open_now(round_: Round, place: Place) -> int | None:
    """Return the number of cards of a place that may be visible at this step; None for all."""
    return round_.plan.opens[round_.at].get(round_.plan.kind(place), 0) if round_.plan.opens else 0
