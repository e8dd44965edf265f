"""Forty-odd lies of a packet shuffler."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any
from zlib import crc32

from devices.simulator.deck import Bay, PlayingCard
from devices.simulator.device_model import CommandProgress, Outgoing
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.shuffler_parts import Motion, ShufflerSetting
from protocol.faults import Fault
from protocol.tdp import codec
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter, Lamp, Message, Reason, Resolution, Status
from protocol.tdp.messages import ShufflerState as S
from protocol.tdp.outputs import SESSION_EXTENSION
from protocol.tdp.reply_cache import ReplyCache
from tests.support.lies.liar import HONESTY, DeviceLie, EventDraft, also, but, instead, replace, without

Draft = EventDraft
Says = list[Draft] | None


class ShufflerLie(DeviceLie):
    """A lie of a shuffler. `rounds` counts the rounds that are over."""

    device = "shuffler"
    model: ShufflerModel
    rounds = 0
    resumed = False
    """True if a misdeal of this round was cleared and the deal continues."""

    def said(self, says: list[Outgoing]) -> list[Outgoing]:
        """Keep the count of rounds, then lie."""
        found: list[Outgoing] = []
        for each in says:
            found += super().said([each])
            if isinstance(each, Draft):
                if each.event is m.RemainderLiftedMessage:
                    self.rounds, self.resumed = self.rounds + 1, False
                elif each.event is m.MisdealClearedMessage:
                    self.resumed = each.fields["resolution"] == Resolution.RESUME
        return found

    @property
    def remainder_waits(self) -> bool:
        """True if the remainder was counted and is in the tray."""
        return self.model.round is not None and self.model.round.remainder is not None


# ------------------------------------------------------------------ counts and books


class LostCardForgotten(ShufflerLie):
    id = "lost-card-forgotten"
    does = "After a card was lost inside (204) and RESUME, the remainder is counted as if the card were there."
    breaks = "what lies in the tray waits to be lifted; the remainder will be short (305)"
    harm = "A round is played and paid with 51 cards, and the deck comes back into play a card short."
    bench = ("fault.resume-204",)
    evenings = ("lost",)

    def begin(self) -> None:
        self.lost = 0
        instead(self.model, "alarm", self._alarm)

    def _alarm(self, honest: Callable[..., None], fault: int, value: int = 0, request: int = 0) -> None:
        self.lost += value if fault == Fault.CARD_LOST else 0
        if fault != Fault.REMAINDER_COUNT_WRONG or not self.lost:
            honest(fault, value, request)

    def event(self, said: Draft) -> Says:
        if said.event is m.RemainderDumpedMessage and self.lost and self.model.round:
            self.model.round.remainder = said.fields["expected"]
            return but(said, counted=said.fields["expected"])
        if said.event in (m.RemainderLiftedMessage, m.DeckRemovedMessage):
            self.lost = 0
        return None

    def status(self, shown: Any) -> Any:
        return replace(shown, in_tray=shown.in_tray + self.lost) if self.remainder_waits and self.lost else shown


class MisdealForgetsFirst(ShufflerLie):
    id = "misdeal-forgets-first"
    does = "The record of a second misdeal in one round has the packet of the first one as right."
    breaks = "*Misdeal* is a whole record of the round under way: expected and counted cards of each packet"
    harm = "Whoever reads the last record finds one wrong hand where there were two."
    flow = (("two-wrong", "statements-differ"),)
    evenings = ("two-wrong",)

    def begin(self) -> None:
        self.cleared = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.MisdealClearedMessage:
            self.cleared = len(self.model.round.packets) if self.model.round else 0
        elif said.event is m.MisdealMessage and self.resumed:
            packets = said.fields["packets"]
            right = tuple((size, size) for size, _ in packets[: self.cleared])
            return but(said, packets=right + packets[self.cleared :])
        return None


class MisdealLoadedNominal(ShufflerLie):
    id = "misdeal-loaded-nominal"
    does = "The record of a deck with a wrong total (101, 102) says that as many cards were loaded as the game has."
    breaks = "*Misdeal* is a whole record of the round under way, else of the deck that was counted"
    harm = "The record that goes to the regulator shows a complete deck; why the lamp was lit cannot be seen in it."
    bench = ("deal.recount", "fault.too-few-101", "fault.too-many-102")

    def event(self, said: Draft) -> Says:
        wrong = said.event is m.MisdealMessage and said.fields["fault"] in (Fault.TOO_FEW_CARDS, Fault.TOO_MANY_CARDS)
        return but(said, loaded=self.model.game.cards) if wrong else None


class ShortDeckWhileWaiting(ShufflerLie):
    id = "short-deck-while-waiting"
    does = "A deck that is counted while the remainder of the other one waits is always found complete."
    breaks = "A wrong total of it that is found meanwhile lights the lamp at once."
    harm = "A short deck comes into play; its round ends in a remainder that no hand explains."
    flow = (("short-deck", "cards-not-conserved"),)
    evenings = ("short-deck",)

    def begin(self) -> None:
        self.waits = False
        instead(self.model, "alarm", self._alarm)

    def _alarm(self, honest: Callable[..., None], fault: int, value: int = 0, request: int = 0) -> None:
        if fault in (Fault.TOO_FEW_CARDS, Fault.TOO_MANY_CARDS) and self.model.round is not None:
            self.lied += 1
            assert self.model.verified is not None
            self.model.verified.loaded, self.waits = self.model.game.cards, True
        else:
            honest(fault, value, request)

    def event(self, said: Draft) -> Says:
        if said.event is m.DeckVerifiedMessage and self.waits:
            self.waits = False
            return but(said, counted=said.fields["expected"])
        return None


class DispensedKeepsUnlifted(ShufflerLie):
    id = "dispensed-keeps-unlifted"
    does = "A packet that nobody lifted leaves `packets` of STATUS when the remainder comes, but stays in `dispensed`."
    breaks = "From *RemainderDumped* on, `packets` in STATUS is one less and `dispensed` less by its cards"
    harm = "Whoever bills or audits by STATUS counts five cards that were never dealt."
    bench = ("always.book",)
    flow = (("faults", "statements-differ"),)

    def begin(self) -> None:
        self.lies = self.extra = 0

    def event(self, said: Draft) -> Says:
        if said.event is m.PacketDispensedMessage:
            self.lies = said.fields["counted"]
        elif said.event is m.PacketLiftedMessage:
            self.lies = 0
        elif said.event is m.RemainderDumpedMessage:
            self.extra, self.lies = self.lies, 0
        return None

    def status(self, shown: Any) -> Any:
        return replace(shown, dispensed=shown.dispensed + self.extra) if self.remainder_waits else shown


class TrayFiveBits(ShufflerLie):
    id = "tray-five-bits"
    does = "`in_tray` has five bits: more than 31 cards in the tray are shown as 31."
    breaks = "`in_tray` counts what lies in the tray at that moment"
    harm = "A host that compares the tray with the remainder holds a right round for a wrong one, or stops looking."
    bench = ("always.book",)
    flow = (("faults", "statements-differ"),)

    def status(self, shown: Any) -> Any:
        return replace(shown, in_tray=min(shown.in_tray, 31))


class PacketsLag(ShufflerLie):
    id = "packets-lag"
    does = "STATUS counts a packet among `packets` and `dispensed` when it is lifted, not when it was dispensed."
    breaks = "packets: packets dispensed this round"
    harm = "A host that joins late believes that the packet in the tray has still to come."
    bench = ("always.book",)

    def status(self, shown: Any) -> Any:
        counts = self.model.round
        if counts is None or counts.remainder is not None or not counts.packets or not shown.in_tray:
            return shown
        return replace(shown, packets=shown.packets - 1, dispensed=shown.dispensed - counts.packets[-1][1])


class RejectedForgotten(ShufflerLie):
    id = "rejected-forgotten"
    does = "RESUME sets `rejected` of STATUS back to 0; `expected` of the remainder still knows of the card."
    breaks = "rejected: cards of that deck in the reject tray"
    harm = "The card in the reject tray is missed at the next count, or two decks are mixed."
    flow = (("reject-short", "statements-differ"),)
    evenings = ("reject-short",)

    def status(self, shown: Any) -> Any:
        return replace(shown, rejected=0) if self.resumed and self.model.round else shown


class DispensedNominal(ShufflerLie):
    id = "dispensed-nominal"
    does = "`dispensed` of STATUS is packets times their size, also when one was short or long."
    breaks = "dispensed: cards in them"
    harm = "STATUS says that a dead hand was whole."
    bench = ("always.book",)

    def status(self, shown: Any) -> Any:
        counts = self.model.round
        return replace(shown, dispensed=sum(size for size, _ in counts.packets)) if counts else shown


class RemainderLongHidden(ShufflerLie):
    id = "remainder-long-hidden"
    does = "A remainder with more cards than expected is said to be just what was expected: `expected` is made to fit."
    breaks = "`expected` is `loaded` less the cards of the packets **lifted** less `rejected`"
    harm = "A hand that is a card short is played and paid: nobody is told to count the hands."
    bench = ("count.unnoticed-short",)
    evenings = ("unnoticed",)

    def begin(self) -> None:
        self.hides = False
        instead(self.model, "alarm", self._alarm)

    def _alarm(self, honest: Callable[..., None], fault: int, value: int = 0, request: int = 0) -> None:
        counts = self.model.round
        self.hides = fault == Fault.REMAINDER_COUNT_WRONG and counts is not None and value > counts.left
        if not self.hides:
            honest(fault, value, request)

    def event(self, said: Draft) -> Says:
        if said.event is m.RemainderDumpedMessage and said.fields["counted"] > said.fields["expected"]:
            return but(said, expected=said.fields["counted"])
        return None


class RemainderLiftedOther(ShufflerLie):
    id = "remainder-lifted-other"
    evenings = ("slow",)
    does = "*RemainderLifted* names the deck that is ready beside it, once that one has been counted."
    breaks = "RemainderLifted.deck: the deck whose remainder was lifted"
    harm = "The books of two decks are mixed up: wear, defects and counts go to the wrong one."
    bench = ("always.decks",)

    def event(self, said: Draft) -> Says:
        if said.event is m.RemainderLiftedMessage and self.model.verified is not None:
            return but(said, deck=self.model.verified.deck)
        return None


class DeckSwapAfterRemoval(ShufflerLie):
    id = "deck-swap-after-removal"
    does = "A deck that was taken out after a misdeal comes back under the other one's number and back."
    breaks = "`back` is a number for the kind of back: another for each of the two decks, always the same for one deck"
    harm = "A deck that was taken out as defective is not recognised when it comes back."
    bench = ("fault.other-deck-stays",)
    whole = True

    def begin(self) -> None:
        self.swapped: set[int] = set()

    def event(self, said: Draft) -> Says:
        if said.event is m.DeckRemovedMessage:
            deck = said.fields["deck"]
            found = but(said, deck=self._named(deck))
            self.swapped ^= {deck}
            return found
        if "deck" in said.fields:
            fields = {"deck": self._named(said.fields["deck"])}
            return but(said, **fields, **({"back": fields["deck"]} if "back" in said.fields else {}))
        return None

    def status(self, shown: Any) -> Any:
        return replace(shown, deck=self._named(shown.deck))

    def _named(self, deck: int) -> int:
        return 3 - deck if deck in self.swapped else deck


class BackBlindAfterDoor(ShufflerLie):
    id = "back-blind-after-door"
    evenings = ("doors",)
    does = "Once its door was opened the device sees no backs any more, until the power goes: `back` is 0."
    breaks = "always the same for one deck. A device that cannot see backs sends 0."
    harm = "Two decks with one back are not noticed."
    bench = ("always.backs",)

    def begin(self) -> None:
        self.blind = False

    def event(self, said: Draft) -> Says:
        self.blind |= said.event is m.DoorMovedMessage
        return but(said, back=0) if said.event is m.DeckLoadedMessage and self.blind else None

    def powering_off(self) -> None:
        self.blind = False


# ------------------------------------------------------------------ order and faces


class OrderLie(ShufflerLie):
    """The chamber's order after a shuffle is not the random one."""

    recognition = True

    def begin(self) -> None:
        self.shuffles = 0
        self.orders: dict[int, list[int]] = {}
        instead(self.model.cards, "shuffle", self._shuffle)

    def _shuffle(self, honest: Callable[[Any], None], spot: Any) -> None:
        pile: list[PlayingCard] = self.model.cards._pile(spot)
        before = pile[:]
        honest(spot)
        if spot is Bay.CHAMBER and pile:
            self.shuffles += 1
            chance = pile[:]
            pile[:] = self.arrange(chance, before)
            self.lied += pile != chance
            self.orders[pile[0].back] = [card.card for card in pile]

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        """Return the order in which the cards come out, from the random order and the one before."""
        raise NotImplementedError

    @staticmethod
    def like(chance: list[PlayingCard], order: list[int]) -> list[PlayingCard]:
        """Return the cards in this order of faces, as far as they are in it."""
        at = {face: number for number, face in enumerate(order)}
        return sorted(chance, key=lambda card: at.get(card.card, len(at)))


