"""Verdicts on findings: the procedure's rows applied to a round."""

from functools import partial
from typing import Final, Literal

from msgspec.structs import replace

from dealer_flow.play.course import laying
from dealer_flow.play.course.cards_by_step import unsettle
from dealer_flow.play.course.turns import acted_since, take_back
from dealer_flow.play.verdicts.in_hand import forget_dead
from dealer_flow.play.verdicts.remedies import (
    REMEDIES,
    complete,
    deal_anew,
    early,
    may_be,
    miscount,
    of_card,
    owed,
    unshown_deal,
)
from dealer_flow.procedure.must_draw import must_draw
from dealer_flow.procedure.plan import Policy
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.show import ShowStep
from dealer_flow.record.incidents import UNJUDGED, Incident, at
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round, Ruling
from devices.events import Mishap, Seen
from protocol.cards import UNREAD, Card, spell_cards
from protocol.faults import Fault
from protocol.places import BURN, NOWHERE, PILES, REMAINDER, Place, parse_place, seat

_JAMS: Final = frozenset({Fault.FEED_JAM, Fault.COMPARTMENT_JAM, Fault.EXIT_JAM})
_FAULT_CODES: Final[dict[int, str]] = {
    Fault.DOOR_OPENED_MID_ROUND: "door-opened",
    Fault.POWER_LOST_MID_ROUND: "power-lost",
    **dict.fromkeys(_JAMS, "jam"),
}
_MISHAPS: Final[dict[Mishap | None, tuple[str, str]]] = {
    Mishap.EXPOSED: ("card-exposed", "person"),
    Mishap.EXPOSED_BY_PLAYER: ("card-exposed", "player"),
    Mishap.OFF_TABLE: ("card-off-table", ""),
    Mishap.FOULED: ("hand-fouled", "unknown"),
    Mishap.FOULED_BY_PLAYER: ("hand-fouled", "player"),
    Mishap.FOULED_BY_OTHERS: ("hand-fouled", "others"),
    Mishap.RECONSTRUCTED: ("hand-reconstructed", ""),
    Mishap.JOKER: ("stray-joker", "person"),
    Mishap.BOXED: ("boxed-card", "person"),
    Mishap.DROPPED: ("card-dropped", ""),
    Mishap.EARLY: ("card-early", ""),
    Mishap.RETURNED_TO_DECK: ("card-returned", ""),
}
"""Mishap to a card, as reported -> the incident's code and `reason`."""
_FOULED_HANDS: Final = ("seat-count-wrong", "hand-fouled")
_FOULED: Final = (Mishap.FOULED, Mishap.FOULED_BY_PLAYER, Mishap.FOULED_BY_OTHERS, Mishap.RECONSTRUCTED)
_FOUND: Final = partial(Incident, clause=UNJUDGED)
DECK_WRONG: Final = partial(_FOUND, code="deck-count-wrong")
_RULE: Final = Policy("person", "procedure")


def apply(round_: Round, policy: Policy, place: Place, why: Incident) -> None:
    """Apply a consequence. A state only ever gets worse: a dead hand stays dead."""
    then, returns = policy.then, policy.returns
    kind = round_.plan.kind(place)
    if then not in ("nothing", "note"):
        _revoke(round_, policy, place, why)
    if then == "dead-hand" and place.seat:
        round_.dead.add(place.seat)
        if policy.dealt_out:
            laying.deal_out(round_, place)
        round_.returns.add("dead-hand", place.seat, returns)
        _take_back(round_, place.seat, why)
    elif then == "dead-hand" and kind in round_.plan.hands:
        round_.dead_hands.add(kind)
        round_.returns.add("hand", kind, returns or ())
    elif then in ("dead-hand", "defective-deck"):  # only a player can lose a hand: for the house it is a defective deck
        round_.defective = True
        round_.returns.add("defective-deck", 0, returns if then == "defective-deck" else None)
    elif then == "progressive-only":
        round_.house_wrong = True
        round_.returns.add("progressive-only", 0, _all_but_progressive(round_) if returns is None else returns)
    elif then == "misdeal":
        round_.misdeal = True
        round_.returns.add("misdeal", 0, returns)
    elif then == "unreliable":
        round_.unreliable = True
    elif (then == "person" or then in REMEDIES) and not round_.over:
        round_.rulings.append(Ruling(why, place, policy.clause, returns))


