"""The `[shoe]` table of a procedure file: a game whose cards are drawn into columns until one decides."""

from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.procedure.part import Clause, Name, Part


class OptionRef(Part):
    """A question that an option answers."""

    option: str
    clause: Clause


class ColumnsPart(Part):
    """Where a card drawn goes. `suit`: to the column of its suit. `turn`: to each column in turn, in this order."""

    names: Annotated[tuple[Name, ...], Field(min_length=1, max_length=16)]
    by: Literal["suit", "turn"]
    clause: Clause


class EndPart(Part):
    """Drawing ends when one `column`, or `all` of them together, hold so many cards; the first to happen decides."""

    when: Literal["column", "all"]
    cards: Annotated[int, Field(ge=1, le=416)]
    clause: Clause


class ExtraPart(Part):
    """One more card after an end by `all`. The option says when it is drawn; `moves-from` is the bet whose money may be
    moved, until then, to the bets placed before-extra, one of them a seat."""

    option: str
    moves_from: str
    clause: Clause


class ShoePart(Part):
    """Cards drawn one at a time from a shoe. Each reference names an option; `contradictions` knows what it may say."""

    bets_closed: Clause
    """The clause that closes the bets before the first card."""
    decks: OptionRef
    columns: ColumnsPart
    end: Annotated[tuple[EndPart, ...], Field(min_length=1, max_length=2)]
    extra: ExtraPart | None = None
    unread: OptionRef
    overdraw: OptionRef
    cut_card: OptionRef
