"""Cards that are dealt too early, in words: which ones a row of a procedure is about, and what is dealt in their place.

A row without steps covers the cards that no other row names. The steps of a row are those whose cards lie there when
the early ones come: at `flop`, the fourth card is early.
"""

from itertools import takewhile
from typing import Final, NamedTuple

from dealer_flow.english import cards, listed
from dealer_flow.procedure.schema import Procedure
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.tables import WrongPart, chosen

_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


class EarlyCards(NamedTuple):
    """Deals of a recipient that a row is about. `words` name their cards; empty if the steps do not tell them apart."""

    words: str = ""
    of: tuple[DealStep, ...] = ()
    following: DealStep | None = None
    """The deal to the same recipient after the last of these."""

    def consequence(self, procedure: Procedure, then: str) -> str:
        """Return the consequence in words if it says what is dealt instead or who may act; empty otherwise."""
        if then == "kept" and procedure.betting is not None and procedure.betting.card_ahead_clause:
            return "the card is the one that is due next; its player may not bet or raise against one who lacks it"
        if then != "set-aside" or self.following is None or not self.of:
            return ""
        steps = _steps(procedure)
        burn = "a card is burned, and " if _burned_before(steps, self.of[-1]) else ""
        instead = f"{burn}what would have been {_cards(steps, self.following, self.of[-1].to[0])} is dealt in its place"
        last = "the last card is dealt without a burn" if burn else "the last card is dealt"
        return f"the card is out of play; {instead}; after the betting it is shuffled into the deck, and {last}"


def early(procedure: Procedure, row: WrongPart) -> EarlyCards:
    """Return the cards that this row on early cards is about."""
    steps = _steps(procedure)
    deals = [step for step in steps if isinstance(step, DealStep) and row.of in step.to]
    named = {name for other in procedure.wrong if other.of == row.of and "early" in other.how for name in other.at}
    found = []
    for number, deal in enumerate(deals):
        before = deals[number - 1].name if number else None
        covered = before in row.at if row.at else before not in named
        if covered and _waits(steps, deal):
            found.append(deal)
    if not found:
        return EarlyCards()
    whose = {"seats": "a player", "dealer": "the dealer", "community": "the community"}.get(row.of, f"`{row.of}`")
    which = listed([_cards(steps, deal, row.of) for deal in found], "or")
    verb = "comes" if found[-1].cards == 1 else "come"
    after = deals[deals.index(found[-1]) + 1 :]
    return EarlyCards(f"{which} of {whose} {verb} too early", tuple(found), after[0] if after else None)


def _steps(procedure: Procedure) -> list[AnyStep]:
    """Return the steps of the game under the default options."""
    defaults = {option.name: option.default for option in procedure.option}
    return [step for step in procedure.step if chosen(step.when, defaults)]


def _waits(steps: list[AnyStep], deal: DealStep) -> bool:
    """Return True if somebody acts between this deal and the one before it, so that it can come too early."""
    before = takewhile(lambda step: not isinstance(step, DealStep), reversed(steps[: steps.index(deal)]))
    return any(isinstance(step, BetStep | DecideStep) for step in before)


def _burned_before(steps: list[AnyStep], deal: DealStep) -> bool:
    return isinstance(steps[steps.index(deal) - 1], BurnCardStep)


def _cards(steps: list[AnyStep], deal: DealStep, to: str) -> str:
    """Return the cards of a deal by their numbers at this place, as in `the fourth card (turn)`."""
    first = sum(step.cards for step in steps[: steps.index(deal)] if isinstance(step, DealStep) and to in step.to)
    if deal.cards == 1:
        text = f"{_ORDINALS[first]} card"
    elif not first:
        text = f"first {cards(deal.cards)}"
    else:
        text = f"{_ORDINALS[first]} to {_ORDINALS[first + deal.cards - 1]} cards"
    return f"the {text} (`{deal.name}`)"