def _revoke(round_: Round, policy: Policy, place: Place, why: Incident) -> None:
    """Revoke what the cards at a place decided last, since one of them is wrong. Several games may be decided there or
    side by side: the procedure says whether one stands that was decided by others of these cards."""
    hand = round_.ledger.hands.get(place)
    others = hand is not None and {*why.cards}.isdisjoint([card.text for card in hand.shown])
    if policy.game_before == "stands" and others:
        return
    number = place.seat if policy.then == "dead-hand" else None
    unsettle(round_, round_.plan.kind(place), number, beside=policy.game_before == "void")


def _take_back(round_: Round, number: int, why: Incident) -> None:
    """Return the last bet of a hand that is dead because it is fouled, if no player has acted on the bet yet."""
    part = round_.plan.betting
    if part is not None and why.code in _FOULED_HANDS and (cents := take_back(round_, number)):
        back = Incident(code="bet-taken-back", clause=part.fouled_bet_clause, seat=number, cents=cents, cause=why)
        round_.follow(back, why.events)


def _all_but_progressive(round_: Round) -> tuple[str, ...]:
    keeps = round_.plan.progressives | round_.plan.fees
    return tuple(bet.name for bet in round_.plan.bets.values() if bet.name not in keeps)


def judged(policy: Policy, finding: Incident) -> Incident:
    """Return the finding with the policy's clause and consequence; a supervisor is called if the clause leaves it to a
    person."""
    calls: Literal["supervisor"] | None = "supervisor" if policy.calls is not None or policy.then == "person" else None
    return replace(finding, clause=policy.clause, called=calls, unreliable=policy.then == "unreliable")


def judge(round_: Round, policy: Policy, place: Place, finding: Incident, seen: Seen) -> None:
    """Report a finding and apply the policy."""
    apply(round_, policy, place, round_.report(judged(policy, finding), seen))


def found(round_: Round, findings: list[Incident], seen: Seen) -> None:
    """Judge the ledger's findings by the procedure."""
    for finding in findings:
        place = parse_place(finding.place or NOWHERE.text)
        if finding.code == "burned-card-in-muck":
            judge_muck(round_, finding, place, seen)
        else:
            judge(round_, _policy(round_, finding), place, finding, seen)


def _policy(round_: Round, finding: Incident) -> Policy:
    plan = round_.plan
    policies = {
        "duplicate-face": plan.duplicate,
        "foreign-card": plan.foreign,
        "stray-joker": plan.face("joker") or plan.foreign,
        "boxed-card": plan.face("boxed") or plan.foreign,
        "cards-not-conserved": plan.deck_policy,
        "counts-differ": Policy("note", plan.clause),
        "board-order-differs": Policy("note", next(iter(plan.spots.values()), plan.clause)),
        "faces-disagree": Policy("unreliable", plan.clause),
    }
    return policies.get(finding.code) or Policy("unreliable", _burn_clause(round_))


def _burn_clause(round_: Round) -> str:
    steps = [step.clause for step in round_.plan.steps if step.do in ("burn", "burn-card")]
    return steps[0] if steps else round_.plan.clause


def judge_muck(round_: Round, finding: Incident, place: Place, seen: Seen) -> None:
    """Judge a burned card that touches the discards, which matters until all cards are dealt."""
    policy = round_.plan.burned
    if policy is not None and round_.all_dealt:
        return
    policy = policy or Policy("note", _burn_clause(round_))
    if policy.returns is None:
        policy = policy._replace(returns=round_.plan.procedure.misdeal.returns)
    judge(round_, policy, place, finding, seen)


