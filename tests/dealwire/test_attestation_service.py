"""A table whose devices must prove their firmware: at the start, in mid-shift, on demand; clones, old lists."""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealwire.attest.firmware import AllowedFirmware, ListRefused
from dealwire.attest.trust import Trust
from dealwire.cli import main
from dealwire.hub.hub import Request
from dealwire.hub.view import DeviceView
from dealwire.journal.records import RAW
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.service import attesting
from dealwire.service.actions import ActionRefused, of_attested
from dealwire.service.service import Service
from devices.attestation import FirmwareProof
from devices.simulator.identity import Identity
from devices.simulator.unit import Unit
from devices.simulator.unit_seal import UnitSeal
from devices.transport.ciphers import Ciphers
from protocol.tdp.codec import decode
from protocol.tdp.framing import Frame, Framer
from protocol.tdp.messages import VerifyMessage
from tests.dealwire.test_sealed_tables import LINES, keyed, sealed_configuration
from tests.support.rigs import attested as rig
from tests.support.rigs.serving import (
    Listener,
    compared,
    journal_reader,
    opened,
    run_until,
    simulators_here,
    write_configuration,
)

NAME = "table-1"
CHANGED = b"1.0.0 with a back door"


def shown(service: Service, device: str = "shuffler") -> DeviceView:
    (found,) = [each for each in service.hub.views()[NAME].devices if each.name == device]
    return found


def rounds_after(service: Service, listener: Listener, count: int) -> list[dict[str, Any]]:
    """Serve until `count` more rounds ended, and return them."""
    before = len(listener.of("round"))
    run_until(service, lambda: len(listener.of("round")) >= before + count)
    return listener.of("round")[before:]


def unit_of(table: DealtTable, kind: str = "shuffler") -> Unit:
    unit = table.units[kind]
    assert isinstance(unit, Unit)
    return unit


def demanded(service: Service, device: str = "shuffler", who: str = "technician") -> Future[str]:
    answer: Future[str] = Future()
    service.hub.ask(Request(NAME, "attest", {"device": device}, who, "", answer))
    return answer


def test_rounds_name_the_firmware_that_the_devices_proved(tmp_path: Path) -> None:
    with simulators_here(prepare=rig.identified) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 2)
            assert shown(service).firmware == "firmware 1.0.0 proved, list 7"
    digest = hashlib.sha256(b"1.0.0").hexdigest()
    each = [{"device": name, "sha256": digest, "version": "1.0.0"} for name in ("controller", "shuffler")]
    rounds = listener.of("round")
    assert [one["firmware"] for one in rounds] == [each] * len(rounds)
    assert {one["outcome"] for one in rounds} <= {"complete", "misdeal"}
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def test_a_table_without_the_setting_says_nothing_of_firmware(tmp_path: Path) -> None:
    with simulators_here(prepare=rig.identified) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            assert shown(service).firmware == ""
    assert "firmware" not in listener.of("round")[0]


