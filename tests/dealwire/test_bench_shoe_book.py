"""The book that the bench keeps of a shoe: cards that are pushed back one after the other come out again."""

import pytest

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules import ALL_RULES
from dealwire.bench.rules.rule import Known
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope

LOADED = m.ShoeLoadedMessage(1, 0, 1, 1, 52)


def judged(*events: m.Event) -> list[str]:
    """Return the breaches of a device that reports these events after it was filled."""
    rule, known = ALL_RULES["shoe-book"](), Known()
    rule.follows = True
    for event in (LOADED, *events):
        rule.event(event, HeardFrame(0, Envelope(event, (), b""), opened=False), known)
    return rule.breaches


def drawn(ordinal: int) -> m.Event:
    return m.CardDrawnMessage(2, 0, ordinal, 0x11, 0, 99, 0)


def unread(ordinal: int) -> m.Event:
    return m.CardUnreadableMessage(2, 0, ordinal, 0, 0)


def again(ordinal: int) -> m.Event:
    return m.CardReportedAgainMessage(2, 0, ordinal, 0x11, 0)


def back(ordinal: int) -> m.Event:
    return m.PushedBackMessage(2, 0, ordinal, 1)


@pytest.mark.parametrize(
    "events",
    [
        (drawn(1), back(1), again(1), drawn(2)),
        (drawn(1), drawn(2), back(2), back(1), again(1), again(2), drawn(3)),
        (drawn(1), drawn(2), back(2), back(1), unread(1), again(2), drawn(3)),
        (drawn(1), again(1), drawn(2)),
    ],
)
def test_cards_that_come_out_again_count_as_before(events: tuple[m.Event, ...]) -> None:
    assert judged(*events) == []


@pytest.mark.parametrize(
    ("events", "wanted"),
    [
        ((drawn(1), drawn(2), back(2), back(1), again(2)), "ordinal is 2; the events before say 1"),
        ((drawn(1), drawn(2), back(2), back(2)), "ordinal is 2; the events before say 1"),
        ((drawn(1), drawn(2), back(2), again(2), again(3)), "ordinal is 3; the events before say 2"),
    ],
)
def test_another_count_is_a_breach(events: tuple[m.Event, ...], wanted: str) -> None:
    (breach,) = judged(*events)
    assert breach.endswith(wanted)