STRAYS: Final = ("stray-joker", "boxed-card")
"""Cards that are dead as they come out of a shoe."""


def judge_strays(round_: Round, findings: list[Incident], card: Card, seen: Seen) -> None:
    """Judge the card drawn last, which is not part of the deck, and apply the remedy where it was dealt."""
    for finding in findings:
        due = laying.laid(round_)[-1] if round_.from_shoe else None
        place = due.place if due is not None else parse_place(finding.place or NOWHERE.text)
        policy = _policy(round_, finding)
        incident = round_.report(judged(policy, finding), seen)
        if not (may_be(round_, policy) and of_card(round_, policy, place, card, seen, stray=True)):
            apply(round_, policy, place, incident)


# ------------------------------------------------------------------ counts


def judge_count(round_: Round, place: Place, seen: Seen) -> None:
    """Compare the count that holds at `place` with the expected number."""
    hand = round_.ledger.hands[place]
    counted = hand.device_count if hand.person_count is None else hand.person_count
    if counted is None or place in PILES:
        return  # a hand in front of the tray is judged once it has a place
    off = counted - hand.expected
    if off == hand.judged:
        return
    hand.judged = off
    if not off:
        code = count_code(round_.plan.kind(place))
        round_.rulings = [each for each in round_.rulings if (each.place, each.why.code) != (place, code)]
        laying.met(round_, place)
        return
    waiting = owed(round_, place)
    if off < 0 and (hand.anew or -off <= waiting):
        return  # the missing cards are still to be dealt
    kind = round_.plan.kind(place)
    how = "short" if off < 0 and not acted_since(round_, hand) else "long"
    policy = round_.plan.wrong(kind, how, hand.step, abs(off)) or _RULE
    if off < 0 and policy.then == "dead-hand" and not policy.dealt_out and laying.deals_around(round_, place):
        passed_over(round_, hand, -off, seen)
        return
    wrong = _FOUND(code=count_code(kind), place=place.text, counted=counted, expected=hand.expected)
    incident = round_.report(judged(policy, wrong), seen)
    if not may_be(round_, policy):
        apply(round_, policy, place, incident)
    elif policy.then == "reshuffle":
        miscount(round_, policy, hand, off, seen)
    elif off < 0:
        complete(round_, hand, -off - waiting)


def judge_unshown(round_: Round, place: Place, counted: int, seen: Seen) -> bool:
    """Judge a place with more cards than its step deals, counted before any of them was shown; False if that is not so.

    The next step needed no report to begin and seemed to have dealt the others. All cards go back, if the procedure
    says so.
    """
    hand, first = round_.ledger.hands.get(place), unshown_deal(round_, place)
    if hand is None or first is None or counted != hand.counted:
        return False
    step, kind = round_.plan.steps[first], round_.plan.kind(place)
    wanted = sum(due.cards for due in round_.dues if (due.place, due.step) == (place, step.name))
    policy = round_.plan.wrong(kind, "long", step.name, counted - wanted)
    if policy is None or policy.then != "reshuffle" or not may_be(round_, policy):
        return False
    wrong = _FOUND(code=count_code(kind), place=place.text, counted=counted, expected=wanted)
    round_.report(judged(policy, wrong), seen)
    deal_anew(round_, policy, hand, first, seen)
    return True


def passed_over(round_: Round, hand: Hand, missing: int, seen: Seen) -> None:
    """Give a hand that lacks cards the next ones, while cards are still dealt around the table: it is not wrong yet."""
    step = round_.plan.steps[round_.plan.order[hand.step]]
    passed = Incident(
        code="place-passed-over",
        clause=step.clause,
        place=hand.place.text,
        counted=hand.counted,
        expected=hand.expected,
    )
    round_.report(passed, seen)
    laying.give_next(round_, hand, missing)


