"""Record of the decks from round to round, and the requests that follow from it."""

import pytest

from dealer_flow.table.decks import Decks
from devices import events as e
from devices.events import Level
from protocol.places import SHUFFLER as SHUFFLER_PLACE
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, HandTable, dealt, hands
from tests.support.dealing.step_games import PACKETS, rows, small, small_table, wrong

MINUTE_NS = 60 * 10**9
THREE = (
    rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 3\nby = "packet"'),
    rows("step", 'name = "showdown"\ndo = "reveal"\norder = ["seats"]'),
    wrong("seats"),
)


def again(table: HandTable, deck: int = 1) -> HandTable:
    """Another round from this deck, up to the choices."""
    table.fresh_deck(deck).bet(1, ante=500, blind=500).start()
    for cards in hands(3):
        table.deal(cards)
    return table.dump().burn()


def asked(table: HandTable, event: str) -> list[str]:
    return [str(item) for item in table.flow.legal() if item.event == event]


def supervisor(table: HandTable) -> HandTable:
    return table.controller(e.BadgeSwiped(7, Level.SUPERVISOR))


def test_two_decks_take_turns() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2)
    table.end()
    assert again(table, deck=2).bet(1, play=1000).choose(1, 2).end().incidents == ()
    result = again(table, deck=2).bet(1, play=1000).choose(1, 2).end()
    assert (result.outcome, result.incidents) == ("complete", ())  # 1011(2): the deck may be changed, and need not be


def test_two_decks_must_take_turns_where_a_section_says_so() -> None:
    text = '[care.alternate]\nclause = "S turns"\n'
    decks = '{ cards = 52, jokers = 0, alternating = 2, clause = "S deck" }'
    table = small_table(small(*THREE, text, PACKETS, deck=decks))
    assert dealt_from(table, 1, 2, 2, 1) == [[], [], [("deck-not-alternated", "S turns")], []]


LEAST = '[care.least]\noption = "least"\nclause = "S least"\n'
LEAST += '[[option]]\nname = "least"\ndefault = "3"\nallowed = ["0", "3"]\nreason = "S"\n'


def test_a_deck_is_not_changed_before_so_many_rounds() -> None:
    table = small_table(small(*THREE, LEAST, PACKETS))
    assert dealt_from(table, 1, 1, 1, 2, 1) == [[], [], [], [], [("deck-changed-early", "S least")]]
    assert dealt_from(small_table(small(*THREE, LEAST, PACKETS), least="0"), 1, 2, 1) == [[], [], []]


def test_another_deck_at_the_same_number_is_changed_too_early_as_well() -> None:
    table = small_table(small(*THREE, LEAST, PACKETS)).device(e.DeckLoaded(1, 1))
    dealt_from(table, 1, 1)
    table.device(e.DeckLoaded(1, 2))
    assert [str(incident) for incident in table.incidents] == [
        "deck 1 was changed after 2 rounds; a deck is dealt at least 3"
    ]


def test_a_defective_deck_is_never_changed_too_early() -> None:
    table = small_table(small(*THREE, LEAST, PACKETS)).bet(1, ante=500).start()
    assert table.deal("AH AH QH").show("seat 1", "AH AH QH").dump().end().outcome == "defective-deck"
    assert dealt_from(table, 2) == [[]]


@pytest.mark.parametrize(("progressive", "codes"), [(False, ["deck-changed-early"]), (True, [])])
def test_a_badge_changes_the_deck_of_a_game_dealt_by_hand(progressive: bool, codes: list[str]) -> None:
    """In a game with a progressive the badge may have been swiped for a jackpot."""
    parts = (*THREE, LEAST)
    shoe = small(*parts, device='"card-shoe"')
    if not progressive:
        bets = tuple(bet for bet in shoe.bet if not bet.progressive)
        shoe = shoe.model_copy(update={"bet": bets})
    table = small_table(shoe).bet(1, ante=500).start().draw("AH KH QH")
    table.end()
    assert supervisor(table).codes == codes


def dealt_from(table: HandTable, *decks: int) -> list[list[tuple[str, str]]]:
    """Code and clause of what was found in a round from each of these decks."""
    found = []
    for deck in decks:
        table.fresh_deck(deck).bet(1, ante=500).start()
        result = table.deal("AH KH QH").dump().end()
        found.append([(incident.code, incident.clause) for incident in result.incidents])
    return found


def defective() -> HandTable:
    """A round in which deck 1 showed one card twice."""
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2).show("dealer", "KS KS 4C 4S 6H")
    assert table.end().outcome == "defective-deck"
    return table


def test_a_defective_deck_must_not_be_dealt_again() -> None:
    table = defective()
    assert asked(table, "BadgeSwiped") == ["supervisor: exchange deck 1, which was found defective, and swipe a badge"]
    result = again(table).bet(1, play=1000).choose(1, 2).end()
    codes = [incident.code for incident in result.incidents]
    assert (result.outcome, codes) == ("unreliable", ["defective-deck-again"])
    assert result.incidents[0].clause == "47.1-1036"


@pytest.mark.parametrize(
    "leaves",
    [
        supervisor,
        lambda table: table.device(e.DeckRemoved(1)),
        lambda table: table.device(e.DeckLoaded(1, 1)).device(e.DeckLoaded(1, 2)),
    ],
)
def test_a_deck_that_left_the_table_is_forgotten(leaves) -> None:  # type: ignore[no-untyped-def]
    table = defective()
    leaves(table)
    assert asked(table, "BadgeSwiped") == []
    assert again(table).bet(1, play=1000).choose(1, 2).end().outcome == "complete"


