"""A procedure file as data: every table and key it may hold. `contradictions` says what fits together.

A game is dealt in `[[step]]`s, in their order: cards go to places, are burned, players choose, hands are shown. A game
whose cards are drawn into columns until one decides has a `[shoe]` table instead. The rest says what bets there are,
what a choice does, and what follows when something is not as it should be.
"""

import hashlib
import json
from typing import Annotated, Final, Literal

from pydantic import Field

from dealer_flow.procedure.care_schema import CarePart, Consequence
from dealer_flow.procedure.part import Clause, Name
from dealer_flow.procedure.part import Part as Part
from dealer_flow.procedure.shoe_schema import ShoePart
from dealer_flow.record.result import ProcedureRef

Byte = Annotated[int, Field(ge=1, le=255)]

Recipient = Name
"""`seats`, `dealer`, `community`, or the name of a `[[hand]]`."""
Device = Literal["packet-shuffler", "card-shoe"]
How = Literal["short", "long", "exposed", "off-table"]
"""What can be wrong with a hand: too few cards, too many, a card seen that should not be, a card off the table."""
FaultPolicy = Literal["note", "count", "person", "misdeal", "defective-deck", "unreliable"]
"""`note`: recorded only. `count`: the cards counted decide. `person`: whoever clears the fault decides."""


class DeckPart(Part):
    """What is dealt from. `cards` of one deck, its `jokers` among them; `decks` of them together (a shoe);
    `alternating` sets of different backs that take turns. `fresh`: whether each round has the whole deck, or goes on
    where the last one stopped, for so many `rounds` at most."""

    cards: Annotated[int, Field(ge=1, le=60)]
    jokers: Annotated[int, Field(ge=0, le=4)]
    decks: Annotated[int, Field(ge=1, le=16)] = 1
    alternating: Annotated[int, Field(ge=1, le=2)] = 1
    fresh: Literal["each-round", "until-cut-card"] = "each-round"
    rounds: Annotated[int, Field(ge=1, le=99)] | None = None
    clause: Clause


class SeatsPart(Part):
    """The most players, or hands of players, that may be dealt to."""

    most: Annotated[int, Field(ge=1, le=32)]
    clause: Clause


class HandPart(Part):
    """A place for cards beside the seats, the dealer's hand and the community's: named by the game, numbered by the
    devices (`hand 1` to `hand 8`). `side`: whose it is when a count is wrong or hands are shown."""

    name: Name
    place: Annotated[str, Field(pattern=r"^hand [1-8]$")]
    side: Literal["house", "players", "community"]
    clause: Clause


class WhenPart(Part):
    """A step that is part of the procedure only when the option has this value."""

    option: Name
    is_: str


class Step(Part):
    """What every step has. `name` is unique in the file."""

    name: Name
    when: WhenPart | None = None
    clause: Clause


class DealStep(Step):
    """Cards go out: to every place of `to` in turn, the seats clockwise from the dealer's left.

    `by = "packet"`: each place gets its `cards` at once. `by = "single"`: one card at a time in rotation until each has
    `cards`. `seats`: which of them: those that `entered`, those still `live` (neither folded nor dead nor finished), or
    `all` positions up to the most, whether anybody plays there or not. `first`: the place that gets cards first;
    `number`: one that is selected for this round by a number drawn, the others follow in the direction of `count`;
    `button`: the one at the left of the selected seat, the others clockwise; the dealer's place counts as one.
    `only`: of the seats those with this bet; while all in play lack it, nobody gets cards by this step.
    `origin = "hand"`: dealt by hand, no device sees it; the dealer confirms.
    """

    do: Literal["deal"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=52)]
    by: Literal["packet", "single"]
    seats: Literal["entered", "live", "all"] = "entered"
    face: Literal["down", "up"] = "down"
    first: Literal["dealer-left", "number", "button"] = "dealer-left"
    count: Literal["clockwise", "counter-clockwise"] = "counter-clockwise"
    only: Name | None = None
    origin: Literal["device", "hand"] = "device"


class BurnStep(Step):
    """Cards of a spread packet are burned and do not play; the dealer confirms which. `top_card` names the option that
    says where its top card lies; positions `from-top` count from that end."""

    do: Literal["burn"]
    of: Recipient
    positions: Annotated[tuple[Annotated[int, Field(ge=1, le=16)], ...], Field(min_length=1)]
    spread: Literal["left-to-right", "right-to-left", "from-top"]
    top_card: Name


