"""Effects of the deck on a round in a game of steps.

They concern the deck that is dealt, the place of each card of a shoe, a burned card that is put back, a deck that runs
out, and a hand dealt to a position without a player.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from dealer_flow.play.course import burns
from dealer_flow.play.course.face_up import lie_open
from dealer_flow.play.course.laying import lay, lying, rename
from dealer_flow.play.verdicts.burned import burn_now, lies_apart
from dealer_flow.play.verdicts.in_hand import run_out
from dealer_flow.play.verdicts.verdicts import DECK_WRONG, apply, judge_count, judged
from dealer_flow.play.verdicts.wagers import close_bets
from dealer_flow.procedure.plan import Policy
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.offer_hand import OfferHandStep
from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import UNREAD, Card
from protocol.faults import Fault
from protocol.places import BURN, COMMUNITY, NOWHERE, REMAINDER, SHOE, Place, pile, seat


def begin(round_: Round, seen: Seen) -> None:
    """Begin the deal after bets are closed: a shoe that must be fresh each round must be a whole one.

    In a game dealt by hand, the round belongs to the controller's session.
    """
    if round_.plan.from_hand:
        round_.session, round_.dealt_by = seen.session, seen.device
        if round_.ledger.deck or not round_.decks.counted:  # else a shuffler has it still
            deal_from(round_, round_.ledger.deck, seen)
    if round_.shoes is None:
        return
    round_.shoes.begin_round()
    if round_.draw is not None:
        return
    deck, shoe = round_.plan.procedure.deck, round_.shoes.current
    if deck.fresh == "each-round" and shoe is not None and shoe.rounds:
        if shoe.announced:
            round_.report(Incident(code="deck-not-fresh", clause=deck.clause, shoe=shoe.id, unreliable=True), seen)
        else:
            round_.shoes.replace()
    if shoe is not None and round_.from_shoe:
        shoe.rounds += 1  # a card of this round was burned before its start
    _unshuffled(round_, seen)
    deal_from(round_, 0, seen)


def _unshuffled(round_: Round, seen: Seen) -> None:
    """Report a shoe that should have been shuffled before this round. One that was emptied without a new one announced
    was."""
    part, shoe = round_.plan.shuffle, round_.shoes.current if round_.shoes else None
    if part is None or shoe is None or (shoe.over and not shoe.announced):
        return
    found = partial(Incident, clause=part.clause, place=SHOE.text, shoe=shoe.id)
    if shoe.rounds >= part.rounds:
        round_.report(found(code="deck-too-old", counted=shoe.rounds, limit=part.rounds), seen)
    if shoe.alike:
        round_.report(found(code="shoe-not-shuffled", counted=shoe.alike), seen)


def note_alike(round_: Round) -> None:
    """Note identical cards of the shoe in one hand, which require a shuffle before the next round.

    A shoe that shuffles itself holds all its cards again.
    """
    part, shoe = round_.plan.shuffle, round_.shoes.current if round_.shoes else None
    if shoe is not None and round_.plan.mixes:
        shoe.mix()
    if part is None or shoe is None:
        return
    places = {round_.plan.place(name) for name in part.identical}
    shown = (hand for place in places if (hand := round_.ledger.hands.get(place)) and hand.revealed is not None)
    cards = [card for hand in shown for card in hand.revealed or ()]
    covered = places - {hand.place for hand in round_.ledger.hands.values() if hand.revealed is not None}
    cards += [card for card, due in lying(round_) if due.place in covered]
    alike = [times for card, times in Counter(cards).items() if times > 1 and card != UNREAD]
    shoe.alike = max(alike, default=shoe.alike)


def deal_from(round_: Round, deck: int, seen: Seen) -> None:
    """Record that the round is dealt from this deck; 0 if no device says which."""
    plan, care = round_.plan, round_.plan.procedure.care
    alternating = care.alternate is not None and not (plan.from_shoe or plan.from_hand)
    of_decks(
        round_,
        round_.decks.deal(deck, alternating=alternating, oldest=plan.oldest_deck, youngest=plan.youngest_deck),
        seen,
    )


def of_decks(round_: Round, findings: list[Incident], seen: Seen) -> None:
    """Report what was found about the decks' turns and ages, by the clauses of the procedure."""
    if not findings:
        return
    care, place = round_.plan.procedure.care, round_.plan.deck_at.text
    parts = {"deck-not-alternated": care.alternate, "deck-changed-early": care.least, "deck-too-old": care.age}
    for finding in findings:
        part = parts.get(finding.code, care.deck)
        round_.report(replace(finding, clause=part.clause if part else UNJUDGED, place=place), seen)


