"""People read words, never ids of procedures, and get no instruction to continue while play is stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import pytest

from dealer_flow.procedure.load import known_procedures
from dealwire.console import scene
from dealwire.console.rendering import render_sections
from dealwire.console.replays import deal_capture, recorded_procedure
from dealwire.hub.view import LegalView, TableView
from dealwire.table.id_words import Speech, id_words, next_words, report_words
from dealwire.table.replay import usual_table
from devices.record.capture import Capture
from tests.support.dealing.full_tables import full_table
from tests.support.dealing.spoken import ENGLISH, ids_in, ids_of, table_of
from tests.support.rigs.consoles import CAPTURES

ENGLISH_AS_IT_STANDS: Final = re.compile("|".join(ENGLISH))
LIKE_AN_ID: Final = re.compile(r"[a-z]-[a-z0-9]|[a-z][0-9]|_")
FEW: Final = ("ultimate-texas-holdem.co", "race-to-the-flush", "208.co", "let-it-ride.co", "players-choice.co")
PLAY: Final = re.compile(r"dispense packet|take packet|to decide|START GAME|expected|to act|into its column")
"""Texts that ask someone to continue a round."""


def read(html: str) -> str:
    """Return the text of a page that a person reads or hears, without tags."""
    labels = " ".join(re.findall(r'aria-label="([^"]*)"', html))
    return f"{re.sub(r'<[^>]*>', ' ', html)} {labels}"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("check-2", "check"),
        ("play-2x", "play 2x"),
        ("number-17", "number 17"),
        ("tip-ante", "tip on ante"),
        ("board-shown", "board shown"),
        ("let-it-ride-1", "let the first bet ride"),
        ("take-back-2", "take back the second bet"),
        ("bet-3", "third bet"),
        ("tip-bet-1", "tip on first bet"),
        ("tip-on-hand-2", "tip on hand 2"),
        ("pre-flop-betting", "pre-flop betting"),
        ("rank:T", "rank T"),
        ("discard-0", "discard none"),
        ("range-5-10", "number 5 to 10"),
        ("switch-hearts", "switch to hearts"),
        ("holdem-bonus", "hold'em bonus"),
        ("pre-flop", "pre-flop"),
        ("seat 3", "seat 3"),
    ],
)
def test_an_id_is_read_as_words(name: str, words: str) -> None:
    assert id_words(name) == words


def test_what_may_happen_next_is_said_as_at_the_table() -> None:
    assert next_words("HandRevealed", "show 5 cards of community") == "show 5 community cards"
    assert next_words("HandRevealed", "show community") == "show the community cards"
    assert next_words("HandRevealed", "show dealer") == "show the dealer's hand"
    assert next_words("PacketLifted", "take packet 1 to community") == "take packet 1 to the community"
    assert next_words("Confirmed", "board-shown is done") == "press CONFIRM when done"
    assert next_words("PacketDispensed", "dispense packet 3 for seat 2") == "dispense packet 3 for seat 2"
    assert report_words("PlayerActed") == "player acted"


def test_a_session_has_no_number_for_a_dealer() -> None:
    say = Speech([]).say
    assert say("shuffler restarted: session 4d63b6d9 after a77d2bd0") == "shuffler restarted, in a new session"
    assert say("shoe is heard in session 4d63b6d9 again") == "shoe is heard in the session again"
    assert say("a card is drawn; allowed: PlayerActed, MisdealCalled") == (
        "a card is drawn; allowed: player acted, misdeal called"
    )


EVERY: Final = [*FEW, *(pytest.param(name, marks=pytest.mark.more) for name in known_procedures() if name not in FEW)]


@pytest.mark.parametrize("procedure", EVERY)
def test_no_id_of_a_game_stands_on_its_page(procedure: str) -> None:
    say = Speech.of(table_of(procedure).flow.procedure).say
    for name in ids_of(procedure):
        assert not LIKE_AN_ID.search(ENGLISH_AS_IT_STANDS.sub("", id_words(name))), name
        assert ids_in(say(f"seat 3: {name} of 500 cents, {name} loses"), procedure) == [], name
    view = full_table(procedure, shown=True)
    told = [LegalView(actor="dealer", what=say(f"bet {name}"), place="seat 1") for name in sorted(ids_of(procedure))]
    choices = [*table_of(procedure).flow.plan.choices] or [None]
    seats = tuple(
        seat.model_copy(update={"decision": choices[at % len(choices)]}) for at, seat in enumerate(view.seats)
    )
    for name, html in render_sections(view.model_copy(update={"seats": seats, "next": (*view.next, *told)})).items():
        shown = read(html).replace(procedure, "")
        assert ids_in(shown, procedure) == [], name


def views_of(path: str) -> Iterator[TableView]:
    """Some views of a recording, and its last."""
    capture = Capture.read(CAPTURES / path)
    views: list[TableView] = []
    deal_capture(capture, usual_table(recorded_procedure(capture)), "pit-1", lambda _, view: views.append(view))
    yield from (view for before, view in pairwise(views) if _moved(before, view))
    yield from views[-1:]


def _moved(before: TableView, view: TableView) -> bool:
    """True if the view allows something that it did not allow before."""
    return (view.settlement, view.log[-1:], view.trouble, view.state) != (
        *(before.settlement, before.log[-1:], before.trouble, before.state),
    )


RECORDED: Final = (
    *("ultimate-texas-holdem.co.pcapng", "community-short.pcapng"),
    *(
        pytest.param(path.name, marks=pytest.mark.more)
        for path in sorted(CAPTURES.glob("*.pcapng"))
        if path.name not in ("ultimate-texas-holdem.co.pcapng", "community-short.pcapng")
    ),
)


@pytest.mark.parametrize("path", RECORDED)
def test_what_a_recorded_evening_shows_is_in_words_and_asks_for_nothing_while_play_is_stopped(path: str) -> None:
    procedure = recorded_procedure(Capture.read(CAPTURES / path))
    for view in views_of(path):
        shown = {name: read(html).replace(procedure, "") for name, html in render_sections(view).items()}
        for name in ("felt", "next", "log", "trouble", "outcomes", "money"):
            assert ids_in(shown[name], procedure) == [], (view.sequence, name)
        assert not re.search(r"session [0-9a-f]{8}", shown["log"])
        if not scene.may_continue(view):
            asked = {name: PLAY.search(shown[name]) for name in ("felt", "next")}
            assert not any(asked.values()), (view.sequence, view.state, asked)
