"""A procedure file as data: every table and key it may hold. `contradictions` says what fits together."""

import hashlib
import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from dealer_flow.result import ProcedureRef

Recipient = Literal["community", "seats", "dealer"]
CountPolicy = Literal["dead-hand", "dealer-misdeal", "as-dealer", "misdeal", "defective-deck"]
"""`dead-hand`: that seat only. `dealer-misdeal`: misdeal to the table, the progressive may be played.
`as-dealer`: whatever the dealer's count means. `misdeal`: the bets the clause names go back. `defective-deck`: every
bet goes back."""
FaultPolicy = Literal["note", "count", "person", "misdeal", "defective-deck", "unreliable"]
"""`note`: recorded only. `count`: the cards counted decide. `person`: whoever clears the fault decides."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$")]
Clause = Annotated[str, Field(min_length=1)]
Byte = Annotated[int, Field(ge=1, le=255)]


class Part(BaseModel):
    """Base of every table in the file: strict, frozen, no unknown key; keys are kebab-case there."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=lambda name: name.replace("_", "-").rstrip("-")
    )


class DeckPart(Part):
    """The deck: how many cards it has, and how many decks take turns."""

    cards: Annotated[int, Field(ge=1, le=416)]
    jokers: Annotated[int, Field(ge=0, le=4)]
    alternating: Annotated[int, Field(ge=1, le=2)]
    clause: Clause


class SeatsPart(Part):
    """How many seats the cards are enough for."""

    most: Annotated[int, Field(ge=1, le=32)]
    clause: Clause


class PacketPart(Part):
    """One packet, or one for each seat that entered."""

    to: Recipient
    cards: Annotated[int, Field(ge=1, le=52)]
    clause: Clause


class BurnPart(Part):
    """Which cards of a spread packet are burned. `top_card` names the option that says where its top card lies;
    positions `from-top` count from that end."""

    of: Literal["community"]
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    top_card: str
    clause: Clause


class BetPart(Part):
    """A spot on the layout. A seat with an `enters` bet is dealt in. `before-extra`: before the extra card of a shoe's
    game, with money moved from the bet that `[shoe.extra]` names."""

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision", "before-extra"]
    enters: bool = False
    progressive: bool = False
    clause: Clause


class DecisionPart(Part):
    """A choice a player has; `bet` is the bet that must go with it."""

    number: Byte
    name: Name
    folds: bool = False
    bet: str | None = None
    clause: Clause


class RevealPart(Part):
    """The order in which hands are shown."""

    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    clause: Clause


class Consequence(Part):
    """What a finding means: `then`, or the `option` that decides."""

    then: CountPolicy | None = None
    option: str | None = None
    clause: Clause


class CountPart(Part):
    """Wrong counts, by whose cards they are; `deck`: of the whole deck or shoe."""

    seats: Consequence | None = None
    dealer: Consequence | None = None
    community: Consequence | None = None
    deck: Consequence


class FacePart(Part):
    """Faces that cannot be in one whole deck, or more often than the shoe has decks."""

    duplicate: Consequence
    foreign: Consequence


class MisdealPart(Part):
    """Until when a person may call a misdeal."""

    until: Literal["first-decision", "end"]
    clause: Clause


class FaultPart(Part):
    """What a device's fault means, for a whole class or for one fault by name."""

    class_: str | None = None
    name: str | None = None
    then: FaultPolicy
    clause: Clause = "procedure"


class OptionPart(Part):
    """A reading where the text is silent; the default is used unless the table says otherwise."""

    name: Name
    default: str
    allowed: Annotated[tuple[str, ...], Field(min_length=1)]
    reason: Clause


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


class Procedure(Part):
    """One game in one jurisdiction. Made by `load_procedure`, which checks what spans several keys."""

    schema_: Literal["dealwire.procedure/1"]
    id: Name
    title: Clause
    jurisdiction: Clause
    clause: Clause
    stages: tuple[Literal["deal", "burn", "decide", "reveal", "draw", "extra", "settle"], ...]
    deck: DeckPart
    seats: SeatsPart
    packet: tuple[PacketPart, ...] = ()
    burn: BurnPart | None = None
    bet: Annotated[tuple[BetPart, ...], Field(min_length=1)]
    decision: tuple[DecisionPart, ...] = ()
    reveal: RevealPart | None = None
    shoe: ShoePart | None = None
    count: CountPart
    face: FacePart
    misdeal: MisdealPart
    fault: tuple[FaultPart, ...] = ()
    option: tuple[OptionPart, ...] = ()

    def ref(self) -> ProcedureRef:
        """Id and SHA-256 of the canonical JSON of the content: comments and layout of the file do not count."""
        dumped = self.model_dump(mode="json", by_alias=True)
        if self.shoe is None:
            del dumped["shoe"]  # a packet game is the same content whether or not shoes are known
        content = json.dumps(dumped, sort_keys=True, separators=(",", ":"))
        return ProcedureRef(id=self.id, sha256=hashlib.sha256(content.encode()).hexdigest())
