"""Trust of a service: keys and list at a start, a list that ends, changes or is put back while it runs."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from dealwire.attest.firmware import ListRefused
from dealwire.attest.trust import SUFFIX, Trust
from dealwire.config.schema import AttestationPart
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from devices.attestation import Evidence, NotAttested
from tests.devices.test_attestation import HELLO, evidence
from tests.support.rigs import attested as rig

TODAY = date(2026, 11, 30)
TEXT = rig.list_text(7, first=TODAY, last=TODAY + timedelta(days=1))


def part(folder: Path, text: str = TEXT, **more: str) -> AttestationPart:
    rig.write_trust(folder, text)
    files = {"makers": "makers.pub", "signers": "signers.pub", "allowed": "allowed.list", **more}
    return AttestationPart.model_validate({key: folder / name for key, name in files.items()})


def why(trust: Trust, found: Evidence) -> str:
    """Return why a device has proved nothing; empty if it has."""
    try:
        trust.judge(found)
    except NotAttested as error:
        return error.why
    return ""


def test_a_list_that_ends_while_the_service_runs_allows_nothing_more(tmp_path: Path) -> None:
    day = [TODAY]
    trust = Trust(part(tmp_path), tmp_path / "journal", lambda: day[0]).begin()
    assert trust.in_words() == "list 7 of laboratory, 3 images, until 2026-12-01; makers: dealwire"
    assert why(trust, evidence()) == ""
    day[0] += timedelta(days=2)
    assert why(trust, evidence()) == "list 7 was valid until 2026-12-01"
    later = rig.list_text(8, first=TODAY, last=TODAY + timedelta(days=9))
    (tmp_path / "allowed.list").write_text(later)
    assert why(trust, evidence()) == ""
    assert trust.list.number == 8


@pytest.mark.parametrize(
    "text",
    [
        rig.list_text(6, first=TODAY, last=TODAY),
        rig.list_text(8, first=TODAY - timedelta(days=9), last=TODAY - timedelta(days=1)),
        rig.list_text(8, first=TODAY + timedelta(days=1), last=TODAY + timedelta(days=2)),
        rig.list_text(8, first=TODAY, last=TODAY, signer=rig.MAKER),
        rig.list_text(7, [rig.image_line("shoe")], first=TODAY, last=TODAY),
        rig.list_text(8, first=TODAY, last=TODAY).replace("shuffler", "shoe"),
        "",
        "tdp-firmware-list 9 2026-11-30 2026-11-30\n",
    ],
)
def test_another_file_in_its_place_changes_nothing(tmp_path: Path, text: str) -> None:
    trust = Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).begin()
    (tmp_path / "allowed.list").write_text(text)
    assert why(trust, evidence()) == ""
    assert trust.list.number == 7
    (tmp_path / "allowed.list").unlink()
    assert why(trust, evidence()) == ""
    (tmp_path / "allowed.list").write_text(text)
    with pytest.raises(ListRefused):
        Trust(part(tmp_path, text), tmp_path / "journal", lambda: TODAY).begin()


def test_the_newest_list_is_remembered_beside_the_journal(tmp_path: Path) -> None:
    Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).begin()
    noted = tmp_path / f"journal{SUFFIX}"
    assert noted.read_text().startswith("tdp-newest-list 7 ")
    before = noted.read_bytes()
    Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).opened()
    assert noted.read_bytes() == before
    older = rig.list_text(6, first=TODAY, last=TODAY)
    Trust(part(tmp_path, older), tmp_path / "another", lambda: TODAY).begin()
    for content in ("", "tdp-newest-list x y\n", "tdp-newest-list 7\n", before.decode() * 2):
        noted.write_text(content)
        with pytest.raises(KeyProblem, match="not the number of a list; allowed: one line"):
            Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).begin()
    noted.chmod(0o666)
    with pytest.raises(KeyUnsafe):
        Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).begin()


def test_the_image_is_that_of_the_class_maker_model_and_region(tmp_path: Path) -> None:
    lines = [rig.image_line("shoe"), rig.image_line("shuffler", region=1), rig.image_line("shuffler", b"1.0.1")]
    text = rig.list_text(7, lines, first=TODAY, last=TODAY)
    trust = Trust(part(tmp_path, text), tmp_path / "journal", lambda: TODAY).begin()
    assert why(trust, evidence()) == "its firmware (1.0.0, 5 bytes, SHA-256 92521fc3cbd964bd) is not on list 7"


def test_firmware_that_is_not_what_the_device_started_with_is_none(tmp_path: Path) -> None:
    trust = Trust(part(tmp_path), tmp_path / "journal", lambda: TODAY).begin()
    started = evidence(hello=replace(HELLO, digest=bytes(31) + b"\1"))
    assert why(trust, started) == "its firmware is not the one that it started with"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("SIM-0001", True),
        ("  sim-shuffler \t SIM-0001 ", True),
        ("dealwire sim-shuffler SIM-0001", True),
        ("SIM-0002", False),
        ("SIM-00", False),
        ("sim-shoe SIM-0001", False),
        ("dealwire", False),
        ("# SIM-0001", False),
        ("", False),
    ],
)
def test_a_line_refuses_one_certified_device(tmp_path: Path, line: str, refused: bool) -> None:
    (tmp_path / "refused.list").write_text(f"# none\nSIM-9999\n{line}\n")
    trust = Trust(part(tmp_path, refused="refused.list"), tmp_path / "journal", lambda: TODAY).begin()
    assert why(trust, evidence()) == ("the house refuses dealwire sim-shuffler SIM-0001" if refused else "")


def test_the_refused_devices_are_read_again_and_stay_refused_without_their_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "refused.list"
    for absent in (path.name, "r" * 300):
        with pytest.raises(KeyProblem, match=absent):
            Trust(part(tmp_path, refused=absent), tmp_path / "journal", lambda: TODAY).begin()
    path.write_text("")
    trust = Trust(part(tmp_path, refused="refused.list"), tmp_path / "journal", lambda: TODAY).begin()
    assert trust.in_words().endswith("makers: dealwire; refused devices: 0")
    assert why(trust, evidence()) == ""
    path.write_text("SIM-0001\n")
    assert why(trust, evidence()) == "the house refuses dealwire sim-shuffler SIM-0001"
    for _ in range(2):
        path.unlink(missing_ok=True)
        assert why(trust, evidence()) == "the house refuses dealwire sim-shuffler SIM-0001"
    assert [each.getMessage().endswith("the 1 refused before stay refused") for each in caplog.records] == [True]
    path.write_text("")
    path.chmod(0o666)
    assert why(trust, evidence()) == "the house refuses dealwire sim-shuffler SIM-0001"
    path.chmod(0o644)
    path.write_text("# let in again\n")
    assert why(trust, evidence()) == ""
    path.chmod(0o666)
    with pytest.raises(KeyUnsafe):
        Trust(part(tmp_path, refused="refused.list"), tmp_path / "journal", lambda: TODAY).begin()
