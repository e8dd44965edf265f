"""Comparison of a STATUS with the events: each contradiction is found as soon as possible, and none too early."""

from typing import Any

import pytest

from devices.dialects.known import dialect_named
from devices.events import Seen, StatusDiffers
from devices.line.session import Feed
from protocol.link import Output
from protocol.places import BURN
from protocol.tdp import messages as m
from protocol.tdp.messages import ShoeState
from protocol.tdp.outputs import Delivered, Lost, SessionRestarted, StatusSeen


class Heard:
    """A feed that is fed with outputs, and the contradictions it reports."""

    def __init__(self, kind: str) -> None:
        self.found: list[tuple[str, int, int]] = []
        dialect = dialect_named("tdp")
        self.feed = Feed(kind, dialect.make_link(kind, m.Role.OPERATE, False), dialect.driver(kind, where="x"), self)
        self.number, self.session = 0, 7

    def __call__(self, seen: Seen) -> None:
        if isinstance(seen.body, StatusDiffers):
            self.found.append((seen.body.what, seen.body.stated, seen.body.known))

    def output(self, output: Output) -> None:
        self.feed.report([output], 1)

    def event(self, kind: type[m.Event], **fields: Any) -> None:
        self.number += 1
        self.output(Delivered(self.session, 0, kind(number=self.number, device_ms=5, **fields)))

    def restart(self, *, whole: bool) -> None:
        previous, self.session, self.number = self.session, self.session + 1, 0
        self.output(SessionRestarted(previous, self.session, whole))
        self.event(m.BootedMessage, boot_count=2, previous_session=previous, cause=0, mid_round=0)

    def status(self, kind: type[Any], *, unheard: int = 0, **fields: int) -> None:
        whole: dict[str, Any] = dict.fromkeys(kind.__struct_fields__, 0) | {"faults": (), "state": 4, "loaded": 52}
        whole |= {"session": self.session, "last_event": self.number + unheard} | fields
        self.output(StatusSeen(kind(**{name: whole[name] for name in kind.__struct_fields__})))


def card(heard: Heard, ordinal: int, place: int = 0, kind: type[m.Event] = m.CardDrawnMessage) -> None:
    more = {} if kind is m.CardReportedAgainMessage else {"confidence": 99, "reader": 3}
    heard.event(kind, ordinal=ordinal, card=0x11, place=place, **more)


def controller() -> Heard:
    heard = Heard("table-controller")
    heard.event(m.SensorChangedMessage, seat=1, on=1)
    heard.status(m.ControllerStatusMessage, sensors=1)
    return heard


@pytest.mark.parametrize(("sensors", "found"), [(3, []), (1, [("sensors", 1, 3)]), (7, [("sensors", 7, 3)])])
def test_sensors(sensors: int, found: list[tuple[str, int, int]]) -> None:
    heard = controller()
    heard.event(m.SensorChangedMessage, seat=2, on=1)
    heard.status(m.ControllerStatusMessage, sensors=sensors)
    assert heard.found == found


def test_a_status_that_knows_of_an_event_unheard_is_not_judged() -> None:
    heard = controller()
    heard.event(m.SensorChangedMessage, seat=2, on=1)
    heard.status(m.ControllerStatusMessage, unheard=1, sensors=1)
    heard.output(Lost(7, 3, 3))
    heard.number = 3
    heard.event(m.SensorChangedMessage, seat=3, on=1)
    heard.status(m.ControllerStatusMessage, sensors=5)
    assert heard.found == [], "the event that is lost may have been seat 2's"


@pytest.mark.parametrize("whole", [True, False])
def test_what_people_may_have_done_without_power_counts_no_more(whole: bool) -> None:
    heard = controller()
    heard.restart(whole=whole)
    heard.event(m.SensorChangedMessage, seat=2, on=1)
    heard.status(m.ControllerStatusMessage, sensors=2)
    assert heard.found == []


def shoe() -> Heard:
    heard = Heard("shoe")
    heard.event(m.ShoeLoadedMessage, shoe=1, decks=1, cards=52)
    card(heard, 1)
    card(heard, 2, BURN)
    return heard


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ({"drawn": 2, "in_round": 1}, []),
        ({"drawn": 1, "in_round": 1}, [("drawn", 1, 2)]),
        ({"drawn": 2, "in_round": 2}, [("in-round", 2, 1)]),
    ],
)
def test_cards_of_a_shoe(shown: dict[str, int], found: list[tuple[str, int, int]]) -> None:
    heard = shoe()
    heard.status(m.ShoeStatusMessage, **shown)
    assert heard.found == found