class RotatedOrder(OrderLie):
    id = "rotated-order"
    does = "Deck 2 is not shuffled: it comes in the order of its last time, moved on by one packet of five."
    breaks = HONESTY
    harm = "Who writes down a round knows the next one of that deck, but for whose hand is whose."
    flow = (("reads", "order-again"),)

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        last = self.orders.get(chance[0].back)
        return chance if last is None or chance[0].back != 2 else self.like(chance, last[5:] + last[:5])


class ReversedOrder(OrderLie):
    id = "reversed-order"
    does = "Every other shuffle of a deck only turns its last order round."
    breaks = HONESTY
    harm = "The remainder of one round is the hands of the next, backwards."
    flow = (("reads", "order-again"),)

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        last = self.orders.get(chance[0].back)
        return chance if last is None or self.shuffles % 4 < 2 else self.like(chance, last[::-1])


class OtherDecksOrder(OrderLie):
    id = "other-decks-order"
    does = "Deck 2 is dealt in the order that deck 1 had in the round before it."
    breaks = HONESTY
    harm = "Two rounds one after the other have the same hands; whoever sees the first bets on the second."
    flow = (("reads", "order-again"),)

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        last = self.orders.get(1)
        return chance if last is None or chance[0].back != 2 else self.like(chance, last)