class BurnCardStep(Step):
    """Cards off the top of the deck are burned before the next are dealt. `if_drawn`: only when a seat draws by the
    choice it made last. `only`: not while all in play lack this bet."""

    do: Literal["burn-card"]
    cards: Annotated[int, Field(ge=1, le=5)] = 1
    if_drawn: bool = False
    only: Name | None = None
    origin: Literal["device", "hand"] = "device"


class DecideStep(Step):
    """Every live seat makes one of these choices, names of `[[decision]]`. `only`: every live seat with this bet.
    `optional`: a seat that says nothing made the first of them. `about`: an appointed hand that is offered; without it
    nobody is asked, and if nobody bets on it, it is dead. `takers`: all may, or the first one alone."""

    do: Literal["decide"]
    choices: Annotated[tuple[Name, ...], Field(min_length=1)]
    only: Name | None = None
    optional: bool = False
    about: Name | None = None
    takers: Literal["each", "one"] = "each"


class ExchangeStep(Step):
    """Cards discarded at a place are replaced: as many as the place's last choice `draws`; the dealer and hands of the
    house draw as many as are dealt to them, `most` at most. `adds`: nothing was discarded, the cards are added."""

    do: Literal["exchange"]
    to: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    most: Annotated[int, Field(ge=1, le=7)]
    adds: bool = False
    by: Literal["packet", "single"] = "single"


class ShowStep(Step):
    """Cards are turned face up before play goes on. `cards`: how many lie open at each place after it; absent: all of
    them. `which`: any, or those at the bottom of the packet. `optional`: they may be, from here on; play does not wait
    for it."""

    do: Literal["show"]
    of: Annotated[tuple[Recipient, ...], Field(min_length=1)]
    cards: Annotated[int, Field(ge=1, le=7)] | None = None
    which: Literal["any", "bottom"] = "any"
    optional: bool = False


class AppointStep(Step):
    """The cards of a position where nobody plays become the hand `to`, unseen. `from_` is the option that says which
    position: `last-unplayed`, the last one dealt to, or a seat by its number such as `seat-6`. Without such a position
    there is no such hand in the round."""

    do: Literal["appoint"]
    to: Name
    from_: Name


class RevealStep(Step):
    """The last step: hands are shown in this order and settled until END GAME."""

    do: Literal["reveal"]
    order: Annotated[tuple[Recipient, ...], Field(min_length=1)]


AnyStep = Annotated[
    DealStep | BurnStep | BurnCardStep | DecideStep | ExchangeStep | ShowStep | AppointStep | RevealStep,
    Field(discriminator="do"),
]

STEPS: Final[dict[str, type[Step]]] = {
    "deal": DealStep,
    "burn": BurnStep,
    "burn-card": BurnCardStep,
    "decide": DecideStep,
    "exchange": ExchangeStep,
    "show": ShowStep,
    "appoint": AppointStep,
    "reveal": RevealStep,
}
"""What a step may do."""


class RemainderPart(Part):
    """What is left when the cards are out. `cards`: exactly so many, where the text says a number; it is spread and
    counted. `after`: the step after which it may be dumped; absent: the last one that deals."""

    cards: Annotated[int, Field(ge=0, le=52)] | None = None
    after: Name | None = None
    clause: Clause


class BetPart(Part):
    """A spot on the layout. A seat with an `enters` bet is dealt in; `enters_when`: under that reading only.
    `before-extra`: before the extra card of a shoe's
    game, with money moved from the bet that `[shoe.extra]` names. `fee`: paid for, never returned as a bet is."""

    number: Byte
    name: Name
    placed: Literal["before-deal", "by-decision", "before-extra"]
    enters: bool = False
    enters_when: WhenPart | None = None
    progressive: bool = False
    fee: bool = False
    clause: Clause


class GivesUpPart(Part):
    """A share of a bet goes to the house by a choice; a part of a cent stays the player's. `as_`: what it is called
    among the seat's wagers from then on. `rest` is the option that says what becomes of the remainder, one of `RESTS`.
    """

    bet: Name
    as_: Name
    share: Annotated[str, Field(pattern=r"^[1-9]/[1-9]$")]
    rest: Name


