"""A count or a face that was keyed wrong is corrected, and the round is what it would be had it been keyed right."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.play.reports import corrections
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on

FLUSHES = [
    "bets 1: ante 500, blind 500",
    "bets 2: ante 500, blind 500",
    "start",
    "packet community: 7H KD 2C 9S 4D",
    "packet seat 1: AH KH QH JH TH",
    "packet seat 2: AD 3D QD JD TD",
    "packet dealer: 2S 3S 4S 5S 7C",
    "dump",
    "burn community: 1 2 5",
    "choose 1: play, play 1000",
    "choose 2: play, play 1000",
    "show dealer: 2S 3S 4S 5S 7C",
    "show community: 2C 9S",
    "show seat 1: AH KH QH JH TH",
    "show seat 2: AD 3D QD JD TD",
]
FLOP = [
    "bets 1: ante 500, bonus 100",
    "start",
    "packet seat 1: AH KH",
    "packet dealer: 5D 6D",
    "packet community: 9S TS JS 2C 3C",
    "dump",
    "choose 1: flop-bet, flop 1000",
    "show community: 9S TS JS",
    "choose 1: turn-check",
    "show community: 9S TS JS 2C",
    "choose 1: river-check",
    "show community: 9S TS JS 2C 3C",
    "show dealer: 5D 6D",
    "show seat 1: AH KH",
]
GAMES = {"flushes-gone-wild.co": FLUSHES, "texas-holdem-bonus.co": FLOP}


def dealt(game: str, lines: list[str], **options: str) -> HandTable:
    return go_on(HandTable(game, **options), " / ".join(lines))


def but(lines: list[str], after: str, *more: str) -> list[str]:
    """The same, and these after that one."""
    at = next(n for n, line in enumerate(lines) if line.startswith(after)) + 1
    return [*lines[:at], *more, *lines[at:]]


def refused(table: HandTable) -> list[str]:
    return [found.reason for found in table.incidents if found.code == "correction-refused"]


def alike(result: RoundResult) -> RoundResult:
    return replace(result, incidents=())


# ------------------------------------------------------------------ a count that was keyed wrong


@pytest.mark.parametrize("later", ["packet dealer", "dump", "burn community"])
@pytest.mark.parametrize("place", ["seat 1", "dealer"])
def test_a_count_that_was_keyed_wrong_is_cured(place: str, later: str) -> None:
    lines = but(FLUSHES, later, f"count {place}: 4", f"correct {place}: ?? ?? ?? ?? ??")
    table, right = dealt("flushes-gone-wild.co", lines), dealt("flushes-gone-wild.co", FLUSHES)
    corrected = next(found for found in table.incidents if found.code == "hand-corrected")
    assert (corrected.counted, corrected.expected, corrected.badge, corrected.level) == (5, 4, 77, "supervisor")
    assert corrected.cause is not None
    assert corrected.cause.code == f"{place.split()[0]}-count-wrong"
    assert corrected.clause == corrected.cause.clause
    assert corrected.text.startswith(f"{place} is corrected, 5 counted instead of 4, by badge 77 (supervisor)")
    assert alike(table.end()) == alike(right.end())


def test_what_happened_between_does_not_matter_where_it_follows_all_the_same() -> None:
    lines = but(FLUSHES, "packet seat 1", "count seat 1: 4")
    lines = but(lines, "dump", "correct seat 1: ?? ?? ?? ?? ??")
    result = dealt("flushes-gone-wild.co", lines).end()
    assert (result.outcome, result.seats[0].status) == ("complete", "live")
    assert alike(result) == alike(dealt("flushes-gone-wild.co", FLUSHES).end())


def test_a_recount_by_the_dealer_does_not_revive() -> None:
    table = dealt("flushes-gone-wild.co", but(FLUSHES, "dump", "count seat 1: 4", "count seat 1: 5"))
    result = table.end()
    assert result.seats[0].status == "dead"
    assert "hand-corrected" not in table.codes


def test_a_supervisor_confirms_what_the_dealer_counted_again() -> None:
    lines = but(FLUSHES, "dump", "count seat 1: 4", "count seat 1: 5", "correct seat 1: ?? ?? ?? ?? ??")
    assert dealt("flushes-gone-wild.co", lines).end().seats[0].status == "live"


def test_nobody_but_a_supervisor_revives() -> None:
    more = ("count seat 1: 4", "correct seat 1 by dealer: ?? ?? ?? ?? ??")
    table = dealt("flushes-gone-wild.co", but(FLUSHES, "dump", *more))
    assert refused(table) == ["badge_may_correct"]
    assert table.end().seats[0].status == "dead"


def test_a_count_that_a_device_made_is_not_cured() -> None:
    """The device gave a card too few; the person's word corrects what a person keyed, not what it counted."""
    lines = [
        line.replace("packet seat 1: AH KH QH JH TH", "packet seat 1 should be 5: AH KH QH JH") for line in FLUSHES
    ]
    table = dealt("flushes-gone-wild.co", but(lines[:8], "dump", "count seat 1: 4", "correct seat 1: ?? ?? ?? ?? ??"))
    assert table.end().seats[0].status == "dead"


