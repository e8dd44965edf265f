"""Old bytes played again, sessions that return, devices that were swapped: never money, always an incident."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import devices.events as e
from dealer_flow.play.course.identity import Pin
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.config.build import Banks, build_table
from dealwire.config.load import load_configuration
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import JournaledTable
from dealwire.table.state import TableState
from dealwire.table.table import Table, TableOutcome, TableTerms
from devices.drive.replay import PlayStats, reports
from devices.events import Seen
from devices.record.capture import Capture, Chunk
from rules.game.load import load_game
from rules.meters.award import AwardBook
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.settled_rounds import SettledKey
from rules.meters.setup import load_setup
from rules.settlement import Settlement
from tests.dealwire.test_configuration import PROGRESSIVE, SECOND, refusal, written
from tests.support.evenings.reported_table import reports as evening

CAPTURES = Path(__file__).parents[2] / "captures"
COLORADO = "flushes-gone-wild.co"
DEVICE, CONTROLLER = "shuffler", "table-controller"
NEVER = Pin(serial="1")


def colorado(kind: type[Table] = JournaledTable, **options: Any) -> Any:
    terms = TableTerms(load_game(COLORADO), meters={"meter": 1_000_000})
    return kind(load_procedure(COLORADO), terms, name="table-1", **options)


def fed(table: Table, seen: Sequence[Seen]) -> list[TableOutcome]:
    return [item for each in seen for item in table.handle(each)]


def of(kind: type[Any], outcomes: Sequence[TableOutcome]) -> list[Any]:
    return [item for item in outcomes if isinstance(item, kind)]


def codes(outcomes: Sequence[TableOutcome]) -> list[str]:
    return [item.code for item in of(Incident, outcomes)]


# ------------------------------------------------------------------ a round that comes once more


class Spliced(Capture):
    """Recordings one after the other on the same lines, as if whoever taps them played old bytes again."""

    def __init__(self, *names: str) -> None:
        parts = [Capture.read(CAPTURES / f"{name}.pcapng") for name in names]
        super().__init__(parts[0].path)
        self._parts = [list(part.chunks) for part in parts]
        self.interfaces = parts[0].interfaces

    @property
    def chunks(self) -> Iterator[Chunk]:
        now = 0
        for chunks in self._parts:
            shift = now - chunks[0].at_ns
            for chunk in chunks:
                yield replace(chunk, at_ns=chunk.at_ns + shift)
            now = chunks[-1].at_ns + shift + 1_000_000_000


def test_an_old_session_that_is_played_again_is_settled_once() -> None:
    """A round, a power-up with another session, the same old bytes: one settlement, one incident, no meter moves."""
    seen = list(reports(Spliced("clean-1", "clean-3", "clean-1"), PlayStats()))
    assert len(of(Settlement, fed(colorado(Table), seen))) == 3, "who remembers nothing settles the old round again"
    table = colorado()
    outcomes = fed(table, seen)
    rounds, settled = of(RoundResult, outcomes), of(Settlement, outcomes)
    assert [item.session for item in rounds] == [rounds[0].session, rounds[1].session, rounds[0].session]
    assert [item.session for item in settled] == [rounds[0].session, rounds[1].session]
    (repeated,) = [item for item in of(Incident, outcomes) if item.code == "round-repeated"]
    assert (repeated.session, repeated.number, repeated.clause) == (rounds[0].session, rounds[0].round, "procedure")
    assert outcomes.index(repeated) == outcomes.index(rounds[2], outcomes.index(rounds[1])) + 1
    assert table.incidents["round-repeated"] == 1
    once = colorado()
    fed(once, list(reports(Spliced("clean-1", "clean-3"), PlayStats())))
    assert table.meters == once.meters


class Indexed:
    """Stand-in for a journal's index of settled rounds, which may take the place of memory."""

    def __init__(self) -> None:
        self.keys: list[SettledKey] = []
        self.others: list[SettledKey] = []

    def known(self, key: SettledKey) -> bool:
        return key in self.keys

    def elsewhere(self, key: SettledKey) -> str:
        return "another table" if key in self.others else ""

    def add(self, key: SettledKey) -> None:
        self.keys.append(key)