def count_code(kind: str) -> str:
    """Return the code of a wrong count."""
    known = {"seats": "seat", "dealer": "dealer", "community": "community", BURN.text: "burn"}
    return f"{known.get(kind, 'hand')}-count-wrong"


def judge_spares(round_: Round, seen: Seen) -> None:
    """Report, at the end of the round, cards that no place was due and that were not located. A count may still locate
    them."""
    spares = len(laying.spares(round_)) if round_.marks else 0
    cards = spares or (0 if round_.plan.from_hand else round_.ledger.unplaced)
    if cards and not (round_.over or round_.house_wrong):
        lost = Incident(code="card-unplaced", clause=round_.plan.clause, counted=cards, unreliable=True)
        round_.report(lost, seen)


def judge_sum(round_: Round, seen: Seen) -> None:
    """Record cards that do not add up; the verdict waits for END GAME, since a recount may explain them."""
    if round_.ledger.conserved is False and round_.due is None:
        round_.report(replace(round_.ledger.unbalanced(), clause=round_.plan.deck_policy.clause), seen)
    if round_.plan.exact_rest is not None:
        judge_rest(round_, seen, final=False)


def judge_rest(round_: Round, seen: Seen, *, final: bool) -> None:
    """Record a wrong number of cards left; the verdict waits for END GAME."""
    wrong = round_.rest_wrong
    if wrong is None:
        return
    policy = round_.plan.wrong("remainder", wrong, None) or _RULE
    rest, exact = round_.rest, round_.plan.exact_rest
    found = judged(policy, _FOUND(code="remainder-count-wrong", place=REMAINDER.text, counted=rest, expected=exact))
    incident = round_.report(replace(found, unreliable=found.unreliable and final), seen)
    if final:
        apply(round_, policy, REMAINDER, incident)


# ------------------------------------------------------------------ what a hand must draw


def judge_draws(round_: Round, seen: Seen) -> None:
    """Compare what each hand drew with what it had to draw, once: the number of cards, and those it kept."""
    for step in round_.plan.forced_draws:
        if round_.over:
            return
        for place in _to_judge(round_, step):
            wrong = _wrong_draw(round_, step, place)
            if wrong is not None and step.otherwise is not None:
                round_.judged_draws.add((step.name, place))
                if wrong.code:
                    policy = round_.plan.policy(step.otherwise)._replace(clause=wrong.clause)
                    judge(round_, policy, place, wrong, seen)


def _to_judge(round_: Round, step: ExchangeStep) -> list[Place]:
    """Return the hands to compare: the house's, and those of the players that asked for cards."""
    places = [round_.plan.place(to) for to in step.to if to != "seats"]
    if "seats" in step.to:
        drawing = {due.place for due in round_.dues if due.step == step.name}
        drawing |= {seat(number) for number in round_.live if step.name in round_.choices.get(number, {})}
        places += sorted(drawing)
    return [place for place in places if (step.name, place) not in round_.judged_draws]


def _wrong_draw(round_: Round, step: ExchangeStep, place: Place) -> Incident | None:
    """Return the error in a hand's draw: an incident without a code if there is none, None while it cannot be known."""
    hands, hand = round_.ledger.hands, round_.ledger.hands.get(place)
    others = [hands[at] for to in step.counting if (at := round_.plan.place(to)) in hands]
    if hand is None or (hand.revealed is None and not hand.declared):
        return None
    before = hand.declared or hand.revealed or ()
    held = (*before, *(card for other in others for card in other.cards))
    must = must_draw(step.must, held)
    if must is None:
        return None
    drawn = sum(due.cards for due in round_.dues[: round_.given] if (due.place, due.step) == (place, step.name))
    wrong = Incident(
        code="forced-draw-wrong",
        clause=must.row.clause,
        reason="number",
        place=place.text,
        counted=drawn,
        expected=must.row.draws,
        known=tuple(spell_cards(held)),
    )
    if drawn != must.row.draws:
        return wrong
    if step.adds or hand.revealed is None or UNREAD in hand.revealed:
        return replace(wrong, code="") if step.adds else None
    kept = frozenset(before) & frozenset(hand.revealed)
    if kept in must.keeps:
        return replace(wrong, code="")
    return replace(wrong, reason="kept", counted=None, expected=None, cards=tuple(spell_cards(sorted(kept))))