def never_dealt(round_: Round, place: Place, many: int) -> bool:
    """Return True if the deal has ended and passed over cards of a hand of the house that is shown.

    That is so if `many` is the number of cards that a person counted in the hand, if only cards of this hand are still
    due in the round, and if the procedure has a row for a hand that is short by them.
    """
    hand, due, plan = round_.ledger.hands.get(place), round_.dues[round_.given :], round_.plan
    if hand is None or not due or not plan.from_shoe or not plan.house(plan.kind(place)):
        return False
    if any(each.place != place or each.why != "deal" for each in due) or hand.person_count != many:
        return False
    later = any(step.deals for step in plan.steps[round_.at + 1 :])
    return not later and plan.wrong(plan.kind(place), "short", hand.step, len(due)) is not None


def pass_over(round_: Round, place: Place) -> None:
    """Count the cards that were due to a hand as missing."""
    hand = round_.ledger.hands[place]
    hand.expected += sum(due.cards for due in round_.dues[round_.given :])
    del round_.dues[round_.given :]


def give(round_: Round, seen: Seen, card: Card, *, burned: bool) -> None:
    """Place a card of the shoe where it is due; one that is burned before the bets are closed goes to no hand."""
    if round_.shoes is not None and round_.shoes.current is not None and round_.in_play:
        shoe = round_.shoes.current
        if shoe.over and not round_.from_shoe:
            clause = round_.plan.procedure.deck.clause
            round_.report(Incident(code="shoe-over", clause=clause, shoe=shoe.id, unreliable=True), seen)
        if not round_.from_shoe:
            _went_back(round_, seen)
        shoe.rounds += not round_.from_shoe
    if burned and lies_apart(round_):
        burn_now(round_, card, seen)
    elif round_.in_play:
        due = lay(round_, card)
        if due is not None:
            if lie_open(round_, due) and round_.plan.house(round_.plan.kind(due.place)):
                close_bets(round_)
            judge_count(round_, due.place, seen)
    elif burned:
        round_.ledger.draw(card, Due(BURN, 1, ""))


def _went_back(round_: Round, seen: Seen) -> None:
    """Report, at the first card of the round, a card dealt before the wagers were made that did not go back into the
    deck."""
    policy, shoe = round_.plan.goes_back, round_.shoes.current if round_.shoes else None
    if (
        policy is None
        or shoe is None
        or not shoe.whole
        or shoe.rounds
        or round_.plan.procedure.deck.fresh != "each-round"
    ):
        return
    burned = round_.ledger.hands[BURN].counted or 0 if BURN in round_.ledger.hands else 0
    if (out := shoe.drawn - 1 - burned) > 0:
        round_.report(Incident(code="card-unplaced", clause=policy.clause, counted=out, unreliable=True), seen)


def lies_there(round_: Round, place: Place) -> bool:
    """Return True if a person may count the cards of this place: some are there, or some are due out of a shoe."""
    return place in round_.ledger.hands or (round_.in_play and any(due.place == place for due in round_.dues))


def deck_counted(round_: Round, seen: Seen, counted: int) -> None:
    """Judge a person's count of a whole deck between two rounds."""
    if counted == round_.plan.cards:
        return
    policy = round_.plan.deck_policy
    found = DECK_WRONG(reason="person", place=round_.plan.deck_at.text, counted=counted, expected=round_.plan.cards)
    wrong = round_.report(judged(policy, found), seen)
    deck = 0 if round_.plan.from_hand else round_.decks.last
    if policy.then == "defective-deck" and deck is not None:
        round_.decks.find_defective(deck, wrong)
    else:
        apply(round_, policy, NOWHERE, wrong)


