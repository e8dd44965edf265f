"""Snapshot of the table as an observer may see it: the cards at each place, and the faces that were shown.

A device that recognizes cards knows faces that were not shown. Such a card is `??` wherever it is; the faces themselves
are in `unshown`, for code that has to keep them out of everything published.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dealer_flow.play.course.face_up import burned_unseen, seen
from dealer_flow.play.machine.states import State
from dealer_flow.play.seen.betting import BettingNow, betting_now
from dealer_flow.record.result import SeatStatus
from dealer_flow.table.hand import Hand
from dealer_flow.table.round import Round
from protocol.cards import UNREAD, Card
from protocol.places import BURN, COMMUNITY, DEALER, NOWHERE, REJECT_TRAY, Place, seat

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class HandNow:
    """Cards at a place: as many as are known to be there, `??` until shown. `burned` are those set aside."""

    place: str
    cards: Cards
    counted: int | None
    expected: int
    burned: Cards = ()


@dataclass(frozen=True, slots=True)
class SeatNow:
    """A seat that bets or plays. `status` is None while bets are open, `out` if the seat was not dealt in."""

    number: int
    status: SeatStatus | None
    wagers: Mapping[str, int]
    """Cents by the name of the bet."""
    decision: str | None
    """Latest choice."""
    hand: HandNow | None


@dataclass(frozen=True, slots=True)
class PacketNow:
    """One packet of the round, dispensed or yet to come. `counted` is the device's count."""

    ordinal: int
    to: str
    expected: int | None
    counted: int | None
    lifted: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One table at one moment. `number` is the round's, 0 while bets are open."""

    state: State
    number: int
    in_play: bool
    seats: tuple[SeatNow, ...]
    dealer: HandNow | None
    community: HandNow | None
    hands: tuple[HandNow, ...]
    """Hands that the game names, by their names."""
    columns: tuple[HandNow, ...]
    """Columns of a game drawn from a shoe, as they are on the table."""
    burned: Cards
    """Cards burned off the deck or from a shoe, not out of a packet."""
    packets: tuple[PacketNow, ...]
    deck: int
    remainder: int | None
    unshown: frozenset[Card] = field(repr=False)
    """Faces of this round's packets that a device read and that were not shown. They must not be published."""
    won: str | None = None
    """Column that decided the round; None while undecided."""
    betting: BettingNow | None = None
    """Chips, in a game in which players bet against each other; None in any other game."""


def snapshot(state: State, round_: Round) -> Snapshot:
    """Return the visible state of a round."""
    ledger, draw = round_.ledger, round_.draw
    betting = betting_now(round_)
    there = {*round_.active, *(number for number, bets in round_.wagers.items() if bets)}
    seats = sorted(there | (betting.chips.keys() if betting is not None else set()))
    columns = draw.columns() if draw is not None else {}
    finish = draw.finish if draw is not None else None
    burned = len(draw.burned) if draw is not None else ledger.burned_left
    return Snapshot(
        state=state,
        number=round_.number if round_.in_play else 0,
        in_play=round_.in_play,
        seats=tuple(_seat(round_, number) for number in seats),
        dealer=_hand(round_, DEALER),
        community=_hand(round_, COMMUNITY),
        hands=tuple(
            replace(hand, place=name)
            for name, place in round_.plan.hands.items()
            if (hand := _hand(round_, place)) is not None
        ),
        columns=tuple(HandNow(name, cards, len(cards), 0) for name, cards in columns.items()),
        burned=ledger.burned_shown if burned and ledger.burned_shown else (UNREAD,) * burned,
        packets=_packets(round_),
        deck=ledger.deck,
        remainder=ledger.remainder,
        unshown=_unshown(round_),
        won=finish.column if finish is not None else None,
        betting=betting,
    )


def unseen(round_: Round) -> frozenset[Card]:
    """Return the faces of a round that ended that devices read and that were not shown, including burned cards."""
    return burned_unseen(round_) | _unshown(round_)


def _unshown(round_: Round) -> frozenset[Card]:
    """Return the faces that devices read and that were not shown.

    They are compared place by place: a face that a faulty deck holds twice may be shown at one place and hidden at
    another.
    """
    ledger = round_.ledger
    found = {card for packet in ledger.packets.values() if not packet.lifted for card in packet.cards}
    for packet in ledger.lifted:
        found.update(packet.cards if packet.place == NOWHERE else ())
    open_: Counter[Card] = Counter()
    for hand in ledger.hands.values():
        burned = ledger.burned_shown if hand.burned is not None or hand.place == BURN else ()
        shown = Counter(seen(round_, hand)) | Counter(hand.declared)
        open_ += shown
        found.update(Counter(hand.recognised) - (shown + Counter(burned)))
    found.update(Counter(round_.from_shoe) - open_)
    found.update(card for card, places in ledger.faces.places.items() if REJECT_TRAY in places)
    return frozenset(found - {UNREAD})


def _seat(round_: Round, number: int) -> SeatNow:
    status: SeatStatus | None = "out" if round_.in_play else None
    if number in round_.active:
        status = "live" if number in round_.live else "dead" if number in round_.dead else "folded"
    wagers, decision = dict(round_.wagers.get(number, {})), round_.last_choice(number)
    return SeatNow(number, status, wagers, decision, _hand(round_, seat(number)))


def _hand(round_: Round, place: Place) -> HandNow | None:
    ledger = round_.ledger
    hand = ledger.hands.get(place)
    if hand is None:
        return None
    aside = (ledger.burned_shown or (UNREAD,) * hand.set_aside) if hand.burned is not None else ()
    cards = _shown(round_, hand)
    # If cards were shown before the burn, the burned ones are among them: count no card twice.
    aside = aside[: max((hand.counted or 0) - len(cards), 0)]
    return HandNow(place.text, cards, hand.counted, hand.expected, aside)


def _shown(round_: Round, hand: Hand) -> Cards:
    if hand.revealed is not None:
        return hand.revealed
    cards = seen(round_, hand)
    covered = (hand.counted or 0) - hand.set_aside - len(cards)
    return cards + (UNREAD,) * max(covered, 0)


def _packets(round_: Round) -> tuple[PacketNow, ...]:
    """Return the packets that were lifted, the one in the tray, and those still to come if every seat plays on."""
    if round_.plan.from_shoe:
        return ()
    rows = [
        PacketNow(packet.ordinal, packet.place.text, packet.expected, packet.counted, lifted=True)
        for packet in round_.ledger.lifted
    ]
    tray = [packet for packet in round_.ledger.packets.values() if not packet.lifted]
    coming = round_.dues[round_.given :]
    for step in round_.plan.steps[round_.at + round_.opened :] if round_.in_play else ():
        coming += step.dues(round_) if step.foreseen and step.from_device else ()
    for index in range(max(len(tray), len(coming))):
        due = coming[index] if index < len(coming) else None
        counted = tray[index].counted if index < len(tray) else None
        ordinal = tray[index].ordinal if index < len(tray) else len(round_.ledger.lifted) + index + 1
        to, expected = (due.place.text, due.cards) if due is not None else (NOWHERE.text, None)
        rows.append(PacketNow(ordinal, to, expected, counted, lifted=False))
    return tuple(rows)
