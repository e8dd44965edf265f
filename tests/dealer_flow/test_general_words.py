"""General rules on small games: the latest moment to call a misdeal, the fault of a fouled hand, a joker or a boxed
card that a device reads or a person finds."""

from typing import Final

import pytest

from dealer_flow.procedure.load import ProcedureError
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import parse_card
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.step_games import PACKETS, rows, small, small_table, wrong
from tests.support.reading.each import of_each

STEPS: Final = rows(
    "step",
    'name = "hands"\ndo = "deal"\nto = ["seats", "dealer"]\ncards = 3\nby = "packet"',
    'name = "choice"\ndo = "decide"\nchoices = ["fold", "check", "raise"]',
    'name = "showdown"\ndo = "reveal"\norder = ["dealer", "seats"]',
)
CHOICES: Final = rows(
    "decision",
    'number = 1\nname = "fold"\nfolds = true',
    'number = 2\nname = "check"',
    'number = 3\nname = "raise"\nbet = "raise"',
)
WRONG: Final = wrong("seats") + wrong("dealer", then="misdeal")
HANDS: Final = ("AC KC QC", "AD KD QD", "AH KH QH", "AS KS QS", "2C 3C 4C")
FOULED: Final = """[fouled]
then = "person"
clause = "S fouled"
[fouled.player]
then = "dead-hand"
returns = []
clause = "S own fault"
[fouled.others]
then = "dead-hand"
clause = "S no fault"
[fouled.reconstructed]
then = "nothing"
clause = "S put together"
"""


def game(*parts: str, **changes: str) -> Procedure:
    return small(STEPS, CHOICES, WRONG, *parts, PACKETS, **changes)


def table_of(procedure: Procedure, **options: str) -> HandTable:
    """Four seats and the dealer have their cards."""
    return small_table(procedure, 4, **options).deal(*HANDS).dump()


def until(word: str) -> Procedure:
    return game(misdeal=f'{{ until = "{word}", until-clause = "S until", clause = "S misdeal" }}')


CHOSEN: Final = {
    "nobody chose": "",
    "one raises": "choose 1: raise, raise 500",
    "two check": "choose 1: check\nchoose 2: check",
    "two fold": "choose 1: fold\nchoose 2: fold",
    "two raise": "choose 1: raise, raise 500\nchoose 2: raise, raise 500",
    "three fold": "choose 1: fold\nchoose 2: fold\nchoose 3: fold",
    "three check": "choose 1: check\nchoose 2: check\nchoose 3: check",
    "one raises, two fold": "choose 1: raise, raise 500\nchoose 2: fold\nchoose 3: fold",
}
ENDS: Final = {
    "end": frozenset[str](),
    "settlement": frozenset[str](),
    "first-decision": frozenset(CHOSEN) - {"nobody chose"},
    "substantial-action": frozenset({"two raise", "three fold", "one raises, two fold"}),
}


@of_each("what", CHOSEN)
@of_each("word", ENDS)
def test_until_when_a_misdeal_may_be_called(word: str, what: str) -> None:
    """47.1-1002(33): two players putting money in the pot, or three acting; the ante does not count, nor a check."""
    table = table_of(until(word)).play(CHOSEN[what]).play("misdeal")
    late = what in ENDS[word]
    assert table.codes == (["misdeal-refused"] if late else ["misdeal-called"])
    assert table.incidents[0].clause == ("S until" if late else "S misdeal")


SHOWDOWN: Final = "choose 1: check\nchoose 2: check\nchoose 3: check\nchoose 4: check\nshow dealer: 2C 3C 4C"


@pytest.mark.parametrize("word", ["end", "settlement"])
def test_a_hand_that_was_settled_stays_settled(word: str) -> None:
    assert table_of(until(word)).play([*SHOWDOWN.splitlines(), "misdeal"]).codes == ["misdeal-called"]
    late = table_of(until(word)).play([*SHOWDOWN.splitlines(), "show seat 4: AS KS QS", "misdeal"])
    assert late.codes == (["misdeal-refused"] if word == "settlement" else ["misdeal-called"])