# ------------------------------------------------------------------ a face that was keyed wrong


@pytest.mark.parametrize("game", GAMES)
def test_a_face_that_lies_elsewhere_no_longer_makes_the_deck_defective(game: str) -> None:
    lines = GAMES[game]
    shown = next(line for line in lines if line.startswith("show dealer"))
    wrong = shown[: -len("7C")] + "AH"
    table = dealt(game, [wrong if line == shown else line for line in lines])
    assert table.end().outcome == "defective-deck"
    cured = dealt(game, [wrong if line == shown else line for line in lines])
    assert cured.flow.state is State.VOID
    go_on(cured, shown.replace("show", "correct"))
    assert cured.flow.state is State.REVEALING
    assert alike(cured.end()) == alike(dealt(game, lines).end())
    corrected = cured.incidents[-1]
    assert (corrected.code, corrected.cause and corrected.cause.code) == ("hand-corrected", "duplicate-face")
    assert cured.flow.decks.defective == {}


def test_a_face_that_a_device_read_is_no_keyed_one() -> None:
    """A shuffler read AH for seat 1 and for the dealer."""
    lines = [line.replace("packet dealer: 2S 3S 4S 5S 7C", "packet dealer reading: 2S 3S 4S 5S AH") for line in FLUSHES]
    lines = [line.replace("packet seat 1:", "packet seat 1 reading:") for line in lines]
    table = dealt("flushes-gone-wild.co", [*lines[:8], "show dealer: 2S 3S 4S 5S AH", "correct dealer: 2S 3S 4S 5S 7C"])
    assert table.end().outcome != "complete"
    assert "hand-corrected" not in table.codes


def test_two_readings_that_disagree_are_settled_by_a_supervisor() -> None:
    again = "show seat 2: AD 3D QD JD 9D"
    table = dealt("flushes-gone-wild.co", [*FLUSHES, again])
    assert table.flow.state is State.HALTED
    go_on(table, "correct seat 2: AD 3D QD JD TD")
    assert alike(table.end()) == alike(dealt("flushes-gone-wild.co", FLUSHES).end())


# ------------------------------------------------------------------ back and forth


def wrongs() -> Iterator[tuple[str, int, str, str]]:
    """Yield the game, the line after which the error is keyed, the error, and its correction."""
    for game, lines in GAMES.items():
        for number, line in enumerate(lines):
            if line.startswith("show "):
                place, cards = line.removeprefix("show ").split(": ")
                faces = cards.split()
                for wrong in ([*faces[:-1], "8H"], [*faces[:-1], "AH" if "AH" not in faces else "5D"], faces[:-1]):
                    yield game, number, f"correct {place}: {' '.join(wrong)}", f"correct {place}: {cards}"
        for place in ("seat 1", "dealer"):
            at = next(n for n, line in enumerate(lines) if line == "dump")
            count = len(next(line for line in lines if line.startswith(f"packet {place}")).split(": ")[1].split())
            unread = ["??"] * (count - 1)
            yield game, at, f"count {place}: {count - 1}", f"correct {place}: {' '.join([*unread, '??'])}"


@pytest.mark.parametrize(("game", "at", "wrong", "right"), list(wrongs()))
def test_back_and_forth_is_as_if_it_had_been_keyed_right(game: str, at: int, wrong: str, right: str) -> None:
    lines = GAMES[game]
    expected = dealt(game, lines)
    table = dealt(game, [*lines[: at + 1], wrong, right, *lines[at + 1 :]])
    assert table.codes.count("correction-refused") == 0, [found.text for found in table.incidents]
    assert alike(table.end()) == alike(expected.end())