RESTS: Final = ("comes-back", "plays-on")
"""`comes-back`: it is the player's again, the bet is over. `plays-on`: it stands as that bet."""


class DecisionPart(Part):
    """A choice a player has, or with `needs` only one with all of these bets. `bet`, or all of `bets`, must go with it;
    `takes_back` is a bet that goes back to the player by it; `gives_up` a share of one that is lost by it; `draws`
    cards are exchanged in the next exchange; `discards` cards are laid down for good; after a `last` choice the seat
    has no other; `folds`: it gives up."""

    number: Byte
    name: Name
    folds: bool = False
    bet: Name | None = None
    bets: tuple[Name, ...] = ()
    needs: tuple[Name, ...] = ()
    takes_back: Name | None = None
    gives_up: GivesUpPart | None = None
    draws: Annotated[int, Field(ge=0, le=7)] = 0
    discards: Annotated[int, Field(ge=0, le=7)] = 0
    last: bool = False
    clause: Clause

    @property
    def stakes(self) -> tuple[str, ...]:
        """Every bet that must go with it."""
        return self.bets if self.bet is None else (self.bet, *self.bets)


class WrongPart(Consequence):
    """A hand that is wrong: whose (`of` a recipient, or `remainder`), in which ways (`how`), and if `at` is there only
    in cards of these steps. `missing`: short by so many cards at least; of several such rows the greatest decides.
    Every place that gets cards needs a row for `short` and for `long`; where none speaks of `exposed` or `off-table`,
    a person rules."""

    of: Recipient
    how: Annotated[tuple[How, ...], Field(min_length=1)]
    at: tuple[Name, ...] = ()
    missing: Annotated[int, Field(ge=1, le=7)] | None = None


class FacePart(Part):
    """Cards that should not be there. `duplicate`, `foreign`: faces that cannot be in one whole deck, or more often
    than there are decks. `joker`: a stray joker. `boxed`: a card found face up in the deck."""

    duplicate: Consequence
    foreign: Consequence
    joker: Consequence | None = None
    boxed: Consequence | None = None


class FouledPart(Consequence):
    """A hand that touched discards or another hand."""


class MisdealPart(Part):
    """Until when a person may call a misdeal, and the bets that go back; absent: all."""

    until: Literal["first-decision", "end"]
    returns: tuple[Name, ...] | None = None
    clause: Clause


class FaultPart(Part):
    """What a device's fault means, for a whole class or for one fault by name. `calls`: who must come at once."""

    class_: str | None = None
    name: str | None = None
    then: FaultPolicy
    calls: Literal["supervisor"] | None = None
    clause: Clause = "procedure"


class OptionPart(Part):
    """A reading where the text is silent; the default is used unless the table says otherwise."""

    name: Name
    default: str
    allowed: Annotated[tuple[str, ...], Field(min_length=1)]
    reason: Clause


class Procedure(Part):
    """One game in one jurisdiction. Made by `load_procedure`, which checks what spans several keys."""

    schema_: Literal["dealwire.procedure/2"]
    id: Name
    title: Clause
    jurisdiction: Clause
    clause: Clause
    device: Device
    deck: DeckPart
    seats: SeatsPart
    hand: tuple[HandPart, ...] = ()
    step: tuple[AnyStep, ...] = ()
    remainder: RemainderPart | None = None
    bet: Annotated[tuple[BetPart, ...], Field(min_length=1)]
    decision: tuple[DecisionPart, ...] = ()
    shoe: ShoePart | None = None
    wrong: tuple[WrongPart, ...] = ()
    face: FacePart
    fouled: FouledPart | None = None
    misdeal: MisdealPart
    care: CarePart
    fault: tuple[FaultPart, ...] = ()
    option: tuple[OptionPart, ...] = ()

    def ref(self) -> ProcedureRef:
        """Id and SHA-256 of the canonical JSON of the content: comments and layout of the file do not count, nor do
        keys that are left at their default."""
        dumped = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        content = json.dumps(dumped, sort_keys=True, separators=(",", ":"))
        return ProcedureRef(id=self.id, sha256=hashlib.sha256(content.encode()).hexdigest())
