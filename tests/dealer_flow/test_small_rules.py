"""Rules of single parts that a round at a table seldom reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_flow.games import files_of
from dealer_flow.play.flow import CONCERNED, HELD_MAX
from dealer_flow.procedure.describe import describe
from dealer_flow.procedure.load import ProcedureError, check_procedure, load_procedure, parse_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.tables import MisdealPart
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Returns
from dealer_flow.tomlfile import load, parsed
from devices import events as e
from docs._print.words import cards, follows, listed, wrongs
from protocol.cards import parse_card
from protocol.tomlfile import TomlFileError
from tests.dealer_flow.test_step_games import CHOICES, HOLDEM, NAMED
from tests.support.dealing.flow_points import held_reports, patient, round_of
from tests.support.dealing.hand_table import DEVICE, HandTable, dealt
from tests.support.dealing.step_games import rows, small
from tests.support.dealing.transcript_games import RETURNS

WAGERS = {"ante": 500, "side": 100, "fee": 50}
FEES = frozenset({"fee"})

# ------------------------------------------------------------------ what goes back


def test_what_either_clause_gives_back_goes_back() -> None:
    back = Returns()
    back.add("misdeal", 0, ("ante",))
    assert back.of("misdeal", 0, WAGERS, FEES) == {"ante": 500}
    back.add("misdeal", 0, ("side", "ante"))
    assert back.of("misdeal", 0, WAGERS, FEES) == {"ante": 500, "side": 100}
    assert back.rows["misdeal", 0] == ("ante", "side")
    back.add("misdeal", 0, None)
    back.add("misdeal", 0, ("side",))
    assert back.of("misdeal", 0, WAGERS, FEES) == {"ante": 500, "side": 100}


def test_what_follows_from_another_thing_is_another_row() -> None:
    back = Returns()
    back.add("dead-hand", 1, ("side",))
    back.add("hand", "left", ())
    assert back.of("dead-hand", 1, WAGERS, FEES) == {"side": 100}
    assert back.of("dead-hand", 2, WAGERS, FEES) == {"ante": 500, "side": 100}  # no clause names a bet: all, no fee
    assert back.of("hand", "left", WAGERS, FEES) == {}


def test_a_fee_that_a_clause_names_goes_back() -> None:
    back = Returns()
    back.add("misdeal", 0, ("fee",))
    assert back.of("misdeal", 0, WAGERS, FEES) == {"fee": 50}


# ------------------------------------------------------------------ lines


def test_a_report_that_no_session_made_changes_none() -> None:
    """`session` is 0 for what no device reported, a lost line for instance."""
    table = HandTable().bet(1, ante=500, blind=500).start()
    table.deal("7H KD 2C 9S 4D")
    for session in (0xA1B2C3D4, 0, 0xA1B2C3D4):
        table.flow.handle(
            e.Seen(DEVICE, session, 0, 1_700_000_000_000_000_000, e.LinkUp(session, "", "", "", "", "", False, False))
        )
    assert round_of(table.flow).incidents == []


def test_so_many_reports_wait_and_no_more() -> None:
    table = HandTable().bet(1, ante=500, blind=500).start()
    table.deal("7H KD 2C 9S 4D").see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    for _ in range(HELD_MAX - 1):
        table.burn()
    assert table.codes == ["link-lost"]
    table.burn()
    assert table.codes[:3] == ["link-lost", "out-of-turn", "out-of-turn"]
    assert held_reports(table.flow) == 0


def test_a_bet_that_only_a_sensor_shows_makes_its_device_matter() -> None:
    table = HandTable()
    table.controller(e.SensorChanged(1, True))
    table.see("controller-1", e.SessionChanged(0x0C0FFEE0, 5), numbered=False)
    assert table.codes[0] == "session-changed"
    gone = HandTable()
    gone.controller(e.SensorChanged(1, True)).controller(e.SensorChanged(1, False))
    gone.see("controller-1", e.SessionChanged(0x0C0FFEE0, 5), numbered=False)
    assert "session-changed" not in gone.codes[:1]


def test_a_line_that_is_lost_with_nothing_on_the_table_is_not_waited_for() -> None:
    table = HandTable()
    table.see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    assert (table.codes, patient(table.flow)) == ([], False)
    table.bet(1, ante=500).see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    assert (table.codes, patient(table.flow)) == (["link-lost"], True)


def test_a_line_that_is_flooded_is_an_incident_once_a_round_and_what_it_tells_again_is_waited_for() -> None:
    table, flood = HandTable(), e.BytesDropped(70_000, "00" * 32)
    table.see(DEVICE, flood, numbered=False)
    assert (table.codes, patient(table.flow)) == ([], False), "with nothing on the table nothing depends on it"
    table.bet(1, ante=500).see(DEVICE, flood, numbered=False)
    assert (table.codes, patient(table.flow)) == (["line-flooded"], True)
    table.start().see(DEVICE, e.BytesDropped(1, "ff" * 32), numbered=False)
    assert round_of(table.flow).unreliable is False
    assert [found.code for found in round_of(table.flow).incidents].count("line-flooded") == 1


def test_a_round_after_one_in_which_a_line_was_lost_waits_for_nothing() -> None:
    table = dealt(1).see(DEVICE, e.LinkLost("unplugged"), numbered=False)
    assert patient(table.flow)
    table.burn().bet(1, play=1000).choose(1, 2).end()
    assert not patient(table.flow)
    table.bet(1, ante=500, blind=500).start().burn()
    assert table.codes == ["link-lost", "out-of-turn"]


def test_what_still_waits_when_the_input_ends_is_taken_as_it_is() -> None:
    table = HandTable().bet(1, ante=500, blind=500).start()
    table.deal("7H KD 2C 9S 4D").see(DEVICE, e.LinkLost("unplugged"), numbered=False).burn()
    (result,) = table.flow.finish()
    codes = ["link-lost", "out-of-turn", "recording-ended"]
    assert [incident.code for incident in result.incidents] == codes
    assert held_reports(table.flow) == 0


# ------------------------------------------------------------------ the flow as it is asked


def test_who_is_undecided_while_nobody_chooses() -> None:
    table = HandTable().bet(1, ante=500, blind=500).start()
    assert round_of(table.flow).undecided == []
    race = HandTable("race-to-the-flush").play("bets 1: red 500\nstart")
    assert (round_of(race.flow).undecided, round_of(race.flow).due, round_of(race.flow).step) == ([], None, None)


@pytest.mark.parametrize(
    ("body", "concerns"),
    [(e.GameStarted, True), (e.LinkLost, True), (e.BadgeSwiped, True), (e.StateChanged, False), (e.LinkUp, True)],
)
def test_which_reports_concern_the_flow(body: type[e.Body], concerns: bool) -> None:
    assert (body in CONCERNED) is concerns


def test_faces_up_as_they_are_dealt() -> None:
    """The flop and the turn lie open, the hands do not; a card that is burned is covered."""
    table = HandTable(HOLDEM)
    table.play("bets 1: ante 500\nstart")
    up = []
    for line in (
        "packet seat 1: AH KH",
        "packet dealer: 5D 6D",
        "choose 1: raise",
        "packet burn: 2S",
        "packet community: 9S TS JS",
    ):
        up.append(table.flow.deals_face_up)
        table.say(line)
    assert up == [False, False, False, False, True]
    assert not table.flow.deals_face_up  # a choice is open
    assert HandTable("race-to-the-flush").flow.deals_face_up


def test_an_incident_as_a_line() -> None:
    """A fact that does not apply is left out; the sentence is written, and not read."""
    table = HandTable().bet(1, ante=500, blind=500).start().deal("7H KD 2C 9S")
    table.misdeal()
    incident = table.incidents[-1]
    line = (
        '{"schema":"dealwire.incident/2","type":"incident","code":"misdeal-called","clause":"47.1-1022",'
        '"reason":"called","events":[{"device":"controller-1","number":4}],"badge":77,'
        f'"text":"{incident.text}"}}'
    )
    assert incident.to_json() == line
    assert Incident.from_json(line.replace(incident.text, "something else")) == incident
    rows = HandTable(RETURNS).play("bets 1: ante 500\nstart\npacket seat 1: AH KH\nmishap dealer: exposed").incidents
    assert '"place":"dealer","called":"supervisor","events":[' in rows[0].to_json()


# ------------------------------------------------------------------ files


def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path) -> None:
    absent = tmp_path / "absent.toml"
    assert [str(fault) for fault in check_procedure(absent)] == [f"{absent}: cannot be read: No such file or directory"]
    (tmp_path / "broken.toml").write_text("a = = 1\n", encoding="utf-8")
    assert [fault.line for fault in check_procedure(tmp_path / "broken.toml")] == [1]
    (tmp_path / "bytes.toml").write_bytes(b'id = "\xff"')
    said = [str(fault) for fault in check_procedure(str(tmp_path / "bytes.toml"))]
    assert said == [f"{tmp_path / 'bytes.toml'}: not UTF-8 text at byte 6"]
    assert check_procedure("flushes-gone-wild.co") == []
    (fault,) = check_procedure("flushes-gone-mild.co")
    assert str(fault) == "flushes-gone-mild.co: no such procedure (did you mean flushes-gone-wild.co?)"


def test_a_key_that_a_table_does_not_have_is_named_beside_those_it_has(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('until = "end"\nclause = "S"\nspeed = 1\n', encoding="utf-8")
    with pytest.raises(TomlFileError) as caught:
        load(tmp_path / "mine.toml", MisdealPart)
    assert (
        str(caught.value)
        == f"{tmp_path}/mine.toml:3: speed: unknown key; allowed: until, option, until-clause, returns, clause"
    )


@pytest.mark.parametrize(
    ("text", "key", "why"),
    [
        ("a = 1\nb = { c = [1, 9223372036854775808] }", "b.c[2]", "a whole number beyond 64 bits"),
        ("a = 1\nb = [[1, 2], [-9223372036854775809]]", "b[2][1]", "a whole number beyond 64 bits"),
        (f"a = 1\nb = {{ c = {'[' * 31}1{']' * 31} }}", "b", "tables or arrays nested more than 32 deep"),
    ],
)
def test_what_is_too_large_or_too_deep_for_a_reader(text: str, key: str, why: str) -> None:
    with pytest.raises(TomlFileError) as caught:
        parsed("mine.toml", text, TomlFileError)
    assert (caught.value.line, caught.value.key, caught.value.why) == (2, key, why)
    within = text.replace("808", "807").replace("809", "808").replace("[" * 31, "[" * 30).replace("]" * 31, "]" * 30)
    assert parsed("mine.toml", within, TomlFileError)["a"] == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"no-such": "x"},
            "flushes-gone-wild.co: option no-such: flushes-gone-wild.co has no option 'no-such';"
            " known: player-count, community-count, community-top-card, exposed-card, card-off-table,"
            " house-card-exposed, house-card-off-table, lost-by-fold, won-before-defect, foreign-card, misdeal-until,"
            " deck-least-rounds, deck-age-rounds",
        ),
        (
            {"community-top-card": "up"},
            "flushes-gone-wild.co: option community-top-card: 'up' is not allowed; allowed: left, right",
        ),
    ],
)
def test_an_option_that_cannot_be_is_refused_in_one_line(options: dict[str, str], says: str) -> None:
    with pytest.raises(ProcedureError) as caught:
        HandTable(**options)
    assert (str(caught.value), caught.value.line) == (says, None)


def test_a_procedure_in_full_in_the_catalogue() -> None:
    said = describe(load_procedure("flushes-gone-wild.co"))
    assert {
        key: value for key, value in said.items() if key not in ("sha256", "steps", "packets", "options", "clauses")
    } == {
        "schema": "dealwire.procedure-summary/1",
        "type": "procedure",
        "id": "flushes-gone-wild.co",
        "title": "Flushes Gone Wild",
        "jurisdiction": "Colorado, Limited Gaming Rule 10",
        "clause": "47.1-1017.60",
        "device": "packet-shuffler",
        "deck": {"cards": 52, "jokers": 0, "decks": 1, "alternating": 2},
        "seats": {"most": 8, "clause": "procedure"},
        "cards": {"loaded": 52, "dealt": 50, "by_hand": 0, "remainder": 2, "exact": None},
    }
    dealt = {"cards": 5, "by": "packet", "origin": "device"}
    assert said["packets"] == [
        {"step": "community", "to": "community", "clause": "47.1-1017.60(4)"} | dealt,
        {"step": "hands", "to": "seats", "clause": "47.1-1017.60(5)"} | dealt,
        {"step": "hands", "to": "dealer", "clause": "47.1-1017.60(5)"} | dealt,
    ]
    assert said["options"]["community-top-card"] == {
        "default": "left",
        "allowed": ("left", "right"),
        "reason": "(6) counts from the dealer's left and does not say at which end the top card of the packet lies",
    }
    assert [step["do"] for step in said["steps"]] == ["deal", "deal", "burn", "decide", "reveal"]
    assert said["steps"][2] == {
        "name": "burn",
        "clause": "47.1-1017.60(6)",
        "do": "burn",
        "of": "community",
        "positions": [1, 2, 5],
        "spread": "left-to-right",
        "top-card": "community-top-card",
    }


@pytest.mark.parametrize(("name", "cards"), [("race-to-the-flush", "cards = 52"), ("western-stud.co", "cards = 52")])
def test_the_cards_of_a_deck_with_jokers(name: str, cards: str) -> None:
    text = files_of("deal")[name].read_text(encoding="utf-8")
    text = text.replace(cards, "cards = 54", 1).replace("jokers = 0", "jokers = 2", 1)
    plan = Plan(parse_procedure(text, "mine.toml"), {})
    assert [card.text for card in plan.faces[-3:]] == ["KS", "X1", "X2"]
    assert plan.shoe is None or plan.shoe.faces == plan.faces
    assert len(plan.faces) == 54
    assert [plan.in_deck(card) for card in (*plan.faces[-3:], parse_card("??"), parse_card("X3"))] == [True] * 3 + [
        False,
        False,
    ]


# ------------------------------------------------------------------ words


def test_counts_and_lists_in_words() -> None:
    assert [cards(count) for count in (0, 1, 2, 10, 11, 12)] == [
        "no cards",
        "one card",
        "two cards",
        "ten cards",
        "11 cards",
        "12 cards",
    ]
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")] == [
        "",
        "a",
        "a and b",
        "a, b or c",
    ]


MISSING = small(
    rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 3\nby = "packet"'),
    rows("step", 'name = "showdown"\ndo = "reveal"\norder = ["seats"]'),
    rows(
        "wrong",
        'of = "seats"\nhow = ["long", "short"]\nmissing = 1\nat = ["hands"]\nthen = "dead-hand"',
        'of = "seats"\nhow = ["short"]\nmissing = 2\nthen = "misdeal"\nreturns = ["ante"]\ncalls = "supervisor"',
        'of = "seats"\nhow = ["exposed", "off-table"]\nthen = "person"',
        'of = "remainder"\nhow = ["short", "long"]\noption = "rest"',
    ),
    '[[option]]\nname = "rest"\ndefault = "misdeal"\nallowed = ["misdeal", "nothing"]\nreason = "S"\n',
    '[face.joker]\nthen = "nothing"\nclause = "S joker"\n',
    '[face.boxed]\nthen = "unreliable"\nclause = "S boxed"\n',
    '[remainder]\ncards = 40\nclause = "S rest"\n',
)


def test_every_finding_in_words() -> None:
    back = "misdeal, the round is void; all bets go back"
    deck = "the deck is defective: it leaves the table; all bets go back"
    assert list(wrongs(MISSING)) == [
        (
            "a player has too many or too few cards (cards of `hands`)",
            "that hand is dead, the table plays on; its bets go back",
            "S wrong 1",
        ),
        (
            "a player has too few cards, 2 or more",
            "misdeal, the round is void; ante goes back; the supervisor comes at once",
            "S wrong 2",
        ),
        (
            "a card of a player is exposed or falls off the table",
            "stop and call a supervisor, who rules a misdeal or lets play continue",
            "S wrong 3",
        ),
        ("fewer or more than 40 cards are left", f"{back} (by default; reading `rest`)", "S wrong 4"),
        ("a stray joker comes out of the deck", "play continues", "S joker"),
        ("a boxed card is in the deck, face up", "nothing is settled, a supervisor decides", "S boxed"),
        ("the same card appears twice", deck, "S face"),
        ("a card is not of this deck", deck, "S face"),
        ("the deck's count is wrong, or cards do not add up", deck, "S care"),
        ("a misdeal is called before the first choice", back, "S misdeal"),
    ]


def test_what_goes_back_in_words() -> None:
    assert [follows(RETURNS, row) for row in RETURNS.wrong] == [
        "that hand is dead, the table plays on; ante goes back",
        "that hand is dead, the table plays on; side goes back",
        "misdeal for the table; hands with the progressive bet are played for the progressive only; ante goes back",
        "nothing is settled, a supervisor decides",
        "stop and call a supervisor, who rules a misdeal or lets play continue; the supervisor comes at once",
    ]
    assert RETURNS.fouled is not None
    assert follows(RETURNS, RETURNS.fouled) == "misdeal, the round is void; side and ante go back"
    assert list(wrongs(RETURNS))[-1] == (
        "a misdeal is called before END GAME",
        "misdeal, the round is void; ante goes back",
        "S misdeal",
    )
    assert HOLDEM.fouled is not None
    assert follows(HOLDEM, HOLDEM.fouled) == "that hand is dead, the table plays on; no bet goes back"
    left = next(row for row in NAMED.wrong if row.of == "left")
    assert [what for what, _, clause in wrongs(NAMED) if clause == left.clause][-1:] == [
        "`left` has too few or too many cards"
    ]
    assert CHOICES.id == "small"