def test_what_was_settled_is_remembered_by_whoever_keeps_it() -> None:
    """The journal remembers across a restart: a new table refuses the rounds that the one before had settled."""
    kept, seen = Indexed(), list(evening("two-rounds"))
    first, second = colorado(), colorado()
    first.remember(kept)
    second.remember(kept)
    assert len(of(Settlement, fed(first, seen))) == 2
    assert len(set(kept.keys)) == 2
    assert [(key.session, key.round) for key in kept.keys] == [
        (item.session, item.round) for item in of(RoundResult, fed(colorado(), seen))
    ]
    outcomes = fed(second, seen)
    assert (len(of(Settlement, outcomes)), codes(outcomes).count("round-repeated"), len(kept.keys)) == (0, 2, 2)


def test_what_another_table_settled_is_not_settled_again_and_it_is_named() -> None:
    there, here, seen = Indexed(), Indexed(), list(evening("two-rounds"))
    first, second = colorado(), colorado()
    first.remember(there)
    second.remember(here)
    fed(first, seen)
    here.others = there.keys
    outcomes = fed(second, seen)
    assert (len(of(Settlement, outcomes)), here.keys) == (0, [])
    texts = [item.text for item in of(Incident, outcomes) if item.code == "round-repeated"]
    assert len(texts) == 2
    assert all("it was settled before at table another table and is not paid again" in text for text in texts)


def test_another_controller_that_counts_from_one_again_deals_new_rounds() -> None:
    """A round is known by the controller that counted it, too: its number alone is not the shuffler's."""
    seen = list(evening("clean-1"))
    begin = next(index for index, each in enumerate(seen) if isinstance(each.body, e.WagerPlaced))
    other = [replace(each, session=77) if each.device == CONTROLLER else each for each in seen[begin:]]
    other = [each for each in other if not isinstance(each.body, e.LinkUp)]
    assert codes(fed(table := colorado(), [*seen, *other])).count("round-repeated") == 0
    assert table.outcomes["complete"] == 2


def test_a_round_that_is_heard_once_more_takes_no_progressive_bets() -> None:
    """START GAME moves the meters if people make the awards: once a round."""
    bank = MeterBank(load_setup(PROGRESSIVE))
    game = load_game("flushes-gone-wild.wa-link")
    terms = TableTerms(game, {"progressive": "WA-ML03"}, bank=bank)
    book = AwardBook(bank, game, spot=5, paytable="WA-ML03")
    table = JournaledTable(load_procedure("flushes-gone-wild.wa"), terms, awards=book)
    seen = list(evening("wa-clean"))
    first = fed(table, seen)
    assert [item for item in of(MeterRecord, first) if item.kind == "contributed"]
    shown = table.meters
    again = fed(table, seen)
    rounds = len(of(RoundResult, again))
    assert (of(MeterRecord, again), of(Settlement, again), table.meters) == ([], [], shown)
    refused = [item for item in of(AwardRecord, again) if item.kind == "refused" and "was repeated" in item.why]
    assert (len(refused), codes(again).count("round-repeated")) == (rounds, rounds)


# ------------------------------------------------------------------ a session that was left is heard again


def renumbered(seen: Sequence[Seen], session: int, rounds: int) -> list[Seen]:
    """The same play in another session of the shuffler, with other numbers of the rounds."""
    found = []
    for each in seen:
        body = each.body
        if isinstance(body, e.GameStarted | e.GameEnded):
            body = type(body)(body.round + rounds)
        if not isinstance(body, e.LinkUp):
            found.append(replace(each, session=session if each.device == DEVICE else each.session, body=body))
    return found


