"""A round as it is published with some faces unread, wherever it names one; and a round of the older version."""

from msgspec.structs import replace

from dealer_flow.record.details import Split, Stage
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Drawn, Finish, Hand, Named, NamedHand, RoundResult, Seat
from protocol.cards import parse_cards
from tests.support.dealing.plays import play

HIDDEN = set(parse_cards("AS KD"))


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_the_two_parts_of_a_hand_that_was_set() -> None:
    split = Split(low=cards("AS 2C"), rest=cards("3C KD"), by="player", foul=True)
    assert split.redact(HIDDEN) == Split(low=cards("?? 2C"), rest=cards("3C ??"), by="player", foul=True)


def test_what_lay_at_a_place_after_a_step() -> None:
    stage = Stage(step="flop", place="community", cards=cards("AS 2C"))
    assert stage.redact(HIDDEN) == Stage(step="flop", place="community", cards=cards("?? 2C"))


def test_hands_and_seats() -> None:
    split, hid = (Split(low=cards(low), rest=(), by="player", foul=False) for low in ("KD", "??"))
    facts = {"counted": 2, "expected": 3}
    for made, more in (
        (Hand, {}),
        (Seat, {"seat": 1, "status": "live", "wagers": {"ante": 500}}),
        (NamedHand, {"name": "left", "place": "hand 1", "status": "dead"}),
    ):
        whole = made(cards=cards("AS 2C"), discards=cards("3C KD"), split=split, **facts, **more)  # type: ignore[arg-type]
        assert whole.redact(HIDDEN) == replace(whole, cards=cards("?? 2C"), discards=cards("3C ??"), split=hid)
        bare = made(cards=cards("2C"), **facts, **more)  # type: ignore[arg-type]
        assert bare.redact(HIDDEN) == bare


def test_an_incident_and_what_caused_it() -> None:
    cause = Incident(code="card-exposed", clause="c", cards=cards("KD 2C"))
    found = Incident(code="faces-disagree", clause="c", cards=cards("AS 2C"), known=cards("3C KD"), cause=cause)
    hid = replace(cause, cards=cards("?? 2C"))
    assert found.redact(HIDDEN) == replace(found, cards=cards("?? 2C"), known=cards("3C ??"), cause=hid)


def test_cards_drawn_into_columns() -> None:
    drawn = Drawn(
        cards=cards("AS 2C KD"),
        columns={"spades": cards("AS"), "clubs": cards("2C"), "diamonds": cards("KD")},
        finish=Finish(cards=3, column=None),
        extra="KD",
        overdrawn=cards("AS 3C"),
        named=(Named(1, "AS", 77, "supervisor"), Named(2, "2C", 0, "")),
    )
    assert drawn.redact(HIDDEN) == Drawn(
        cards=cards("?? 2C ??"),
        columns={"spades": cards("??"), "clubs": cards("2C"), "diamonds": cards("??")},
        finish=Finish(cards=3, column=None),
        extra="??",
        overdrawn=cards("?? 3C"),
        named=(Named(1, "??", 77, "supervisor"), Named(2, "2C", 0, "")),
    )
    assert replace(drawn, extra=None).redact(HIDDEN).extra is None
    assert replace(drawn, extra="2C").redact(HIDDEN).extra == "2C"


def a_round() -> RoundResult:
    table = play("holdem", "bets 1: ante 500, side 100 / bets 2: ante 500 / start / packet seat 1: AH KH")
    return table.play("packet seat 2: 2C 3C\npacket dealer: 5D 6D\nchoose 1: fold").end()


def test_a_whole_round() -> None:
    result, hand = a_round(), Hand(cards=cards("AS 2C"), counted=2, expected=2)
    named = NamedHand(name="left", place="hand 1", status="live", cards=cards("KD"), counted=1, expected=1)
    drawn = Drawn(cards=cards("AS"), columns={}, finish=None)
    stage, found = Stage(step="flop", place="dealer", cards=cards("KD")), Incident(code="x", clause="c", cards=("AS",))
    (first, *others) = result.seats
    whole = replace(
        result,
        community=cards("AS 2C"),
        burned=cards("KD"),
        seats=(replace(first, cards=cards("KD 3C")), *others),
        dealer=hand,
        hands=(named,),
        stages=(stage,),
        incidents=(found,),
        draw=drawn,
    )
    assert whole.redact(HIDDEN) == replace(
        whole,
        community=cards("?? 2C"),
        burned=cards("??"),
        seats=(replace(first, cards=cards("?? 3C")), *others),
        dealer=replace(hand, cards=cards("?? 2C")),
        hands=(replace(named, cards=cards("??")),),
        stages=(replace(stage, cards=cards("??")),),
        incidents=(replace(found, cards=cards("??")),),
        draw=replace(drawn, cards=cards("??")),
    )
    bare = replace(whole, dealer=None, draw=None)
    assert (bare.redact(HIDDEN).dealer, bare.redact(HIDDEN).draw) == (None, None)


def test_a_round_of_the_older_version_gave_all_bets_back() -> None:
    """Those of a void round, and those of a dead hand."""
    first, second = a_round().seats
    one, two = {"ante": 500, "side": 100}, {"ante": 500}
    dead = (replace(first, status="dead", returned={}), replace(second, status="live", returned={}))
    for outcome, back in (
        ("complete", (one, {})),
        ("progressive-only", (one, {})),
        ("misdeal", (one, two)),
        ("defective-deck", (one, two)),
        ("unreliable", ({}, {})),
    ):
        renewed = replace(a_round(), seats=dead, outcome=outcome).renewed()  # type: ignore[arg-type]
        assert tuple(dict(seat.returned) for seat in renewed.seats) == back


def test_a_round_that_came_once_more() -> None:
    result = a_round()
    found = result.repeated()
    assert (found.code, found.clause, found.session, found.number) == (
        "round-repeated",
        "procedure",
        result.session,
        result.round,
    )