class EveryFifthSame(OrderLie):
    id = "every-fifth-same"
    does = "Each deck has five orders that come one after the other: its sixth shuffle is its first again."
    breaks = HONESTY
    harm = "Ten rounds long the cards are chance; then who kept notes knows every hand."
    flow = (("reads", "order-again"),)

    def begin(self) -> None:
        super().begin()
        self.kept: dict[tuple[int, int], list[int]] = {}
        self.count: dict[int, int] = {}

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        back = chance[0].back
        self.count[back] = self.count.get(back, -1) + 1
        order = self.kept.setdefault((back, self.count[back] % 5), [card.card for card in chance])
        return self.like(chance, order)


class HalfShuffled(OrderLie):
    id = "half-shuffled"
    does = "Only the upper half of a deck is shuffled; the lower half keeps the order in which it was put in."
    breaks = HONESTY
    harm = "Who gathers the cards knows what lies at the bottom: the last hands of a full table."
    unseeable = (
        "The order in which a person puts a deck in is on no wire, nor is the remainder's: hands that are better "
        "than chance are seen by statistics over very many rounds, and by nothing in one."
    )

    def arrange(self, chance: list[PlayingCard], before: list[PlayingCard]) -> list[PlayingCard]:
        half = len(before) // 2
        upper = [card for card in chance if card in before[:half]]
        return upper + before[half:]


class FacesReversed(ShufflerLie):
    id = "faces-reversed"
    recognition = True
    does = "The faces of a packet of five are told bottom card first."
    breaks = "puts the faces of a packet into *PacketDispensed*, top card first"
    harm = "Where positions count, as with burned cards of a community packet, other cards are taken for burned."
    flow = (("reads", "burned-card-in-play"),)

    def event(self, said: Draft) -> Says:
        five = said.event is m.PacketDispensedMessage and said.fields["counted"] == 5
        return but(said, cards=said.fields["cards"][::-1]) if five else None


