"""Import rules between packages, read from the syntax trees: the table of `docs/architecture.md` stays true."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parent.parent
PACKAGES = ("protocol", "devices", "dealer_flow", "rules", "dealwire")
"""Packages, lowest first: a package may import itself and those before it."""

SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


When = Literal["module", "function", "typing"]
"""Time of an import: as its module is loaded, as a function is called, or for type checkers only."""


BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a statement with the statements below it."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


@cache
def imports(path: Path) -> tuple[tuple[str, int, When], ...]:
    """Return every module and every name in one that `path` imports: its full name, the line, and the time."""

    def walk(nodes: list[ast.AST], when: When) -> Iterator[tuple[str, int, When]]:
        for child in nodes:
            inside = when
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                inside = "typing"
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and when == "module":
                inside = "function"
            elif isinstance(child, ast.Import):
                yield from ((alias.name, child.lineno, when) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}:{child.lineno}: imports are absolute here"
                assert child.module is not None
                yield child.module, child.lineno, when
                yield from ((f"{child.module}.{alias.name}", child.lineno, when) for alias in child.names)
            for field in BODIES:
                if below := getattr(child, field, None):
                    yield from walk(below, inside)

    return tuple(walk([*tree(path).body], "module"))


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_imports_point_downward() -> None:
    level = {package: number for number, package in enumerate(PACKAGES)}
    assert not [
        f"{where(path)}:{line}: {name} is above it"
        for path in SOURCES
        for name, line, _ in imports(path)
        if level.get(name.split(".")[0], -1) > level[where(path).split("/")[0]]
    ]


ROOMS = {
    "devices": ("transport", "dialects", "record", "line", "simulator", "drive"),
    "dealer_flow": ("games", "record", "editions", "procedure", "table", "play"),
    "dealer_flow.play": ("course", "verdicts", "machine", "order", "reports", "seen"),
    "rules": ("hands", "paytables", "bets", "kinds", "game", "facts", "pots", "settle", "meters", "house", "odds"),
    "rules.odds": ("decide", "strategy", "cards", "against", "course", "holdem", "audit"),
    "dealwire": (
        *(
            "hub",
            "table",
            "config",
            "people",
            "journal",
            "attest",
            "histories",
            "sheet",
            "rehearsal",
            "export",
            "console",
        ),
        *("service", "setup", "bench", "wireshark", "cli"),
    ),
    "dealwire.bench": ("rules", "hands", "verbs", "plan", "report", "run"),
}
"""Sub-packages, lowest first: one may import itself and those before it."""


def test_every_sub_package_has_its_place() -> None:
    """Sub-packages of dialects are next to each other, not above or below."""
    found = {
        package: {path.parent.name for path in (ROOT / package.replace(".", "/")).glob("*/__init__.py")}
        for package in ROOMS
    }
    assert found == {package: set(rooms) for package, rooms in ROOMS.items()}


def test_rooms_import_downward() -> None:
    assert not [fault for path in SOURCES for package in ROOMS for fault in upward(path, package)]


def upward(path: Path, package: str) -> Iterator[str]:
    """Yield imports of a module in a sub-package that name a sub-package above its own."""
    rooms = ROOMS[package]
    room = room_of(where(path).removesuffix(".py").replace("/", "."), package)
    for name, line, _ in imports(path):
        other = room_of(name, package)
        if room in rooms and other in rooms and rooms.index(other) > rooms.index(room):
            yield f"{where(path)}:{line}: {name} is above it"


def room_of(module: str, package: str) -> str:
    """Return the sub-package that a module belongs to; empty for one outside the package."""
    return module.removeprefix(f"{package}.").split(".")[0] if module.startswith(f"{package}.") else ""


MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}


def needs(path: Path) -> set[str]:
    """Return the modules of this project that `path` imports, except itself; imports inside functions and for type
    checkers count too.

    A package of which only modules are imported is not one of them.
    """
    names = {name for name, _, _ in imports(path)}
    packages = {name.rpartition(".")[0] for name in names & MODULES.keys()}
    from_packages = {name.rpartition(".")[0] for name in names - MODULES.keys()}
    found = (names & MODULES.keys()) - (packages - from_packages)
    return {module for module in found if MODULES[module] != path}


def test_no_module_imports_itself_by_a_detour() -> None:
    needed = {module: needs(path) for module, path in MODULES.items()}
    assert list(circles(needed)) == []


def test_no_room_imports_itself_by_a_detour() -> None:
    """Import cycles are checked for sub-packages, and for the modules on the same level."""

    def room(module: str) -> str:
        return ".".join(module.split(".")[:2])

    needed: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        needed.setdefault(room(module), set()).update({room(name) for name in needs(path)} - {room(module)})
    assert list(circles(needed)) == []


def test_a_circle_is_found() -> None:
    assert list(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})) == [["b", "c"]]


def circles(needed: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Yield groups that cannot be put in order: each member needs all the others, directly or not."""
    reach = {module: closure(module, needed) for module in needed}
    found = {frozenset({other for other in reach[module] if module in reach.get(other, ())}) for module in needed}
    yield from sorted(sorted(group) for group in found if group)


def closure(start: str, needed: Mapping[str, set[str]]) -> set[str]:
    """Return everything that `start` needs, directly or not; `start` itself if it needs itself."""
    found: set[str] = set()
    waiting = list(needed[start])
    while waiting:
        if (module := waiting.pop()) not in found:
            found.add(module)
            waiting += needed.get(module, ())
    return found


FORBIDDEN_IN_PROTOCOL = {"time", "threading", "socket", "logging", "asyncio", "serial", "usb", "random", "os", "select"}


