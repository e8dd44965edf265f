"""What the decks of a game of steps do to the round: which is dealt, and where each card of a shoe goes."""

from dealer_flow.play.verdicts import apply, judge_count
from dealer_flow.table.hand import Due
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import Card
from protocol.places import BURN, SHOE, SHUFFLER


def begin(now: Round, seen: Seen) -> None:
    """Bets are closed: a shoe is dealt from, and one that is fresh each round must be a whole one."""
    if now.shoes is None:
        return
    now.shoes.begin_round()
    if now.draw is not None:
        return
    deck, shoe = now.plan.procedure.deck, now.shoes.current
    if deck.fresh == "each-round" and shoe is not None and shoe.rounds:
        if shoe.announced:
            text = f"shoe {shoe.id} is dealt from again; each round has a fresh one"
            now.break_off("deck-not-fresh", text, seen, deck.clause)
        else:
            now.shoes.replace()
    elif deck.rounds is not None and shoe is not None and shoe.rounds >= deck.rounds:
        text = f"shoe {shoe.id} was dealt {shoe.rounds} rounds before this one; at most {deck.rounds}"
        now.note("deck-too-old", text, seen=seen, clause=deck.clause, place=SHOE)
    deal_from(now, 0, seen)


def deal_from(now: Round, deck: int, seen: Seen) -> None:
    """A round is dealt from this deck; 0 is a shoe's."""
    plan, care = now.plan, now.plan.procedure.care
    alternating = plan.procedure.deck.alternating > 1 and not plan.from_shoe
    for code, text in now.decks.deal(deck, alternating=alternating, oldest=plan.oldest_deck):
        clauses = {"deck-not-alternated": plan.procedure.deck.clause, "defective-deck-again": care.deck.clause}
        clause = clauses.get(code, care.age.clause if care.age else "procedure")
        now.note(code, text, seen=seen, clause=clause, place=SHOE if plan.from_shoe else SHUFFLER)
        now.unreliable |= code == "defective-deck-again"


def give(now: Round, seen: Seen, card: Card, *, burned: bool) -> None:
    """A card of the shoe goes to whom it is due; one that is burned before the bets are closed to nobody."""
    due = now.next_due
    if now.shoes is not None and now.shoes.current is not None and now.in_play:
        shoe = now.shoes.current
        if shoe.over and not now.given:
            text = f"a card is drawn from shoe {shoe.id}, which is over"
            now.break_off("shoe-over", text, seen, now.plan.procedure.deck.clause)
        shoe.rounds += not now.given
    if due is not None and now.in_play:
        now.ledger.draw(card, due)
        now.given += 1
        judge_count(now, due.place, seen)
    elif burned:
        now.ledger.draw(card, Due(BURN, 1, ""))


def deck_counted(now: Round, seen: Seen, counted: int) -> None:
    """Between two rounds a person counted a whole deck."""
    if counted == now.plan.cards:
        return
    policy = now.plan.deck_policy
    text = f"a person counts {counted} cards in a deck of {now.plan.cards}"
    now.note("deck-count-wrong", text, seen=seen, clause=policy.clause, place=SHUFFLER)
    if policy.then == "defective-deck" and now.decks.last is not None:
        now.decks.find_defective(now.decks.last, text)
    else:
        apply(now, policy, why=text)