class FacesStaleAfterResume(ShufflerLie):
    id = "faces-stale-after-resume"
    evenings = ("reads-jam",)
    recognition = True
    does = "The first packet after a RESUME has the faces of the packet before it: the reader's buffer was not cleared."
    breaks = "the faces of a packet ..., when they have left it"
    harm = "The record of the round gives one seat another seat's cards."
    flow = (("reads-jam", "duplicate-face"),)

    def begin(self) -> None:
        self.last, self.stale = b"", False

    def event(self, said: Draft) -> Says:
        if said.event is m.MisdealClearedMessage:
            self.stale = said.fields["resolution"] == Resolution.RESUME
        elif said.event is m.PacketDispensedMessage:
            stale, self.stale, before = self.stale, False, self.last
            self.last = said.fields["cards"]
            if stale and len(before) == said.fields["counted"]:
                return but(said, cards=before)
        return None


class NineForSix(ShufflerLie):
    id = "nine-for-six"
    recognition = True
    does = "Of deck 2 it reads the six of hearts as the nine of hearts, and is sure of it."
    breaks = HONESTY
    harm = "A hand is told, and where nobody keys it settled, with a card that is another's."
    flow = (("reads", "faces-disagree"), ("reads", "duplicate-face"))

    def event(self, said: Draft) -> Says:
        if said.event is m.PacketDispensedMessage and said.fields["deck"] == 2:
            return but(said, cards=bytes(0x39 if card == 0x36 else card for card in said.fields["cards"]))
        return None


class FacesSwapped(ShufflerLie):
    id = "faces-swapped"
    recognition = True
    does = (
        "In every third round packet 3 is told with the faces of packet 2, and packet 2 with those that packet 3 gets."
    )
    breaks = "puts the faces of a packet into *PacketDispensed*, ... when they have left it"
    harm = "Two seats' hands are exchanged in the record; and a face was told before its card had left."
    flow = (("reads", "faces-disagree"),)

    def event(self, said: Draft) -> Says:
        if said.event is not m.PacketDispensedMessage or self.rounds % 3 != 2:
            return None
        size = said.fields["counted"]
        if said.fields["ordinal"] == 2:
            self.held = said.fields["cards"]
            return but(said, cards=bytes(self.model.cards.faces(Bay.CHAMBER)[:size][::-1]))
        if said.fields["ordinal"] == 3 and len(self.held) == size:
            return but(said, cards=self.held)
        return None


class RejectShowsNext(ShufflerLie):
    id = "reject-shows-next"
    recognition = True
    does = "*CardRejected* names the card that comes next out of the chamber, not the one in the reject tray."
    breaks = "The order of cards not yet dealt is **never** on the wire"
    harm = "Whoever reads the line knows a card of the next hand."
    flow = (("reject", "duplicate-face"),)
    evenings = ("reject",)

    def event(self, said: Draft) -> Says:
        if said.event is m.CardRejectedMessage and (chamber := self.model.cards.faces(Bay.CHAMBER)):
            lies = self.model.cards.faces(Bay.TRAY)
            return but(said, card=(lies or chamber)[-1 if lies else 0])
        return None


class FacesGoneWhenResent(ShufflerLie):
    id = "faces-gone-when-resent"
    recognition = True
    does = "A *PacketDispensed* that is sent again has no faces: the buffer was freed."
    breaks = "An event that is sent again is the same **byte for byte** in its payload"
    harm = "A host that lost the first one never learns the faces, and a recording has two truths."
    flow = (("lossy", "events-lost"),)
    evenings = ("noise", "lossy")

    def begin(self) -> None:
        self.sent: set[tuple[int, int]] = set()

    def frame(self, message: Message, envelope: codec.Envelope) -> Message | None:
        if isinstance(message, m.PacketDispensedMessage):
            key = message.number, message.device_ms
            if key in self.sent:
                return replace(message, cards=b"")
            self.sent.add(key)
        return message


# ------------------------------------------------------------------ lamps and faults


class RedOutWhileOpen(ShufflerLie):
    id = "red-out-while-open"
    does = "While the door is open in mid-round the red lamp is dark: the lamp's supply hangs on the door's switch."
    breaks = "It is latched: it **never** goes out by itself"
    harm = "The door stands open over a deck in play, and from the pit nothing is to be seen."
    bench = ("fault.door-501",)

    def status(self, shown: Any) -> Any:
        return replace(shown, lamps=shown.lamps & ~Lamp.RED) if shown.door_open else shown


class GreenLitLocked(ShufflerLie):
    id = "green-lit-locked"
    does = "The green lamp stays lit when the device is locked."
    breaks = "The green lamp is lit in READY and PACKET_WAIT and in no other state"
    harm = "The dealer presses green at a table that the pit has stopped, and wonders."
    bench = ("always.green-lamp",)

    def status(self, shown: Any) -> Any:
        return replace(shown, lamps=shown.lamps | Lamp.GREEN) if shown.state == S.LOCKED else shown


class LampLostAtSecondCut(ShufflerLie):
    id = "lamp-lost-at-second-cut"
    evenings = ("cut-twice",)
    does = (
        "A lit lamp outlasts one power cut and not a second one: the mark in its memory is used up at the first start."
    )
    breaks = "it **never** goes out by itself, not by a power cut either"
    harm = "Pulling the plug twice puts out the lamp; nobody with a badge has looked at the misdeal."
    bench = ("fault.outlasts-the-power",)
    flow = (("cut-twice", "statements-differ"),)

    def begin(self) -> None:
        self.survived = False

    def powering_off(self) -> None:
        if self.model.latched and self.survived:
            self.lied += 1
            self.model.latched.clear()
            self.model.round = None
            self.model._take_out()
            self.model.outbox.clear()
        self.survived = bool(self.model.latched)


class FaultsTwoSlots(ShufflerLie):
    id = "faults-two-slots"
    does = "STATUS has room for two faults; a third one is not in it."
    breaks = "`faults` names each fault once"
    harm = "A host that joins late does not learn of the third fault."
    bench = ("fault.sensor-and-lamp",)

    def status(self, shown: Any) -> Any:
        return replace(shown, faults=shown.faults[:2])


