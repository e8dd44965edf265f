"""The public face, pinned: a name that comes or goes is a decision, not an accident."""

import ast
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


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"dealwire.*shuffle"):
        dealwire.shuffle  # noqa: B018


def test_the_same_class_under_both_names() -> None:
    import dealer_flow.record.result
    import protocol.cards

    assert dealwire.RoundResult is dealer_flow.record.result.RoundResult
    assert dealwire.Card is protocol.cards.Card


def module_names(path: Path) -> set[str]:
    """Names without underscore that a package's `__init__` defines or imports at module level."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("package", ["protocol", "devices", "dealer_flow"])
def test_the_packages_below_export_nothing_by_accident(package: str) -> None:
    """Their names are imported from the modules that define them."""
    assert module_names(ROOT / package / "__init__.py") == set()


RENAMED_SOON = {
    "BadgeSwiped", "Booted", "BurnConfirmed", "BurnStarted", "CardDrawn", "CardDrawnOutside", "CardMishandled",
    "CardRejected", "CardReportedAgain", "CardsCounted", "Confirmed", "CutCardSeen", "DecisionMade",
    "DeckLoaded", "DeckRemoved", "DeckVerified", "DoorMoved", "FaultCleared", "FaultRaised", "Framer", "Game",
    "GameEnded", "GameSelected", "GameStarted", "GreenButton", "HandButton", "HandRevealed", "Kind",
    "MisdealCalled", "MisdealCleared", "Packet", "PacketDispensed", "PacketLifted", "RedLamp",
    "RemainderDumped", "RemainderLifted", "Row", "SensorChanged", "SessionChanged", "Shoe", "ShoeEnded",
    "ShoeError", "ShoeErrorCleared", "ShoeLoaded", "ShuffleStarted", "SimulatedTable", "SpotSelected", "State",
    "StateChanged", "Step", "Table", "Told", "Trouble", "Verdict", "WagerPlaced",
}  # fmt: skip
"""Names that still stand for two things: a device's message and the report made of it, and some of the simulators'."""


def test_a_class_name_stands_for_one_thing() -> None:
    """No two packages have a public class of the same name; the dialects of `protocol` may have each their own."""
    found: dict[str, set[str]] = {}
    for package in ("protocol", "devices", "dealer_flow", "rules", "dealwire"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, set()).add(package)
    assert {name for name, packages in found.items() if len(packages) > 1} <= RENAMED_SOON
