"""Public names, fixed in a test: adding or removing one is a decision, not an accident."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import dealwire

ROOT = Path(__file__).parent.parent

FACES = {
    "dealwire": "Capture CaptureWriter Card DealerFlow DealwireError Game Incident Legal LineConfig LineError "
    "LiveTable LocalError NoAnswer NoEvent NotPermitted NotUp Procedure Refused RemoteError Role RoundResult Seen "
    "Settlement Shoe Shuffler Snapshot Table TableController TableTerms Unfinished WrongDevice check_procedure events "
    "known_procedures load_game load_procedure open_device play replay settle simulate",
    "dealer_flow": "DealerFlow Incident Legal Procedure RoundResult Snapshot check_procedure known_procedures "
    "load_procedure",
    "rules": "AwardBook Game Meter MeterBank MeterRefused Settlement SettlementLine SettlementRefused "
    "TomlFileError game_ids load_game load_setup settle settle_linked",
    "protocol": "CARDS Card DECK DealwireError Fault LineError LocalError Place RemoteError fault_text parse_card "
    "parse_cards parse_place seat",
    "protocol.tdp": "Answered Brought Commanded Delivered DeviceLink Discarded Down Envelope EventStore Frame Framer "
    "HostBack HostLink HostLost LinkState LinkStats Lost Noise Opened Output Progressed Returned Send SessionRestarted "
    "Standing StatusSeen Timing Unanswered Unknown UnknownEvent Up decode describe encode encode_frame",
    "devices": "Capture CaptureWriter ManualClock Owner Recorded Seen Session Shoe Shuffler Supervisor SystemClock "
    "TableController dialect_named dialect_names open_device open_transport play",
    "devices.transport": "Faults LineClosed Opener Transport memory_pair",
}
"""Public names of each package; modules such as `protocol.tdp.messages` and `devices.events` are public too."""


def imported(package: str) -> dict[str, str]:
    """Return the names that type checkers see in a package, and the modules from which they come."""
    module = importlib.import_module(package)
    return {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text()))
        if isinstance(node, ast.ImportFrom) and node.module not in {"typing", "protocol.lazy", "dealwire.version"}
        for alias in node.names
    }


@pytest.mark.parametrize("package", FACES)
def test_the_face_of_a_package(package: str) -> None:
    """Each name exists and has a docstring, type checkers know the same names from the same modules, and there is no
    other."""
    module, names = importlib.import_module(package), FACES[package].split()
    checked = imported(package)
    assert sorted(checked) == sorted(names)
    if names:
        assert sorted(module.__all__) == names
        assert {name for name in dir(module) if not name.startswith("__")} >= set(names)
    for name in names:
        found = getattr(module, name)
        assert inspect.getdoc(found) or package.startswith("protocol")  # a list of cards explains itself
        home = importlib.import_module(checked[name])
        assert found is getattr(home, name)


@pytest.mark.parametrize("package", ["dealwire", "dealer_flow", "devices", "protocol.tdp"])
def test_an_unknown_name_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"{package}.*shuffle"):
        importlib.import_module(package).shuffle  # noqa: B018


def test_every_name_has_one_job() -> None:
    held = [name for job in dealwire.JOBS.values() for names in job.values() for name in names.split()]
    assert sorted(held) == dealwire.__all__
    assert list(dealwire.JOBS) == ["drive", "replay", "deal", "settle", "simulate"]


def test_a_face_loads_what_is_asked_for_and_no_more() -> None:
    code = "import sys, dealwire; dealwire.Role, dealwire.events, dealwire.DealwireError\n"
    code += "heavy = ('dealer_flow', 'rules', 'pydantic', 'transitions', 'serial', 'devices.drive.driving')\n"
    code += "print([name for name in sys.modules if name in heavy])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_a_lower_face_loads_what_is_asked_for_and_no_more() -> None:
    code = "import sys, protocol.tdp, devices; protocol.tdp.Framer\n"
    code += "print([name for name in sys.modules if name.endswith(('host_link', 'capture', 'serial'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_a_class_name_stands_for_one_thing() -> None:
    """No two packages have a public class with the same name; each dialect of `protocol` may have its own."""
    found: dict[str, set[str]] = {}
    for package in ("protocol", "devices", "dealer_flow", "rules", "dealwire"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, set()).add(package)
    assert {name: packages for name, packages in found.items() if len(packages) > 1} == {}
