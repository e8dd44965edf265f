"""The public face, pinned: a name that comes or goes is a decision, not an accident."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import dealwire

ROOT = Path(__file__).parent.parent

PUBLIC = {
    "Capture", "CaptureWriter", "Card", "DealerFlow", "DealwireError", "Game", "Incident", "LineConfig", "LiveTable",
    "Procedure", "RoundResult", "Seen", "Settlement", "Table", "TableTerms", "load_game", "load_procedure", "play",
    "settle",
}  # fmt: skip


def test_the_public_names() -> None:
    assert set(dealwire.__all__) == PUBLIC
    assert sorted(dealwire.__all__) == dealwire.__all__


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_there_and_explained(name: str) -> None:
    assert getattr(dealwire, name).__doc__


def test_type_checkers_and_the_interpreter_see_the_same_names() -> None:
    """The lazy table and the imports for type checkers say the same, name by name."""
    tree = ast.parse((ROOT / "dealwire/__init__.py").read_text())
    checked = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert checked == dealwire._HOMES


@pytest.mark.parametrize("package", ["dealwire", "devices", "protocol.tdp"])
def test_an_unknown_name_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match=rf"{package}.*shuffle"):
        importlib.import_module(package).shuffle  # noqa: B018


def test_the_same_class_under_both_names() -> None:
    import dealer_flow.record.result
    import protocol.cards

    assert dealwire.RoundResult is dealer_flow.record.result.RoundResult
    assert dealwire.Card is protocol.cards.Card


FACES = {
    "protocol": "CARDS Card DECK DealwireError Fault LineError LocalError Place RemoteError fault_text parse_card "
    "parse_cards parse_place seat",
    "protocol.tdp": "Answered Commanded Delivered DeviceLink Discarded Down Envelope EventStore Frame Framer HostBack "
    "HostLink HostLost LinkState LinkStats Lost Noise Opened Output Progressed Send SessionChanged Standing StatusSeen "
    "Timing Unanswered Unknown UnknownEvent Up decode describe encode encode_frame",
    "devices": "Capture CaptureWriter ManualClock Owner Recorded Seen Session Shoe Shuffler Supervisor SystemClock "
    "TableController dialect_named dialect_names open_transport play",
    "devices.transport": "Faults LineClosed Opener Transport line_at memory_pair open_transport",
    "dealer_flow": "",
}
"""What each package below offers; modules such as `protocol.tdp.messages` and `devices.events` are public too."""


@pytest.mark.parametrize("package", FACES)
def test_the_face_of_a_package(package: str) -> None:
    """Each name is there, type checkers know the same ones from the same modules, and nothing else is exported."""
    module = importlib.import_module(package)
    names = FACES[package].split()
    checked = {
        alias.name: node.module
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text()))
        if isinstance(node, ast.ImportFrom) and node.module not in {"typing", "protocol.lazy"}
        for alias in node.names
    }
    assert sorted(checked) == sorted(names) == dir(module) if names else checked == {}
    for name in names:
        assert getattr(module, name) is getattr(importlib.import_module(str(checked[name])), name)


def test_a_face_loads_what_is_asked_for_and_no_more() -> None:
    code = "import sys, protocol.tdp, devices; protocol.tdp.Framer\n"
    code += "print([name for name in sys.modules if name.endswith(('host_link', 'capture', 'serial'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