def test_an_option_decides_until_when() -> None:
    option = '[[option]]\nname = "late"\ndefault = "end"\nallowed = ["end", "first-decision"]\nreason = "S"\n'
    procedure = game(option, misdeal='{ option = "late", clause = "S misdeal" }')
    assert table_of(procedure).play("choose 1: check\nmisdeal").codes == ["misdeal-called"]
    assert table_of(procedure, late="first-decision").play("choose 1: check\nmisdeal").codes == ["misdeal-refused"]


@pytest.mark.parametrize(
    ("misdeal", "complaint"),
    [
        ('{ clause = "S" }', "give exactly one of 'until' and 'option'"),
        ('{ until = "end", option = "top", clause = "S" }', "give exactly one of 'until' and 'option'"),
        ('{ option = "top", clause = "S" }', "option 'top' must choose between end, settlement"),
    ],
)
def test_a_misdeal_ends_by_one_word(misdeal: str, complaint: str) -> None:
    with pytest.raises(ProcedureError, match=complaint):
        game(misdeal=misdeal)


# ------------------------------------------------------------------ fouled hands


def back(result: RoundResult, seat: int = 1) -> tuple[str, dict[str, int]]:
    found = next(each for each in result.seats if each.seat == seat)
    return found.status, dict(found.returned)


REST: Final = ("choose 2: check", "choose 3: check", "choose 4: check", "show dealer: 2C 3C 4C")
SHOWN: Final = ("show seat 4: AS KS QS", "show seat 3: AH KH QH", "show seat 2: AD KD QD")


@pytest.mark.parametrize(
    ("how", "clause", "seat"),
    [
        ("fouled-by-player", "S own fault", ("dead", {})),
        ("fouled-by-others", "S no fault", ("dead", {"ante": 500})),
    ],
)
@pytest.mark.parametrize("before", [[], ["mishap seat 1: fouled"]])
def test_whose_fault_it_was_decides(how: str, clause: str, seat: tuple[str, dict[str, int]], before: list[str]) -> None:
    """47.1-1020: who is not at fault gets every chip back."""
    table = table_of(game(FOULED)).play([*before, f"mishap seat 1: {how}", *REST, *SHOWN])
    result = table.end()
    assert (result.outcome, back(result)) == ("complete", seat)
    assert (table.incidents[-1].clause, len(table.incidents)) == (clause, 1 + len(before))


def test_a_hand_that_was_put_together_again_lives_on() -> None:
    """47.1-1020: not ruled dead unless it is impossible to reconstruct."""
    table = table_of(game(FOULED)).play("mishap seat 1: fouled")
    assert table.may("BadgeSwiped") == ["supervisor: come at once: seat 1: the hand touched discards"]
    table.play(["mishap seat 1: reconstructed", "choose 1: check", *REST, *SHOWN, "show seat 1: AC KC QC"])
    result = table.end()
    assert (result.outcome, back(result)) == ("complete", ("live", {}))
    assert table.codes == ["hand-fouled", "hand-reconstructed"]


def test_nobody_knows_whose_fault_it_was() -> None:
    table = table_of(game(FOULED)).play("mishap seat 1: fouled")
    assert table.play(["misdeal"]).end().outcome == "misdeal"
    table = table_of(game(FOULED)).play(["mishap seat 1: fouled", "choose 1: check", *REST, *SHOWN])
    assert table.play("show seat 1: AC KC QC").end().outcome == "unreliable"  # nobody ruled


@pytest.mark.parametrize("how", ["fouled", "fouled-by-player", "fouled-by-others"])
def test_the_dealers_hand_is_nobodys_to_lose(how: str) -> None:
    """A deck is not defective by it (47.1-1002(13)): a person rules."""
    table = table_of(game(FOULED)).play([f"mishap dealer: {how}", "confirm", "choose 1: check", *REST, *SHOWN])
    result = table.play("show seat 1: AC KC QC").end()
    assert (result.outcome, table.codes) == ("complete", ["hand-fouled", "ruled-on"])
    assert table.incidents[0].called == "supervisor"
    assert table.flow.decks.defective == {}


