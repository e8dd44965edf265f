"""No published byte holds a face that no one has shown."""

from __future__ import annotations

import json
import re
from collections.abc import Set
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import devices.events as e
from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.table.redaction import PublishedTable, Publisher, hidden, outcomes_of
from dealwire.table.table import TableTerms
from dealwire.table.viewer import Viewer
from devices.drive.replay import play
from devices.events import Seen
from devices.record.capture import Capture
from protocol.cards import parse_card, parse_cards
from protocol.places import NOWHERE, parse_place
from rules.game.load import load_game
from rules.settlement import Settlement
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on
from tests.support.evenings.reported_table import colorado, reading, reports

CAPTURES = Path(__file__).parent.parent.parent / "captures"
FACE = re.compile(r"(?<!\w)[A2-9TJQK][CDHS](?!\w)")
AT_END = ("round", "settlement", "meter", "award")
"""Topics after END GAME: the hands against the house are dead, and their cards and results are published."""
HANDS = ("community", "seats", "dealer", "hands", "stages", "draw")
"""Keys of a round that may have a face that no one has shown, where the house plays."""


class Hunt:
    """A table whose every line and view is searched; `allowed` are the faces shown in this round, `hands` those
    that its line tells of hands against the house."""

    def __init__(self, table: PublishedTable) -> None:
        self.publisher = Publisher(table)
        self.viewer = Viewer(table, "table-1")
        self.allowed: set[str] = set()
        self.dealt: set[str] = set()
        self.hands: set[str] = set()
        self.rounds: list[dict[str, Any]] = []
        self.views = self.lines = 0
        self.over = True

    def see(self, seen: Seen) -> None:
        body = seen.body
        if isinstance(body, e.GameStarted):
            self.allowed, self.dealt, self.hands = set(), set(), set()
        if isinstance(body, e.PacketDispensed):
            self.dealt |= {card.text for card in body.cards}
        if isinstance(body, e.HandRevealed):
            self.allowed |= {card.text for card in body.cards}
        told = self.publisher.publish(seen)
        self.viewer.update(seen, outcomes_of(told))
        for each in told:
            if each.topic == "round":
                self.end(json.loads(each.line))
            self.search(each.line, self.hands if each.topic in AT_END else frozenset())
        view = self.viewer.view(0, seen.at_ns).model_copy(update={"settlement": None})  # it names what was shown
        self.search(view.model_dump_json())
        self.views += 1

    def end(self, line: dict[str, Any]) -> None:
        """Take the line of an ended round: it may name its hands, but not among players, and never a burned card."""
        self.rounds.append(line)
        self.search(json.dumps(line["burned"]))
        if self.publisher.table.flow.plan.betting is None:
            self.hands |= set(FACE.findall(json.dumps([line.get(key) for key in HANDS])))

    def search(self, text: str, told: Set[str] = frozenset()) -> None:
        self.lines += 1
        found = set(FACE.findall(text)) - self.allowed - told
        assert not found, f"{sorted(found)} in {text}"


@pytest.mark.every(8)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scenario", ["recognition", "two-rounds", "power-cycle", "rejected-card", "wrong-burn", "jam"])
def test_a_shuffler_that_reads_faces_tells_none_before_its_reveal(scenario: str, seed: int) -> None:
    hunt = Hunt(colorado())
    for seen in reports(reading(scenario, seed=seed)):
        hunt.see(seen)
    for item in hunt.publisher.finish():
        hunt.search(item.line)
    assert hunt.views > 50
    assert len(hunt.dealt) >= 15, "the shuffler read no faces, so nothing was hunted"
    assert hunt.allowed, "no hand was shown"
    assert any(line["burned"] for line in hunt.rounds) or scenario != "recognition", "nothing was burned"


FROM_A_SHOE = [name for name in known_procedures() if load_procedure(name).device == "card-shoe" and "race" not in name]


@pytest.mark.every(4)
@pytest.mark.parametrize("procedure", FROM_A_SHOE)
def test_a_shoe_that_reads_every_card_tells_none_that_lies_face_down(procedure: str) -> None:
    hunt = Hunt(PublishedTable(load_procedure(procedure), None))
    drawn, shown = set[str](), set[str]()

    def see(seen: Seen) -> None:
        shown.update(hunt.allowed)
        if isinstance(seen.body, e.CardDrawn):
            drawn.add(seen.body.card.text)
            if hunt.publisher.table.flow.deals_face_up:
                hunt.allowed.add(seen.body.card.text)
        hunt.see(seen)

    play(Capture.read(CAPTURES / f"{procedure}.pcapng"), see)
    assert len(drawn) >= 10, "the shoe read no faces, so nothing was hunted"
    assert hunt.rounds, "no round ended"
    assert shown, "no hand was shown"


def test_the_hunt_finds_a_face_that_is_told_as_it_was_read() -> None:
    hunt = Hunt(colorado())
    packet = next(seen for seen in reports(reading("recognition")) if isinstance(seen.body, e.PacketDispensed))
    with pytest.raises(AssertionError):
        hunt.search(repr(packet.body))


