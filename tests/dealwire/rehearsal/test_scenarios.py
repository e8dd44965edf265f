"""Scenarios played on both devices over clean links to real hosts, and files that cannot be played."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.scenario_file import clean_round, load_scenario, scenario_ids, scenario_of
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.deck import Bay
from devices.simulator.line_faults import LineFaults
from protocol.cards import DECK
from protocol.places import BURN, COMMUNITY, DEALER, REMAINDER, Place, seat
from protocol.tdp import Discarded, Lost, SessionRestarted
from protocol.tdp import messages as m
from protocol.tomlfile import TomlFileError
from tests.support.evenings.simulated_table import Evening, spell


@pytest.mark.parametrize("name", scenario_ids())
def test_every_scenario_is_played_to_its_end(name: str) -> None:
    evening = Evening(name)
    evening.run()
    rounds = len(evening.table.scenario.rounds)
    assert [event.round for event in evening.of(m.GameEndedMessage)] == list(range(1, rounds + 1))
    lamps = [event.lit for event in evening.of(m.RedLampMessage)]
    assert lamps == [1, 0] * (len(lamps) // 2)
    cards = [card for _, card in evening.table.cards]
    assert len({(card.card, card.back) for card in cards}) == len(cards) == 104
    assert not any(isinstance(output, Lost) for _, output in evening.seen)


@pytest.mark.parametrize("name", ["clean-1", "clean-3", "clean-8", "recognition", "noise", "jam", "two-rounds"])
def test_cards_are_conserved_and_no_face_is_seen_twice(name: str) -> None:
    evening = Evening(name)
    evening.run()
    for verified, dumped in zip(evening.of(m.DeckVerifiedMessage), evening.of(m.RemainderDumpedMessage), strict=False):
        packets = [
            e for e in evening.of(m.PacketDispensedMessage) if e.deck == dumped.deck and e.number < dumped.number
        ]
        lifted = [e for e in evening.of(m.PacketLiftedMessage) if verified.number < e.number < dumped.number]
        by_ordinal = {p.ordinal: p.counted for p in packets if p.number > verified.number}
        assert sum(by_ordinal[e.ordinal] for e in lifted) + dumped.counted == verified.counted == 52
    for end, start in zip(evening.of(m.GameEndedMessage), evening.of(m.GameStartedMessage), strict=True):
        shown = [e.cards for e in evening.of(m.HandRevealedMessage) if start.number < e.number < end.number]
        faces = b"".join(shown)
        assert len(set(faces)) == len(faces) >= 7
        assert set(faces) <= {int(card) for card in DECK}


CLEAN_ROUND = """
WagerPlaced seat=4 bet=1 cents=1000
WagerPlaced seat=4 bet=2 cents=1000
WagerPlaced seat=4 bet=4 cents=500
WagerPlaced seat=4 bet=5 cents=100
SensorChanged seat=4 on=1
DeckVerified deck=1 expected=52 counted=52
GameStarted round=1
GreenButton
PacketDispensed deck=1 ordinal=1 expected=5 counted=5 cards=-
PacketLifted ordinal=1
PacketDispensed deck=1 ordinal=2 expected=5 counted=5 cards=-
PacketLifted ordinal=2
PacketDispensed deck=1 ordinal=3 expected=5 counted=5 cards=-
PacketLifted ordinal=3
PacketDispensed deck=1 ordinal=4 expected=5 counted=5 cards=-
GreenButton
RemainderDumped deck=1 expected=37 counted=37
RemainderLifted deck=1
ShuffleStarted deck=2
BurnConfirmed place=community positions=19 spread=1
WagerPlaced seat=4 bet=3 cents=2000
DecisionMade seat=4 decision=2
HandRevealed place=dealer source=1 (5 cards)
HandRevealed place=community source=1 (2 cards)
HandRevealed place=seat 4 source=1 (5 cards)
CardsCounted place=seat 4 counted=5
CardsCounted place=dealer counted=5
GameEnded round=1
"""


def test_a_clean_round_reads_like_the_procedure() -> None:
    evening = Evening("clean-1")
    evening.run()
    lines = []
    for event in evening.events():
        if isinstance(event, m.StateChangedMessage | m.BootedMessage | m.DeckLoadedMessage):
            continue
        text = spell(event)
        if isinstance(event, m.HandRevealedMessage):
            text = f"{text.partition(' cards=')[0]} ({len(event.cards)} cards)"
        lines.append(text)
    first = lines.index("WagerPlaced seat=4 bet=1 cents=1000")
    last = lines.index("GameEnded round=1")
    assert lines[first : last + 1] == CLEAN_ROUND.split("\n")[1:-1]


def test_what_is_revealed_is_what_lies_there() -> None:
    evening = Evening("clean-3")
    cards = evening.table.cards
    evening.run(lambda: any(isinstance(event, m.GameEndedMessage) for event in evening.events()))
    lying: dict[Place, bytes] = {
        place: bytes(int(card.card) for card in cards.at(place)) for place in (DEALER, COMMUNITY, seat(1), seat(3))
    }
    shown = {event.place: event.cards for event in evening.of(m.HandRevealedMessage)}
    assert {place: shown[place] for place in lying} == lying
    assert cards.count(BURN) == 3
    assert cards.count(REMAINDER) == 27
    assert {card.back for place in (*lying, BURN, REMAINDER) for card in cards.at(place)} == {1}


def test_burned_positions_are_counted_from_the_dealers_left() -> None:
    evening = Evening("clean-1")
    cards = evening.table.cards
    evening.run(lambda: cards.count(REMAINDER) == 37)
    spread = cards.at(COMMUNITY)
    evening.run(lambda: cards.count(BURN) > 0)
    assert cards.at(BURN) == (spread[0], spread[1], spread[4])
    assert cards.at(COMMUNITY) == (spread[2], spread[3])


def test_players_get_their_packets_clockwise_and_show_them_counter_clockwise() -> None:
    evening = Evening("clean-8")
    order: list[Place] = []

    def watch() -> bool:
        places = (COMMUNITY, *(seat(number) for number in range(1, 9)), DEALER)
        order.extend(place for place in places if evening.table.cards.count(place) and place not in order)
        return evening.table.finished

    evening.run(watch)
    assert order == [COMMUNITY, *(seat(number) for number in range(1, 9)), DEALER]
    seats = [event.place for event in evening.of(m.HandRevealedMessage)][2:]
    assert seats == sorted(seats, reverse=True)
    assert evening.of(m.RemainderDumpedMessage)[0].counted == 2


def played(name: str) -> Evening:
    evening = Evening(name)
    evening.run()
    return evening


def test_a_short_hand_is_counted_and_takes_no_part() -> None:
    evening = played("player-short")
    assert next((e.place, e.counted) for e in evening.of(m.CardsCountedMessage)) == (seat(3), 4)
    assert 3 not in [event.seat for event in evening.of(m.DecisionMadeMessage)]
    assert seat(3) not in [event.place for event in evening.of(m.HandRevealedMessage)]
    assert not evening.of(m.MisdealCalledMessage)
    assert evening.of(m.BadgeSwipedMessage)[0].level == m.BadgeLevel.SUPERVISOR


def test_what_the_shuffler_does_not_notice_people_find() -> None:
    evening = played("player-short-unnoticed")
    assert {event.counted for event in evening.of(m.PacketDispensedMessage)} == {5}
    assert [event.fault for event in evening.of(m.RedLampMessage) if event.lit] == [305]
    assert (seat(3), 4) in [(event.place, event.counted) for event in evening.of(m.CardsCountedMessage)]
    assert 3 not in [event.seat for event in evening.of(m.DecisionMadeMessage)]


def test_a_wrong_dealers_packet_ends_the_round_or_leaves_the_progressive() -> None:
    for name in ("dealer-long", "progressive-only"):
        evening = played(name)
        assert [event.fault for event in evening.of(m.MisdealCalledMessage)] == [302]
        assert not evening.of(m.BurnConfirmedMessage)
        assert not evening.of(m.DecisionMadeMessage)
        shown = [event.place for event in evening.of(m.HandRevealedMessage)]
        assert shown == ([seat(1)] if name == "progressive-only" else [])


def test_a_card_left_inside_takes_the_deck_off_the_table() -> None:
    evening = played("remainder-short")
    dumped = evening.of(m.RemainderDumpedMessage)[0]
    assert (dumped.expected, dumped.counted) == (27, 26)
    assert [event.deck for event in evening.of(m.DeckRemovedMessage)] == [1]
    assert not evening.of(m.HandRevealedMessage)
    assert evening.table.cards.count(Bay.STUCK) == 0


def test_a_deck_gathered_one_short_is_found_when_it_is_counted() -> None:
    evening = played("deck-short")
    assert [event.counted for event in evening.of(m.DeckVerifiedMessage)].count(51) == 1
    assert [event.fault for event in evening.of(m.RedLampMessage) if event.lit] == [101]
    assert not evening.of(m.MisdealCalledMessage)


def test_noise_changes_nothing_that_is_delivered() -> None:
    noisy, clean = Evening("noise"), Evening("noise")
    for line in clean.table.lines.values():
        line.drop = line.insert_noise = line.flip = lambda count: None  # type: ignore[method-assign]
    noisy.run()
    clean.run()
    discarded = [output.data for _, output in noisy.seen if isinstance(output, Discarded)]
    assert sum(map(len, discarded)) > 23
    for device in noisy.hosts:
        assert [spell(e) for e in noisy.events(device)] == [spell(e) for e in clean.events(device)]


def test_a_power_cycle_is_a_new_session_and_the_next_round_is_clean() -> None:
    evening = played("power-cycle")
    assert sum(isinstance(output, SessionRestarted) for _, output in evening.seen) == 1
    assert [event.mid_round for event in evening.of(m.BootedMessage)] == [0, 0, 1]
    assert len(evening.of(m.BurnConfirmedMessage)) == 1


def test_troubles_of_the_dealer_and_of_the_device() -> None:
    assert [e.positions for e in played("wrong-burn").of(m.BurnConfirmedMessage)] == [0b01011]
    early = played("reveal-before-burn")
    community = next(e for e in early.of(m.HandRevealedMessage) if e.place == COMMUNITY)
    assert community.number < early.of(m.BurnConfirmedMessage)[0].number
    assert len(community.cards) == 5
    assert [e.fault for e in played("lifted-early").of(m.RedLampMessage) if e.lit] == [303]
    assert [e.open for e in played("door").of(m.DoorMovedMessage)] == [1, 0]
    assert [e.fault for e in played("jam-stuck").of(m.RedLampMessage) if e.lit] == [203]
    assert not played("jam").of(m.RedLampMessage)
    assert all(len(e.cards) == 5 for e in played("recognition").of(m.PacketDispensedMessage))
    rejected = played("rejected-card")
    assert [e.card for e in rejected.of(m.CardRejectedMessage)] == [0]
    assert not rejected.of(m.RedLampMessage)
    assert [e.counted for e in rejected.of(m.RemainderDumpedMessage)] == [26]


def test_the_same_seed_deals_the_same_cards() -> None:
    assert [spell(e) for e in played("clean-3").events()] == [spell(e) for e in played("clean-3").events()]


# ------------------------------------------------------------------ line faults


def test_line_faults_hit_what_comes_next_and_nothing_else() -> None:
    line = LineFaults(Random(1))
    assert line.carry(b"abc", 0) == b"abc"
    line.drop(4)
    assert line.carry(b"abc", 0) + line.carry(b"defg", 0) == b"efg"
    line.insert_noise(6)
    noisy = line.carry(b"abc", 0)
    assert (len(noisy), noisy[-3:]) == (9, b"abc")
    line.flip(2)
    flipped = line.carry(b"\0" * 8, 0)
    assert sum(byte.bit_count() for byte in flipped) == 2
    line.stall(100)
    assert line.carry(b"ab", 50) == b""
    assert line.next_deadline_ns == 100
    assert line.carry(b"c", 99) == b""
    assert line.carry(b"", 100) == b"abc"
    assert line.next_deadline_ns is None


# ------------------------------------------------------------------ files

GOOD = """
title = "t"
seed = 1
procedure = "flushes-gone-wild.co"
[[rounds]]
[[rounds.players]]
seat = 2
wagers = { ante = 5, blind = 5 }
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (GOOD.replace('title = "t"', "title = 1"), ":2: title: must be a text, not 1"),
        ("title = 1", "procedure: missing"),
        (GOOD.replace("seed = 1", ""), "seed: missing"),
        (GOOD.replace("seed = 1", "seed = -1"), ":3: seed: must be greater than or equal to 0, not -1"),
        (
            GOOD.replace("procedure =", 'colour = "red"\nprocedure ='),
            ":4: colour: unknown key; allowed: procedure, title, options, seed, recognition",
        ),
        (GOOD.replace(".co", ".zz"), "procedure: flushes-gone-wild.zz: no such procedure"),
        (
            GOOD.replace("seed = 1", "seed = 1\noptions = { luck = 'good' }"),
            "options: flushes-gone-wild.co has no option",
        ),
        (
            GOOD.replace("seed = 1", "seed = 1\nbasic = { wild = 'K', least = 0 }"),
            ":4: basic.least: must be greater than or equal to 1, not 0",
        ),
        (
            GOOD.replace("seat = 2", "seat = 33"),
            ":7: rounds[1].players[1].seat: must be less than or equal to 32, not 33",
        ),
        (
            GOOD.replace("seat = 2", "seat = 9"),
            ":7: rounds[1].players[1].seat: 9 is not a whole number from 1 to 8",
        ),
        (
            GOOD.replace("blind = 5", "blimd = 5"),
            ":8: rounds[1].players[1].wagers: 'blimd' is not one of ante, blind",
        ),
        (GOOD.replace("ante = 5, ", ""), "rounds[1].players[1].wagers: a player needs the bet 'ante'"),
        (GOOD + 'decision = "raise"', "rounds[1].players[1].decision: 'raise' is not one of basic, fold, play"),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "fire"',
            "rounds[1].troubles[1].what: 'fire' is not one of packet, remainder, ",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "door"\npacket = 4',
            "rounds[1].troubles[1].packet: 4 is not a whole number from 1 to 3",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "door"\npacket = "seat 3"',
            "rounds[1].troubles[1].packet: 'seat 3' is not one of community, seat 2, dealer",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "packet"\npacket = 1\nby = 0',
            "rounds[1].troubles[1].by: 0 cards too many is no trouble",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "burn"\npositions = [1, 6]',
            "rounds[1].troubles[1].positions: [1, 6] are not different positions from 1 to 5",
        ),
        (GOOD + GOOD[GOOD.index("[[rounds.p") :], "rounds[1].players: a round needs at least one player and one"),
        (GOOD + '[[rounds.troubles]]\nwhat = "door"', "rounds[1].troubles[1].packet: missing"),
        (GOOD + '[[rounds.troubles]]\nwhat = "burn"', "rounds[1].troubles[1].positions: missing"),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "door"\npacket = 1\nstep = "foo"',
            ":12: rounds[1].troubles[1].step: unknown key; allowed: what, packet, ruling",
        ),
        (
            GOOD + '[[rounds.troubles]]\nwhat = "jam"\npacket = true\ntries = 1',
            ":11: rounds[1].troubles[1].packet: must be a whole number, not True",
        ),
        (GOOD[: GOOD.index("[[")] + "rounds = []", ":5: rounds: needs at least 1"),
        (GOOD[: GOOD.index("[[")] + "rounds = [5]", "rounds[1]: must be a table, not 5"),
        (GOOD.replace("{ ante = 5, blind = 5 }", "[1]"), "players[1].wagers: must be a table, not [1]"),
        ("rounds = [", ":1: not TOML:"),
    ],
)
def test_a_file_that_cannot_be_played_says_where_and_what_is_allowed(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(TomlFileError) as caught:
        load_scenario(path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path}/mine.toml:")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [f"seed = {'1' * 5000}", "seed = " + "[" * 3000])
def test_a_file_that_no_reader_gets_through_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(TomlFileError, match=r"mine\.toml: not TOML: a number is too long, or a table too deep$"):
        load_scenario(path)


def test_a_name_that_no_file_can_have_is_one_line() -> None:
    with pytest.raises(TomlFileError, match=r"cannot be read: not a valid file name$"):
        load_scenario(Path("a\0b.toml"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seed": -1}, "seed: must be greater than or equal to 0, not -1"),
        ({"options": {"luck": "good"}}, "options: "),
        ({"foo": 1}, "foo: unknown key; allowed: procedure, title"),
        ({"cut_after": 0}, "cut_after: must be greater than or equal to 1, not 0"),
    ],
)
def test_rounds_that_a_program_makes_are_refused_in_the_same_words(given: dict[str, Any], says: str) -> None:
    procedure = load_procedure("flushes-gone-wild.co")
    with pytest.raises(TomlFileError) as caught:
        scenario_of(procedure, [clean_round(procedure, [1])], **given)
    assert str(caught.value).startswith(f"flushes-gone-wild.co.toml: {says}")


def test_who_needs_a_shuffler_is_told_of_what_one_deals() -> None:
    with pytest.raises(TomlFileError, match="no such scenario; there are ") as caught:
        load_scenario("nope")
    assert "race-" not in str(caught.value)


def test_a_missing_scenario_names_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(TomlFileError, match=r"no such scenario; there are clean-1, clean-3"):
        load_scenario("clean-9")
    with pytest.raises(TomlFileError, match=r"cannot be read: No such file"):
        load_scenario(tmp_path / "none.toml")


def test_what_is_dealt_from_a_shoe_is_not_dealt_from_a_shuffler(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD.replace(".co", ".co-single"))
    for source in (str(path), "race-11"):
        with pytest.raises(TomlFileError, match=r"procedure: it is dealt from a card shoe; here a packet shuffler is"):
            load_scenario(source)


def test_a_file_of_ones_own_is_played(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    evening = Evening(load_scenario(path))
    evening.run()
    assert [event.cents for event in evening.of(m.WagerPlacedMessage)][:2] == [5, 5]


def test_a_trouble_added_during_the_deal_happens_in_this_round_or_the_next() -> None:
    evening = Evening("two-rounds")
    dealer, shuffler = evening.table.dealer, evening.table.shuffler
    evening.run(lambda: shuffler.round is not None and len(shuffler.round.packets) == 2)
    assert dealer.next_packet == 3
    assert dealer.add_trouble(PlannedTrouble(What.PACKET, 4, -1))
    assert not dealer.add_trouble(PlannedTrouble(What.PACKET, 1, -1))
    evening.run()
    short = [(e.deck, e.ordinal) for e in evening.of(m.PacketDispensedMessage) if e.counted == 4]
    assert short == [(1, 4), (2, 1)]
