"""Contradictions in what a device says.

The same order of cards is dealt again, a packet belongs to another deck or is reported in two ways, a STATUS or a
record cannot be true given the events, or a lamp goes out by a button that clears nothing.
"""

from functools import partial
from typing import Final

from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.verdicts.verdicts import judge_sum
from dealer_flow.record.incidents import Incident
from dealer_flow.table.deal_book import BookShown, Contradiction, MisdealRecord, order_of
from dealer_flow.table.round import Round
from devices.events import Seen

MS: Final = 1_000_000
AT_ONCE_NS: Final = 100 * MS
"""Longest time between a button and its effect, in nanoseconds; a person who presses it and then clears the fault at
the device takes longer."""
_FOUND: Final = partial(Incident, clause="procedure")


def judge_order(round_: Round, seen: Seen) -> None:
    """Report cards that lay in the sequence of an earlier round, according to the device: they were not shuffled.

    Judged once, when the remainder comes, or at END GAME if none came.
    """
    if round_.order_judged or not round_.in_play:
        return
    round_.order_judged = True
    packets = [packet.cards for packet in round_.ledger.packets.values()]
    again = round_.decks.order(round_.number, order_of(packets))
    if again is not None:
        round_.report(_FOUND(code="order-again", deck=round_.ledger.deck, number=again, unreliable=True), seen)


def judge_status(round_: Round, shown: BookShown, seen: Seen) -> None:
    """Compare the device's status of the round with its events.

    If they differ only in what happened to the packet that was not lifted, the status decides: cards that do not add up
    then mean a defective deck. Any other contradiction makes the round unreliable.
    """
    ledger = round_.ledger
    if ledger.dumped is None or not ledger.dumped[1] or round_.unreliable:
        return
    book = ledger.book
    wrong = book.contradicted(shown)
    if wrong is None:
        return
    way = book.way_by(shown)
    if way == book.way:
        _differs(round_, wrong, seen)
        return
    ledger.split(book.waiting if way == "stays a packet" else 0)
    adds_up = ledger.conserved is not False
    found = _FOUND(code="statements-differ", reason="unlifted", deck=ledger.deck, expected=ledger.dumped[0])
    round_.report(replace(found, unreliable=adds_up), seen)
    judge_sum(round_, seen)


def judge_packet(round_: Round, body: e.PacketDispensed, seen: Seen) -> None:
    """Report a packet of another deck than the one being dealt, or one reported again with other cards or another
    count.

    It cannot be known which of the two is right. An identical repetition, as a line may produce it, is ignored.
    """
    deck, known = round_.ledger.deck, round_.ledger.packets.get(body.ordinal)
    if round_.unreliable or not round_.in_play:
        return
    if body.deck != deck:
        _differs(round_, Contradiction("packet-deck", body.deck, deck), seen)
    elif known and (known.counted, known.cards, known.setting) != (body.counted, body.cards, body.expected):
        counts = Contradiction("packet-again", body.counted, known.counted)
        _differs(round_, counts, seen, number=body.ordinal)


def judge_record(round_: Round, body: e.MisdealReported, seen: Seen) -> None:
    """Compare the device's record of a misdeal with its events, for a round that was received from its first packet."""
    ledger = round_.ledger
    if not round_.in_play or round_.unreliable or body.deck != ledger.deck or seen.device != round_.dealt_by:
        return
    whole = [*ledger.packets] == [*range(1, len(ledger.packets) + 1)]
    if not whole or (ledger.dumped is not None and body.remainder is None):
        return  # not received from its start; or the deck is being counted for the next round
    record = MisdealRecord(body.loaded, body.packets, body.remainder, body.rejected)
    wrong = ledger.book.record_contradicted(record)
    if wrong is not None:
        _differs(round_, wrong, seen)


def _differs(round_: Round, wrong: Contradiction, seen: Seen, number: int | None = None) -> None:
    found = _FOUND(code="statements-differ", reason=wrong.what, deck=round_.ledger.deck, number=number)
    round_.report(replace(found, counted=wrong.stated, expected=wrong.known, unreliable=True), seen)


def judge_clearing(round_: Round, body: e.MisdealCleared, seen: Seen) -> None:
    """Report a lamp that goes out right after the green button, which cannot clear a misdeal.

    That is the case if the button was pressed, nothing but the clearing follows at once, and no badge was read. A line
    that was silent in this round is not judged, since its reports may come all at once.
    """
    pressed, round_.pressed = round_.pressed, None
    if pressed is None or body.badge or pressed.session != seen.session or round_.silent:
        return
    if seen.at_ns - pressed.at_ns <= AT_ONCE_NS:
        harms = round_.in_play
        round_.report(_FOUND(code="cleared-by-nobody", fault=body.fault, unreliable=harms), seen)


def badge_refused(round_: Round, seen: Seen, badge: int, why: str, *, harmful: bool = False) -> None:
    """Report a badge that does not count, and why."""
    found = Incident(code="badge-refused", clause="procedure", device=seen.device, badge=badge, words=why)
    round_.report(replace(found, unreliable=harmful), seen)