def at(body: e.Body, device: str = "shuffler", number: int = 1) -> Seen:
    return Seen(device, 1, number, 1_000, body)


@pytest.mark.parametrize(
    "body",
    [
        e.PacketDispensed(1, 1, 5, 5, parse_cards("AS KD 2C 3H 4S")),
        e.CardRejected(1, parse_card("AS"), 102),
        e.DrawWhileLocked(parse_card("AS")),
        e.CardDrawnOutside(parse_card("AS"), "setup"),
        e.CardDrawn(1, parse_card("AS"), "burn"),
        e.CardReportedAgain(1, parse_card("AS"), "burn"),
        e.UnknownReported("[C]<AS>"),
        e.UnknownReported("answer 'AS'"),
    ],
    ids=lambda body: type(body).__name__,
)
def test_what_nobody_has_shown_is_taken_out_of_a_report(body: e.Body) -> None:
    seen = at(body)
    assert not FACE.search(repr(hidden(seen)))
    assert hidden(seen).number == seen.number
    assert type(hidden(seen).body) is type(body)


@pytest.mark.parametrize(
    "body",
    [
        e.HandRevealed(parse_place("dealer"), parse_cards("AS KD"), True),
        e.CardDrawn(1, parse_card("AS"), "player"),
        e.PacketDispensed(1, 1, 5, 5, ()),
        e.FaultRaised(201, NOWHERE, 0),
    ],
    ids=lambda body: type(body).__name__,
)
def test_what_was_shown_is_told_as_it_is(body: e.Body) -> None:
    seen = at(body)
    assert hidden(seen) is seen


def test_faces_are_hidden_on_the_cards_of_an_incident_and_nowhere_else() -> None:
    """A line, a place or a bet may be called like a card."""
    names = {"device": "AS", "place": "AS", "other_place": "AS", "bet": "AS", "words": "AS", "how": "AS"}
    cause = Incident(code="card-exposed", clause="AS", reason="not-bottom", place="dealer", cards=("AS", "KD"))
    incident = Incident(code="ruled-on", clause="AS", cards=("AS", "2C"), known=("3H", "AS"), cause=cause, **names)
    redacted = incident.redact(set(parse_cards("AS")))
    assert (redacted.cards, redacted.known) == (("??", "2C"), ("3H", "??"))
    assert redacted.cause is not None
    assert redacted.cause.cards == ("??", "KD")
    assert {name: getattr(redacted, name) for name in names} == names
    assert "AS" not in str(replace(redacted, place=None))


@pytest.mark.parametrize("name", ["pit-3D", "3D"])
def test_a_table_whose_name_looks_like_a_hidden_card_keeps_it(name: str) -> None:
    """A back office books a round under this name."""
    table = colorado(name)
    hand = parse_cards("7H KD 2C 9S 3D")
    bodies: list[tuple[str, e.Body]] = [
        ("3D", e.DeckLoaded(1, 1)),
        ("3D", e.DeckVerified(1, 52, 52)),
        ("controller", e.WagerPlaced(1, 1, 500)),
        ("controller", e.WagerPlaced(1, 2, 500)),
        ("controller", e.GameStarted(1)),
        ("3D", e.PacketDispensed(1, 1, 5, 5, parse_cards("2H 3H 4H 5H 6H"))),
        ("3D", e.PacketLifted(1)),
        ("3D", e.PacketDispensed(1, 2, 5, 5, hand)),
        ("3D", e.PacketLifted(2)),
        ("3D", e.LinkLost("silent")),
        ("3D", e.Booted(1, True)),
    ]
    for number, (device, body) in enumerate(bodies, 1):
        table.handle(at(body, device, number))
    round_, settlement = table.finish()
    assert isinstance(round_, RoundResult)
    assert isinstance(settlement, Settlement)
    assert (round_.table, settlement.table) == (name, name)
    assert {each.device for each in round_.incidents} >= {"3D"}
    assert round_.seats[0].cards == ("??",) * 5
    for line in (round_.to_json(), settlement.to_json()):
        assert set(FACE.findall(line)) == {"3D"}


def test_a_face_found_twice_is_no_incident_that_names_it() -> None:
    """The shuffler reads one card in two hands: the table learns that, not which card it is."""
    table = colorado()
    lines = []

    def see(body: e.Body, device: str = "shuffler") -> None:
        see.number = getattr(see, "number", 0) + 1  # type: ignore[attr-defined]
        lines.extend(Publisher(table).publish(at(body, device, see.number)))  # type: ignore[attr-defined]

    see(e.WagerPlaced(1, 1, 500), "controller")
    see(e.WagerPlaced(1, 2, 500), "controller")
    see(e.GameStarted(1), "controller")
    for ordinal, cards in enumerate(("2C 3C 4C 5C 6C", "AS KD QD JD TD"), 1):
        see(e.PacketDispensed(1, ordinal, 5, 5, parse_cards(cards)))
        see(e.PacketLifted(ordinal))
    see(e.PacketDispensed(1, 3, 5, 5, parse_cards("AS 7H 8H 9H TH")))
    see(e.PacketLifted(3))
    incidents = [line.item for line in lines if line.topic == "incident"]
    assert len(incidents) == 1
    found = incidents[0]
    assert isinstance(found, Incident)
    assert (found.code, found.cards, found.place, found.other_place) == ("duplicate-face", ("??",), "dealer", "seat 1")
    broken_off = [item for item in table.finish() if isinstance(item, RoundResult)]
    assert len(broken_off) == 1, "the input ended with cards on the table"
    assert not FACE.search(broken_off[0].to_json())


