"""`exchange`: cards are replaced, or added, as players chose or as their hand requires."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.english import cards, listed, place
from dealer_flow.procedure.complaints import Complaint
from dealer_flow.procedure.must_draw import DrawPart
from dealer_flow.procedure.steps.base import Step
from dealer_flow.procedure.steps.due import Due, RoundView, in_turn
from dealer_flow.procedure.steps.views import CardsSoFar, ProcedureView
from dealer_flow.procedure.tables import Consequence, Name, Recipient
from protocol.places import seat
from protocol.tomlfile import Key


class ExchangeStep(Step):
    """Cards discarded at a place are replaced, as many as the place's last choice draws.

    The dealer and hands of the house draw as many as are dealt to them.
    """

    do: Literal["exchange"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    """Recipients, in the order of the exchange."""
    most: Annotated[int, Field(ge=1, le=7)]
    """The most cards that a place may draw."""
    adds: bool = False
    """Nothing was discarded: the cards are added."""
    by: Literal["packet", "single"] = "single"
    origin: Literal["device", "hand"] = "device"
    """`hand`: dealt by hand, unseen by any device; the dealer confirms."""
    must: tuple[DrawPart, ...] = ()
    """Number of cards that a hand must draw by what it holds, including the cards at `counting`."""
    counting: tuple[Recipient, ...] = ()
    """Recipients whose cards count together with the hand's."""
    otherwise: Consequence | None = None
    """The consequence if a hand drew another number, or kept other cards."""
    exposes: bool = False
    """A player's hand is turned up before its card comes."""
    unless: Name | None = None
    """The choice by which a hand that was turned up gets no card."""
    discards: Consequence | None = None
    """The consequence if another number of cards was reported as discarded from a hand than it draws."""

    state = "exchanging"
    places_key = "to"
    gives = True
    deals = True

    @property
    def from_device(self) -> bool:
        """False if the cards are dealt by hand."""
        return self.origin == "device"

    def dues(self, view: RoundView) -> Iterator[Due]:
        """Yield the replacements, place after place, seats in the order of play.

        How many the house wants is known only from what it takes.
        """
        why: Literal["deal", "exchange"] = "deal" if self.adds else "exchange"
        whole = self.by == "packet" and not view.plan.from_shoe
        for to in self.to:
            if to != "seats":
                due = Due(view.plan.place(to), self.most if whole else 1, self.name, why, at_most=True)
                yield from [due] * (1 if whole else self.most)
                continue
            for number in in_turn(view, view.live):
                draws = view.draws(number)
                if draws and whole:
                    yield Due(seat(number), draws, self.name, why)
                else:
                    yield from [Due(seat(number), 1, self.name, why)] * draws

    def most_cards(self, seats: int, most: int) -> int:
        """Return the most cards that everyone may ask for."""
        return sum(self.most * (seats if to == "seats" else 1) for to in self.to)

    def happen(self, so_far: CardsSoFar) -> None:
        """Record that hands which are turned up are visible."""
        if self.exposes:
            so_far.open |= dict.fromkeys(self.to, None)

    def mistakes(self, game: ProcedureView, so_far: CardsSoFar, key: Key) -> Iterator[Complaint]:
        """Yield errors: no cards, no choice that draws any before, keys that do not fit each other."""
        yield from so_far.undealt((*key, "to"), self.to)
        yield from so_far.undealt((*key, "counting"), self.counting)
        if bool(self.must) != (self.otherwise is not None):
            yield (
                (*key, "must"),
                "'must' and 'otherwise' go together: what a hand must draw, and the consequence if it does not",
            )
        if self.must and self.by != "single":
            yield (*key, "must"), "needs by = 'single': only then is it known how many cards came"
        if not self.from_device and (self.exposes or self.to != ("seats",)):
            yield (*key, "origin"), "out of the hand only for players that draw by choice: to = ['seats'], no 'exposes'"
        if self.unless is not None and not (self.exposes and self.to == ("seats",)):
            yield (*key, "unless"), "only for hands of the seats that are turned up: give exposes = true, too"
        if self.unless is not None and self.unless not in [choice.name for choice in game.decision]:
            yield (*key, "unless"), f"no choice {self.unless!r}"
        if "seats" in self.to and not any(choice.draws for choice in game.decision if choice.name in so_far.choices):
            yield (*key, "to"), "no choice before this step draws cards; a [[decision]] with draws must come before"

    def words(self, game: ProcedureView) -> str:
        """Return the instruction for the dealer."""
        whom = listed([place(to) for to in self.to])
        must = f" Each {'; '.join(row.words() for row in self.must)}." if self.must else ""
        if self.exposes:
            none = f" {self.unless}: no card for it." if self.unless else ""
            return (
                f"One after the other from your left: turn up the hand, then deal {cards(self.most)} to it.{none}{must}"
            )
        if self.adds:
            return f"Give {whom} the cards they asked for, at most {self.most} each."
        own = " You take as many as your rules require." if "dealer" in self.to and not must else ""
        own += f" Your own hand {'; '.join(row.words() for row in self.must)}." if must else ""
        tail = "" if self.from_device else " Deal by hand, then press CONFIRM."
        return f"Take in what was discarded and give {whom} as many cards, at most {self.most} each.{own}{tail}"

    def brief(self) -> str:
        """Return the step as in `up to 3 drawn by seats`."""
        return f"up to {self.most} drawn by {', '.join(self.to)}"