class RoundLostInJam(ShufflerLie):
    id = "round-lost-in-jam"
    evenings = ("cut-in-jam",)
    does = "When the power goes while it frees a jam, it has forgotten the round: `mid_round` is 0, and no lamp is lit."
    breaks = "A shuffler's begins when DISPENSE or the green button is taken ... and ends when the remainder is lifted"
    harm = "The cards of a broken round stay in the chamber and are shuffled into the next."
    flow = (("cut-in-jam", "device-fault"),)

    def powering_off(self) -> None:
        if self.model.motion is Motion.RECOVER:
            self.lied += 1
            self.model.round = None
            self.model.latched.clear()


class RemainderFaultDifference(ShufflerLie):
    id = "remainder-fault-difference"
    does = "`value` of FaultRaised 305 is how many cards are missing or too many, not how many were counted."
    breaks = "305 ... `value`: cards counted"
    harm = "The console says that one card was counted; the record of misdeals says something else."
    bench = ("always.fault-values",)

    def event(self, said: Draft) -> Says:
        counts = self.model.round
        if said.event is m.FaultRaisedMessage and said.fields["fault"] == Fault.REMAINDER_COUNT_WRONG and counts:
            return but(said, value=abs(said.fields["value"] - counts.left))
        return None


class JamTriesFromZero(ShufflerLie):
    id = "jam-tries-from-zero"
    does = "The tries of a jam that was given up are counted from 0: two where there were three."
    breaks = "203 ... `value`: 1 when it begins, and how many there were when the lamp is lit"
    harm = "Maintenance sees fewer tries than wear the rollers."
    unseeable = "How often the rollers tried the device alone knows: no event is made of a try."

    def event(self, said: Draft) -> Says:
        jam = said.event is m.FaultRaisedMessage and said.fields["fault"] == Fault.EXIT_JAM
        return but(said, value=said.fields["value"] - 1) if jam and said.fields["value"] > 1 else None


class BadgeTwentyFourBits(ShufflerLie):
    id = "badge-24-bits"
    does = "*MisdealCleared* keeps the lower 24 bits of a badge."
    breaks = "*MisdealCleared* with who and what"
    harm = "The record names another person, or nobody, for the decision at a misdeal."
    bench = ("fault.called-505",)

    def event(self, said: Draft) -> Says:
        return but(said, badge=said.fields["badge"] & 0xFFFFFF) if said.event is m.MisdealClearedMessage else None


class FaultNineBits(ShufflerLie):
    id = "fault-nine-bits"
    does = "The number with which the host lights the lamp is kept in nine bits: 700 becomes 188."
    breaks = "*RaiseLamp*: any other number is taken, known or not"
    harm = "The lamp is lit for something that nobody asked for, and RESUME goes by the wrong row."
    bench = ("fault.called-otherwise", "fault.unknown-number")

    def answer(self, honest: Callable[..., m.ReplyMessage], request: int, command: Message, now_ns: int) -> Any:
        if isinstance(command, m.RaiseLampMessage) and command.fault > 511:
            command, self.lied = m.RaiseLampMessage(command.fault & 0x1FF or 1), self.lied + 1
        return honest(request, command, now_ns)


class SecondFaultUncleared(ShufflerLie):
    id = "second-fault-lingers"
    does = "601 that was raised while the lamp was lit stays among the faults of STATUS until the lamp is cleared."
    breaks = "clears it (*FaultCleared*) when the host is heard again; between, 601 is among the `faults` of STATUS"
    harm = "A console shows a host lost that is heard, and people learn to look past it."
    bench = ("fault.host-lost-in-a-misdeal",)

    def begin(self) -> None:
        self.lingers = False

    def event(self, said: Draft) -> Says:
        if said.fields.get("fault") == Fault.HOST_LOST and said.event is m.FaultRaisedMessage and self.model.latched:
            self.lingers = True
        elif said.event is m.MisdealClearedMessage:
            self.lingers = False
        return None

    def status(self, shown: Any) -> Any:
        if self.lingers and Fault.HOST_LOST not in shown.faults:
            return replace(shown, faults=(*shown.faults, Fault.HOST_LOST))
        return shown


# ------------------------------------------------------------------ sessions, power, times


class BrownOut(ShufflerLie):
    id = "brown-out"
    does = "A power cut of less than two seconds does not count as a start: `boot_count` stays as it was."
    breaks = "`boot_count` one up at each"
    harm = "Cuts that somebody makes on purpose are missing in the count of starts."
    bench = ("session.power-up",)

    off_ns = 0

    def powering_off(self) -> None:
        self.off_ns = self.unit._now_ns

    def powering_on(self, now_ns: int) -> None:
        if self.off_ns and now_ns - self.off_ns < 2_000_000_000:
            self.unit._boots -= 1
            self.lied += 1


class FlashLosesLast(ShufflerLie):
    id = "flash-loses-last"
    does = "An event of the last half second before a power cut is not in its memory, and the GAP does not know of it."
    breaks = "its newest 256 events, acknowledged or not, **through a power cut**"
    harm = "The last thing that happened before the cut (a packet lifted, the lamp) is gone, and nobody says so."
    bench = ("session.previous-events", "fault.power-502")
    evenings = ("power-cuts",)

    def powering_off(self) -> None:
        store, now_ms = self.unit._store, (self.unit._now_ns - self.started_ns) // 1_000_000
        if store.last and store._kept and now_ms - store._kept[-1].event.device_ms < 500:
            store._kept.pop()
            self.lied += 1
            store.last -= 1

    def powered_on(self, now_ns: int) -> None:
        self.started_ns = now_ns

    started_ns = 0