def test_a_card_keyed_twice_over_is_put_right_in_every_reading() -> None:
    """The board was corrected to one with the same card twice, and back; flop and turn were keyed right before."""
    lines = [
        "bets 1: ante 500 / start / draw seat 1 AC AD | dealer KS QD / choose 1: flop-bet, flop 1000",
        "burn-card 2C",
        "draw community 5S 6C 9S / show community: 5S 6C 9S / choose 1: turn-check / burn-card 3C / draw community TD",
        "show community: 5S 6C 9S TD / choose 1: river-check / burn-card 4C / draw community 3D",
        "show community: 5S 6C 9S TD 3D",
    ]
    end = ["show dealer: KS QD", "show seat 1: AC AD"]
    back = ["correct community: 5S 6C TD TD 3D", "correct community: 5S 6C 9S TD 3D"]
    right, table = (dealt("texas-holdem-bonus.co-single", [*lines, *more, *end]) for more in ([], back))
    assert table.codes.count("hand-corrected") == 2
    assert alike(table.end()) == alike(right.end())
    assert right.results[-1].outcome == "complete"


# ------------------------------------------------------------------ what cannot be undone


VOID = "count dealer: 4"
CURE = "correct dealer: ?? ?? ?? ?? ??"


@pytest.mark.parametrize(
    ("since", "reason"),
    [
        ("misdeal", "nothing_ruled_since"),
        ("bets 1: ante 0", "bets_left_alone"),
        ("show muck: AH KH", "cards_not_mucked"),
        ("device DeckVerified: deck 1; expected 52; counted 52", "cards_not_mucked"),
    ],
)
def test_what_was_done_since_cannot_be_undone(since: str, reason: str) -> None:
    lines = [*FLUSHES[:10], VOID]
    table = dealt("flushes-gone-wild.co", [*lines, since, CURE])
    assert refused(table) == [reason], [found.text for found in table.incidents]
    before, after = dealt("flushes-gone-wild.co", [*lines, since]).end(), table.end()
    assert alike(before) == alike(after)


def test_a_hand_of_the_house_that_was_shown_is_not_covered_again() -> None:
    table = dealt("flushes-gone-wild.co", [*FLUSHES[:9], VOID, "show dealer: 2S 3S 4S 5S 7C", CURE])
    assert refused(table) == ["follows_as_played"]


def test_a_packet_that_went_back_and_was_shuffled_is_not_brought_back() -> None:
    table = dealt("texas-holdem-bonus.co", [*FLOP[:6], "count community: 4", "correct community: ?? ?? ?? ?? ??"])
    assert "cards-put-back" in table.codes
    assert refused(table) == ["faces_to_correct"]


def test_a_round_with_more_reports_than_are_kept_is_not_gone_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "REPORTS_MAX", 5)
    table = dealt("flushes-gone-wild.co", [*FLUSHES[:10], VOID, CURE])
    assert refused(table) == ["round_on_record"]
    shown = dealt("flushes-gone-wild.co", [*FLUSHES, "correct seat 1: AH KH QH JH 9H"])
    assert shown.codes == ["hand-corrected"]
    monkeypatch.undo()
    go_on(table, "end / fresh deck")
    assert alike(go_on(table, " / ".join([*FLUSHES[:10], VOID, CURE, *FLUSHES[10:]])).end()).outcome == "complete"


# ------------------------------------------------------------------ a restart in between


def test_a_flow_put_back_between_two_rounds_corrects_alike() -> None:
    first = dealt("flushes-gone-wild.co", FLUSHES)
    first.end()
    state = first.flow.kept()
    assert state is not None
    anew = HandTable("flushes-gone-wild.co", filled=False)
    anew.flow = DealerFlow(anew.procedure)
    anew.flow.restore(state)
    anew.round, anew.deck, anew._numbers = first.round, first.deck, first._numbers.copy()
    anew.sessions, anew.now_ns = dict(first.sessions), first.now_ns
    lines = but(FLUSHES, "dump", VOID, CURE)
    for table in (first, anew):
        go_on(table, " / ".join(lines))
    ends = [table.end() for table in (first, anew)]
    assert ends[0].outcome == "complete"
    assert ends[0] == ends[1]
    assert first.flow.kept() == anew.flow.kept()


def test_what_was_found_stays_on_record_once() -> None:
    table = dealt("flushes-gone-wild.co", but(FLUSHES, "dump", VOID, CURE, VOID, CURE))
    result = table.end()
    assert list(result.incidents) == table.incidents
    assert [found.code for found in result.incidents].count("hand-corrected") == 2
    assert result.outcome == "complete"


def test_nothing_else_is_undone() -> None:
    """A hand that its player fouled stays fouled when its count is corrected."""
    lines = but(FLUSHES, "dump", "mishap seat 1: fouled-by-player", "count seat 1: 4", "correct seat 1: ?? ?? ?? ?? ??")
    result = dealt("flushes-gone-wild.co", lines).end()
    assert result.seats[0].status == "dead"
    assert any(isinstance(found, Incident) and found.code == "hand-corrected" for found in result.incidents)
