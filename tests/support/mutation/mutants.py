"""Deliberate faults in a module's functions, one at a time: the possible errors in a line, made from its syntax tree.

Only code in the body of a function, a method or a lambda is changed. Other declarations of a module (the table of
states, the schema, the catalogue of incidents, defaults of parameters) are data that other tests check against the
published pages; docstrings, annotations and assertions that only help the type checker decide nothing. Neither does
`strict=True`, an assertion about two lists; two numbers in the other order have the same `min` and `max`; and a
predicate that returns None for False says the same, while True for False is a fault of its own.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType

Change = Callable[[ast.AST], ast.AST]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LAMBDA = "<lambda>"

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One fault. `scope` has the names of the classes and of the function around it (for a lambda in a table: the name
    to which the table is assigned), `node` and `number` find it again in the same source."""

    file: str
    scope: tuple[str, ...]
    line: int
    node: int
    number: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {'.'.join(self.scope)}: {self.what}"


def mutants(source: str, file: str) -> list[Mutant]:
    """Return every possible fault of this source, in the order of its lines."""
    tree = ast.parse(source)
    return [
        Mutant(file, scope, getattr(node, "lineno", 0), index, number, what)
        for index, (scope, node) in enumerate(_places(tree))
        for number, (what, _) in enumerate(_changes(node))
    ]


def mutated(source: str, mutant: Mutant) -> ast.Module:
    """Return the module's syntax tree with the fault."""
    tree = ast.parse(source)
    _, change = list(_changes(node := node_of(tree, mutant)))[mutant.number]
    return ast.fix_missing_locations(_Replace(node, change).visit(tree))


def node_of(tree: ast.Module, mutant: Mutant) -> ast.AST:
    """Return the node of the sound tree that the fault changes."""
    _, node = next(itertools.islice(_places(tree), mutant.node, None))
    return node


def changed_functions(sound: CodeType, faulty: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Return the functions that the fault changes, each with its faulty version."""
    before, after = functions_of(sound), functions_of(faulty)
    same = [key for key in before if len(before[key]) == len(after[key])]
    pairs = [pair for key in same for pair in zip(before[key], after[key], strict=True)]
    return [(old, new) for old, new in pairs if old != new]


def functions_of(code: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    """Return every function of a module, by its name and first line."""
    found: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found[each.co_qualname, each.co_firstlineno].append(each)
            for key, below in functions_of(each).items():
                found[key] += below
    return found


class _Replace(ast.NodeTransformer):
    """Replaces one node by the result of `change`."""

    def __init__(self, node: ast.AST, change: Change) -> None:
        self.node = node
        self.change = change

    def visit(self, node: ast.AST) -> ast.AST:
        """Return this node changed, or with a change below it."""
        if node is not self.node:
            return self.generic_visit(node)
        return ast.copy_location(_with_names(self.change(copy.deepcopy(node)), node), node)


def _with_names(new: ast.AST, old: ast.AST) -> ast.AST:
    """Return the new node with names that it lost in a branch that never runs: a live function keeps its closure."""
    if not {each.id for each in ast.walk(old) if isinstance(each, ast.Name)} - {
        each.id for each in ast.walk(new) if isinstance(each, ast.Name)
    }:
        return new
    never = ast.Constant(False)
    if isinstance(old, ast.expr) and isinstance(new, ast.expr):
        return ast.IfExp(never, old, new)
    assert isinstance(old, ast.stmt)
    assert isinstance(new, ast.stmt)
    return ast.If(never, [old], [new])


# ------------------------------------------------------------------ places


def _places(tree: ast.Module) -> Iterator[tuple[tuple[str, ...], ast.AST]]:
    """Yield every node in the body of a function, with the names that lead to the function."""
    for scope, function in _functions(tree.body, ()):
        for part in [function.body] if isinstance(function, ast.Lambda) else function.body:
            yield from ((scope, node) for node in _below(part))


def _functions(body: list[ast.stmt], scope: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Function]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _functions(statement.body, (*scope, statement.name))
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (*scope, statement.name), statement
        else:
            yield from (((*scope, *_targets(statement), LAMBDA), each) for each in _lambdas(statement))


def _targets(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _lambdas(node: ast.AST) -> Iterator[ast.Lambda]:
    """Yield the outermost lambdas in a declaration."""
    if isinstance(node, ast.Lambda):
        yield node
    else:
        for child in ast.iter_child_nodes(node):
            yield from _lambdas(child)


def _below(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the node and all nodes below it that decide something."""
    if isinstance(node, ast.Assert) or _is_text(node):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "format_spec", "type_comment", "decorator_list"):
            continue
        if isinstance(node, ast.keyword) and node.arg == "strict":
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _below(child)


