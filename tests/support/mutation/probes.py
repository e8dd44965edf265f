"""The places of a package that a test reaches, noted by the code itself.

Every suite of a function begins with a call that notes its place, and so does the code that follows an `if`, a loop, a
`with` or a `try`; a lambda notes its own. Such a call takes 30 ns, while the interpreter's tracing slows each
instruction, so a suite runs at nearly its own speed, and the reached places are noted for each test.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

NOTE = "__reached__"
REACHED: set[str] = set()
"""The places reached since it was last cleared."""

_COMPOUND = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try | ast.TryStar | ast.Match
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def places(tree: ast.Module, file: str) -> dict[ast.AST, str]:
    """Return, for each node in the body of a function, the place that is noted when it may run, as file:line:column."""
    found: dict[ast.AST, str] = {}
    for node, head in _headed(tree, None):
        if head is not None:
            found[node] = _place(head, file)
    return found


def every_place(root: Path, packages: tuple[str, ...]) -> list[str]:
    """Return all places of all modules, in order."""
    found = set[str]()
    for path in modules(root, packages):
        found |= set(places(ast.parse(path.read_text()), path.relative_to(root).as_posix()).values())
    return sorted(found)


def modules(root: Path, packages: tuple[str, ...]) -> list[Path]:
    """Return the modules of these packages, in order."""
    return [path for package in packages for path in sorted((root / package).rglob("*.py"))]


def probed(tree: ast.Module, file: str) -> ast.Module:
    """Return the same tree with notes of its places."""
    return ast.fix_missing_locations(_Prober(file).visit(tree))


def install(root: Path, packages: tuple[str, ...]) -> None:
    """Make modules of these packages that are loaded from now on note their places."""
    setattr(builtins, NOTE, REACHED.add)
    sound = SourceFileLoader.get_code
    within = tuple(f"{root / package}/" for package in packages)

    @functools.wraps(sound)
    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        path = Path(loader.path)
        if not loader.path.startswith(within):
            return sound(loader, name)
        tree = probed(ast.parse(path.read_text()), path.relative_to(root).as_posix())
        return compile(tree, loader.path, "exec", dont_inherit=True)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def _headed(node: ast.AST, head: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield every node below, with the statement or lambda that notes its place; None outside of functions."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield from _one(value, value if isinstance(node, ast.Lambda) and name == "body" else head)
        elif isinstance(value, list) and _is_suite(value) and (head is not None or isinstance(node, _FUNCTION)):
            for statement, first in _groups(value):
                # a class body in a function runs in place; its methods have places of their own
                yield from _one(statement, head if isinstance(node, ast.ClassDef) else first)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, ast.AST):
                    yield from _one(each, head)


def _one(node: ast.AST, head: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    yield node, head
    yield from _headed(node, head)


def _is_suite(value: list[object]) -> bool:
    return bool(value) and isinstance(value[0], ast.stmt)


def _groups(suite: list[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Yield each statement of a suite with the one before which its place is noted."""
    first, left = suite[0], False
    for number, statement in enumerate(suite):
        if left or (number == 1 and _is_text(suite[0])):
            first = statement
        left = isinstance(statement, _COMPOUND)
        yield statement, first


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _place(head: ast.AST, file: str) -> str:
    kind = "" if isinstance(head, ast.stmt) else "e"
    return f"{file}:{getattr(head, 'lineno', 0)}:{getattr(head, 'col_offset', 0)}{kind}"


class _Prober(ast.NodeTransformer):
    """Inserts the notes. Places come from the source's text, so a fault in one function moves no other's place."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.within = False

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Turn `lambda: x` into `lambda: note(...) or x`: a note is None."""
        note = self._note(node.body)
        self.generic_visit(node)
        node.body = ast.BoolOp(ast.Or(), [note, node.body])
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Insert notes before the first statement of each group."""
        outside, self.within = self.within, self.within or isinstance(node, _FUNCTION)
        if isinstance(node, ast.ClassDef):
            self.within = False
        noted = {
            name: list(_groups(value))
            for name, value in ast.iter_fields(node)
            if self.within and isinstance(value, list) and _is_suite(value)
        }
        notes = {name: [self._note(first) for _, first in groups] for name, groups in noted.items()}
        super().generic_visit(node)
        for name, groups in noted.items():
            suite = list[ast.stmt]()
            for (statement, first), note in zip(groups, notes[name], strict=True):
                if statement is first and not (statement is groups[0][0] and _is_text(statement)):
                    suite.append(ast.copy_location(ast.Expr(note), statement))
                suite.append(statement)
            setattr(node, name, suite)
        self.within = outside
        return node

    def _note(self, head: ast.AST) -> ast.Call:
        return ast.Call(ast.Name(NOTE, ast.Load()), [ast.Constant(_place(head, self.file))], [])