SPREAD = """
bets 1: ante 500, blind 500 / start / packet community: 7H KD 2C 9S 4D / packet seat 1: AH KH QH JH TH
packet dealer: 2S 3S 4S 5S 7C / dump / burn community: 1 2 5{} / choose 1: play, play 1000
show dealer: 2S 3S 4S 5S 7C / show community: 2C 9S / show seat 1: AH KH QH JH TH / end
"""


def round_told(lines: str, game: str = "flushes-gone-wild.co") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the published lines of a round whose devices read every card: its own line, and the settlements."""
    seen = go_on(HandTable(game, reads=True), lines.replace("\n", " / ").strip(" /")).seen
    publisher = Publisher(usual_published(game))
    told = [line for each in seen for line in publisher.publish(each)]
    (round_,) = (json.loads(line.line) for line in told if line.topic == "round")
    return round_, [json.loads(line.line) for line in told if line.topic == "settlement"]


def usual_published(game: str) -> PublishedTable:
    return PublishedTable(load_procedure(game), TableTerms(load_game(game)))


def test_cards_burned_out_of_a_packet_are_told_when_they_were_shown_and_else_not() -> None:
    unseen, settled = round_told(SPREAD.format(""))
    assert (unseen["burned"], unseen["community"]) == (["??"] * 3, ["2C", "9S"])
    shown, the_same = round_told(SPREAD.format(" / show burn: 4D KD 7H"))
    assert shown["burned"] == ["4D", "KD", "7H"]
    assert shown["outcome"] == "complete"
    assert settled == the_same


OFF_DECK = """
bets 1: ante 500 / bets 2: ante 500 / start
burn-card {} / draw seat 1 AC AD | seat 2 4H 8S / draw community KD{} / end
"""


@pytest.mark.parametrize(("shown", "told"), [("", "??"), (" / show burn: 2C", "2C")])
def test_cards_burned_off_a_dealt_deck_are_told_when_they_were_shown_and_else_not(shown: str, told: str) -> None:
    round_, _ = round_told(OFF_DECK.format("2C", shown), "bonus-6.co")
    assert round_["burned"] == [told]


@pytest.mark.parametrize(("shown", "told"), [("", "??"), (" / show burn: 4D X1 7H", "X1")])
def test_an_incident_names_a_burned_card_when_it_was_shown_and_else_not(shown: str, told: str) -> None:
    round_, _ = round_told(SPREAD.format(shown).replace("KD", "X1"))
    assert [each["cards"] for each in round_["incidents"] if each["code"] == "stray-joker"][:1] == [[told]]
    assert ("X1" in json.dumps(round_)) == (told == "X1")


def test_a_burned_card_that_lies_in_a_hand_too_is_named_there() -> None:
    round_, _ = round_told(SPREAD.format("").replace("KD", "AH"))
    assert (round_["burned"], round_["seats"][0]["cards"][0]) == (["??"] * 3, "AH")
    assert ["AH"] in [each["cards"] for each in round_["incidents"] if each["code"] == "burned-card-in-play"]


def test_cards_burned_from_a_shoe_stay_hidden_after_the_race() -> None:
    """The shoe continues: knowledge of the burned cards is knowledge of the rest."""
    table = PublishedTable(load_procedure("race-to-the-flush"), None)
    publisher, viewer = Publisher(table), Viewer(table, "table-1")
    told = []

    def see(number: int, body: e.Body, device: str = "shoe") -> None:
        seen = at(body, device, number)
        lines = publisher.publish(seen)
        viewer.update(seen, outcomes_of(lines))
        told.extend(lines)

    see(1, e.ShoeLoaded(1, 1, 52))
    see(2, e.BurnStarted(2))
    see(3, e.CardDrawn(1, parse_card("AS"), None))
    see(4, e.CardDrawn(2, parse_card("X1"), None))
    see(5, e.CardDrawn(2, parse_card("X1"), None))
    see(6, e.CardReportedAgain(1, parse_card("AS"), None))
    see(7, e.WagerPlaced(1, 1, 500), "controller")
    see(8, e.GameStarted(1), "controller")
    drawn = ["2H", "3H", "4H", "5H", "6H"]
    for number, text in enumerate(drawn, 1):
        see(10 + number, e.CardDrawn(2 + number, parse_card(text), None))
    see(20, e.GameEnded(1), "controller")
    assert any(line.topic == "round" for line in told)
    for line in told:
        assert set(FACE.findall(line.line)) <= set(drawn)
        assert "X1" not in line.line
    assert any("stray-joker" in line.line for line in told if line.topic == "incident")
    view = viewer.view(1, 1)
    assert set(FACE.findall(view.model_dump_json())) <= set(drawn)
