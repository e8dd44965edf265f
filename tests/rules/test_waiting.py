"""Results of a reading that waits for a signature are held, to the cent; signers are listed in the settlement."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from protocol.tomlfile import TomlFileError
from rules import load_game, settle
from rules.errors import SettlementRefused
from rules.facts.terms import Terms, agree
from rules.game.schema import Signature
from rules.settle.waiting import settle_waiting
from tests.support.reading.paper import Paper

FOLDED_PAIR: dict[str, Any] = {
    "dealer": "KS KD 8C",
    "seat": [
        {"seat": 1, "cards": "3S 3D 7C", "choices": ["fold"], "bets": {"ante": 1000, "pair-plus": 500}},
        {"seat": 2, "cards": "9S 6D 2C", "choices": ["fold"], "bets": {"ante": 1000, "pair-plus": 500}},
    ],
}
SIGNED = Signature(by="J. Doe", on="2026-11-29", readings={"folded-pair-plus": "loses"})


def terms_of(paper: Paper, **more: Any) -> Terms:
    terms = agree(paper.game, **more)
    return replace(terms, waits=frozenset(terms.readings) - set(terms.signed))


def test_the_line_alone_waits_and_the_others_are_settled() -> None:
    paper = Paper("three-card.co", FOLDED_PAIR)
    settlement = settle_waiting(paper.round(), terms_of(paper))
    lines = {(line.seat, line.bet): line for line in settlement.lines}
    held = lines[1, "pair-plus"]
    assert (held.result, held.reading, held.clause) == ("held", "folded-pair-plus", "47.1-1017.24(8), (14)")
    assert held.why == "folded-pair-plus loses decides it, and that reading is not signed"
    assert lines[2, "pair-plus"].result == lines[1, "ante"].result == "lose"
    assert settlement.status == "partly-held"
    assert {seat.seat: seat.held for seat in settlement.seats} == {1: 500, 2: 0}
    assert settlement.totals.players + settlement.totals.house + settlement.totals.meters == 0
    assert settlement.totals.house == 2500


def test_a_signature_for_the_option_in_use_settles_it_and_is_named() -> None:
    paper = Paper("three-card.co", FOLDED_PAIR)
    settlement = settle_waiting(paper.round(), terms_of(paper, signed=[SIGNED]))
    assert {line.result for line in settlement.lines} == {"lose"}
    assert settlement.signed == {"folded-pair-plus": "J. Doe, 2026-11-29"}
    other = terms_of(paper, signed=[SIGNED], readings={"folded-pair-plus": "stands"})
    assert settle_waiting(paper.round(), other).signed == {}
    assert settle_waiting(paper.round(), other).status == "partly-held"


def test_without_readings_that_wait_it_is_as_ever() -> None:
    paper = Paper("three-card.co", FOLDED_PAIR)
    assert settle_waiting(paper.round(), agree(paper.game)) == settle(paper.round(), paper.game)
    assert b"signed" not in settle(paper.round(), paper.game).to_json().encode()


PLAYED = {"status": "live", "choices": ["play"]}


def test_envy_is_no_wager_of_one_seat_and_the_round_waits() -> None:
    """A folded bettor collects envy by `folded-envy`."""
    case = {
        "dealer": "7S 7D 8C",
        "seat": [
            {"seat": 1, "cards": "AS KH QS", "choices": ["fold"], "bets": {"ante": 1000, "progressive": 100}},
            {"seat": 2, "cards": "AH QH KC", **PLAYED, "bets": {"ante": 1000, "play": 1000}},
            {"seat": 3, "cards": "AD QD KD", **PLAYED, "bets": {"ante": 1000, "play": 1000, "progressive": 100}},
        ],
    }
    paper = Paper("three-card.co", case)
    terms = agree(paper.game, meters=dict.fromkeys(paper.game.meters(), 100_000))
    waits = replace(terms, waits=frozenset({"folded-envy"}))
    settlement = settle_waiting(paper.round(), waits)
    assert settlement.status == "held"
    assert {line.reading for line in settlement.lines} == {"folded-envy"}
    assert settle_waiting(paper.round(), terms).status == "settled"


def test_a_house_signs_in_its_own_file_which_settles_as_before(tmp_path: Path) -> None:
    head = 'schema = "dealwire.game/3"\nid = "house"\nbase = "three-card.co"\n'
    block = '[[signed]]\nby = "J. Doe"\non = "2026-11-29"\nreadings = { folded-pair-plus = "loses" }\n'
    plain, signed = tmp_path / "a" / "house.toml", tmp_path / "b" / "house.toml"
    for file, text in ((plain, head), (signed, head + block)):
        file.parent.mkdir()
        file.write_text(text)
    game = load_game(signed)
    assert game.sha256 == load_game(plain).sha256
    assert agree(game).signed == {"folded-pair-plus": "J. Doe, 2026-11-29"}
    unknown = "unknown reading 'folded-trips'; allowed: jackpot-hand"
    for was, now, why in (
        ("folded-pair-plus", "folded-trips", f"house.toml:7: signed[1].readings.folded-trips: {unknown}"),
        ('"loses"', '"wins"', "unknown option 'wins'; allowed: loses, stands, held"),
    ):
        signed.write_text(head + block.replace(was, now))
        with pytest.raises(TomlFileError) as told:
            load_game(signed)
        assert why in str(told.value)


def test_a_table_signs_no_reading_or_option_that_there_is_not() -> None:
    game = load_game("three-card.co")
    for readings, why in (
        ({"folded-trips": "loses"}, "signed reading"),
        ({"folded-pair-plus": "no"}, "signed option of"),
    ):
        with pytest.raises(SettlementRefused, match=why):
            agree(game, signed=[Signature(by="x", on="2026-01-01", readings=readings)])
