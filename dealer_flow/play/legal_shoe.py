"""What may happen next in a game drawn from a shoe: a part of `legal`."""

from collections.abc import Iterator

from dealer_flow.play.legal_item import Legal
from dealer_flow.play.order_shoe import extra_due
from dealer_flow.play.states import LOOSE, State
from dealer_flow.table.columns import Draw
from dealer_flow.table.round import Round


def shoe_legal(state: State, round_: Round, draw: Draw) -> Iterator[Legal]:
    """After START GAME."""
    if state is State.DRAWING:
        number = len(draw.cards) + 1
        yield Legal("dealer", "CardDrawn", "shoe", f"draw card {number} to the column it belongs in", number)
    elif state is State.NAMING:
        what = f"say what card {draw.unread} is"
        yield Legal(draw.plan.unread_by, "HandRevealed", "shoe", what, draw.unread or 0)
    elif state is State.EXTRA:
        yield from _extra(round_, draw)
    if state is not State.BETTING:
        yield Legal("supervisor", "CardsCounted", "shoe", "count the cards left in the shoe")
    if state not in LOOSE:
        yield Legal("supervisor", "MisdealCalled", "", "call a misdeal")
    if state in LOOSE or state is State.SETTLING or (state is State.EXTRA and not extra_due(round_)):
        yield Legal("dealer", "GameEnded", "", "END GAME", round_.number)


def _extra(round_: Round, draw: Draw) -> Iterator[Legal]:
    if extra_due(round_):
        number = len(draw.cards) + 1
        yield Legal("dealer", "CardDrawn", "shoe", f"draw card {number}, the extra card", number)
    for seat, bets in round_.wagers.items():
        moved = draw.plan.moved & bets.keys()
        if not moved and not bets.get(draw.plan.moves_from or ""):
            continue
        for bet in round_.plan.bets.values():
            if bet.name in (moved or draw.plan.moved):
                yield Legal(f"player at seat {seat}", "WagerPlaced", f"seat {seat}", f"move to {bet.name}", bet.number)
