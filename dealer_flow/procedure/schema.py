"""Schema of a procedure file: `tables` and `steps` define the keys, `contradictions` checks them together.

A game is dealt in `[[step]]`s, in order: cards go to places, are burned, players choose, hands are shown. A game whose
cards are drawn into columns until one decides has a `[shoe]` table instead. The rest defines the bets, the effect of a
choice, and the consequence of each error.
"""

import hashlib
import json
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from dealer_flow.editions import Edition
from dealer_flow.procedure.bets import BetPart, LimitPart, TotalPart
from dealer_flow.procedure.betting import BettingPart
from dealer_flow.procedure.posted import PostedGame
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.tables import (
    CarePart,
    Clause,
    DecisionPart,
    DeckPart,
    Device,
    FacePart,
    FaultPart,
    FouledPart,
    FoulSetPart,
    HandPart,
    MisdealPart,
    Name,
    NotActedPart,
    NumberPart,
    OptionPart,
    RemainderPart,
    SeatsPart,
    ShoePart,
    WrongPart,
)
from dealer_flow.record.result import ProcedureRef
from dealer_flow.tomlfile import TomlTable


class Procedure(TomlTable):
    """One game in one jurisdiction. `load_procedure` creates it and checks keys that depend on each other."""

    schema_: Literal["dealwire.procedure/2"]
    base: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Files that this one extends, and what it leaves out of them: `layers` merges them before this is validated."""
    id: Name
    title: Clause
    jurisdiction: Clause
    clause: Clause
    bets_closed: Clause | None = None
    """Clause that closes the bets before the first card; the procedure's own if absent."""
    device: Device
    deck: DeckPart
    seats: SeatsPart
    hand: tuple[HandPart, ...] = ()
    step: tuple[AnyStep, ...] = ()
    number: NumberPart | None = None
    remainder: RemainderPart | None = None
    bet: Annotated[tuple[BetPart, ...], Field(min_length=1)]
    betting: BettingPart | None = None
    limit: LimitPart | None = None
    total: tuple[TotalPart, ...] = ()
    decision: tuple[DecisionPart, ...] = ()
    shoe: ShoePart | None = None
    wrong: tuple[WrongPart, ...] = ()
    face: FacePart
    fouled: FouledPart | None = None
    foul_set: FoulSetPart | None = None
    not_acted: NotActedPart | None = None
    misdeal: MisdealPart
    care: CarePart
    fault: tuple[FaultPart, ...] = ()
    option: tuple[OptionPart, ...] = ()
    _edition: Edition | None = PrivateAttr(default=None)
    _of_file: ProcedureRef | None = PrivateAttr(default=None)
    _posted: PostedGame | None = PrivateAttr(default=None)

    @property
    def edition(self) -> Edition | None:
        """Edition of the regulation that it is in; None if no edition is the text of its jurisdiction."""
        return self._edition

    def standing_in(self, edition: Edition | None, of_file: ProcedureRef | None = None) -> "Procedure":
        """Return a copy that belongs to an edition. `of_file` is the ref of the file, if the edition changes it."""
        found = self.model_copy()
        found._edition, found._of_file = edition, of_file
        return found

    @property
    def posted(self) -> PostedGame | None:
        """The house's posted rules of the game; None without a file of them."""
        return self._posted

    def at_house(self, posted: PostedGame | None) -> "Procedure":
        """Return a copy that is dealt by a house's posted rules."""
        found = self.model_copy()
        found._posted = posted
        return found

    def ref(self) -> ProcedureRef:
        """Return the id and the SHA-256 of the canonical JSON of the content.

        Comments and layout of the file do not count, nor do keys left at their default. In every edition it is that of
        the file.
        """
        if self._of_file is not None:
            return self._of_file
        dumped = self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        content = json.dumps(dumped, sort_keys=True, separators=(",", ":"))
        return ProcedureRef(id=self.id, sha256=hashlib.sha256(content.encode()).hexdigest())
