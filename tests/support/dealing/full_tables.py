"""Tables at their fullest: every seat a game may have, each with all its bets and cards, as a view for the console."""

from __future__ import annotations

from dealwire.hub.view import ActionView, BettingView, ChipsView, HandView, PotView, SeatView, TableView
from dealwire.table.replay import usual_table
from dealwire.table.viewer import Viewer
from devices.events import LinkUp, Seen
from protocol.cards import DECK, UNREAD

START_NS = 1_790_000_000_000_000_000
FACES = tuple(card.text for card in DECK)


CHIPS = ChipsView(stake=2_000_000, behind=1_234_550, lies=123_450, all_in=True)


def full_betting(seats: int) -> BettingView:
    """Return the largest possible number of pots, and more actions than are visible at once."""
    every = tuple(range(1, seats + 1))
    acts = tuple(
        ActionView(step="pre-flop-betting", seat=seat, action="all-in", cents=123_450, manner="time-limit")
        for seat in every
    )
    names = ("main pot", *(f"side pot {number}" for number in range(1, seats)))
    pots = tuple(PotView(name=name, cents=123_450, seats=every[at:]) for at, name in enumerate(names))
    return BettingView(
        button=seats,
        step="pre-flop-betting",
        high=123_450,
        turn=(1,),
        pots=pots,
        total=123_450 * seats,
        over_seat=1,
        over=123_450,
        acted=seats,
        actions=acts,
    )


def full_table(procedure: str, *, shown: bool = False, name: str = "pit-1") -> TableView:
    """Return a view of `procedure` with every seat and place taken to the last card and bet; faces only if `shown`."""
    table = usual_table(procedure)
    viewer = Viewer(table, name)
    for device in ("shoe" if table.flow.plan.from_shoe else "shuffler", "table-controller"):
        viewer.update(Seen(device, 1, 0, START_NS, LinkUp(1, device, "maker", "model", "1", "1.0", False, False)), ())
    view, room, plan = viewer.view(1, START_NS), viewer.view(1, START_NS).room, table.flow.plan
    own = [bet.name for bet in plan.bets.values() if bet.tip_for is None]
    tips = [bet.name for bet in plan.bets.values() if bet.tip_for is not None]
    wagers = {bet: 123_450 if at % 3 == 2 else 2_500 for at, bet in enumerate([*own, *tips])}

    def hand(cards: int) -> tuple[str, ...]:
        return FACES[9 : 9 + cards] if shown else (UNREAD.text,) * cards

    seats = tuple(
        SeatView(
            seat=seat.seat,
            status=("live", "dead", "folded", "out")[seat.seat % 4],
            wagers=wagers,
            cards=hand(room.seat),
            counted=room.seat - (seat.seat % 4 == 1) if room.seat else None,
            expected=room.seat or None,
            decision=next(iter(plan.choices), None),
            next=seat.seat % 3 == 0,
            chips=CHIPS if view.betting is not None else None,
        )
        for seat in view.seats
    )
    places = {
        name: HandView(name=name, cards=hand(cards), counted=cards, expected=cards)
        for name, cards in room.places.items()
    }
    columns = tuple(
        HandView(name=column.name, cards=FACES[:count], counted=count)
        for column, count in zip(view.columns, (room.column, 3, 2, 1), strict=False)
    )
    community = [hand for name, hand in places.items() if name != "dealer"]
    if room.burned:
        community.append(HandView(name="burned", burned=(UNREAD.text,) * room.burned, counted=room.burned))
    return view.model_copy(
        update={
            "round": 12,
            "state": "deciding" if room.seat else "settling",
            "seats": seats,
            "dealer": places.get("dealer"),
            "community": tuple(community),
            "columns": columns,
            "betting": full_betting(len(view.seats)) if view.betting is not None else None,
        }
    )