def test_a_dealers_badge_exchanges_no_deck() -> None:
    table = defective().controller(e.BadgeSwiped(3, Level.DEALER)).device(e.DeckLoaded(1, 1))
    assert again(table).end().outcome == "unreliable"


def test_the_other_deck_may_be_dealt_meanwhile() -> None:
    assert again(defective(), deck=2).bet(1, play=1000).choose(1, 2).end().outcome == "complete"


def test_a_person_counts_a_deck_between_two_rounds() -> None:
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2)
    table.end()
    table.controller(e.CardsCounted(SHUFFLER_PLACE, 52))
    assert table.codes == []
    table.controller(e.CardsCounted(SHUFFLER_PLACE, 51))
    assert table.codes == ["deck-count-wrong"]
    assert again(table).bet(1, play=1000).choose(1, 2).end().outcome == "unreliable"


# ------------------------------------------------------------------ age and counts

AGED = small(
    *THREE,
    '[care.age]\noption = "age"\nclause = "S age"\n',
    '[[option]]\nname = "age"\ndefault = "2"\nallowed = ["0", "2"]\nreason = "S"\n',
    PACKETS,
)


def rounds(table: HandTable, count: int) -> list[list[str]]:
    codes = []
    for _ in range(count):
        table.bet(1, ante=500).start()
        codes.append([incident.code for incident in table.deal("AH KH QH").dump().end().incidents])
    return codes


def test_a_deck_is_changed_after_so_many_rounds() -> None:
    table = small_table(AGED)
    assert rounds(table, 2) == [[], []]
    assert asked(table, "BadgeSwiped") == [
        "supervisor: exchange deck 1, which has been dealt often enough, and swipe a badge"
    ]
    assert rounds(table, 1) == [["deck-too-old"]]
    supervisor(table)
    assert rounds(table, 2) == [[], []]
    assert rounds(small_table(AGED, age="0"), 4) == [[], [], [], []]


def test_a_shoe_is_shuffled_after_so_many_rounds() -> None:
    game = small(
        rows("step", 'name = "hands"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "single"'),
        rows("step", 'name = "showdown"\ndo = "reveal"\norder = ["seats"]'),
        wrong("seats"),
        '[care.shuffle]\nrounds = 2\noption = "shoe"\nclause = "S shuffle"\n',
        '[[option]]\nname = "shoe"\ndefault = "dealing"\nallowed = ["dealing", "shuffling"]\nreason = "S"\n',
        device='"card-shoe"',
        deck='{ cards = 52, jokers = 0, decks = 3, fresh = "until-cut-card", clause = "S" }',
    )
    table = small_table(game)
    codes = list[list[str]]()
    for number in range(1, 5):
        if number in (1, 4):
            table.fresh_deck()
        table.bet(1, ante=500).start()
        codes.append([incident.code for incident in table.draw("AH KH").end().incidents])
    assert codes == [[], [], ["deck-too-old"], []]


def test_the_deck_is_counted_every_thirty_minutes() -> None:
    """47.1-1036: the flow asks for it once, until a deck was counted."""
    table = dealt(1).burn().bet(1, play=1000).choose(1, 2)
    table.now_ns += 29 * MINUTE_NS
    table.show("dealer", hands(3)[2])
    assert table.codes == []
    table.now_ns += MINUTE_NS
    table.show("community", "3C 4C").show("seat 1", hands(3)[1])
    assert (table.codes, table.incidents[0].clause) == (["deck-count-due"], "47.1-1036")
    assert asked(table, "CardsCounted")[-1] == "dealer: count the deck: 30 minutes have passed"
    table.count("remainder", table.left)
    assert "dealer: count the deck: 30 minutes have passed" not in asked(table, "CardsCounted")
    assert table.end().outcome == "complete"


def test_a_count_of_the_device_is_a_count() -> None:
    decks = Decks()
    assert not decks.watch(0, 30)
    decks.count(20 * MINUTE_NS)
    assert not decks.watch(49 * MINUTE_NS, 30)
    assert decks.watch(50 * MINUTE_NS, 30)
    assert not decks.watch(51 * MINUTE_NS, 30)
    decks.count(52 * MINUTE_NS)
    assert not decks.count_due
    assert not decks.watch(5 * MINUTE_NS, 30)  # a clock that was set back


# ------------------------------------------------------------------ power lost before START GAME


def lost() -> HandTable:
    """The shuffler lost power as it began to deal; START GAME is on the other line and not heard yet."""
    table = HandTable().bet(1, ante=500, blind=500)
    table.sessions[DEVICE] = 0x99
    return table.see(DEVICE, e.SessionChanged(0xA1B2C3D4, 0x99), numbered=False).device(e.Booted(2, True))


def test_power_lost_before_start_game_was_heard() -> None:
    table = lost().start()
    table.misdeal()
    assert (table.end().outcome, table.codes) == ("unreliable", ["power-lost", "power-lost", "misdeal-called"])


def test_power_lost_and_cleared_before_start_game() -> None:
    table = lost().device(e.MisdealCleared(502, 7, False)).device(e.DeckRemoved(1))
    assert again(table).bet(1, play=1000).choose(1, 2).end().outcome == "complete"


def test_a_restart_after_packets_came_before_start_game() -> None:
    table = HandTable().dispense(hands(1)[0])
    table.sessions[DEVICE] = 0x99
    table.see(DEVICE, e.SessionChanged(0xA1B2C3D4, 0x99), numbered=False)
    assert table.codes == ["out-of-turn", "session-changed"]
    table.bet(1, ante=500, blind=500).start()
    assert table.end().outcome == "unreliable"
    assert CONTROLLER in table.sessions