@pytest.mark.parametrize(
    ("clone", "why"),
    [
        ("no key", "it does not claim to attest"),
        ("another key", "its signature does not fit the key that its maker certified"),
        ("wrong maker", "its certificate is not one of its maker for dealwire sim-shuffler SIM-0001"),
        ("other serial", "its certificate is not one of its maker for dealwire sim-shuffler SIM-0001"),
        ("changed", "its firmware (1.0.0, 22 bytes, SHA-256 "),
    ],
)
def test_a_clone_is_refused_in_one_line_and_nothing_is_settled(
    tmp_path: Path, clone: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Its rounds are held as long as it is there."""

    def prepare(table: DealtTable) -> None:
        rig.identified(table)
        unit = unit_of(table)
        if clone == "no key":
            unit.instruments = unit.instruments._replace(signer=None)
        elif clone == "another key":  # it shows the certificate of the device that it copies, and signs with its own
            signer = unit.instruments.signer
            assert signer is not None
            unit.instruments = unit.instruments._replace(signer=signer._replace(sign=rig.device_key(9).sign))
        elif clone == "wrong maker":
            unit.identify(rig.identity(0, "shuffler", maker=rig.OTHER_MAKER))
        elif clone == "other serial":
            unit.identify(rig.identity(0, "shuffler", serial="SIM-0002"))
        else:
            unit.image = CHANGED

    with simulators_here(prepare=prepare) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            first, second = rounds_after(service, listener, 2)[:2]
            assert shown(service).firmware.startswith(f"firmware not proved: {why}")
    for one in (first, second):
        assert one["outcome"] == "unreliable"
        assert [each["device"] for each in one["firmware"]] == ["controller"]
        assert "device-not-attested" in [each["code"] for each in one["incidents"]]
    assert {each["status"] for each in listener.of("settlement")} == {"held"}
    lines = [each.getMessage() for each in caplog.records if "is not attested" in each.getMessage()]
    assert [line for line in lines if line.startswith(f"table-1, shuffler is not attested: {why}")]
    assert len(lines) == 1, "one line, however often it is asked"
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def test_firmware_that_changes_in_mid_shift_is_an_incident(tmp_path: Path) -> None:
    tables: list[DealtTable] = []

    def prepare(table: DealtTable) -> None:
        rig.identified(table)
        tables.append(table)

    with simulators_here(prepare=prepare) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            assert listener.of("round")[0]["outcome"] != "unreliable"
            unit_of(tables[0]).image = CHANGED
            answer = demanded(service)
            run_until(service, answer.done)
            with pytest.raises(ActionRefused, match=r"attest: shuffler failed: its firmware \(1.0.0, 22 bytes"):
                answer.result()
            _, last = rounds_after(service, listener, 2)[:2]
            assert last["outcome"] == "unreliable"
            unit_of(tables[0]).image = b"1.0.0"
            answer = demanded(service)
            run_until(service, answer.done)
            assert answer.result() == "shuffler has proved its firmware: 1.0.0, list 7."
            _, last = rounds_after(service, listener, 2)[:2]
            assert last["outcome"] != "unreliable"
    assert [each["device"] for each in listener.of("incident") if each["code"] == "device-not-attested"]
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def test_allowed_firmware_that_is_another_than_before_is_an_incident_too(tmp_path: Path) -> None:
    tables: list[DealtTable] = []

    def prepare(table: DealtTable) -> None:
        rig.identified(table)
        tables.append(table)
        unit_of(table).session_sticks = False

    lines = [*(rig.image_line(kind) for kind in rig.CLASSES), rig.image_line("shuffler", CHANGED, version="1.1")]
    top = rig.write_trust(tmp_path, rig.list_text(lines=lines))
    with simulators_here(prepare=prepare) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=top))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            unit_of(tables[0]).image = CHANGED
            answer = demanded(service)
            run_until(service, answer.done)
            with pytest.raises(ActionRefused, match="its firmware is not the one that it started with"):
                answer.result()


@pytest.mark.more
def test_a_list_that_ended_an_older_one_and_a_changed_one_are_refused_at_the_start(tmp_path: Path) -> None:
    top = rig.write_trust(tmp_path)
    with simulators_here(prepare=rig.identified) as addresses:
        file = write_configuration(tmp_path, addresses, top=top)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
        yesterday = date.today() - timedelta(days=1)
        for text, why in (
            (rig.list_text(6), r"allowed.list: list 6 is older than list 7, which this table has used"),
            (rig.list_text(7, [rig.image_line("shoe")]), r"it is not the list 7 that was used before"),
            (rig.list_text(8, last=yesterday), rf"list 8 was valid until {yesterday}"),
            (rig.list_text(8, signer=rig.MAKER), r"its signer [0-9a-f]{16} is not trusted"),
            (rig.list_text(8).replace("1.0.0", "1.0.1"), r"the signature of laboratory does not fit its content"),
            (rig.list_text(8).rpartition("signed")[0], r"it is not signed"),
        ):
            (tmp_path / "allowed.list").write_text(text)
            service, _ = opened(file)
            with pytest.raises(ListRefused, match=why), service:
                pass
        (tmp_path / "allowed.list").write_text(rig.list_text(8))
        service, listener = opened(file)
        with service:
            run_until(service, lambda: shown(service).firmware == "firmware 1.0.0 proved, list 8")


def test_a_list_that_is_put_back_while_the_table_runs_does_not_count(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And one that ends meanwhile holds the money."""
    top = rig.write_trust(tmp_path)
    with simulators_here(prepare=rig.identified) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=top))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            (tmp_path / "allowed.list").write_text(rig.list_text(6, [rig.image_line("shuffler", CHANGED)]))
            answer = demanded(service)
            run_until(service, answer.done)
            assert answer.result() == "shuffler has proved its firmware: 1.0.0, list 7."
    assert any("list 6 is older than list 7" in each.getMessage() for each in caplog.records)