def test_a_round_of_a_session_that_returned_is_held_until_a_new_session() -> None:
    seen = list(evening("clean-1"))
    one = next(each.session for each in seen if each.device == DEVICE)

    def line(body: e.Body, session: int) -> Seen:
        return Seen(DEVICE, session, 0, seen[-1].at_ns, body)

    table = colorado()
    fed(table, [*seen, line(e.SessionChanged(one, 5), 5), *renumbered(seen, 5, 1)])
    assert table.outcomes == {"complete": 2}
    back = [line(e.SessionChanged(5, one), one), line(e.SessionReturned(one), one)]
    outcomes = fed(table, [*back, *renumbered(seen, one, 2), *renumbered(seen, one, 3)])
    found = [item for item in of(Incident, outcomes) if item.code == "session-returned"]
    assert [(item.device, item.session, item.unreliable) for item in found] == [
        (DEVICE, f"{one:08x}", False),
        (DEVICE, f"{one:08x}", True),
        (DEVICE, f"{one:08x}", True),
    ]
    assert [item.outcome for item in of(RoundResult, outcomes)] == ["unreliable"] * 2
    assert all(item.status == "held" for item in of(Settlement, outcomes))
    state = table.state()
    assert state is not None
    restarted = colorado()
    restarted.restore(msgspec.json.decode(msgspec.json.encode(state), type=TableState))
    for again in (table, restarted):
        (held,) = of(RoundResult, fed(again, renumbered(seen, one, 4)))
        assert held.outcome == "unreliable", "a restart does not make it new"
        (good,) = of(RoundResult, fed(again, [line(e.SessionChanged(one, 9), 9), *renumbered(seen, 9, 5)]))
        assert good.outcome == "complete"


def test_a_session_that_returns_in_mid_round_spoils_it() -> None:
    seen = list(evening("clean-1"))
    middle = next(index for index, each in enumerate(seen) if isinstance(each.body, e.PacketLifted))
    returned = replace(seen[middle], body=e.SessionReturned(seen[middle].session))
    (round_,) = of(RoundResult, fed(colorado(), [*seen[:middle], returned, *seen[middle:]]))
    assert (round_.outcome, [item.code for item in round_.incidents]) == ("unreliable", ["session-returned"])


# ------------------------------------------------------------------ another device


def up(device: str, **parts: Any) -> Seen:
    said = {"maker": "Acme", "model": "S-1", "serial": "100", "firmware": "1.0", "firmware_digest": "ab" * 32} | parts
    kind = "table-controller" if device == CONTROLLER else "shuffler"
    return Seen(device, 1, 0, 1, e.LinkUp(1, kind, recognises_cards=False, resumed=True, **said))


@pytest.mark.parametrize(
    ("part", "now"),
    [("maker", "Other"), ("model", "S-2"), ("serial", "101"), ("firmware", "1.1"), ("firmware_digest", "")],
)
def test_a_device_that_was_swapped_is_an_incident(part: str, now: str) -> None:
    table = colorado()
    assert fed(table, [up(DEVICE), up(CONTROLLER), up(DEVICE)]) == []
    state = table.state()
    assert state is not None
    restarted = colorado()
    restarted.restore(msgspec.json.decode(msgspec.json.encode(state), type=TableState))
    for each in (table, restarted):
        (swapped,) = fed(each, [up(DEVICE, **{part: now})])
        assert (swapped.code, swapped.device, swapped.unreliable) == ("device-swapped", DEVICE, False)
        assert swapped.parts == (part.replace("_", "-"),)
        assert swapped.was == (getattr(up(DEVICE).body, part),)
        assert swapped.now == (now,)
        assert (now or "nothing") in swapped.text
        (back,) = fed(each, [up(DEVICE)])
        assert (back.code, back.now) == ("device-swapped", swapped.was)


def test_a_device_swapped_in_mid_round_spoils_it() -> None:
    seen = list(evening("clean-1"))
    middle = next(index for index, each in enumerate(seen) if isinstance(each.body, e.PacketLifted))
    swap = replace(up(DEVICE), session=seen[middle].session)
    (round_,) = of(RoundResult, fed(colorado(), [*seen[:middle], swap, *seen[middle:]]))
    assert round_.outcome == "unreliable"
    assert round_.incidents[0].code == "device-swapped"
    assert set(round_.incidents[0].parts) >= {"serial", "firmware-digest"}


def test_the_firmware_that_a_device_attests_is_known() -> None:
    (shuffler, controller) = [each.body for each in evening("clean-1") if isinstance(each.body, e.LinkUp)]
    assert len(shuffler.firmware_digest) == len(controller.firmware_digest) == 64


# ------------------------------------------------------------------ the device that a line is to have


