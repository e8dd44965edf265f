"""Badges at the table of a service: compared with the users file, on record and on the page, over reloads, restarts and
kills."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.config.schema import PeoplePart
from dealwire.console.roll import Roll, people_reload
from dealwire.hub.view import TableView
from dealwire.journal import JournalReader
from dealwire.journal.records import NOTE
from dealwire.journal.rounds import RoundReader
from dealwire.people.badges import BadgeList
from dealwire.people.users import UsersUnusable, read_users
from dealwire.service.service import Service
from dealwire.sheet.gather import MadeWith, gather
from dealwire.table.believed import BelievedBadges
from devices.listed import ListedBadge, NotedBadges, parse_note
from tests.support.programs.untidy_kills import shown
from tests.support.rigs.patience import wait_until
from tests.support.rigs.people import user_entry, users_file
from tests.support.rigs.played_devices import KilledService, PlayedDevices, PlayedHand, configured
from tests.support.rigs.serving import (
    compared,
    journal_reader,
    opened,
    published,
    run_until,
    simulators_here,
    write_configuration,
)

JACKPOT = Path(__file__).parents[2] / "docs" / "examples" / "jackpot-bad-beat.toml"

NAME = "table-1"
TOP = '[people]\nusers-file = "users.toml"\nbadges = "listed"\n'
SWIPED = 7001
"""Badge of the simulated supervisor."""


@pytest.mark.parametrize(
    ("badge", "level", "found"),
    [
        (11, "supervisor", ("ann", "")),
        (11, None, ("ann", "")),
        (11, "executive", ("", "it is ann's, of level supervisor; the device reports executive")),
        (12, "supervisor", ("", "it is bea's, who may no longer act")),
        (13, "dealer", ("", "it is cid's, who may not act at this table")),
        (14, "supervisor", ("", "it is dan's, who may no longer act")),
        (99, "supervisor", ("", "it is not in the users file")),
    ],
)
def test_a_badge_counts_for_its_person_level_and_table(
    tmp_path: Path, badge: int, level: str | None, found: tuple[str, str]
) -> None:
    file = users_file(
        tmp_path,
        user_entry("ann", badge=11),
        user_entry("bea", badge=12, disabled=True),
        user_entry("cid", "dealer", badge=13, level="dealer", tables=["pit-2"]),
        user_entry("dan", badge=14, until="2020-01-31"),
    )
    badges = BelievedBadges(BadgeList(read_users(file)).at("pit-1"))
    assert badges.look_up(badge, level, 1_800_000_000_000_000_000) == found


def view(service: Service) -> TableView:
    return service.hub.views()[NAME]


def troubles(service: Service) -> list[str]:
    return [each.cause for each in view(service).trouble if each.kind == "badge"]


@pytest.mark.more
def test_a_badge_that_is_not_listed_is_on_record_and_on_the_page(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        users_file(tmp_path, user_entry("ann", badge=11))
        service, _ = opened(write_configuration(tmp_path, addresses, top=TOP))
        with service:
            run_until(service, lambda: bool(troubles(service)))
            unlisted = f"badge {SWIPED} at controller: it is not in the users file"
            assert troubles(service) == [unlisted]
            part = PeoplePart.model_validate({"users-file": tmp_path / "users.toml"})
            name, read, install = people_reload(part, lambda roll: service.install_users(roll.users))
            users_file(tmp_path, user_entry("ann", badge=11), user_entry("ann", badge=12))
            with pytest.raises(UsersUnusable, match="defined twice"):
                read()
            users_file(tmp_path, user_entry("ann", badge=11), user_entry("sue", badge=SWIPED))
            newer = read()
            assert isinstance(newer, Roll)
            assert (name, install(newer)) == ("users.toml", "2 users")
            run_until(service, lambda: not troubles(service))
    lines = lines_of(tmp_path, "status")
    texts = list(dict.fromkeys(line["text"] for line in lines if line["kind"] == "badge"))
    assert texts == [unlisted, f"badge {SWIPED} at controller: sue"]
    assert counts(tmp_path) == [1, 2]
    refused = [line for line in lines_of(tmp_path, "incident") if line["code"] == "badge-refused"]
    assert {(line["badge"], line["device"], line["words"]) for line in refused} == {
        (SWIPED, "controller", "it is not in the users file")
    }
    assert compared(tmp_path).difference is None
    numbers = [line["round"] for line in lines_of(tmp_path, "round")]
    with RoundReader(tmp_path / "journal.sqlite") as reader:
        sheets = [gather(reader, NAME, number, MadeWith(1)) for number in numbers]
    listed = [each.text for sheet in sheets for each in sheet.lines if "badge" in each.text]
    assert set(listed) <= {
        f"controller: by the house's list, {words}" for words in ("1 badge counts", "2 badges count")
    }
    used = {each.text for sheet in sheets for each in sheet.people if "badge swiped" in each.text}
    by = f"controller: badge swiped, badge {SWIPED} (supervisor)"
    assert f"{by}, which does not count: it is not in the users file" in used


def lines_of(folder: Path, topic: str) -> list[dict[str, Any]]:
    return [json.loads(item.line) for item in published(folder, topic)]


def counts(folder: Path) -> list[int]:
    """Return the number of badges on each list that a table's record got."""
    return [line["fields"]["count"] for line in lines_of(folder, "event") if line["event"] == "BadgesListed"]


