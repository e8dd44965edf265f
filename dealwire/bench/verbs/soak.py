"""Soak test: a thousand random rounds (seeded), some with a fault, with every card and every round accounted for.

A simulated table deals by itself. At an attached packet shuffler the operator deals: faults that they cannot cause are
not chosen, and a removed deck is loaded again complete.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Final, TypeGuard

from pydantic import Field

from dealwire.bench.hands.operator import NoOperator, SimulatedOperator
from dealwire.bench.record import Failed, NotRun, NotRunCause
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.verbs.context import LIFT_MS, CheckContext
from dealwire.bench.verbs.device import DealPackets, accepted, dump
from dealwire.bench.verbs.step import PlanStep
from dealwire.bench.verbs.wire import START_NS
from dealwire.rehearsal.scenario import RoundPlan, Scenario, SimulatedPlayer, places
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.simulate import hosted
from dealwire.rehearsal.tables import SimulatedTable
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.clock import SystemClock
from protocol.faults import Fault
from protocol.tdp import Delivered, Lost, Output
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceClass, Role

SPEED: Final = 20.0
"""Speed of the simulated people and machines; times of the protocol are unchanged."""
STALLED_NS: Final = 600_000_000_000
"""Table time in nanoseconds without a finished round, after which the soak has stalled."""
MEMORY_KB: Final = 32_768
"""Growth of this process, in KiB between the first tenth of the soak and its end, that is not yet a leak. An allocator
may keep that much. A leak of one event per round would stay below it for a while; leaked descriptors would not."""
WARM_UP: Final = 10
"""Divisor of the rounds that gives the end of the warm-up, when memory is first measured."""

PACKETS: Final = (2, 9)
"""Minimum and maximum number of packets in a manually dealt round. Five cards each leave a remainder of a deck of 52.
"""
_TROUBLES: Final[dict[tuple[What, int], Fault | None]] = {
    (What.PACKET, -1): Fault.PACKET_SHORT,
    (What.PACKET, 1): Fault.PACKET_LONG,
    (What.JAM, 2): Fault.EXIT_JAM,
    (What.JAM, 4): Fault.EXIT_JAM,
    (What.LOST, 0): Fault.CARD_LOST,
    (What.REJECTED, 1): None,
    (What.REMAINDER, 1): Fault.REMAINDER_COUNT_WRONG,
    (What.DOOR, 0): Fault.DOOR_OPENED_MID_ROUND,
    (What.LIFTED_EARLY, 0): Fault.PACKET_LIFTED_EARLY,
    (What.DECK, 1): Fault.TOO_FEW_CARDS,
    (What.NOISE, 12): None,
    (What.DROP, 7): None,
}
"""Faults of a round at a simulated table, chosen at random, with the fault code that the device must raise. The key has
the kind and its amount. None: the device must not notice it, or must recover by itself."""


@dataclass(slots=True)
class Account:
    """Totals of the devices' reports, in numbers that do not grow with the rounds."""

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
    """Faults that the operator caused."""

    def note(self, output: Output) -> None:
        """Add the output of a link."""
        if isinstance(output, Delivered):
            self.enter(output.message)
        elif isinstance(output, Lost):
            self.lost_events += output.last - output.first + 1

    def enter(self, event: m.Event) -> None:
        """Add an event of either device."""
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


@dataclass(slots=True)
class Held:
    """Resources of this process, as far as the operating system reports them."""

    warm_kb: int = 0
    """Memory after the warm-up in KiB; 0 before."""
    grown_kb: int = 0
    """Growth of memory since then, in KiB."""
    left_open: int = 0
    """Additional descriptors since the start."""


