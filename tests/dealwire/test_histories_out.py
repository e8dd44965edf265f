"""Hands written for other programs: PHH that pokerkit replays to the same chips, and Open Hand History that adds up."""

import json
import re
import tomllib
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pokerkit import HandHistory

from dealer_flow.record.result import RoundResult
from dealwire.cli import main
from dealwire.histories import phh
from dealwire.histories.from_round import NotExportable, PlayedHand
from dealwire.histories.history import History
from dealwire.histories.ohh_out import ohh_of
from dealwire.histories.phh_out import phh_of
from dealwire.histories.verdict import Table
from dealwire.rehearsal.simulate import simulate
from devices.events import HandRevealed
from rules.settlement import Settlement
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.round_journals import write_rounds
from tests.support.dealing.settling_table import SettlingTable

BEGAN_NS = 1_700_000_000_000_000_000
CAPTURES = Path(__file__).parents[2] / "captures"
EXPLAINED = {
    "PHH has no code for",
    "NT: a raise is smaller than the one before it",
    "NT: a raise after an all-in for less than a raise",
    "NT: heads-up, the button did not put up the small blind",
    "NT: an all-in hand was thrown away while cards were to come, and one is left",
    "NT: a tie leaves several odd chips",
    "PO: a bet is larger than the pot",
    "PO: a raise is smaller than the one before it",
    "PO: a raise after an all-in for less than a raise",
    "PO: heads-up, the button did not put up the small blind",
    "PO: an all-in hand was thrown away while cards were to come, and one is left",
    "PO: every other hand was thrown away at the showdown, and the winner's was not shown",
    "PO: a tie leaves several odd chips",
}
"""Reasons that a hand is left out: what Rule 10 allows and the standard's variants do not, or its readers cannot."""


@cache
def hands(game: str, each: int, players: tuple[int, ...] = (2, 3, 4, 5, 6, 8)) -> list[PlayedHand]:
    """Return hands of simulated players, who bet at random."""
    found = []
    for seats in players:
        last: RoundResult | None = None
        for item in simulate(game, rounds=each, seed=100 + seats, players=seats):
            if isinstance(item, RoundResult):
                last = item
            elif isinstance(item, Settlement) and last is not None:
                found.append(PlayedHand(last, item, BEGAN_NS))
    return found


def written(game: str, each: int) -> Iterator[tuple[PlayedHand, str]]:
    """Yield hands with their PHH; those that are left out have one of the reasons."""
    for hand in hands(game, each):
        text, why = tried(partial(phh_of, hand, token=hand.settlement.rounding.unit_cents))
        assert text or any(why.startswith(reason) for reason in EXPLAINED) or "misdeal" in why, why
        if text:
            yield hand, text


def tried(write: Callable[[], str]) -> tuple[str, str]:
    """Return the text, or the reason that there is none."""
    try:
        return write(), ""
    except NotExportable as why:
        return "", str(why)