def test_protocol_is_pure() -> None:
    allowed = {"protocol", "construct", "cobs", "msgspec", *sys.stdlib_module_names} - FORBIDDEN_IN_PROTOCOL
    assert not [
        f"{where(path)}:{line}: {name}"
        for path in SOURCES
        if where(path).startswith("protocol/")
        for name, line, _ in imports(path)
        if name.split(".")[0] not in allowed
    ]


def test_construct_stays_in_its_files() -> None:
    users = {where(p) for p in SOURCES for name, _, _ in imports(p) if name.split(".")[0] == "construct"}
    assert users <= {
        "protocol/tdp/packets.py",
        "protocol/tdp/codec.py",
        "protocol/tdp/derive.py",
    }


def test_dialects_never_import_each_other() -> None:
    dialects = {path.parent.name for path in (ROOT / "protocol").glob("*/__init__.py")}
    assert {"tdp", "angel_eye", "bee_tek"} <= dialects
    for path in SOURCES:
        package = path.parent.name
        if where(path).startswith("protocol/") and package in dialects:
            for name, line, _ in imports(path):
                owner = name.split(".")[1] if name.startswith("protocol.") else ""
                assert owner not in dialects - {package}, f"{where(path)}:{line}: {name}"


def test_transitions_sits_behind_one_file() -> None:
    users = {where(p) for p in SOURCES for name, _, _ in imports(p) if name.split(".")[0] == "transitions"}
    assert users <= {"dealer_flow/play/machine/machine.py"}


def test_the_flow_sees_devices_only_through_events() -> None:
    for path in SOURCES:
        if where(path).startswith("dealer_flow/"):
            for name, line, _ in imports(path):
                if name.startswith("devices"):
                    assert name.startswith(("devices.events", "devices.files")), f"{where(path)}:{line}: {name}"


def test_drivers_know_no_line_and_simulators_no_driver() -> None:
    concrete = (
        "devices.transport.serial_port",
        "devices.transport.tcp",
        "devices.transport.memory",
        "devices.transport.usb",
        "serial",
        "usb",
    )
    for driver in ("shuffler", "shoe", "table_controller", "angel_eye", "bee_tek"):
        for name, line, _ in imports(ROOT / f"devices/dialects/{driver}.py"):
            assert not name.startswith(concrete), f"{driver}.py:{line}: {name}"
    drivers = ("devices.dialects", "devices.line.session")
    for path in (ROOT / "devices/simulator").rglob("*.py"):
        for name, line, _ in imports(path):
            assert not name.startswith(drivers), f"{where(path)}:{line}: {name}"


def test_only_the_clock_and_the_lines_look_at_the_clock() -> None:
    allowed = {"devices/clock.py", "dealwire/wireshark/extcap.py"}  # the latter stands alone, without this project
    for path in SOURCES:
        for name, line, _ in imports(path):
            if name.split(".")[0] == "time" and where(path) not in allowed:
                assert where(path).startswith("devices/transport/"), f"{where(path)}:{line}: {name}"


def test_no_asyncio_below_the_application() -> None:
    for path in SOURCES:
        if not where(path).startswith("dealwire/"):
            for name, line, _ in imports(path):
                assert name.split(".")[0] != "asyncio", f"{where(path)}:{line}"


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after `statement`."""
    code = f"{statement}\nimport sys\nprint(' '.join(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


def test_importing_devices_loads_no_line_library() -> None:
    modules = "events line.session line.loop record.capture drive.replay dialects.shuffler dialects.table_controller"
    named = ", ".join(f"devices.{module}" for module in modules.split())
    assert not {"serial", "usb"} & loaded_by(f"import devices, {named}")


def test_the_live_process_loads_no_bulk_tools() -> None:
    live = "import dealwire.cli, dealwire.cli.replay, dealwire.live, dealwire.table.table, rules, rules.odds"
    assert not {"numpy", "numba", "duckdb", "dask", "hypothesis", "pytest"} & loaded_by(live)


def test_the_first_page_of_help_loads_errors_and_little_else() -> None:
    """Every command starts with these modules: one more slows each of them."""
    held = loaded_by("import dealwire.cli")
    assert not {"logging", "msgspec", "pydantic", "tomllib", "sqlite3", "dealer_flow", "rules"} & held


FORBIDDEN_CALLS = {"read_until", "readline"}


def test_no_slow_reads() -> None:
    """`read(1)` and `read_until` cost 500 times a large read, byte for byte."""
    assert not [fault for path in SOURCES if where(path).startswith("devices/") for fault in slow_reads(path)]


def slow_reads(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            said = ast.unparse(node)
            one_byte = node.func.attr == "read" and said.endswith("read(1)")
            if node.func.attr in FORBIDDEN_CALLS or one_byte:
                yield f"{where(path)}:{node.lineno}: {said}"


def test_every_package_is_typed_and_says_what_it_is() -> None:
    assert not [package for package in PACKAGES if not (ROOT / package / "py.typed").exists()]
    assert not [package for package in PACKAGES if not ast.get_docstring(tree(ROOT / package / "__init__.py"))]


def test_functions_stay_readable() -> None:
    """A function over 40 lines should be split. A module holds one idea, at any length."""
    assert not [
        f"{where(path)}:{node.lineno}: {node.name} has {lines(node)} lines"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and lines(node) > 40
    ]


def lines(function: ast.FunctionDef) -> int:
    """Return the number of lines without those of the docstring."""
    assert function.end_lineno is not None
    docstring = ast.get_docstring(function)
    return function.end_lineno - function.lineno + 1 - (docstring.count("\n") + 1 if docstring else 0)