def judge_discards(round_: Round, place: Place, seen: Seen, *, final: bool) -> None:
    """Compare what was discarded from a hand with what it draws; more may follow unless this is `final`."""
    hand = round_.ledger.hands.get(place)
    if hand is None or not hand.laid_away or round_.over:
        return
    laid = len(hand.laid_away)
    for step in round_.plan.steps:
        noted = (f"{step.name}: discards", place)
        if not isinstance(step, ExchangeStep) or step.discards is None or noted in round_.judged_draws:
            continue
        wanted = _draws(round_, step, place) if round_.plan.kind(place) in step.to else None
        most = step.most if wanted is None or not (final or place.seat) else wanted
        if round_.plan.kind(place) in step.to and (laid > most or (final and wanted is not None and laid < wanted)):
            round_.judged_draws.add(noted)
            found = _FOUND(code="discards-wrong", place=place.text, counted=laid, expected=wanted, limit=step.most)
            judge(round_, round_.plan.policy(step.discards), place, found, seen)


def _draws(round_: Round, step: ExchangeStep, place: Place) -> int | None:
    """Return the number of cards that a hand draws in this step: the number its player chose, or all that came for the
    house."""
    if not place.seat:
        return sum(due.cards for due in round_.dues[: round_.given] if (due.place, due.step) == (place, step.name))
    names = (name for name in round_.choices.get(place.seat, {}).values())
    made = [round_.plan.choices[name].draws for name in names]
    return sum(made) if made else None


# ------------------------------------------------------------------ people and devices


def judge_mishap(round_: Round, place: Place, how: str, card: Card | None, seen: Seen) -> None:
    """Judge what a person reports of a card."""
    known = next((mishap for mishap in Mishap if mishap == how), None)
    code, reason = _MISHAPS.get(known, ("card-mishandled", ""))
    if known in _FOULED and place == BURN:
        judge_muck(round_, _FOUND(code="burned-card-in-muck", reason="touched", place=place.text), place, seen)
        return
    hand = round_.ledger.hands.get(place)
    policy = round_.plan.mishap(how, round_.plan.kind(place), hand.step if hand else None)
    if policy is None and known is Mishap.JOKER and card is not None and not round_.plan.in_deck(card):
        policy = round_.plan.foreign  # same policy as if a device had read it
    no_hand = place.seat is not None and (place.seat not in round_.active or not round_.plan.expected(place))
    if policy is None or (known in _FOULED and no_hand):
        policy = _RULE  # a seat without cards has no hand that could touch discards
    finding = _FOUND(
        code=code,
        reason=reason,
        place=at(place),
        cards=(card.text,) if card is not None else (),
        how="" if known in _MISHAPS else how,
    )
    if known in _FOULED:  # this report answers the ruling that was due on the same hand
        round_.rulings = [ruling for ruling in round_.rulings if not _foul_at(place, ruling)]
    incident = round_.report(judged(policy, finding), seen)
    by_hand = round_.plan.from_hand and policy.then in ("complete", "replace") and not round_.over
    lying = hand is not None and hand.shown and (card is None or card in hand.shown)
    if by_hand and not lying and place in [due.place for due in round_.by_hand]:
        # The hand is still being dealt: the next card replaces the dead one. A joker is not one of the cards dealt.
        round_.ledger.astray += known is not Mishap.JOKER
        return
    if by_hand and hand is not None and may_be(round_, policy):
        hand.kill()
        forget_dead(round_, hand, card)
        round_.ledger.astray -= known is Mishap.JOKER
        complete(round_, hand, 1)
        return
    seen_early = known is Mishap.EXPOSED and policy.then == "reshuffle"
    stray = known in (Mishap.JOKER, Mishap.BOXED)
    remedy = early if known is Mishap.EARLY or seen_early else partial(of_card, stray=stray)
    if not (may_be(round_, policy) and remedy(round_, policy, place, card, seen)):
        apply(round_, policy, place, incident)