@pytest.mark.more
def test_one_line_refuses_one_certified_device(tmp_path: Path) -> None:
    """A stolen device, whose certificate is still good: by one line and SIGHUP, while the table runs. The other device
    of the same serial number is not meant, and no table starts over."""
    top = rig.write_trust(tmp_path, more='refused = "refused.list"\n')
    (tmp_path / "refused.list").write_text("# nobody yet\n")
    with simulators_here(prepare=rig.identified) as addresses:
        file = write_configuration(tmp_path, addresses, top=top)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            assert listener.of("round")[0]["outcome"] != "unreliable"
            (tmp_path / "refused.list").write_text("sim-shuffler SIM-0001\n")
            assert "refused devices 1, and each device is asked again" in service.reloads.run()
            why = "firmware not proved: the house refuses dealwire sim-shuffler SIM-0001"
            run_until(service, lambda: shown(service).firmware == why)
            _, last = rounds_after(service, listener, 2)[:2]
            assert last["outcome"] == "unreliable"
            assert shown(service, "controller").firmware == "firmware 1.0.0 proved, list 7"
        service, listener = opened(file)
        with service:
            run_until(service, lambda: shown(service).firmware == why)
            assert [each["text"] for each in listener.of("status") if each["kind"] == "started"] == [
                "table table-1 resumes"
            ]
            (tmp_path / "refused.list").write_text("")
            service.reloads.run()
            run_until(service, lambda: shown(service).firmware == "firmware 1.0.0 proved, list 7")
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def test_a_key_at_two_tables_is_a_copy_and_both_are_held(tmp_path: Path) -> None:
    """One has the key of the other, stolen with its memory: the host cannot tell which is the device."""
    top = rig.write_trust(tmp_path)
    with simulators_here(prepare=rig.identified) as (one,), simulators_here(prepare=rig.identified, seed=2) as (two,):
        service, listener = opened(write_configuration(tmp_path, [one, two], top=top))
        with service:
            run_until(service, lambda: len({each["text"] for each in twins(listener)}) == 4)
            done = len(listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) >= done + 4)
    texts = {each["text"] for each in twins(listener)}
    assert "shuffler has not proved its firmware: its key is in use at table table-2, shuffler, too" in texts
    assert "shuffler has not proved its firmware: its key is in use at table table-1, shuffler, too" in texts
    assert {each["outcome"] for each in listener.of("round")[-2:]} == {"unreliable"}
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def twins(listener: Listener) -> list[dict[str, Any]]:
    return [each for each in listener.of("incident") if "its key is in use" in each["text"]]


@pytest.mark.parametrize("relayed", [False, True])
def test_on_a_sealed_line_the_signature_names_the_key_of_the_line(tmp_path: Path, relayed: bool) -> None:
    """A clone that is paired itself, and has the true device elsewhere sign for it, is found out."""
    keyed(tmp_path)

    def prepare(table: DealtTable) -> None:
        for number, kind in enumerate(table.units):
            unit, path = unit_of(table, kind), tmp_path / "ids" / f"{kind}.identity"
            unit.seal = UnitSeal(Ciphers(), path)
            own, signer = Identity.read(path), rig.identity(number, kind)
            unit.identify(signer if relayed and kind == "shuffler" else signer._replace(secret=own.secret))

    with simulators_here(prepare=prepare) as (addresses,):
        file = sealed_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace(LINES, LINES + rig.write_trust(tmp_path)))
        service, listener = opened(file)
        with service:
            one = rounds_after(service, listener, 1)[0]
            shows = shown(service).firmware
    assert [each["device"] for each in one["firmware"]] == ["controller", "shuffler"][: 1 if relayed else 2]
    assert (one["outcome"] == "unreliable") is relayed
    failed = "firmware not proved: it signed for another line than the one it is on"
    assert shows == (failed if relayed else "firmware 1.0.0 proved, list 7")


@pytest.mark.more
def test_a_restart_goes_on_with_what_was_proved(tmp_path: Path) -> None:
    with simulators_here(prepare=rig.identified) as addresses:
        file = write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path))
        service, listener = opened(file)
        with service:
            rounds_after(service, listener, 2)
        service, listener = opened(file)
        with service:
            found = rounds_after(service, listener, 2)
            run_until(service, lambda: shown(service).firmware == "firmware 1.0.0 proved, list 7")
    assert [each["device"] for each in found[-1]["firmware"]] == ["controller", "shuffler"]
    assert not [each for each in listener.of("incident") if each["code"] == "device-not-attested"]
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def challenges(folder: Path) -> int:
    """Return the number of VERIFY commands in the journal's raw record."""
    with journal_reader(folder) as reader:
        passed = (each for record in reader.records() if record.kind in RAW for each in reader.passed(record))
        pieces = [piece for each in passed if each.sent for piece in Framer().feed(each.data)]
        bodies = [piece.body for piece in pieces if isinstance(piece, Frame)]
        return sum(isinstance(decode(body).message, VerifyMessage) for body in bodies)


