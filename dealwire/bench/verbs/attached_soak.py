"""The soak of an attached packet shuffler: whole deals by seeded chance, some with a fault, each card accounted for.

Hands deal it. A fault that they cannot bring about is not chosen; a deck that was taken out is put in again, whole.
"""

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeGuard

from dealwire.bench.record import Failed, NotRun
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.verbs.device import DealPackets, accepted, dump
from dealwire.bench.verbs.stand import LIFT_MS, Stand
from protocol.faults import Fault
from protocol.tdp import Delivered, Lost, Output
from protocol.tdp import messages as m

PACKETS: Final = (2, 9)
"""The fewest and the most packets of a round; five cards each leave a remainder of a deck of 52."""


@dataclass(slots=True)
class Account:
    """What the devices said in all, in numbers that do not grow with the rounds."""

    rounds: int = 0
    games: int = 0
    packets: int = 0
    cards: int = 0
    balanced: int = 0
    removed: int = 0
    faults: Counter[int] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)
    lost_events: int = 0
    book: Book = field(default_factory=Book)
    alarmed: bool = False
    wanted: Counter[int] = field(default_factory=Counter)
    """Faults that hands brought about."""

    def note(self, output: Output) -> None:
        """What one of the links told its host."""
        if isinstance(output, Delivered):
            self.enter(output.message)
        elif isinstance(output, Lost):
            self.lost_events += output.last - output.first + 1

    def enter(self, event: m.Event) -> None:
        """One event of either device."""
        match event:
            case m.GameStartedMessage():
                self.games += 1
            case m.GameEndedMessage():
                self.rounds += 1
            case m.FaultRaisedMessage(fault=fault):
                self.faults[fault] += 1
            case m.RedLampMessage(lit=1):
                self.alarmed = True
            case m.PacketLiftedMessage():
                self.packets += 1
        self.book.enter(event)
        if isinstance(event, m.RemainderDumpedMessage):
            wrong = self.book.wrong()
            self.balanced += not wrong
            if wrong and event.expected == event.counted:
                self.unexplained.append(f"round {self.games}: {wrong}")
        if isinstance(event, m.RemainderLiftedMessage | m.DeckRemovedMessage):
            self.cards += self.book.dealt
            self.removed += isinstance(event, m.DeckRemovedMessage)
            self.alarmed = False


@dataclass(frozen=True, slots=True)
class SoakFault:
    """Something that goes wrong in a round: its name and fields among the actions of hands, which fault the device
    raises for it, whether the lamp is lit then, and whether it happens at a packet."""

    name: str
    fields: tuple[tuple[str, int], ...] = ()
    raised: Fault | None = None
    lamp: bool = True
    at_packet: bool = True


FAULTS: Final = (
    SoakFault("packet-count", (("by", -1),), Fault.PACKET_SHORT),
    SoakFault("packet-count", (("by", 1),), Fault.PACKET_LONG),
    SoakFault("jam", (("tries", 2),), Fault.EXIT_JAM, lamp=False),
    SoakFault("jam", (("tries", 4),), Fault.EXIT_JAM),
    SoakFault("lost-card", (), Fault.CARD_LOST),
    SoakFault("rejected-card", (("cards", 1),), None, lamp=False),
    SoakFault("remainder-short", (("cards", 1),), Fault.REMAINDER_COUNT_WRONG, at_packet=False),
)


def deal_rounds(stand: Stand, rounds: int, fault_every: int) -> Account:
    """Deal so many rounds, a fault in every `fault_every`th (0: in none). Failed names the round that went wrong."""
    random, account = Random(stand.seed), Account()
    possible = [fault for fault in FAULTS if _can(stand, fault)]
    for number in range(1, rounds + 1):
        wanted = fault_every and number % fault_every == 0 and possible
        fault = random.choice(possible) if wanted else None
        packets = random.randint(*PACKETS)
        try:
            stand.hands.begin(stand.result.id)
            stand.prepare("READY")
            _enter(stand, account)
            account.games += 1
            _deal(stand, packets, fault, random.randint(1, packets))
            account.rounds += 1
        except Failed as failed:
            what = f" with {fault.name} {dict(fault.fields)}" if fault else ""
            raise Failed(f"round {number} of {rounds}, {packets} packets{what}: {failed}") from None
        finally:
            _enter(stand, account)
        if fault is not None and fault.raised is not None:
            account.wanted[fault.raised] += 1
    return account


def _can(stand: Stand, fault: SoakFault) -> bool:
    try:
        stand.hands.ready_for(fault.name, dict(fault.fields))
    except NotRun:
        return False
    return True


def _deal(stand: Stand, packets: int, fault: SoakFault | None, ordinal: int) -> None:
    """One round, to the remainder or to the lamp."""
    if fault is None:
        DealPackets(deal=packets, finish=True)(stand)
        return
    at = {"packet": ordinal} if fault.at_packet else {}
    stand.fault(fault.name, {**at, **dict(fault.fields)})
    if not fault.lamp:
        DealPackets(deal=packets, finish=True)(stand)
        return
    before = ordinal - 1 if fault.at_packet else packets
    if before:
        DealPackets(deal=before)(stand)
    else:
        accepted(stand, m.DispenseMessage())
    if not fault.at_packet:
        dump(stand)
    stand.need("FaultRaised", {"fault": int(fault.raised or 0)}, LIFT_MS)
    stand.need("RedLamp", {"lit": 1}, LIFT_MS)
    if by := dict(fault.fields).get("by", 0):
        packet = next((it for it in stand.probe.events() if _is_packet(it, ordinal)), None)
        if packet is None:
            raise Failed(f"no PacketDispensed with ordinal {ordinal} before the lamp")
        if packet.counted != packet.expected + by:
            raise Failed(f"packet {ordinal} counts {packet.counted} where {packet.expected + by} came")


def _is_packet(event: m.Event, ordinal: int) -> TypeGuard[m.PacketDispensedMessage]:
    return isinstance(event, m.PacketDispensedMessage) and event.ordinal == ordinal


def _enter(stand: Stand, account: Account) -> None:
    """What was heard since, into the account; nothing is kept of it."""
    for event in stand.probe.events():
        account.enter(event)
    stand.probe.heard.clear()
    stand.probe.mark = 0
    stand.used.clear()


def missing_faults(account: Account) -> Counter[int]:
    """Faults that were brought about and not raised."""
    return Counter(account.wanted) - Counter(account.faults)
