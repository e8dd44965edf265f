"""Flushes Gone Wild dealt as Washington and South Dakota print it: which cards play, and what a wrong count means."""

import pytest

from dealer_flow.games import files_of
from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import ProcedureError, load_procedure, parse_procedure
from dealer_flow.procedure.plan import Plan
from devices import events as e
from protocol.places import COMMUNITY
from tests.support.dealing.hand_table import HandTable, hands


def table(state: str, seats: int = 1, *, progressive: int = 0, reads: bool = False, **options: str) -> HandTable:
    """Bets are down at seats 1 to `seats` and START GAME was pressed, under a state's procedure."""
    chosen = {name.replace("_", "-"): value for name, value in options.items()}
    at = HandTable(reads=reads)
    at.flow = DealerFlow(load_procedure(f"flushes-gone-wild.{state}"), options=chosen)
    at.fresh_deck()
    for number in range(1, seats + 1):
        at.bet(number, ante=500, blind=500, **({"progressive": progressive} if progressive else {}))
    return at.start()


def dealt(state: str, *packets: str, **options: str) -> HandTable:
    """As `table`, with the cards read by the device, every packet and the remainder out."""
    at = table(state, reads=True, **options)  # type: ignore[arg-type]
    for cards in packets or hands(3):
        at.deal(cards)
    return at.dump()


PACKET = "4C AH KH QS 6D"
OTHERS = ("5C 6C 7C 8C 9C", "TD JD QD KD AD")


@pytest.mark.parametrize(
    ("state", "positions", "spread", "options", "plays"),
    [
        ("co", (1, 2, 5), "left-to-right", {}, "KH QS"),
        ("co", (1, 4, 5), "right-to-left", {}, "KH QS"),
        ("wa", (1, 4, 5), "left-to-right", {}, "AH KH"),
        ("wa", (1, 2, 5), "right-to-left", {}, "AH KH"),
        ("wa", (1, 4, 5), "right-to-left", {"community_top_card": "right"}, "AH KH"),
        ("wa", (1, 2, 5), "left-to-right", {"community_top_card": "right"}, "AH KH"),
        ("sd", (1, 4, 5), "left-to-right", {}, "AH KH"),
    ],
)
def test_the_same_packet_plays_by_each_states_burn(
    state: str, positions: tuple[int, ...], spread: str, options: dict[str, str], plays: str
) -> None:
    """CO (6): 1, 2 and 5 from the dealer's left. WA FGW 6, SD (5): the first card and the bottom two."""
    result = (
        dealt(state, PACKET, *OTHERS, **options).burn(*positions, spread=spread).bet(1, play=1000).choose(1, 2).end()
    )
    assert result.outcome == "complete"
    assert set(result.community) == set(plays.split())
    assert set(result.community) | set(result.burned) == set(PACKET.split())


@pytest.mark.parametrize("state", ["wa", "sd"])
def test_colorados_burn_is_a_wrong_burn_elsewhere(state: str) -> None:
    at = dealt(state, PACKET, *OTHERS).burn(1, 2, 5)
    assert "wrong-burn" in at.codes
    assert at.incidents[-1].expected_positions == (1, 4, 5)
    assert at.end().outcome == "unreliable"


@pytest.mark.parametrize(
    ("state", "place", "options", "outcome"),
    [
        ("wa", 1, {}, "complete"),
        ("wa", 1, {"seat_count": "misdeal"}, "misdeal"),
        ("wa", 2, {}, "progressive-only"),
        ("wa", 2, {"dealer_count": "misdeal"}, "misdeal"),
        ("wa", 0, {}, "progressive-only"),
        ("sd", 1, {}, "complete"),
        ("sd", 2, {}, "misdeal"),
        ("sd", 0, {}, "misdeal"),
        ("sd", 0, {"community_count": "defective-deck"}, "defective-deck"),
    ],
)
def test_a_wrong_count_means_what_the_option_says(
    state: str, place: int, options: dict[str, str], outcome: str
) -> None:
    """Packet 0 is the community's, 1 the seat's, 2 the dealer's; the texts name no wrong count."""
    at = table(state, progressive=100 if state == "wa" else 0, **options)  # type: ignore[arg-type]
    packets = hands(3)
    packets[place] = packets[place].rsplit(" ", 1)[0]
    for cards in packets:
        at.deal(cards)
    result = at.dump().burn(1, 4, 5).end()
    assert result.outcome == outcome
    assert (result.seats[0].status == "dead") == (place == 1 and not options)
    assert {incident.clause for incident in result.incidents if incident.code.endswith("count-wrong")} == {"procedure"}


def test_a_tip_is_a_bet_of_its_own_in_south_dakota_and_unknown_elsewhere() -> None:
    for state, known in (("sd", True), ("wa", False)):
        at = HandTable()
        at.flow = DealerFlow(load_procedure(f"flushes-gone-wild.{state}"))
        at.fresh_deck()
        at.bet(1, ante=500, blind=500).controller(e.WagerPlaced(1, 6, 100))
        assert ("unknown-bet" in at.codes) != known


def test_positions_from_the_top_follow_the_top_card() -> None:
    procedure = load_procedure("flushes-gone-wild.wa")
    left, right = (Plan(procedure, {"community-top-card": side}).burns[COMMUNITY] for side in ("left", "right"))
    assert (left.positions, right.positions) == ({1, 4, 5}, {1, 2, 5})


def test_a_spread_nobody_knows_is_named() -> None:
    text = files_of("deal")["flushes-gone-wild.wa"].read_text(encoding="utf-8").replace("from-top", "from-bottom", 1)
    with pytest.raises(ProcedureError, match=r"mine\.toml:\d+: step\[3\]\.spread: must be .*'from-top'"):
        parse_procedure(text, "mine.toml")