def deck_changed(round_: Round) -> None:
    """Forget what was found of the deck before, since it was replaced.

    A finding before START GAME concerns no round, unless cards of that deck were dealt already.
    """
    if not round_.in_play and not round_.ledger.packets:
        round_.defective = round_.misdeal = False
        round_.returns.rows.clear()
        round_.from_shoe.clear()
        round_.marks.clear()
        round_.ledger.hands.pop(BURN, None)


# ------------------------------------------------------------------ dealing halts


def put_back(round_: Round, seen: Seen) -> bool:
    """Take back the card that came out last and was pushed back into the shoe; True if it was a burn that allows
    that."""
    may = not round_.over and round_.from_shoe != []
    early = may and round_.plan.extra_burn is not None and burns.last_is_early(round_)
    early = early or (may and round_.plan.back_on_top and burns.last_is_stray(round_))
    in_time = (
        may
        and round_.plan.back_on_top
        and len(round_.from_shoe) - 1 not in round_.marks
        and round_.dues[round_.given - 1].place == BURN
    )
    if not early and not in_time:
        return False
    care = round_.plan.procedure.care
    rule = care.burned or care.extra_burn
    clause = rule.clause if rule else round_.plan.clause
    back = Incident(code="burned-card-put-back", clause=clause, place=BURN.text, fault=Fault.PUSHED_BACK)
    round_.report(back, seen)
    if early:
        burns.put_back(round_)
    else:
        round_.given -= 1
        round_.from_shoe.pop()
        round_.ledger.hands[BURN].put_back()
    if round_.in_play and not round_.from_shoe and round_.shoes is not None:
        round_.shoes.on_table().rounds -= 1  # no card of this round is out: the shoe's round starts over
    return True


def look_ahead(round_: Round, seen: Seen) -> None:
    """Report that fewer cards are left in the shoe than are due, and continue as the procedure says."""
    policy = round_.plan.runs_out
    if policy is not None and round_.plan.from_hand and round_.by_hand and not round_.over:
        found = run_out(round_, policy, seen)
        if found is not None:
            then = policy.then if found.called or policy.then == "misdeal" else "nothing"
            _rule(round_, policy._replace(then="person" if found.called else then), REMAINDER, found)
    if policy is None or round_.over or round_.shoes is None or round_.shoes.current is None:
        return
    left = round_.shoes.current.left
    due = [due for due in round_.dues[round_.given :] if not due.at_most]
    if left is None or len(due) <= left:
        return
    burned = round_.ledger.burned_left
    pool = burned + min(left, 1)
    if round_.ledger.scrambled:
        pool -= sum(waits.cards for waits in round_.by_hand)
    by_hand = len(due) - max(left - 1, 0)
    out = Incident(
        code="deck-runs-out", clause=policy.clause, reason="stop", place=SHOE.text, expected=len(due), left=left
    )
    if policy.then.startswith("scramble") and pool >= by_hand:
        reason = "scramble-and-burn" if pool > by_hand else "scramble"
        out = replace(out, reason=reason, burned=burned, by_hand=by_hand)
        _scramble(round_, due, left)
        policy = policy._replace(then="nothing")
    elif policy.then == "scramble-or-community" and left + burned > 1:
        out = replace(out, reason="community", burned=burned)
        _for_everybody(round_, due, left)
        policy = policy._replace(then="nothing")
    elif policy.then != "misdeal":
        policy = policy._replace(then="person")
        out = replace(out, called="supervisor")
        _by_hand(round_, due, left)
    _rule(round_, policy, SHOE, round_.report(out, seen))


def _rule(round_: Round, policy: Policy, place: Place, out: Incident) -> None:
    """Apply what follows when the deck runs out; a misdeal returns what any misdeal does."""
    apply(round_, policy._replace(returns=round_.plan.procedure.misdeal.returns), place, out)