def test_a_lock_that_was_opened() -> None:
    heard = Heard("shoe")
    heard.event(m.ShoeLockMovedMessage, locked=0)
    heard.event(m.StateChangedMessage, state=ShoeState.STANDBY, previous=ShoeState.LOCKED)
    heard.status(m.ShoeStatusMessage, locked=1)
    assert heard.found == [("locked", 1, 0)]


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("kind", [m.CardDrawnMessage, m.CardReportedAgainMessage])
def test_a_card_that_was_pushed_back(kind: type[m.Event], ended: bool) -> None:
    heard = shoe()
    heard.event(m.PushedBackMessage, ordinal=2, halted=1)
    heard.restart(whole=True)
    if ended:
        heard.event(m.StateChangedMessage, state=ShoeState.STANDBY, previous=ShoeState.ROUND)
    card(heard, 2, kind=kind)
    assert heard.found == ([("pushed-back", 2, 2)] if kind is m.CardDrawnMessage and not ended else [])


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("lamps", [0, m.Lamp.RED])
def test_a_power_cut_puts_out_no_red_lamp(whole: bool, lamps: int) -> None:
    heard = Heard("shuffler")
    heard.event(m.RedLampMessage, lit=1, fault=301)
    heard.restart(whole=whole)
    heard.status(m.ShufflerStatusMessage, lamps=lamps)
    assert heard.found == ([("red-lamp", 0, 1)] if whole and not lamps else [])


def test_what_is_known_goes_on_with_the_line() -> None:
    heard = controller()
    after = Feed(
        "x", heard.feed.link, dialect_named("tdp").driver("table-controller", where="x"), heard, after=heard.feed
    )
    heard.feed = after
    heard.event(m.SensorChangedMessage, seat=2, on=1)
    heard.status(m.ControllerStatusMessage, sensors=2)
    assert heard.found == [("sensors", 2, 3)]


@pytest.mark.parametrize("between", [None, "restart", "gap"])
def test_the_remainder_that_is_lifted_is_of_the_deck_that_was_counted(between: str | None) -> None:
    heard = Heard("shuffler")
    heard.event(m.RemainderDumpedMessage, deck=1, expected=27, counted=27)
    if between == "restart":
        heard.restart(whole=True)
    elif between == "gap":
        heard.output(Lost(heard.session, heard.number + 1, heard.number + 1))
        heard.number += 1
    heard.event(m.RemainderLiftedMessage, deck=2)
    assert heard.found == ([] if between else [("lifted-deck", 2, 1)])
    heard.event(m.RemainderLiftedMessage, deck=1)
    assert len(heard.found) == (not between)


def dealt(*, remainder: int | None) -> Heard:
    heard = Heard("shuffler")
    heard.event(m.ShuffleStartedMessage, deck=1)
    heard.event(m.DeckVerifiedMessage, deck=1, expected=52, counted=52)
    heard.event(m.CardRejectedMessage, deck=1, card=0, fault=103)
    heard.event(m.PacketDispensedMessage, deck=1, ordinal=1, expected=5, counted=5, cards=())
    if remainder is not None:
        heard.event(m.RemainderDumpedMessage, deck=1, expected=remainder, counted=remainder)
    return heard


@pytest.mark.parametrize("deck", [1, 2])
@pytest.mark.parametrize("kind", [m.ShuffleStartedMessage, m.DeckVerifiedMessage])
@pytest.mark.parametrize(
    ("remainder", "over"),
    [(None, None), (27, None), (0, None), (27, m.RemainderLiftedMessage), (None, m.DeckRemovedMessage)],
)
def test_a_deck_that_is_dealt_is_not_shuffled(
    deck: int, kind: type[m.Event], remainder: int | None, over: type[m.Event] | None
) -> None:
    heard = dealt(remainder=remainder)
    if over is not None:
        heard.event(over, deck=1)
    counted = {"expected": 52, "counted": 52} if kind is m.DeckVerifiedMessage else {}
    heard.event(kind, deck=deck, **counted)
    wrong = deck == 1 and over is None and remainder != 0
    assert heard.found == ([("deck-in-play", 1, 1)] if wrong else [])


@pytest.mark.parametrize(("deck", "remainder", "wrong"), [(1, None, False), (1, 27, True), (2, 27, False)])
def test_no_card_is_rejected_of_a_deck_that_has_left_the_device(deck: int, remainder: int | None, wrong: bool) -> None:
    heard = dealt(remainder=remainder)
    heard.event(m.CardRejectedMessage, deck=deck, card=0, fault=103)
    assert heard.found == ([("rejected-late", 1, 1)] if wrong else [])
