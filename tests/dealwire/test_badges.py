"""Badges at the table are compared with the users file: on record, on the page, and never in the settlement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dealwire.config.schema import PeoplePart
from dealwire.console.roll import Roll, people_reload
from dealwire.hub.view import TableView
from dealwire.people.badges import BadgeList
from dealwire.people.users import UsersUnusable, read_users
from dealwire.service.service import Service
from tests.support.rigs.people import user_entry, users_file
from tests.support.rigs.serving import compared, opened, published, run_until, simulators, write_configuration

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
    assert BadgeList(read_users(file)).look_up("pit-1", badge, level, 1_800_000_000_000_000_000) == found


def view(service: Service) -> TableView:
    return service.hub.views()[NAME]


def troubles(service: Service) -> list[str]:
    return [each.cause for each in view(service).trouble if each.kind == "badge"]


@pytest.mark.more
def test_a_badge_that_is_not_listed_is_on_record_and_on_the_page(tmp_path: Path) -> None:
    with simulators(faults=1.0, seed=5) as addresses:
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
    lines = [json.loads(item.line) for item in published(tmp_path, "status")]
    texts = list(dict.fromkeys(line["text"] for line in lines if line["kind"] == "badge"))
    assert texts == [unlisted, f"badge {SWIPED} at controller: sue"]
    assert compared(tmp_path).difference is None