class Soak(PlanStep):
    """`soak`: this many random rounds, with a fault in every `fault_every`th; --rounds overrides the number. A
    simulated device has a table of its own that deals by itself. At an attached device an operator program deals, or a
    person who sets --rounds."""

    soak: int = Field(ge=1, le=1_000_000)
    fault_every: int = Field(10, ge=0)
    """Number of rounds per fault; 0 for no faults."""

    def _run(self, context: CheckContext) -> None:
        rounds = context.rounds or self.soak
        if isinstance(context.hands, SimulatedOperator):
            self._simulated(context, rounds)
        else:
            self._attached(context, rounds)
        if rounds < self.soak:
            why = f"--rounds {rounds}: so many of the plan's {self.soak} rounds were dealt, and nothing went wrong"
            raise NotRun(why, NotRunCause.SHORTENED)

    def _simulated(self, context: CheckContext, rounds: int) -> None:
        scenario = evening(rounds, self.fault_every, context.seed)
        clock = SystemClock()
        began_ns = clock.now_ns()
        account, held, table = play(scenario, rounds)
        _report(context, account, held, rounds, (clock.now_ns() - began_ns) / 1e9)
        _judge(account, held, scenario, table)

    def _attached(self, context: CheckContext, rounds: int) -> None:
        hands, clock = context.hands, SystemClock()
        if isinstance(hands, NoOperator) or (not hands.tireless and context.rounds is None):
            who = "a person who deals" if isinstance(hands, NoOperator) else f"somebody who deals {rounds} rounds"
            raise NotRun(f"needs {who}: --operator-program, or --rounds for fewer of them", NotRunCause.UNATTENDED)
        if context.profile.number is not DeviceClass.SHUFFLER:
            raise NotRun("is dealt at a packet shuffler")
        hands.ready_for("lift", {})
        hands.ready_for("load", {})
        began_ns, opened, warm_kb = clock.now_ns(), _descriptors(), _resident_kb()
        account = deal_rounds(context, rounds, self.fault_every)
        held = Held(warm_kb, _resident_kb() - warm_kb, _descriptors() - opened)
        _report(context, account, held, rounds, (clock.now_ns() - began_ns) / 1e9)
        if account.unexplained:
            raise Failed(f"counts that do not add up without a fault: {'; '.join(account.unexplained[:5])}")
        if missing := missing_faults(account):
            raise Failed(f"faults that happened and were not raised: {dict(missing)}; raised: {dict(account.faults)}")


def evening(rounds: int, fault_every: int, seed: int) -> Scenario:
    """Return a scenario of random rounds, each different, with a fault in every `fault_every`th; 0 for none."""
    random, model = Random(seed), load_scenario("clean-1")
    plans = []
    for number in range(1, rounds + 1):
        plan = RoundPlan(tuple(_players(random)), ())
        if fault_every and number % fault_every == 0 and number < rounds:
            what, amount = random.choice([*_TROUBLES])
            ordinal = (
                0 if what in (What.REMAINDER, What.DECK) else random.randint(1, len(places(model.procedure, plan)))
            )
            plan = RoundPlan(plan.players, (PlannedTrouble(what, ordinal, amount),))
        plans.append(plan)
    return replace(model, id="soak", seed=seed, rounds=tuple(plans))


def _players(random: Random) -> Iterator[SimulatedPlayer]:
    for seat in sorted(random.sample(range(1, 7), random.randint(1, 6))):
        wagers = {"ante": 500, "blind": 500, "flush-rush": random.choice((100, 500))}
        wagers |= {"progressive": 100} if random.random() < 0.3 else {}
        yield SimulatedPlayer(seat=seat, wagers=wagers)