@pytest.mark.more
def test_devices_are_asked_at_random_moments_without_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attesting, "MINUTE_NS", 1_000_000)  # a round trip takes longer
    with simulators_here(prepare=rig.identified) as addresses:
        file = write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path, more="each-minutes = 1\n"))
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 2)
            began = service.clock.now_ns()
            run_until(service, lambda: service.clock.now_ns() > began + 5_000_000_000)
    assert challenges(tmp_path) >= 6, "two as they connected, and more since"
    assert not [each for each in listener.of("incident") if each["code"] == "device-not-attested"]


@pytest.mark.more
@pytest.mark.parametrize("how", ["refuses", "is deaf"])
def test_a_device_that_never_answers_is_given_up(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it evades the question: it says no, or it does not hear it."""
    monkeypatch.setattr(attesting, "RETRY_NS", 1_000_000)

    def prepare(table: DealtTable) -> None:
        rig.identified(table)
        unit = unit_of(table)
        if how == "refuses":
            unit.instruments = unit.instruments._replace(image=lambda _: None)
        else:
            receive = unit.receive

            def deaf(data: bytes, now_ns: int) -> None:
                if b"\x25" not in data:
                    receive(data, now_ns)

            unit.receive = deaf  # type: ignore[method-assign]

    with simulators_here(prepare=prepare) as addresses:
        service, _ = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            why = {"refuses": "it refused to measure its firmware", "is deaf": "it did not answer"}[how]
            run_until(service, lambda: shown(service).firmware == f"firmware not proved: {why}")


def audited(folder: Path, maker: Ed25519PrivateKey = rig.MAKER) -> Result:
    (folder / "audit.pub").write_text(f"tdp-maker-public {rig.public_half(maker).hex()} dealwire\n")
    files = [folder / "journal.sqlite", "--key", folder / "journal.key", "--makers", folder / "audit.pub"]
    return CliRunner().invoke(main, ["device", "attest", "journal", *map(str, files)])


def test_an_auditor_checks_the_signatures_again(tmp_path: Path) -> None:
    with simulators_here(prepare=rig.identified) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            run_until(service, (answer := demanded(service)).done)
    good = audited(tmp_path)
    assert (good.exit_code, good.output.splitlines()[-1]) == (0, "5 hold, 0 do not"), answer.result()
    other = audited(tmp_path, rig.OTHER_MAKER)
    assert other.exit_code == 1
    assert "does NOT hold: its certificate is not one of its maker for dealwire" in other.output


def test_a_verdict_that_nobody_signed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An insider's program takes a clone for the device and writes so."""
    made = FirmwareProof(bytes(32), 0, 5, hashlib.sha256(b"1.0.0").digest())
    entry = AllowedFirmware(1, 0, 5, made.sha256, "dealwire", "sim-shuffler", "1.0.0")
    monkeypatch.setattr(Trust, "judge", lambda _self, _found: (made, entry))
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses, top=rig.write_trust(tmp_path)))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
    found = audited(tmp_path)
    assert found.exit_code == 1
    assert "noted 1.0.0, SHA-256 92521fc3cbd964bd: does NOT hold: no signature before it shows this" in found.output


def test_only_some_may_demand_it_and_of_devices_that_must(tmp_path: Path) -> None:
    top = rig.write_trust(tmp_path, more='without = ["table-1/controller"]\n')
    with simulators_here(prepare=rig.identified) as addresses:
        service, _ = opened(write_configuration(tmp_path, addresses, top=top))
        with service:
            run_until(service, lambda: shown(service).firmware == "firmware 1.0.0 proved, list 7")
            assert shown(service, "controller").firmware == ""
            assert service.attested(NAME) == ["shuffler"]
            for device, who, why in (
                ("shuffler", "dealer", "a dealer may not do this; allowed: supervisor, technician"),
                ("controller", "technician", "controller need not prove its firmware"),
            ):
                answer = demanded(service, device, who)
                run_until(service, answer.done)
                with pytest.raises(ActionRefused, match=why):
                    answer.result()
            (button,) = of_attested(service.attested(NAME))
            assert (button.id, button.available(service.hub.views()[NAME])) == ("shuffler.attest", "")
