"""What the decks of a game of steps do to the round: which is dealt, and where each card of a shoe goes."""

from dealer_flow.play.verdicts import apply, judge_count
from dealer_flow.procedure.steps import Due
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.cards import Card
from protocol.places import BURN, SHOE, SHUFFLER


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
            text = f"shoe {shoe.id} is dealt from again; each round has a fresh one"
            round_.break_off("deck-not-fresh", text, seen, deck.clause)
        else:
            round_.shoes.replace()
    elif deck.rounds is not None and shoe is not None and shoe.rounds >= deck.rounds:
        text = f"shoe {shoe.id} was dealt {shoe.rounds} rounds before this one; at most {deck.rounds}"
        round_.note("deck-too-old", text, seen=seen, clause=deck.clause, place=SHOE)
    deal_from(round_, 0, seen)


def deal_from(round_: Round, deck: int, seen: Seen) -> None:
    """A round is dealt from this deck; 0 is a shoe's."""
    plan, care = round_.plan, round_.plan.procedure.care
    alternating = plan.procedure.deck.alternating > 1 and not plan.from_shoe
    for code, text in round_.decks.deal(deck, alternating=alternating, oldest=plan.oldest_deck):
        clauses = {"deck-not-alternated": plan.procedure.deck.clause, "defective-deck-again": care.deck.clause}
        clause = clauses.get(code, care.age.clause if care.age else "procedure")
        round_.note(code, text, seen=seen, clause=clause, place=SHOE if plan.from_shoe else SHUFFLER)
        round_.unreliable |= code == "defective-deck-again"


def give(round_: Round, seen: Seen, card: Card, *, burned: bool) -> None:
    """A card of the shoe goes to whom it is due; one that is burned before the bets are closed to nobody."""
    due = round_.next_due
    if round_.shoes is not None and round_.shoes.current is not None and round_.in_play:
        shoe = round_.shoes.current
        if shoe.over and not round_.given:
            text = f"a card is drawn from shoe {shoe.id}, which is over"
            round_.break_off("shoe-over", text, seen, round_.plan.procedure.deck.clause)
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
    text = f"a person counts {counted} cards in a deck of {round_.plan.cards}"
    round_.note("deck-count-wrong", text, seen=seen, clause=policy.clause, place=SHUFFLER)
    if policy.then == "defective-deck" and round_.decks.last is not None:
        round_.decks.find_defective(round_.decks.last, text)
    else:
        apply(round_, policy, why=text)