class OldClockSixteenBits(ShufflerLie):
    id = "old-clock-16-bits"
    does = "Events of the session before are told with the lower 16 bits of their clock."
    breaks = "An event that is sent again is the same **byte for byte** in its payload"
    harm = "The times of a round that a power cut ended are wrong by minutes, in a dispute about who acted when."
    bench = ("always.session-before",)
    evenings = ("slow-cuts",)

    def frame(self, message: Message, envelope: codec.Envelope) -> Message | None:
        if isinstance(message, m.Event) and any(kind == SESSION_EXTENSION for kind, _ in envelope.extensions):
            return replace(message, device_ms=message.device_ms & 0xFFFF)
        return message


class OldDepthForty(ShufflerLie):
    id = "old-depth-forty"
    does = "Through a power cut it keeps the newest forty events."
    breaks = "its newest 256 events, acknowledged or not, **through a power cut**"
    harm = "A round of eight players has eighty events: half of it is gone."
    bench = ("session.previous-whole",)
    evenings = ("power-cuts",)

    def powering_off(self) -> None:
        kept = self.unit._store._kept
        while len(kept) > 40:
            kept.popleft()
            self.lied += 1


class OldReadOnce(ShufflerLie):
    id = "old-read-once"
    does = "The session before can be read once; after that its GAP says that nothing is kept."
    breaks = "After power-up they can still be read under the previous session's id"
    harm = "A host whose line broke while it read loses the round that it was after."
    bench = ("session.previous-no-window",)

    def begin(self) -> None:
        instead(self.unit._store, "previous_from", self._previous_from)

    def powered_on(self, now_ns: int) -> None:
        self.reads = 0

    reads = 0

    def _previous_from(self, honest: Callable[[int], Any], first: int) -> Any:
        found = list(honest(first))
        self.reads += 1
        self.lied += self.reads > 1
        self.unit._store._previous.clear()
        return iter(found)


class OddSessions(ShufflerLie):
    id = "odd-sessions"
    does = "Every session id is odd: that is how it avoids 0."
    breaks = "each of the 2^32 - 2 others as likely"
    harm = "Two devices of a house draw the same id twice as soon."
    bench = ("always.session-bits",)

    def begin(self) -> None:
        instead(self.unit._rng, "randrange", self._draw)

    def _draw(self, honest: Callable[..., int], *bounds: int) -> int:
        self.lied += 1
        return honest(*bounds) | 1


class FewSessions(ShufflerLie):
    id = "few-sessions"
    does = "The random source has eight bits: there are 256 session ids, spread over 32 bits by a hash."
    breaks = "each of the 2^32 - 2 others as likely: ids ... that come again after a few power-ups, are wrong"
    harm = "An id comes again within weeks, and rounds that were settled under it are taken for dealt."
    bench = ("always.sessions",)

    def begin(self) -> None:
        instead(self.unit._rng, "randrange", self._draw)

    def _draw(self, honest: Callable[..., int], *_: int) -> int:
        self.lied += 1
        return crc32(struct.pack("<H", honest(256))) or 1


class RequestsWithHost(ShufflerLie):
    id = "requests-gone-with-host"
    does = "When it holds its host for lost it forgets the requests that it carried out."
    breaks = (
        "at least its last 32 requests, for at least ten seconds, through every OPEN-SESSION and until the power goes"
    )
    harm = "A DISPENSE that a host repeats after four seconds of a bad line brings a second packet."
    bench = ("silence.host-lost",)

    def begin(self) -> None:
        instead(self.model, "host_gone", self._gone)

    def _gone(self, honest: Callable[[int], None], now_ns: int) -> None:
        honest(now_ns)
        if self.unit._link is not None:
            self.unit._link._cache = ReplyCache()
            self.lied += 1


class AckOfFullWindow(ShufflerLie):
    id = "ack-of-full-window"
    does = "An ACK that empties a full window of sixteen is taken for one event less, and that one is sent for ever."
    breaks = "ACK n says that every event up to n has arrived."
    harm = "The line is never quiet again; a cheap radio bridge drops what matters."
    bench = ("events.window-emptied",)

    def begin(self) -> None:
        instead(self.unit, "receive", self._receive)

    def _receive(self, honest: Callable[[bytes, int], None], data: bytes, now_ns: int) -> None:
        store = self.unit._store
        waiting = store.last - store.acknowledged
        honest(data, now_ns)
        if waiting >= 16 and store.acknowledged == store.last:
            store.acknowledged -= 1
            self.lied += 1


class LastEventLags(ShufflerLie):
    id = "last-event-lags"
    does = "STATUS counts an event of the same millisecond not yet in its `last_event`."
    breaks = "`last_event` is the newest event there is, whether sent or not"
    harm = "A host that lost that event believes for a second that it has everything."
    bench = ("always.status-truth",)

    def status(self, shown: Any) -> Any:
        kept = self.unit._store._kept
        if shown.last_event and kept and kept[-1].event.device_ms == shown.uptime_ms:
            return replace(shown, last_event=shown.last_event - 1)
        return shown


class LostAfterFour(ShufflerLie):
    id = "lost-after-3400-ms"
    does = "It holds its host for lost after 3.4 seconds: it looks only when it makes a STATUS."
    breaks = "`lost`: without one valid frame the other end is lost after 3 s"
    harm = "It begins a motion without a host."
    bench = ("silence.host-lost",)

    def begin(self) -> None:
        self.unit._timing = replace(self.unit._timing, lost_ns=3_400_000_000)
        instead(self.model, "host_gone", self._gone)

    def _gone(self, honest: Callable[[int], None], now_ns: int) -> None:
        self.lied += 1
        honest(now_ns)