def _scramble(round_: Round, due: list[Due], left: int) -> None:
    """Deal all cards but the last; lay that one with the burned cards, and deal those by hand, scrambled."""
    round_.ledger.scrambled = True
    whole = max(left - 1, 0)
    aside = [Due(BURN, 1, due[whole].step)] * min(left, 1)
    round_.dues[round_.given :] = [*due[:whole], *aside]
    round_.by_hand += due[whole:]


def _for_everybody(round_: Round, due: list[Due], left: int) -> None:
    """Deal no player a card: burn one and turn one up that plays in every hand (47.1-1009(2)).

    What the shoe does not have for the two comes from the burned cards, by hand.
    """
    step = due[0].step
    both = [Due(BURN, 1, step), Due(COMMUNITY, 1, step)]
    round_.dues[round_.given :] = both[:left]
    round_.by_hand += both[left:]
    round_.ledger.scrambled = left < len(both)
    round_.common_card = True


def _by_hand(round_: Round, due: list[Due], left: int) -> None:
    """Deal by hand what the shoe does not have, if a supervisor lets play continue."""
    round_.dues[round_.given :] = due[:left]
    round_.by_hand += due[left:]


# ------------------------------------------------------------------ hands in front of the tray


def name_places(round_: Round) -> None:
    """Deal the cards to the places that the number counts out, since it came before the first card.

    A number that may come after the deal leaves the hands in front of the tray.
    """
    deal, assign = round_.plan.counted, round_.plan.assign
    waits = round_.opened and not round_.given and not round_.ledger.packets
    if deal is not None and assign is not None and assign.early and round_.step is deal and waits:
        round_.dues = list(deal.dues(round_))


def assign_hands(round_: Round, seen: Seen) -> None:
    """Move the hands in front of the tray to the places that the number counts out, in a step that assigns them.

    Their counts are then judged as those of the places.
    """
    deal = round_.plan.counted
    if not isinstance(round_.step, AssignStep) or round_.first is None or deal is None:
        return
    homes = {pile(number): place for number, place in enumerate(deal.turns(round_), 1)}
    waiting = [at for at in homes if at in round_.ledger.hands]
    for at in waiting:
        round_.ledger.move(at, homes[at])
    if waiting:
        rename(round_, homes)
        round_.ledger.rename(homes)
    for at in waiting:
        judge_count(round_, homes[at], seen)


# ------------------------------------------------------------------ a hand that players may take


def offer_hand(round_: Round, seen: Seen) -> None:
    """Make the cards of a position the offered hand, in a step that offers one, and judge their count as the hand's."""
    step = round_.step
    place = _position(round_, round_.plan.options[step.from_]) if isinstance(step, OfferHandStep) else None
    if not isinstance(step, OfferHandStep) or place is None:
        return
    to = round_.plan.place(step.to)
    round_.ledger.move(place, to)
    rename(round_, {place: to})
    judge_count(round_, to, seen)


def _position(round_: Round, value: str) -> Place | None:
    unplayed = list(_unplayed(round_))
    if value == "last-unplayed":
        return unplayed[-1] if unplayed else None
    place = seat(int(value.removeprefix("seat-")))
    return place if place in unplayed else None


def _unplayed(round_: Round) -> Iterator[Place]:
    """Yield the positions with cards but without a player, in the order of the deal."""
    for due in round_.dues[: round_.given]:
        if due.place.seat and due.place.seat not in round_.active and due.place in round_.ledger.hands:
            yield due.place


def seen_before(round_: Round, bet: str) -> str:
    """Return the hand that a bet is about, if it was shown already, else an empty text."""
    offers = (step for step in round_.plan.steps if isinstance(step, DecideStep) and step.about is not None)
    for step in offers:
        of_bet = any(bet in round_.plan.choices[name].stakes for name in step.choices)
        if step.about is not None and of_bet and round_.plan.place(step.about) in round_.open:
            return step.about
    return ""
