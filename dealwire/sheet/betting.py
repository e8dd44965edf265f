"""The betting of a round in words: the button, every action by betting round, and what was taken in of the pots."""

from collections.abc import Iterator

from dealer_flow.record.result import RoundResult
from dealwire.sheet.paper import Block, PaperFacts, PaperHeading, PaperTable, amount
from dealwire.table.action_words import MANNERS, pot_name, step_words


def betting(result: RoundResult) -> Iterator[Block]:
    """Nothing of a round in which nobody bet in turn."""
    if not result.actions:
        return
    yield PaperHeading("Betting")
    if result.button is not None:
        yield PaperFacts((("button", f"seat {result.button}"),))
    rows = tuple(
        (
            *(str(number), step_words(each.step), str(each.seat), each.action),
            *(amount(each.cents, result.currency), MANNERS.get(each.manner, each.manner)),
        )
        for number, each in enumerate(result.actions, 1)
    )
    head = ("", "betting round", "seat", "action", "lies there then, in all", "how")
    yield PaperTable(head, rows, right=frozenset({0, 4}), wide=frozenset({5}))
    if result.awards:
        takes = tuple(
            (pot_name(each.pot), str(each.seat), amount(each.cents, result.currency)) for each in result.awards
        )
        yield PaperTable(("pot", "taken in by seat", "amount"), takes, right=frozenset({2}))