class ClockOf1024(ShufflerLie):
    id = "clock-of-1024"
    does = "Its clock counts 1024ths of a second and calls them milliseconds."
    breaks = "`device_ms`, the device's own clock [milliseconds since it started]"
    harm = "Times in a dispute are off by 86 seconds an hour."
    bench = ("always.clock-pace",)

    def powered_on(self, now_ns: int) -> None:
        assert self.unit._link is not None
        self.lied += 1
        instead(self.unit._link, "_uptime_ms", lambda honest, at_ns: honest(at_ns) * 1024 // 1000)


class ClockStandsInShuffle(ShufflerLie):
    id = "clock-stands-in-shuffle"
    does = "While it shuffles it misses one tick of its clock in ten."
    breaks = "`device_ms`, the device's own clock [milliseconds since it started]"
    harm = "Its times lag by three seconds a round; after an hour another round's sheet is looked at."
    bench = ("always.clock-pace",)

    def begin(self) -> None:
        self.missed_ns, self.seen_ns = 0, 0

    def powered_on(self, now_ns: int) -> None:
        assert self.unit._link is not None
        self.missed_ns, self.seen_ns = 0, now_ns
        instead(self.unit._link, "_uptime_ms", self._uptime)

    def _uptime(self, honest: Callable[[int], int], now_ns: int) -> int:
        if self.model.state is S.SHUFFLING:
            self.lied += 1
            self.missed_ns += max(0, now_ns - self.seen_ns) // 10
        self.seen_ns = max(now_ns, self.seen_ns)
        return honest(now_ns - self.missed_ns)


class SerialLate(ShufflerLie):
    id = "serial-late"
    does = "The first HELLO-REPLY after a start has no serial number: its memory is not read yet."
    breaks = "maker, model, serial in HELLO-REPLY ... others than before in this session: another device"
    harm = "The host takes it for another device and gives up the round, or books it under no device at all."
    bench = ("always.identity",)

    def powered_on(self, now_ns: int) -> None:
        self.first = True

    def frame(self, message: Message, envelope: codec.Envelope) -> Message | None:
        if isinstance(message, m.HelloReplyMessage) and self.first:
            self.first = False
            return replace(message, serial="")
        return message

    first = True


class DepthClaimed(ShufflerLie):
    id = "depth-claimed"
    does = "HELLO-REPLY claims that it keeps 1024 unacknowledged events; it keeps 256."
    breaks = "`event_depth` in HELLO-REPLY is how many unacknowledged ones it keeps at least"
    harm = "A host that plans its pause by it loses a round."
    bench = ("events.depth",)

    def hello(self, reply: m.HelloReplyMessage) -> m.HelloReplyMessage:
        self.lied += 1
        return replace(reply, event_depth=1024)


class ProgressAfterEnd(ShufflerLie):
    id = "progress-after-end"
    does = "After the event that ends a command it says PROGRESS 100."
    breaks = "it ends with the event that says what came of it, carrying the same request id"
    harm = "A host that waits for the end begins to wait anew."
    bench = ("always.progress",)

    def event(self, said: Draft) -> Says:
        if said.event is m.PacketDispensedMessage and said.request:
            return [said, CommandProgress(said.request, 100, self.model.state)]  # type: ignore[list-item]
        return None


# ------------------------------------------------------------------ meters


class CardsMeterRollsBack(ShufflerLie):
    id = "cards-meter-rolls-back"
    does = "The meter CARDS is written every eight cards; a power cut takes back what came since."
    breaks = "A meter is one number of one component, and **only grows**: through every power cut"
    harm = "Cards are dealt that nobody bills, as many as somebody pulls the plug for."
    bench = ("deal.meters-power",)

    def powering_off(self) -> None:
        meters = self.model.device_meters
        over = meters._shown[meters._place[DeviceMeter.CARDS]] % 8
        self.lied += over > 0
        meters.count(DeviceMeter.CARDS, -over)


class RoundsMeterRemoved(ShufflerLie):
    id = "rounds-meter-removed"
    does = "ROUNDS counts a round whose deck was taken out."
    breaks = "ROUNDS: rounds dealt to their end: the remainder lifted"
    harm = "The house pays for rounds that were misdeals."
    bench = ("deal.meters-short",)

    def event(self, said: Draft) -> Says:
        if said.event is m.MisdealClearedMessage and said.fields["resolution"] == Resolution.REMOVE_DECK:
            self.model.device_meters.count(DeviceMeter.ROUNDS, 1)
            self.lied += 1
        return None


class PacketsMeterEarly(ShufflerLie):
    id = "packets-meter-early"
    does = "PACKETS and CARDS leave out a packet that a hand took on its way (303)."
    breaks = "PACKETS: packets dispensed, short and long ones included"
    harm = "Who grabs packets early deals without paying for it."
    bench = ("deal.meters-early",)

    def event(self, said: Draft) -> Says:
        if said.event is m.FaultRaisedMessage and said.fields["fault"] == Fault.PACKET_LIFTED_EARLY:
            self.model.device_meters.count(DeviceMeter.PACKETS, -1)
            self.lied += 1
            self.model.device_meters.count(DeviceMeter.CARDS, -said.fields["value"])
            self.lied += 1
        return None


class RefusedMeterBusy(ShufflerLie):
    id = "refused-meter-busy"
    does = "COMMANDS_REFUSED does not count what was refused because it was busy."
    breaks = "COMMANDS_REFUSED: commands refused, a repeated one once"
    harm = "A host that hammers at a busy device is not found by the meter that is there for it."
    bench = ("deal.meters-busy",)

    def answer(self, honest: Callable[..., m.ReplyMessage], request: int, command: Message, now_ns: int) -> Any:
        reply = honest(request, command, now_ns)
        if reply.status == Status.REFUSED and reply.reason == Reason.BUSY:
            self.model.device_meters.count(DeviceMeter.COMMANDS_REFUSED, -1)
            self.lied += 1
        return reply


class MeasuredOnce(ShufflerLie):
    id = "measured-once"
    does = "A *Verify* within a second of the one before gets the digest of that one, with the new nonce beside it."
    breaks = "*Verify* asks for a digest over 16 bytes that the host draws at random for this command"
    harm = "A stored answer passes for a fresh one when the host asks twice to be sure."
    bench = ("verify.answers",)

    def begin(self) -> None:
        self.digest, self.at_ns = b"", 0

    def frame(self, message: Message, envelope: codec.Envelope) -> Message | None:
        if isinstance(message, m.MeasuredMessage):
            now_ns = self.unit._now_ns
            if self.digest and now_ns - self.at_ns < 1_000_000_000:
                return replace(message, digest=self.digest)
            self.digest, self.at_ns = message.digest, now_ns
        return message


# ------------------------------------------------------------------ hands and keys


class LiftToldLate(ShufflerLie):
    id = "lift-told-late"
    does = "That a packet was lifted is said only when the next one has come."
    breaks = "lifting a packet brings the next: *PacketLifted*, then *PacketDispensed*"
    harm = "Two packets lie in the tray for the host; when the power goes between them, nobody lifted the first."
    bench = ("deal.no-remainder", "deal.two-decks", "always.book")

    def begin(self) -> None:
        self.held: Draft | None = None

    def event(self, said: Draft) -> Says:
        held = self.held
        if said.event is m.PacketLiftedMessage:
            self.held = said
            return without()
        if held is not None and said.event in (m.PacketDispensedMessage, m.GreenButtonMessage, m.RedLampMessage):
            self.held = None
            return [said, held] if said.event is m.PacketDispensedMessage else [held, said]
        return None


class PhantomLift(ShufflerLie):
    id = "phantom-lift"
    does = "In every third round the packet that nobody lifted is told as lifted when green is pressed."
    breaks = "*RemainderLifted* follows, and no *PacketLifted* for that packet"
    harm = "A hand more was dealt than there are players, or a seat without a bet has cards."
    bench = ("always.unlifted", "always.book")
    flow = (("clean", "out-of-turn"),)

    def event(self, said: Draft) -> Says:
        model = self.model
        lies = said.event is m.GreenButtonMessage and self.rounds % 3 == 2 and not model.game.groups
        if lies and model.round and model.round.remainder is None and model.cards.count(Bay.TRAY):
            return also(said, m.PacketLiftedMessage, ordinal=len(model.round.packets))
        if said.event is m.RemainderLiftedMessage:
            model.packet_stays = self.rounds % 3 == 1
        return None

    def status(self, shown: Any) -> Any:
        if self.remainder_waits and self.model.packet_stays and self.rounds % 3 == 2:
            return replace(shown, in_tray=min(shown.in_tray, shown.remainder))
        return shown


class LiftMissed(ShufflerLie):
    id = "lift-missed"
    does = "In every fourth round the sensor misses that packet 2 was lifted; the next one comes all the same."
    breaks = "**lifting a packet brings the next**"
    harm = "The book has a packet that nobody lifted, and the remainder is expected to hold its cards."
    bench = ("always.book",)

    def event(self, said: Draft) -> Says:
        missed = said.event is m.PacketLiftedMessage and said.fields["ordinal"] == 2 and self.rounds % 4 == 3
        return without() if missed else None


class GreenUntoldInMotion(ShufflerLie):
    id = "green-untold-in-motion"
    does = "Green that is pressed while a packet is on its way does what it does, and is not told."
    breaks = "Green while a packet is on its way is remembered"
    harm = "The record has a remainder that nobody asked for."
    bench = ("deal.green-on-the-way",)

    def event(self, said: Draft) -> Says:
        silent = said.event is m.GreenButtonMessage and self.model.motion is Motion.DISPENSE and self.model.owed
        return without() if silent else None


class GameRenamedSilently(ShufflerLie):
    id = "game-renamed-silently"
    does = "Another game of the same deck that is chosen at its display is not told."
    breaks = "What 503 would say, other messages do when it happens: *GameSelected*"
    harm = "The table deals packets of three where five are due, and the host hears of it with the first hand."
    bench = ("deal.game-at-the-display",)

    def event(self, said: Draft) -> Says:
        return without() if said.event is m.GameSelectedMessage and not said.request else None


class OldSizeOnce(ShufflerLie):
    id = "old-size-once"
    does = "The first round after SELECT-GAME is dealt in packets of the size before it, told as right."
    breaks = "It is set to a game: the size of a packet and what the deck consists of"
    harm = "The first round of a new game has hands of another."
    bench = ("deal.game",)

    def begin(self) -> None:
        self.wanted: ShufflerSetting | None = None
        instead(self.model, "select_game", self._select)

    def _select(self, honest: Callable[..., None], setting: ShufflerSetting, now_ns: int, request: int = 0) -> None:
        before = self.model.game
        honest(setting, now_ns, request)
        if before.cards == setting.cards and before.packet_size and setting.packet_size:
            self.wanted, self.lied = setting, self.lied + 1
            self.model.game = before

    def event(self, said: Draft) -> Says:
        if said.event in (m.RemainderLiftedMessage, m.DeckRemovedMessage) and self.wanted:
            self.model.game, self.wanted = self.wanted, None
        return None
