"""`deal`: cards go out, place after place or in rotation."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import Field

from dealer_flow.english import a, cards, place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.steps.assign import AssignStep
from dealer_flow.procedure.steps.base import DealtStep
from dealer_flow.procedure.steps.due import Due, RoundView
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Chooses, Name, OptionRef, Recipient
from protocol.places import DEALER, PLACES, Place, pile, seat
from protocol.tomlfile import Key

_ENDS: Final = ("top", "bottom")
"""Cards of a packet that may lie on the first of numbered spots."""
_WAYS: Final = ("clockwise", "counter-clockwise")
"""Directions in which a button may move."""


@lru_cache(maxsize=256)
def _packet(place: Place, cards: int, step: str) -> Due:
    """Return the due of a packet, cached: the same one serves all rounds."""
    return Due(place, cards, step)


class DealStep(DealtStep):
    """Cards go out to every place of `to` in turn, the seats clockwise from the dealer's left."""

    do: Literal["deal"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    """Recipients, in the order of the deal."""
    cards: Annotated[int, Field(ge=1, le=52)]
    """Number of cards that each place gets."""
    by: Literal["packet", "single"]
    """`packet`: each place gets its cards at once. `single`: one card at a time in rotation until each has all."""
    rotation: Literal["round", "there-and-back"] = "round"
    """`there-and-back`: every second card goes around the other way."""
    seats: Literal["entered", "live", "all"] = "entered"
    """Seats that get cards: those that `entered`, those still `live` (neither folded nor dead nor finished), or `all`
    positions up to the most, with or without a player."""
    face: Literal["down", "up"] = "down"
    """`up`: the cards are dealt face up."""
    first: Literal["dealer-left", "number", "button"] = "dealer-left"
    """The place that gets cards first. `number`: one selected by a number drawn for this round, the others follow in
    the direction of `count`. `button`: the one at the left of the selected seat, the others clockwise. The dealer's
    place counts as one."""
    count: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    """The direction in which a number is counted."""
    first_spot: Annotated[Name | None, Chooses(_ENDS)] = None
    """The option that says which card of a packet, its `top` or its `bottom` one, lies on the first of numbered
    spots."""
    moves: Annotated[OptionRef | None, Chooses(_WAYS)] = None
    """The option, with its clause, that says in which direction the button moves to the next player after a round."""

    places_key = "to"
    gives = True

    def dues(self, view: RoundView) -> Iterator[Due]:
        """Yield packets or single cards, place after place or in rotation; a shoe gives single cards."""
        places, name, cards = self.turns(view), self.name, self.cards
        if self.first == "number" and view.first is None and view.plan.assign is not None:
            places = [pile(number) for number in range(1, len(places) + 1)]
        if self.by == "single":
            ways = places, places[::-1] if self.rotation == "there-and-back" else places
            return iter([Due(place, 1, name) for turn in range(cards) for place in ways[turn % 2]])
        if self.from_device and view.plan.from_shoe:
            return iter([Due(place, 1, name) for place in places for _ in range(cards)])
        return iter([_packet(place, cards, name) for place in places])

    def turns(self, view: RoundView) -> list[Place]:
        """Return the places that get cards, in the order of the deal."""
        if not self.for_anybody(view):
            return []
        places: list[Place] = []
        for to in self.to:
            places += self._seats(view) if to == "seats" else [view.plan.place(to)]
        if self.first == "dealer-left" or view.first is None:
            return places
        around = list(view.plan.around())
        if self.first == "number" and self.count == "counter-clockwise":
            around.reverse()
        start = around.index(seat(view.first) if view.first else DEALER) + (self.first == "button")
        order = [*around[start:], *around[:start]]
        turns = [place for place in order if place in places]
        return turns + [place for place in places if place not in turns]

    def _seats(self, view: RoundView) -> list[Place]:
        if self.seats == "all":
            return [seat(number) for number in range(1, view.plan.most_seats + 1)]
        numbers, only = view.drawing if self.seats == "live" else view.active, self.only
        return [PLACES[number] for number in numbers if only is None or only in view.wagers[number]]

    @property
    def selects_first(self) -> bool:
        """True unless the first cards go to the place at the dealer's left."""
        return self.first != "dealer-left"

    def most_cards(self, seats: int, most: int) -> int:
        """Return the most cards it deals; a deal to all positions ignores the number of seats in play."""
        seats = most if self.seats == "all" else seats
        return sum(self.cards * (seats if to == "seats" else 1) for to in self.to)

    def happen(self, so_far: CardsSoFar) -> None:
        """Add the cards to their recipients; those dealt face up are visible."""
        for to in self.to:
            so_far.dealt[to] = so_far.dealt.get(to, 0) + self.cards
            if self.face == "up":
                known = so_far.open.get(to, 0)
                so_far.open[to] = None if known is None else known + self.cards
        so_far.everywhere |= self.seats == "all"
        so_far.by_number |= self.first == "number"

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: an unknown bet, a first place where no seat gets cards, keys that do not fit each other."""
        yield from super().mistakes(game, so_far, key)
        if self.selects_first and "seats" not in self.to:
            yield (*key, "first"), "only for a step that deals to the seats"
        if self.rotation == "there-and-back" and (self.by == "packet" or self.cards == 1):
            yield (*key, "rotation"), 'only for several cards that go out one at a time: by = "single"'
        if self.moves is not None and self.first != "button":
            yield (*key, "moves"), 'only for a deal from a button: first = "button"'

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        seats = {
            "entered": "each seat that entered",
            "live": "each seat still in play",
            "all": f"each of the {game.seats.most} positions, with or without a player",
        }
        bet = f" with {a(self.only)} bet" if self.only else ""
        whom = [f"{seats[self.seats]}{bet}" if to == "seats" else place(to) for to in self.to]
        start = {"seats": ", clockwise from your left"}
        to = ", then ".join(f"{each}{start.get(name, '')}" for name, each in zip(self.to, whom, strict=True))
        if self.selects_first:
            to = self._rotation(game, whom)
        what = f"{cards(self.cards)}, face {self.face}"
        if self.by == "single" and self.cards > 1:
            turn = " in rotation" if len(whom) > 1 or self.to == ("seats",) else ""
            turn = ", there and back" if self.rotation == "there-and-back" else turn
            text = f"Deal {cards(self.cards)}, one at a time{turn}, face {self.face}, to {to}."
        elif game.device == "packet-shuffler" and self.from_device:
            text = f"Take a packet of {what}, to {to}."
        else:
            text = f"Deal {what}, to {to}."
        if self.first_spot:
            text += f" They lie on numbered spots from left to right (`{self.first_spot}`)."
        if self.from_device:
            return text
        if self.face == "up" and game.device == "hand":
            return f"{text} Key each card that is turned up."
        return f"{text} Deal by hand: no device sees these cards. Press CONFIRM when every place has its cards."

    def _rotation(self, game: ProcedureView, whom: list[str]) -> str:
        """Return the recipients of a deal that begins at a selected place; the dealer has a turn like everyone."""
        count = self.count if self.first == "number" else "clockwise"
        own = {"dealer": "yourself in your turn"}
        others = "".join(f", {own.get(to, place(to))}" for to in self.to if to != "seats")
        first = "whose number was drawn" if self.first == "number" else "at the left of the button"
        text = f"{whom[self.to.index('seats')]}{others}, {count} from the place {first}"
        if any(isinstance(step, AssignStep) for step in game.step):
            text += "; until the number is drawn, in front of the tray, side by side"
        return text

    def selecting(self) -> str:
        """Return the instruction on selecting the place that gets the first cards."""
        if self.first == "button":
            return "Move the button and select its seat. The first cards go to the place at its left, then clockwise."
        return f"Draw the number and select the place that gets the first cards. Count yourself as one, {self.count}."

    def brief(self) -> str:
        """Return the step as in `5 at once to seats, dealer`."""
        how = (" one at a time" if self.by == "single" else " at once") if self.cards > 1 else ""
        return f"{self.cards}{how} to {', '.join(self.to)}"