def replayed(text: str) -> dict[int, int]:
    """Return the cents of each seat as pokerkit has them at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        history = HandHistory.loads(text)
        *_, state = history
    assert not state.status
    fields = tomllib.loads(text, parse_float=Decimal)
    return {
        seat: round(Decimal(str(chips)) * fields["_unit_cents"])
        for seat, chips in zip(fields["seats"], state.stacks, strict=True)
    }


@pytest.mark.more
@pytest.mark.parametrize(("game", "each", "least"), [("holdem.co", 60, 120), ("omaha.co", 25, 12)])
def test_pokerkit_comes_to_the_same_chips(game: str, each: int, least: int) -> None:
    count = 0
    for hand, text in written(game, each):
        nets = {seat.seat: seat.net for seat in hand.settlement.seats}
        stakes = {seat.seat: seat.stake or 0 for seat in hand.result.seats if seat.status != "out"}
        assert replayed(text) == {seat: stake + nets.get(seat, 0) for seat, stake in stakes.items()}, text
        count += 1
    assert count >= least


@pytest.mark.more
def test_what_is_written_is_read_again_as_the_same_hand() -> None:
    table, count = Table(), 0
    for hand, text in written("holdem.co", 60):
        (found,) = phh.hands_of(text, "out.phh")
        assert isinstance(found, History)
        verdict = table.plays(found)
        assert verdict.kind == "same", (verdict.why, text)
        assert verdict.settlement is not None
        cents = tomllib.loads(text)["_unit_cents"] / int(1 / found.unit)
        assert [pot.cents * cents for pot in verdict.settlement.pots] == [pot.cents for pot in hand.settlement.pots]
        count += 1
    assert count >= 120


def test_no_hidden_face_is_written() -> None:
    """The shoe reads every card. A face in a text was on the board, or was shown."""
    table = SettlingTable("holdem.co").play(
        "stakes 1: 9000, 2: 9000, 3: 9000\nbets 2: small-blind 100\nbets 3: big-blind 200\nstart at 1\n"
        "draw seat 2 QS QD | seat 3 KS KD | seat 1 AS AD\nacts 1: raise 600\nacts 2: fold\nacts 3: call 600\n"
        "burn-card 2C\ndraw community 3C 4D 9H\nacts 3: check\nacts 1: bet 500\nacts 3: fold"
    )
    table.end()
    hand = PlayedHand(table.results[-1], table.settlements[-1])
    shown = {card.text for seen in table.seen if isinstance(seen.body, HandRevealed) for card in seen.body.cards}
    assert not shown
    actions = tomllib.loads(phh_of(hand))["actions"]
    assert [action for action in actions if action.startswith("d")] == [
        *("d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "d db 3c4d9h"),
    ]
    assert not any(action.split()[1] == "sm" for action in actions)
    named = re.findall(r'"([2-9TJQKA][cdhs])"', ohh_of(hand))
    assert named == ["3c", "4d", "9h"]


def test_a_hand_by_its_fields() -> None:
    table = showdown()
    fields = tomllib.loads(phh_of(PlayedHand(table.results[-1], table.settlements[-1], BEGAN_NS), house="Doc's"))
    assert fields["variant"] == "NT"
    assert fields["blinds_or_straddles"] == [1, 2, 0]
    assert fields["starting_stacks"] == [90, 90, 50]
    assert fields["actions"] == [
        *("d dh p1 ????", "d dh p2 KsKd", "d dh p3 AsAd", "p3 cbr 6", "p1 f", "p2 cbr 50", "p3 cc"),
        *("p2 sm KsKd", "p3 sm AsAd", "d db 3c4d9h", "d db Tc", "d db 2s"),
    ]
    assert fields["finishing_stacks"] == [89, 40, 101]
    assert fields["winnings"] == [0, 0, 101]
    assert (fields["seats"], fields["venue"], fields["hand"]) == ([2, 3, 1], "Doc's", 1)
    assert (fields["year"], fields["month"], fields["day"], str(fields["time"])) == (2023, 11, 14, "22:13:20")
    assert (fields["_pots"], fields["_button"], fields["_game"]) == ([101], 1, "holdem.co")


def test_a_rake_is_in_a_field_of_our_own() -> None:
    table = showdown(rake=True)
    text = phh_of(PlayedHand(table.results[-1], table.settlements[-1]))
    fields = tomllib.loads(text)
    assert (fields["_rake"], fields["winnings"], fields["finishing_stacks"]) == ([5], [0, 0, 96], [89, 40, 96])
    assert sum(replayed(text).values()) == 23000, "pokerkit knows no rake"
    pot = json.loads(ohh_of(PlayedHand(table.results[-1], table.settlements[-1])))["ohh"]["pots"][0]
    assert (pot["amount"], pot["rake"], pot["player_wins"][0]["win_amount"]) == (101, 5, 96)


def showdown(*, rake: bool = False) -> SettlingTable:
    """Return a table after a hand that two players have all-in before the flop."""
    from rules.settlement import HouseRake

    more: dict[str, Any] = {"rake": HouseRake("10", cap_cents=500, step_cents=100)} if rake else {}
    table = SettlingTable("holdem.co", terms=more) if more else SettlingTable("holdem.co")
    table.play(
        "stakes 1: 5000, 2: 9000, 3: 9000\nbets 2: small-blind 100\nbets 3: big-blind 200\nstart at 1\n"
        "draw seat 2 QS QD | seat 3 KS KD | seat 1 AS AD\nacts 1: raise 600\nacts 2: fold\nacts 3: raise 5000\n"
        "acts 1: call 5000\nburn-card 2C\ndraw community 3C 4D 9H\nburn-card 5C\ndraw community TC\nburn-card 6C\n"
        "draw community 2S\nshow community: 3C 4D 9H TC 2S\nshow seat 3: KS KD\nshow seat 1: AS AD"
    )
    table.end()
    return table


# ---------------------------------------------------------------- Open Hand History

GAMES = ("holdem.co", "omaha-hi-lo.co", "seven-card-stud.co", "five-card-stud.co", "draw.co")
DEAD = ("Post Ante", "Post Dead")


@pytest.mark.every(3)
@pytest.mark.parametrize("game", GAMES)
def test_open_hand_histories_add_up(game: str) -> None:
    """All that players put in, less what came back, is in the pots; with what they won it is their final chips."""
    count = 0
    for hand in hands(game, 8, (3, 5)):
        text, why = tried(partial(ohh_of, hand, house="House"))
        assert bool(text) is not why.startswith("the round is")
        if not text:
            continue
        found, count = json.loads(text)["ohh"], count + 1
        assert (found["spec_version"], found["site_name"]) == ("1.4.7", "House")
        put = Counter[int]()
        for round_ in found["rounds"]:
            street = defaultdict[int, float](float)
            for act in round_["actions"]:
                seat, amount = act["player_id"], act.get("amount", 0)
                if act["action"] in ("Bet", "Raise"):
                    amount -= street[seat]
                street[seat] += 0 if act["action"] in DEAD else amount
                put[seat] += round(100 * amount)
        back = {int(seat): round(100 * cents) for seat, cents in found["_returned"].items()}
        assert put.total() - sum(back.values()) == sum(round(100 * pot["amount"]) for pot in found["pots"])
        won = Counter[int]()
        for pot in found["pots"]:
            parts = pot["player_wins"]
            assert round(100 * (pot["amount"] - pot["rake"])) == sum(round(100 * win["win_amount"]) for win in parts)
            for win in parts:
                won[win["player_id"]] += round(100 * win["win_amount"])
        for player in found["players"]:
            seat, stake = player["seat"], round(100 * player["starting_stack"])
            final = round(100 * found["_final_stacks"][str(seat)])
            assert final == stake - put[seat] + back.get(seat, 0) + won[seat]
        numbers = [act["action_number"] for round_ in found["rounds"] for act in round_["actions"]]
        assert numbers == [*range(1, len(numbers) + 1)]
    assert count >= 8


# ---------------------------------------------------------------- the command


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["export", *words])


def test_a_recording_is_exported(tmp_path: Path) -> None:
    done = run(str(CAPTURES / "holdem.co.pcapng"), "--phh", "--all", "--site", "Doc's")
    assert done.exit_code == 0, done.output
    headings = re.findall(r"^\[\d+\]$", done.stdout, re.MULTILINE)
    assert headings == ["[1]", "[2]"]
    first = tomllib.loads(done.stdout)["1"]
    assert (first["venue"], first["_outside"]) == ("Doc's", "heads-up, the button did not put up the small blind")
    out = tmp_path / "out.ohh"
    assert run(str(CAPTURES / "holdem.co.pcapng"), "--ohh", "-o", str(out)).exit_code == 0
    assert [json.loads(part)["ohh"]["game_type"] for part in out.read_text().split("\n\n") if part] == ["Holdem"] * 2


def test_a_journal_is_exported_with_the_time_of_its_rounds(tmp_path: Path) -> None:
    table = HandTable("holdem.co")
    lines = (
        "stakes 1: 5000, 2: 9000, 3: 9000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1"
        " / draw seat 2 QS QD | seat 3 KS KD | seat 1 AS AD / acts 1: fold / acts 2: fold"
    )
    table.play(lines.replace(" / ", "\n")).end()
    write_rounds(tmp_path / "j", "holdem.co", table.seen)
    done = run(str(tmp_path / "j"), "--phh")
    assert done.exit_code == 0, done.output
    found = tomllib.loads(done.stdout)["1"]
    assert (found["finishing_stacks"], found["year"], found["time_zone"]) == ([89, 91, 50], 2023, "UTC")
    assert "1 hands written, 0 left out" in done.stderr
    assert "0 hands written" in run(str(tmp_path / "j"), "--ohh", "--table", "nowhere").stderr
    settled = run(str(tmp_path / "j"), "--ohh", "--rake", "5")
    assert (settled.exit_code, "a journal has its settlements; leave out --rake" in settled.stderr) == (2, True)


def test_what_is_left_out_is_counted() -> None:
    done = run(str(CAPTURES / "clean-3.pcapng"), "--ohh")
    assert done.exit_code == 0
    assert "1 left out: flushes-gone-wild.co is no form of poker that others know" in done.stderr


def test_wrong_uses_are_one_line(tmp_path: Path) -> None:
    assert "give one of --phh and --ohh" in run(str(CAPTURES / "holdem.co.pcapng")).stderr
    taken = tmp_path / "taken"
    taken.write_text("x")
    done = run(str(CAPTURES / "holdem.co.pcapng"), "--ohh", "-o", str(taken))
    assert (done.exit_code, f"{taken} exists; --overwrite replaces it" in done.stderr) == (2, True)
    recording = tmp_path / "r.pcapng"
    recording.write_bytes((CAPTURES / "holdem.co.pcapng").read_bytes())
    done = run(str(recording), "--ohh", "-o", str(recording), "--overwrite")
    assert (done.exit_code, "is the file that is read" in done.stderr) == (2, True)
    assert recording.read_bytes() == (CAPTURES / "holdem.co.pcapng").read_bytes()
    assert "a recording is of one table" in run(str(recording), "--ohh", "--table", "main").stderr
    assert "--all needs --phh" in run(str(recording), "--ohh", "--all").stderr
    assert "omaha.co" in run(str(recording), "--ohh", "--game", "omaha.co").stderr
    assert taken.read_text() == "x"
    assert run(str(tmp_path / "gone"), "--ohh").exit_code == 2
    assert run(str(tmp_path / "gone"), "--ohh").stderr.count("\n") == 1