def _foul_at(place: Place, ruling: Ruling) -> bool:
    return ruling.place == place and ruling.why.code == "hand-fouled"


def judge_foul_set(round_: Round, place: Place, seen: Seen) -> None:
    """Judge a hand that was set against the rules, by the procedure or a supervisor's ruling."""
    policy = (round_.plan.foul_set if place.seat else round_.plan.foul_house) or _RULE
    judge(round_, policy, place, _FOUND(code="hand-set-foul", place=place.text), seen)


def judge_splits(round_: Round, seen: Seen) -> None:
    """Report, at the end of the round, a foul hand of the house that was not set again, since every hand depends on
    it."""
    policy = round_.plan.foul_house
    for place, done in round_.splits.items():
        if done.foul and not place.seat and policy is not None and policy.then == "nothing":
            found = Incident(code="hand-set-foul", clause=policy.clause, place=place.text, unreliable=True)
            round_.report(found, seen)


def judge_open(round_: Round, place: Place, cards: tuple[Card, ...], seen: Seen) -> None:
    """Judge cards of a packet that are visible: in a step that shows the bottom cards, any other card was exposed.

    Only a device that read what it dealt can tell.
    """
    kind, hand = round_.plan.kind(place), round_.ledger.hands.get(place)
    shows = [step for step in round_.plan.steps[: round_.at + 1] if isinstance(step, ShowStep) and kind in step.of]
    if not shows or shows[-1].which != "bottom" or hand is None:
        return
    bottom = hand.recognised[-len(cards) :]
    other = [card for card in cards if card not in bottom]
    if UNREAD in (*bottom, *cards) or not bottom or not other:
        return
    policy = round_.plan.wrong(kind, Mishap.EXPOSED, hand.step) or _RULE
    faces = tuple(spell_cards(other))
    judge(round_, policy, place, _FOUND(code="card-exposed", reason="not-bottom", place=place.text, cards=faces), seen)


def judge_button(round_: Round, seen: Seen) -> None:
    """Report a button that did not move to the next player after a round that was played out; recorded only."""
    moves, was, now = round_.plan.button, round_.button_was, round_.first
    if moves is None or was is None or now not in round_.active:
        return  # a seat without cards may have a player who sits out, and no device sees that
    step = 1 if round_.plan.options[moves.option] == "clockwise" else -1
    most = round_.plan.most_seats
    around = [(was - 1 + step * turn) % most + 1 for turn in range(1, most + 1)]
    due = next(number for number in around if number in round_.active)
    if now != due:
        found = Incident(code="button-misplaced", clause=moves.clause, seat=now, number=due)
        round_.report(found, seen)


def judge_fault(round_: Round, fault: int, seen: Seen, *, counts: bool) -> None:
    """Judge a device's fault; `counts` is False if it concerns no card of this round."""
    policy = round_.plan.fault_policy(fault)
    code = _FAULT_CODES.get(fault, "device-fault")
    decides = counts and policy.then != "person"  # else whoever clears the fault decides
    finding = Incident(
        code=code,
        clause=policy.clause,
        reason="fault" if code in ("device-fault", "power-lost") else "",
        called="supervisor" if policy.calls is not None else None,
        unreliable=decides and policy.then == "unreliable",
        device=seen.device,
        fault=fault,
    )
    incident = round_.report(finding, seen)
    if decides:
        apply(round_, policy, NOWHERE, incident)