SIDES: Final = rows("hand", 'name = "left"\nplace = "hand 1"\nside = "players"')
OF_NOBODY: Final = rows(
    "step",
    'name = "hands"\ndo = "deal"\nto = ["left", "dealer"]\ncards = 3\nby = "packet"',
    'name = "showdown"\ndo = "reveal"\norder = ["dealer", "left"]',
)
LEFT_WRONG: Final = rows(
    "wrong",
    'of = "left"\nhow = ["short", "long", "off-table"]\nthen = "dead-hand"\nreturns = ["ante"]',
    'of = "dealer"\nhow = ["short", "long"]\nthen = "misdeal"',
)


@pytest.mark.parametrize(("how", "returned"), [("fouled-by-others", {"ante": 500}), ("fouled-by-player", {})])
def test_a_hand_of_nobodys_is_nobodys_fault(how: str, returned: dict[str, int]) -> None:
    """Bets on it come back; a fault of one player is for a supervisor to rule on for all the others."""
    procedure = small(SIDES, OF_NOBODY, LEFT_WRONG, FOULED, PACKETS)
    table = small_table(procedure, 1).deal("AC KC QC", "AD KD QD").dump().play(f"mishap hand 1: {how}")
    table.play(["confirm"] * (how == "fouled-by-player"))
    result = table.play("show dealer: AD KD QD").play(["show hand 1: AC KC QC"] * (how == "fouled-by-player")).end()
    assert (result.outcome, back(result)) == ("complete", ("live", returned))


# ------------------------------------------------------------------ jokers and faced cards

REPLACED: Final = (
    '[face.joker]\nthen = "person"\nclause = "S joker"\n[face.boxed]\nthen = "person"\nclause = "S boxed"\n'
)


@pytest.mark.parametrize(
    ("card", "code", "clause"), [("X1", "stray-joker", "S joker"), ("?^", "boxed-card", "S boxed")]
)
def test_a_device_that_reads_it_is_as_good_as_a_person(card: str, code: str, clause: str) -> None:
    """47.1-1037: such a card is replaced; the deck is not condemned for it, and the hand may hold any card since."""
    table = small_table(game(REPLACED), 4)
    table.play([f"packet seat 1 reading: AC {card} QC", "confirm"])
    assert [(incident.code, incident.clause, incident.called) for incident in table.incidents[:1]] == [
        (code, clause, "supervisor")
    ]
    table.deal(*HANDS[1:]).dump().play(["choose 1: check", *REST, *SHOWN, "show seat 1: AC 9C QC"])
    assert (table.end().outcome, table.codes) == ("complete", [code, "ruled-on"])


def test_a_joker_is_found_once_at_one_place() -> None:
    table = small_table(game(REPLACED), 4).play(["packet seat 1 reading: AC X1 QC", "confirm"])
    table.deal(*HANDS[1:]).dump().play(["choose 1: check", *REST, *SHOWN, "show seat 1: AC X1 QC"])
    assert (table.end().outcome, table.codes) == ("complete", ["stray-joker", "ruled-on"])


def test_a_joker_where_nothing_is_said_of_one_is_a_foreign_card() -> None:
    table = small_table(game(), 4).play("packet seat 1 reading: AC X1 QC")
    assert (table.codes, table.incidents[0].clause) == (["stray-joker"], "S face")
    assert table.end().outcome == "defective-deck"


def test_a_joker_in_the_reject_tray() -> None:
    table = (
        small_table(game(REPLACED), 4).dispense("AC KC QC", expected=3).device(e.CardRejected(1, parse_card("X1"), 0))
    )
    assert (table.codes, table.incidents[0].clause) == (["stray-joker"], "S joker")


def test_a_card_that_its_player_shows_is_not_dead() -> None:
    """47.1-1021: a card exposed by a player is not a dead card."""
    exposed = rows("wrong", 'of = "seats"\nhow = ["exposed"]\nthen = "dead-hand"')
    own = '[face.by-player]\nthen = "nothing"\nclause = "S shown"\n'
    for parts, status, clause in ((own, "live", "S shown"), ("", "dead", "S wrong 1")):
        table = table_of(game(exposed, parts)).play("mishap seat 1: exposed-by-player AC")
        assert [(incident.code, incident.clause) for incident in table.incidents] == [("card-exposed", clause)]
        mine = ["choose 1: check", "show seat 1: AC KC QC"] if status == "live" else []
        assert back(table.play([*mine[:1], *REST, *SHOWN, *mine[1:]]).end())[0] == status