def notes(folder: Path) -> list[NotedBadges]:
    with JournalReader(folder / "journal.sqlite") as reader:
        found = [(record.line, parse_note(record.text)) for record in reader.records() if record.kind == NOTE]
        lines = {reader.lines()[line].name for line, fact in found if fact is not None}
    assert lines <= {"controller"}, "the controller's line, where it is open"
    return [fact for _, fact in found if fact is not None]


def believed(service: Service) -> NotedBadges | None:
    badges = service.tables[NAME].table.badges
    return badges.noted if badges is not None else None


def served(folder: Path, addresses: list[dict[str, str]], top: str, *entries: str) -> NotedBadges | None:
    """Serve until a round ended, and return the badges that then count."""
    users_file(folder, *entries)
    service, listener = opened(write_configuration(folder, addresses, top=top))
    with service:
        run_until(service, lambda: bool(listener.of("round")))
        return believed(service)


@pytest.mark.more
def test_a_record_gets_the_list_when_it_is_another(tmp_path: Path) -> None:
    """The same list at a restart is on record already. No change of it starts the table over."""
    ann, sue = user_entry("ann", badge=11), user_entry("sue", badge=SWIPED)
    one, two = ListedBadge(11, "supervisor", "ann"), ListedBadge(SWIPED, "supervisor", "sue")
    with simulators_here() as addresses:
        for top, entries, listed in (
            (TOP, (ann,), (one,)),
            (TOP, (ann,), (one,)),
            (TOP, (ann, sue), (one, two)),
            (TOP.replace("listed", "any"), (ann, sue), None),
            (TOP.replace("listed", "any"), (ann, sue), None),
            ("", (), None),
            (TOP, (sue,), (two,)),
            ("", (), None),
        ):
            found = served(tmp_path, addresses, top, *entries)
            assert (found.listed if found is not None else None) == listed
    assert [fact.listed for fact in notes(tmp_path)] == [(one,), (one, two), (), (two,), ()]
    assert [fact.compared for fact in notes(tmp_path)] == [True, True, False, True, False]
    texts = [line["text"] for line in lines_of(tmp_path, "status") if line["kind"] == "started"]
    assert texts == [f"table {NAME} starts a new record", *[f"table {NAME} resumes"] * 7]
    assert compared(tmp_path).difference is None


def test_a_service_without_a_list_writes_nothing_about_one(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        for top in ("", TOP.replace("listed", "any")):
            assert served(tmp_path, addresses, top, user_entry("ann", badge=11)) is None
    assert (notes(tmp_path), counts(tmp_path)) == ([], [])
    with journal_reader(tmp_path) as reader:
        kept = reader.snapshot(NAME)
    assert kept is not None
    assert b'"badges"' not in kept.state


SWIPES = (
    "controller HandButton: hand 2; on true",
    "confirm",
    *(f"controller BadgeSwiped: badge {number}; level supervisor" for number in (11, 11, 12)),
)


AWARDS = [
    ("hand-on", None, "the pools of jackpot bad-beat are to be posted"),
    ("confirmed", None, "posting of jackpot bad-beat is confirmed"),
    ("waits", 11, "ann swiped badge 11; another person must swipe one within 15 minutes"),
    ("refused", 11, "badge 11 is ann's, who swiped first; another person must swipe one"),
    ("posted", 12, "the award is posted at $5,000; it was $5,000, by ann and bob"),
]


def kinds_of(awards: Iterable[dict[str, Any]]) -> list[tuple[str, int | None, str]]:
    return [(line["kind"], line["badge"], line["why"]) for line in awards]


def test_a_posting_waits_for_its_second_person_over_a_kill(tmp_path: Path) -> None:
    hand = PlayedHand("holdem.co", SWIPES, {})
    users_file(tmp_path, user_entry("ann", badge=11), user_entry("bob", badge=12))
    people = f'{TOP}second-person = ["post"]\n'
    shutil.copy(JACKPOT, tmp_path / "jackpot.toml")
    with PlayedDevices(hand, 1) as devices:
        file = configured(tmp_path, hand, devices.addresses)
        text = file.read_text().replace("[[table]]\n", f'{people}[[table]]\njackpot = "jackpot.toml"\n')
        file.write_text(text)
        for lines in ((0, 1, 2), (3,), (4,)):
            service = KilledService(file)
            shown(service)
            for line in lines:
                devices.play(line)
            wait_until(devices.heard, "an acknowledgment")
            service.kill()
    assert kinds_of(lines_of(tmp_path, "award")) == AWARDS
    assert counts(tmp_path) == [2]
    assert compared(tmp_path).difference is None
    capture, runner = str(tmp_path / "out.pcapng"), CliRunner()
    whole = ["--capture", capture, "--key", str(tmp_path / "journal.key")]
    assert runner.invoke(main, ["journal", "export", str(tmp_path / "journal.sqlite"), *whole]).exit_code == 0
    done = runner.invoke(main, ["replay", capture, "--jackpot", str(tmp_path / "jackpot.toml"), "--json"])
    again = [json.loads(line) for line in done.stdout.splitlines()]
    assert kinds_of(line for line in again if line["type"] == "award") == AWARDS, "the list is in a recording, too"