def _is_text(node: ast.AST) -> bool:
    """Return True for a docstring, or a literal that is a statement of its own."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# ------------------------------------------------------------------ faults


def _changes(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Yield every possible fault of this node: its name, and the change that makes it."""
    if isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        yield from _sums(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        yield f"{_name(node.op)} -> {_name(other())}", lambda new: _set(new, op=other())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield f"{_name(node.op)} dropped", lambda new: _get(new, "operand")
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _tests(node)
    elif isinstance(node, ast.Call) and _has_an_order(node):
        yield "arguments swapped", lambda new: _set(new, args=[new.args[1], new.args[0], *new.args[2:]])  # type: ignore[attr-defined]
    if isinstance(node, ast.stmt):
        yield from _statements(node)


def _has_an_order(call: ast.Call) -> bool:
    """Return True if swapping the first two arguments makes a difference."""
    if len(call.args) < 2 or isinstance(call.args[0], ast.Starred) or ast.dump(call.args[0]) == ast.dump(call.args[1]):
        return False
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    return call.keywords != [] or name not in ("min", "max", "suppress")


def _constants(node: ast.Constant) -> Iterator[tuple[str, Change]]:
    value = node.value
    if isinstance(value, bool):
        yield f"{value} -> {not value}", lambda new: ast.Constant(not value)
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", lambda new: ast.Constant(value + 1)
    elif isinstance(value, str):
        text = f"XX{value}XX"
        yield f"{value!r} -> {text!r}", lambda new: ast.Constant(text)


def _comparisons(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    for index, op in enumerate(node.ops):
        for other in _COMPARED.get(type(op), ()):
            ops = [*node.ops[:index], other(), *node.ops[index + 1 :]]
            yield f"{_name(op)} -> {_name(other())}", lambda new, ops=ops: _set(new, ops=ops)  # type: ignore[misc]


def _sums(node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[str, Change]]:
    other = _RECKONED.get(type(node.op))
    if other is not None and not isinstance(getattr(node, "left", None), ast.JoinedStr):
        yield f"{_name(node.op)} -> {_name(other())}", lambda new: _set(new, op=other())


def _tests(node: ast.If | ast.While | ast.IfExp) -> Iterator[tuple[str, Change]]:
    """Yield a condition reversed, unless a change of one of its parts says the same."""
    test = node.test
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr | ast.Subscript):
        turned = ast.UnaryOp(ast.Not(), test)
        yield f"not ({ast.unparse(test)})", lambda new: _set(new, test=turned)


def _statements(node: ast.stmt) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.Return) and node.value is not None and not _is_nothing(node.value):
        yield "return None", lambda new: ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom):
        kept = node.value.value if isinstance(node.value, ast.Yield | ast.YieldFrom) else None
        if kept is None:
            yield f"{ast.unparse(node)} dropped", lambda new: ast.Pass()
        else:  # what remains must stay a generator
            never = ast.If(ast.Constant(False), [node], [])
            yield f"{ast.unparse(node)} dropped", lambda new: never
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and _outlives(node)):
        yield f"{ast.unparse(node)} dropped", lambda new: ast.Pass()
    elif isinstance(node, ast.Raise):
        yield "raise dropped", lambda new: ast.Pass()
    elif isinstance(node, ast.Continue | ast.Break):
        yield f"{_name(node)} dropped", lambda new: ast.Pass()


def _outlives(node: ast.Assign) -> bool:
    """Return True if something other than a local name is set."""
    return any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _name(node: ast.AST) -> str:
    return type(node).__name__.lower()


def _get(node: ast.AST, key: str) -> ast.AST:
    found = getattr(node, key)
    assert isinstance(found, ast.AST)
    return found


def _set(node: ast.AST, **changes: object) -> ast.AST:
    for key, value in changes.items():
        setattr(node, key, value)
    return node