@pytest.mark.parametrize("part", ["maker", "model", "serial", "firmware", "firmware_digest"])
def test_nothing_is_settled_while_another_device_is_there(part: str) -> None:
    seen = list(evening("clean-1"))
    heard = next(each.body for each in seen if isinstance(each.body, e.LinkUp) and each.device == DEVICE)
    pinned = {DEVICE: Pin(**{part: getattr(heard, part)})}
    table = colorado(pins=pinned)
    (good,) = of(RoundResult, fed(table, seen))
    assert good.outcome == "complete"
    assert not good.incidents
    session = next(each.session for each in seen if each.device == DEVICE)
    others = [replace(up(DEVICE, **{part: "other"}), session=session)]
    outcomes = fed(table, [*others, *renumbered(seen, session, 1), *renumbered(seen, session, 2)])
    assert [item.outcome for item in of(RoundResult, outcomes)] == ["unreliable", "unreliable"]
    assert [item.status for item in of(Settlement, outcomes)] == ["held", "held"]
    for wrong in (item for item in of(Incident, outcomes) if item.code == "device-not-pinned"):
        assert (wrong.parts, wrong.was) == ((part.replace("_", "-"),), (getattr(heard, part),))
        assert wrong.now == ("other",)
    assert codes(outcomes).count("device-not-pinned") == 3, "as it comes, and in each round"
    right = Seen(DEVICE, session, 0, 1, heard)
    outcomes = fed(table, [right, *renumbered(seen, session, 3)])
    assert [item.outcome for item in of(RoundResult, outcomes)] == ["complete"]
    assert "device-not-pinned" not in codes(outcomes)


def test_a_pinned_device_that_was_never_heard_is_not_there() -> None:
    (round_,) = of(RoundResult, fed(colorado(pins={"second-shuffler": NEVER}), list(evening("clean-1"))))
    (wrong,) = round_.incidents
    assert (round_.outcome, wrong.code, wrong.device, wrong.now) == (
        "unreliable",
        "device-not-pinned",
        "second-shuffler",
        ("",),
    )


# ------------------------------------------------------------------ pins in table.toml

PIN = '[table.device.pin]\nserial = "SHF-7"\nfirmware-digest = "{digest}"\n'
SHUFFLER = 'kind = "shuffler"\n'


def pinned(folder: Path, pin: str) -> Path:
    """The example with a pin at its first device."""
    file = written(folder)
    text = file.read_text()
    at = text.index("[[table.device]]", text.index("[[table.device]]") + 1)
    file.write_text(f"{text[:at]}{pin}{text[at:]}")
    return file


def test_a_pin_is_part_of_the_settings(tmp_path: Path) -> None:
    found = load_configuration(pinned(tmp_path, PIN.format(digest="0a" * 32))).table[0]
    table = build_table(found, Banks(), JournaledTable)
    name = found.device[0].name
    (wrong,) = fed(table, [replace(up(name), device=name)])
    assert (wrong.code, wrong.parts, wrong.was) == (
        "device-not-pinned",
        ("serial", "firmware-digest"),
        ("SHF-7", "0a" * 32),
    )
    assert '"firmware-digest": "0a0a' in configuration_of(found), "the journal has it, so that a rebuild gives the same"


def test_settings_without_a_pin_read_as_they_did_before_there_were_any(tmp_path: Path) -> None:
    assert "pin" not in configuration_of(load_configuration(written(tmp_path)).table[0]).replace('"pit-', "")


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("[table.device.pin]\n", "pin: pins nothing; allowed: maker, model, serial, firmware, firmware-digest"),
        ('[table.device.pin]\nserial = ""\n', "pin.serial"),
        ("[table.device.pin]\nserial = 7\n", "pin.serial"),
        ('[table.device.pin]\nfirmware-digest = "AB"\n', "pin.firmware-digest"),
        ('[table.device.pin]\nname = "x"\n', "pin.name: unknown key"),
    ],
)
def test_a_pin_that_cannot_be_is_refused(tmp_path: Path, pin: str, said: str) -> None:
    assert said in refusal(pinned(tmp_path, pin))


def test_a_shoe_that_does_not_say_who_it_is_cannot_be_pinned(tmp_path: Path) -> None:
    second = SECOND.format(name="pit-2", address="x")
    shoe = second.replace('4001"\n', '4001"\n[table.device.pin]\nmodel = "Angel Eye"\n')
    assert "uses angel-eye does not identify itself" in refusal(written(tmp_path, more=shoe))
