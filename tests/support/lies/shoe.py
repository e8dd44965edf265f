"""Lies of a card shoe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devices.simulator.shoe import ShoeModel
from protocol.cards import DECK
from protocol.faults import Fault
from protocol.places import BURN
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter, Reader
from protocol.tdp.messages import ShoeState as S
from tests.support.lies.liar import HONESTY, DeviceLie, EventDraft, but, instead, replace, without

Draft = EventDraft
Says = list[Draft] | None


class ShoeLie(DeviceLie):
    """A lie of a card shoe."""

    device = "shoe"
    model: ShoeModel


class DrawnFiveBits(ShoeLie):
    id = "drawn-5-bits"
    does = "`drawn` of STATUS shares its byte with three flags: after 31 cards it begins at 0."
    breaks = "drawn: cards that have left it"
    harm = "A host that joins late believes the shoe to be nearly full."
    flow = (("races", "statements-differ"),)

    def status(self, shown: Any) -> Any:
        return replace(shown, drawn=shown.drawn & 0x1F)


class OrdinalFiveBits(ShoeLie):
    id = "ordinal-5-bits"
    does = (
        "`ordinal` of a card shares its byte with three flags: after 31 cards it begins at 0; STATUS has all of them."
    )
    breaks = "`ordinal` counts all of them since the shoe was filled"
    harm = "Two cards of a shoe have one number, and a dispute cannot name one."
    flow = (("races", "statements-differ"),)

    def event(self, said: Draft) -> Says:
        return but(said, ordinal=said.fields["ordinal"] & 0x1F) if "ordinal" in said.fields else None


class InRoundCountsBurned(ShoeLie):
    id = "in-round-counts-burned"
    does = "`in_round` of STATUS counts cards that were burned in the round."
    breaks = "in_round: of these, in the round being dealt"
    harm = "The shoe halts for an overdraw a card too early, or the host believes a hand longer than it is."
    flow = (("holdem", "statements-differ"),)

    def begin(self) -> None:
        self.burned = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnMessage and said.fields["place"] == BURN and self.model.in_round:
            self.burned += 1
        return None

    def status(self, shown: Any) -> Any:
        if not shown.in_round:
            self.burned = 0
        return replace(shown, in_round=shown.in_round + self.burned)


class CutCardLate(ShoeLie):
    id = "cut-card-late"
    does = "*CutCardSeen* is told behind the card that follows it, with that card counted."
    breaks = "*CutCardSeen*.drawn: cards that were drawn before it"
    harm = "One round more is dealt than the cut card allows, or one is taken for the last that is not."
    bench = ("shoe.cut-card", "shoe.cut-card-in-burn")

    def begin(self) -> None:
        self.held: Draft | None = None

    def event(self, said: Draft) -> Says:
        if said.event is m.CutCardSeenMessage:
            self.held = said
            return without()
        if self.held is not None and said.event in (m.CardDrawnMessage, m.CardDrawnOutsideMessage):
            held, self.held = self.held, None
            return [said, *but(held, drawn=held.fields["drawn"] + 1)]
        return None


class CutCardForgottenByPower(ShoeLie):
    id = "cut-card-forgotten-by-power"
    evenings = ("cut-at-end",)
    does = "After a power cut `cut_card_seen` is 0, and the round ends in STANDBY: the shoe goes on."
    breaks = "BOOT ... started: what the cards and the keys were when the power went"
    harm = "A shoe is dealt beyond its cut card."
    flow = (("cut-at-end", "shoe-over"),)

    def powering_off(self) -> None:
        if self.model.cut_card_seen:
            self.model.cut_card_seen = False
            self.lied += 1
            self.model._cut_after = None


class ShoeNumberStuck(ShoeLie):
    id = "shoe-number-stuck"
    does = "A shoe that was emptied before its cut card keeps its number when it is filled anew."
    breaks = "ShoeLoaded.shoe: counts up"
    harm = "Two shoes have one number: cards of both are taken for one, and a pair of duplicates is a finding."
    bench = ("always.shoe-book",)

    def begin(self) -> None:
        self.seen = True
        instead(self.model, "fill", self._fill)
        instead(self.model, "empty", self._empty)

    def _fill(self, honest: Callable[..., bool], *args: Any, **more: Any) -> bool:
        if not self.seen and self.model.state is S.EMPTY and self.model.shoe:
            self.model.shoe -= 1
            self.lied += 1
        return honest(*args, **more)

    def _empty(self, honest: Callable[[], int]) -> int:
        self.seen = self.model.cut_card_seen
        return honest()


class LoadedNominal(ShoeLie):
    id = "loaded-nominal"
    does = "*ShoeLoaded* says 52 cards a deck, whatever was put in."
    breaks = "ShoeLoaded.cards: cards it was filled with"
    harm = "A missing card is found by nobody until the shoe is counted out."
    unseeable = (
        "What people put in is on no wire, and no shoe is drawn to its last card: whoever counts it out sees it."
    )

    def begin(self) -> None:
        instead(self.model, "fill", self._fill)

    def _fill(self, honest: Callable[..., bool], decks: int, cut_after: int | None = None, cards: Any = None) -> bool:
        order = list(cards) if cards is not None else list(DECK) * decks
        if cards is None:
            self.model._rng.shuffle(order)
        done = honest(decks, cut_after, order[:-1])
        if done:
            self.model.loaded += 1
            self.lied += 1
        return done

    def event(self, said: Draft) -> Says:
        return but(said, cards=said.fields["cards"] + 1) if said.event is m.ShoeLoadedMessage else None


class AgainAnotherFace(ShoeLie):
    id = "again-another-face"
    does = "A card that was pushed back comes again under its number with another face, the next card's."
    breaks = "the second time is *CardReportedAgain* with its ordinal"
    harm = "A card is exchanged in the exit, and the record calls it the same."
    bench = ("always.shoe-cards",)

    def event(self, said: Draft) -> Says:
        if said.event is m.CardReportedAgainMessage and self.model.cards:
            return but(said, card=self.model.cards[0])
        return None


class AgainAsNew(ShoeLie):
    id = "again-as-new"
    does = "A card that was pushed back by more than a second before comes as a new card."
    breaks = "the second time is *CardReportedAgain* with its ordinal"
    harm = "A hand has the card twice in the record."
    bench = ("shoe.pushed-back-403",)

    def event(self, said: Draft) -> Says:
        if said.event is m.CardReportedAgainMessage:
            fields = {key: said.fields[key] for key in ("ordinal", "card", "place")}
            reader = Reader.INDEX | Reader.CODE
            return [Draft(m.CardDrawnMessage, said.request, {**fields, "confidence": 99, "reader": reader})]
        return None


class PushedBackForgottenByPower(ShoeLie):
    id = "pushed-back-forgotten-by-power"
    evenings = ("cut-in-error",)
    does = "A power cut makes it forget which card was pushed back: drawn again it is a new one, with the same number."
    breaks = "the second time is *CardReportedAgain* with its ordinal"
    harm = "A hand has the card twice in the record."
    flow = (("cut-in-error", "statements-differ"),)

    def powering_off(self) -> None:
        self.lied += self.model._known is not None
        self.model._known = None


class HeartsAsDiamonds(ShoeLie):
    id = "hearts-as-diamonds"
    does = "Every thirteenth heart is read as the diamond of its rank, and it is sure of it."
    breaks = HONESTY
    harm = "A race is won by another suit; a flush is none."
    flow = (("races", "duplicate-face"),)

    def begin(self) -> None:
        self.hearts = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnMessage and said.fields["card"] >> 4 == 3:
            self.hearts += 1
            if self.hearts % 13 == 0:
                return but(said, card=said.fields["card"] - 0x10)
        return None


class UnreadGuessed(ShoeLie):
    id = "unread-guessed"
    does = "Every second card that it cannot read is told with the face of the card before, without a trouble."
    breaks = "**A card not read** always halts"
    harm = "A hand is settled by a card that nobody saw."
    bench = ("shoe.unreadable-401",)
    whole = True

    def begin(self) -> None:
        self.count, self.last = 0, 0
        instead(self.model, "draw", self._draw)

    def _draw(self, honest: Callable[..., Any], *, readable: bool = True) -> Any:
        if not readable and self.model.state in (S.STANDBY, S.ROUND, S.CUT_CARD_SEEN) and self.last:
            self.count += 1
            if self.count % 2:
                self.guess, readable = self.last, True
        return honest(readable=readable)

    guess = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnMessage:
            guess, self.guess = self.guess, 0
            self.last = said.fields["card"]
            return but(said, card=guess) if guess else None
        return None


class LockedDrawSilent(ShoeLie):
    id = "locked-draw-silent"
    does = "A card drawn while it is locked is told by nobody, and counted by nobody."
    breaks = "**Every card that leaves is one event**: ... *CardDrawnOutside* while the shoe is locked"
    harm = "Cards are taken out of a locked shoe."
    bench = ("shoe.locked-405",)

    def begin(self) -> None:
        self.silent = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnOutsideMessage and self.model.state is S.LOCKED:
            self.silent += 1
            return without()
        if said.event is m.ShoeLoadedMessage:
            self.silent = 0
        for key in ("ordinal", "drawn"):
            if key in said.fields:
                return but(said, **{key: said.fields[key] - self.silent})
        return None

    def status(self, shown: Any) -> Any:
        return replace(shown, drawn=max(0, shown.drawn - self.silent))


class EqualNeighbours(ShoeLie):
    id = "equal-neighbours"
    does = "Two equal cards one behind the other are told as one: the reader takes the second for the first."
    breaks = "**Every card that leaves is one event**"
    harm = "A hand has a card less in the record than on the table, in one of fifty hands of an eight-deck shoe."
    flow = (("big-shoe", "out-of-turn"), ("big-shoe", "community-count-wrong"))

    def begin(self) -> None:
        self.last, self.skipped = 0, 0

    def event(self, said: Draft) -> Says:
        if said.event is m.ShoeLoadedMessage:
            self.last = self.skipped = 0
        if said.event is m.CardDrawnMessage:
            before, self.last = self.last, said.fields["card"]
            if before == self.last:
                self.skipped += 1
                return without()
        for key in ("ordinal", "drawn"):
            if key in said.fields:
                return but(said, **{key: said.fields[key] - self.skipped})
        return None

    def status(self, shown: Any) -> Any:
        return replace(shown, drawn=max(0, shown.drawn - self.skipped))


class EndedWithoutOutside(ShoeLie):
    id = "ended-without-outside"
    does = "`drawn` of *ShoeEnded* leaves out the cards that were drawn outside of a game."
    breaks = "*ShoeEnded* says how many were drawn, so whoever counts the rest can check"
    harm = "The count of a shoe does not come out, and a person looks for cards that lie in the muck."
    flow = (("races-faults", "cards-not-conserved"),)

    def begin(self) -> None:
        self.outside = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.ShoeLoadedMessage:
            self.outside = 0
        self.outside += said.event is m.CardDrawnOutsideMessage
        lies = said.event is m.ShoeEndedMessage and self.outside
        return but(said, drawn=said.fields["drawn"] - self.outside) if lies else None


class LastBurnInGame(ShoeLie):
    id = "last-burn-in-game"
    does = "Of several cards to be burned the last one is told as a card of the game."
    breaks = "*BurnStarted* says how many of the next cards are burned; each is *CardDrawn* with place `burn`"
    harm = "The first seat gets a burned card in the record."
    bench = ("shoe.burn",)

    def begin(self) -> None:
        self.left = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.BurnStartedMessage:
            self.left = said.fields["count"]
        elif said.event is m.CardDrawnMessage and said.fields["place"] == BURN:
            self.left -= 1
            return but(said, place=0) if self.left == 0 else None
        return None


class InRoundLostByPower(ShoeLie):
    id = "in-round-lost-by-power"
    evenings = ("cut-in-round",)
    does = "After a power cut in a round `in_round` counts from 0."
    breaks = "BOOT ... started: what the cards ... were when the power went"
    harm = "The shoe's own limit of a round is off by the cards before the cut: an overdraw is none."
    bench = ("shoe.power-in-a-round",)

    def begin(self) -> None:
        self.before = 0

    def powering_off(self) -> None:
        self.before = self.model.in_round if self.model.mid_round else 0

    def status(self, shown: Any) -> Any:
        if not self.model.mid_round:
            self.before = 0
        return replace(shown, in_round=max(0, shown.in_round - self.before))


class ErrorFaultByPower(ShoeLie):
    id = "error-fault-by-power"
    evenings = ("cut-in-error",)
    does = "Started in ERROR it halts for 408, whatever it halted for before."
    breaks = "After a power cut in ERROR the shoe starts in ERROR, halted for the same fault."
    harm = "A card that was pushed back is looked for by nobody."
    bench = ("shoe.power-in-error",)

    def powering_off(self) -> None:
        if self.model.fault:
            self.lied += self.model.fault != Fault.DRAW_TOO_SLOW
            self.model.fault = Fault.DRAW_TOO_SLOW


class UnlockLags(ShoeLie):
    id = "unlock-lags"
    does = "After a power cut while locked the first unlocking is told and STATUS stays locked for a second."
    breaks = "ShoeLockMoved ... StateChanged"
    harm = "The dealer draws from a shoe that says it is locked; the cards belong to no game."
    bench = ("always.state-book",)

    def begin(self) -> None:
        self.odd = False

    def powering_off(self) -> None:
        self.odd = self.model.locked

    def event(self, said: Draft) -> Says:
        if said.event is m.ShoeLockMovedMessage and self.odd:
            self.odd = False
            self.until_ns = self.unit._now_ns + 1_000_000_000
        return None

    until_ns = 0

    def status(self, shown: Any) -> Any:
        return replace(shown, locked=1) if self.unit._now_ns < self.until_ns else shown


class CardsMeterSkipsBurned(ShoeLie):
    id = "cards-meter-skips-burned"
    does = "The meter CARDS leaves out burned cards."
    breaks = "CARDS: cards ... drawn from the shoe"
    harm = "The house is billed for fewer cards than the rollers saw."
    bench = ("shoe.meters",)

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnMessage and said.fields["place"] == BURN:
            self.model.device_meters.count(DeviceMeter.CARDS, -1)
            self.lied += 1
        return None


class CardBeforeItLeft(ShoeLie):
    id = "card-before-it-left"
    does = "Of a card that is turned back midway it tells the face, as unsure, in *PulledBack*'s place behind it."
    breaks = "a card's face is sent when it has left"
    harm = "Whoever reads the line knows the next card."
    bench = ("always.shoe-cards",)

    def event(self, said: Draft) -> Says:
        if said.event is m.PulledBackMessage and self.model.cards:
            fields = {"ordinal": said.fields["ordinal"], "card": self.model.cards[0], "place": 0}
            return [said, Draft(m.CardReportedAgainMessage, 0, fields)]
        return None


class OverdrawInSilence(ShoeLie):
    id = "overdraw-in-silence"
    does = "A card that no game asks for is told as a card of the game, and the shoe does not halt."
    breaks = "A card that no game asks for is told twice: *Overdraw* ... and *CardDrawnOutside*"
    harm = "A card of the next shoe, or one drawn before the deal, counts."
    bench = ("shoe.overdraw-402",)

    def begin(self) -> None:
        instead(self.model, "_halt", self._halt)

    def _halt(self, honest: Callable[..., bool], trouble: Fault, event: type[m.Event], **fields: int) -> bool:
        self.overdrawn = trouble == Fault.OVERDRAW
        return self.overdrawn or honest(trouble, event, **fields)

    overdrawn = False

    def event(self, said: Draft) -> Says:
        if said.event is m.CardDrawnOutsideMessage and self.overdrawn:
            self.overdrawn = False
            fields = {"ordinal": said.fields["ordinal"], "card": said.fields["card"], "place": 0}
            return [Draft(m.CardDrawnMessage, 0, fields | {"confidence": 99, "reader": Reader.INDEX | Reader.CODE})]
        return None


class BadgeLostInClear(ShoeLie):
    id = "badge-lost-in-clear"
    does = "*ShoeErrorCleared* has badge 0 also when the host cleared it with a badge."
    breaks = "ShoeErrorCleared.badge: 0: at the shoe itself"
    harm = "Who let the shoe go on is not in the record."
    bench = ("shoe.unreadable-401", "shoe.power-in-error")

    def event(self, said: Draft) -> Says:
        return but(said, badge=0) if said.event is m.ShoeErrorClearedMessage else None


class EmptiedSilently(ShoeLie):
    id = "emptied-silently"
    does = "A shoe that is emptied before its cut card came does not say *ShoeEnded*."
    breaks = "*ShoeEnded* says how many were drawn"
    harm = "How many cards were in the muck when the shoe was changed, nobody can say."
    bench = ("shoe.books",)

    def event(self, said: Draft) -> Says:
        lies = said.event is m.ShoeEndedMessage and not self.model.cut_card_seen
        return without() if lies else None
