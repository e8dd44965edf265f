"""What the decks of a game of steps do to the round: which is dealt, and where each card of a shoe goes."""

from msgspec.structs import replace

from dealer_flow.play.verdicts import DECK_WRONG, apply, judge_count, judged
from dealer_flow.procedure.steps import Due
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import Card
from protocol.places import BURN, NOWHERE, SHOE, SHUFFLER


def begin(round_: Round, seen: Seen) -> None:
    """Bets are closed: a shoe is dealt from, and one that is fresh each round must be a whole one."""
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
    elif deck.rounds is not None and shoe is not None and shoe.rounds >= deck.rounds:
        old = Incident(
            code="deck-too-old",
            clause=deck.clause,
            place=SHOE.text,
            shoe=shoe.id,
            counted=shoe.rounds,
            limit=deck.rounds,
        )
        round_.report(old, seen)
    deal_from(round_, 0, seen)


def deal_from(round_: Round, deck: int, seen: Seen) -> None:
    """A round is dealt from this deck; 0 is a shoe's."""
    plan, care = round_.plan, round_.plan.procedure.care
    alternating = plan.procedure.deck.alternating > 1 and not plan.from_shoe
    place = (SHOE if plan.from_shoe else SHUFFLER).text
    for finding in round_.decks.deal(deck, alternating=alternating, oldest=plan.oldest_deck):
        clauses = {"deck-not-alternated": plan.procedure.deck.clause, "defective-deck-again": care.deck.clause}
        clause = clauses.get(finding.code, care.age.clause if care.age else "procedure")
        round_.report(replace(finding, clause=clause, place=place), seen)


def give(round_: Round, seen: Seen, card: Card, *, burned: bool) -> None:
    """A card of the shoe goes to whom it is due; one that is burned before the bets are closed to nobody."""
    due = round_.next_due
    if round_.shoes is not None and round_.shoes.current is not None and round_.in_play:
        shoe = round_.shoes.current
        if shoe.over and not round_.given:
            clause = round_.plan.procedure.deck.clause
            round_.report(Incident(code="shoe-over", clause=clause, shoe=shoe.id, unreliable=True), seen)
        shoe.rounds += not round_.given
    if due is not None and round_.in_play:
        round_.ledger.draw(card, due)
        round_.given += 1
        judge_count(round_, due.place, seen)
    elif burned:
        round_.ledger.draw(card, Due(BURN, 1, ""))


def deck_counted(round_: Round, seen: Seen, counted: int) -> None:
    """Between two rounds a person counted a whole deck."""
    if counted == round_.plan.cards:
        return
    policy = round_.plan.deck_policy
    found = DECK_WRONG(reason="person", place=SHUFFLER.text, counted=counted, expected=round_.plan.cards)
    wrong = round_.report(judged(policy, found), seen)
    if policy.then == "defective-deck" and round_.decks.last is not None:
        round_.decks.find_defective(round_.decks.last, wrong)
    else:
        apply(round_, policy, NOWHERE, wrong)