def play(scenario: Scenario, rounds: int) -> tuple[Account, Held, SimulatedTable]:
    """Deal the scenario to its end, with a real host link for each device. Raise Failed if it stalls."""
    table = SimulatedTable(scenario, speed=SPEED)
    account, held, opened, progress_ns, done = Account(), Held(), _descriptors(), START_NS, 0
    for now_ns in hosted(table, START_NS, lambda _: None, account.note, Role.OPERATE):
        if account.rounds != done:
            progress_ns, done = now_ns, account.rounds
            held.warm_kb = held.warm_kb or (_resident_kb() if done >= rounds // WARM_UP else 0)
        if now_ns - progress_ns > STALLED_NS:
            raise Failed(f"nothing more after round {done}: the shuffler is in {table.shuffler.state.name}")
        if table.finished:
            break
    held.grown_kb, held.left_open = _resident_kb() - held.warm_kb, _descriptors() - opened
    return account, held, table


def _resident_kb() -> int:
    """Return the memory of this process in KiB, 0 if the system does not report it."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024 if statm.exists() else 0


def _descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def _report(context: CheckContext, account: Account, held: Held, rounds: int, took_s: float) -> None:
    faults = ", ".join(f"{number} x{times}" for number, times in sorted(account.faults.items()))
    context.notes += [
        f"{account.rounds} of {rounds} rounds in {took_s:.1f} s ({account.rounds / max(took_s, 1e-9):.0f} rounds/s), "
        f"seed {context.seed}",
        f"{account.packets} packets lifted, {account.cards} cards in them; {account.balanced} remainders right, "
        f"{account.removed} decks taken out",
        f"faults raised: {faults or 'none'}",
        f"memory {held.grown_kb:+d} KiB since round {max(1, rounds // WARM_UP)}, descriptors {held.left_open:+d}",
    ]


def _judge(account: Account, held: Held, scenario: Scenario, table: SimulatedTable) -> None:
    rounds, cards = len(scenario.rounds), 2 * scenario.procedure.plan.cards
    if account.games != rounds or account.rounds != rounds:
        raise Failed(f"{rounds} rounds were dealt, {account.games} were begun and {account.rounds} ended on the wire")
    if account.lost_events:
        raise Failed(f"{account.lost_events} events were lost")
    if account.unexplained:
        raise Failed(f"counts that do not add up without a fault: {'; '.join(account.unexplained[:5])}")
    there = sum(1 for _ in table.cards)
    if there != cards:
        raise Failed(f"{there} cards are on the table and in the device, {cards} were brought")
    wanted: Counter[int] = Counter()
    for plan in scenario.rounds:
        wanted.update(fault for t in plan.troubles if (fault := _TROUBLES[t.what, t.amount]))
    missing = {number: times for number, times in wanted.items() if account.faults[number] < times}
    if missing:
        raise Failed(f"faults that happened and were not raised: {missing}; raised: {dict(account.faults)}")
    if held.left_open > 0:
        raise Failed(f"{held.left_open} descriptors were left open")
    if held.warm_kb and held.grown_kb > MEMORY_KB:
        raise Failed(f"this process grew by {held.grown_kb} KiB")


# ------------------------------------------------------------------ at an attached shuffler


@dataclass(frozen=True, slots=True)
class SoakFault:
    """Fault of a round: its name and fields as an operator's action, the fault code that the device raises, whether it
    lights the lamp, and whether it happens at a packet."""

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


def deal_rounds(context: CheckContext, rounds: int, fault_every: int) -> Account:
    """Deal random rounds, with a fault in every `fault_every`th (0 for none). Raise Failed with the round that went
    wrong."""
    random, account = Random(context.seed), Account()
    possible = [fault for fault in FAULTS if _can(context, fault)]
    for number in range(1, rounds + 1):
        wanted = fault_every and number % fault_every == 0 and possible
        fault = random.choice(possible) if wanted else None
        packets = random.randint(*PACKETS)
        try:
            context.hands.begin(context.check)
            context.prepare("READY")
            _enter(context, account)
            account.games += 1
            _deal(context, packets, fault, random.randint(1, packets))
            account.rounds += 1
        except Failed as failed:
            what = f" with {fault.name} {dict(fault.fields)}" if fault else ""
            raise Failed(f"round {number} of {rounds}, {packets} packets{what}: {failed}") from None
        finally:
            _enter(context, account)
        if fault is not None and fault.raised is not None:
            account.wanted[fault.raised] += 1
    return account


def _can(context: CheckContext, fault: SoakFault) -> bool:
    try:
        context.hands.ready_for(fault.name, dict(fault.fields))
    except NotRun:
        return False
    return True


def _deal(context: CheckContext, packets: int, fault: SoakFault | None, ordinal: int) -> None:
    """Deal one round, up to the remainder or to the lamp."""
    if fault is None:
        DealPackets(deal=packets, finish=True)(context)
        return
    at = {"packet": ordinal} if fault.at_packet else {}
    context.fault(fault.name, {**at, **dict(fault.fields)})
    if not fault.lamp:
        DealPackets(deal=packets, finish=True)(context)
        return
    before = ordinal - 1 if fault.at_packet else packets
    if before:
        DealPackets(deal=before)(context)
    else:
        accepted(context, m.DispenseMessage())
    if not fault.at_packet:
        dump(context)
    context.need("FaultRaised", {"fault": int(fault.raised or 0)}, LIFT_MS)
    context.need("RedLamp", {"lit": 1}, LIFT_MS)
    if by := dict(fault.fields).get("by", 0):
        packet = next((it for it in context.probe.events() if _is_packet(it, ordinal)), None)
        if packet is None:
            raise Failed(f"no PacketDispensed with ordinal {ordinal} before the lamp")
        if packet.counted != packet.expected + by:
            raise Failed(f"packet {ordinal} counts {packet.counted} where {packet.expected + by} came")


def _is_packet(event: m.Event, ordinal: int) -> TypeGuard[m.PacketDispensedMessage]:
    return isinstance(event, m.PacketDispensedMessage) and event.ordinal == ordinal


def _enter(context: CheckContext, account: Account) -> None:
    """Add the events received since the last call to the account, and forget them."""
    for event in context.probe.events():
        account.enter(event)
    context.probe.heard.clear()
    context.probe.mark = 0
    context.used.clear()


def missing_faults(account: Account) -> Counter[int]:
    """Return the faults that were caused but not raised."""
    return Counter(account.wanted) - Counter(account.faults)
