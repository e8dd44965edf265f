"""Work of each layer in function calls, compared with its budget.

    python -m benchmarks work                     every figure with its budget
    python -m benchmarks work --budget            make today's figures the budgets
    python -m benchmarks work --against COMMIT    two commits side by side
    python -m benchmarks work --profile FIGURE    the functions that a figure calls most

Calls are counted in a process of its own with warm caches, so they are the same on every machine. Another minor version
of Python gives other counts, so the budgets name theirs. `FIGURES` lists the figures.
"""

import argparse
import json
import platform
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.table import Table
from benchmarks.trees import ROOT, NoCommit, output_of, tree_of
from benchmarks.work_figures import FIGURES, PROFILED

BUDGETS: Final = Path(__file__).with_suffix(".toml")
TOLERANCE: Final = 0.03
"""Share of a budget by which a figure may differ from it."""
HEAD: Final = """# Function calls, Python's and C's, that each figure of `python -m benchmarks work` may take.
# `make test` and `make test-more` fail where a figure is more than 3 % above its budget, or below.
# Written by `python -m benchmarks work --budget`.

python = "{python}"

[calls]
"""


@dataclass(frozen=True, slots=True)
class Budgets:
    """Calls for each unit, by figure, and the minor version of Python that gives them."""

    python: str
    calls: Mapping[str, float]

    @property
    def apply_here(self) -> bool:
        """Return True in a Python that counts as the budgets do."""
        return self.python == python_here()


def python_here() -> str:
    """Return the minor version of this Python."""
    return ".".join(platform.python_version_tuple()[:2])


def load(file: Path = BUDGETS) -> Budgets:
    """Return the budgets of a file."""
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    return Budgets(content["python"], content["calls"])


def write(calls: Mapping[str, float], file: Path = BUDGETS) -> None:
    """Write these calls as the budgets of this Python."""
    lines = [f"{name} = {calls[name]}" for name in FIGURES]
    width = max(map(len, lines))
    text = "".join(
        f"{line:{width}}  # {figure.title}: calls a {figure.per}\n"
        for line, figure in zip(lines, FIGURES.values(), strict=True)
    )
    file.write_text(HEAD.format(python=python_here()) + text, encoding="utf-8")


class NoFigure(RuntimeError):
    """Figure that the packages of this tree cannot give; `why` is the reason."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why = name, why
        super().__init__(f"{name}: {why}")


def measured(tree: Path = ROOT, *names: str) -> dict[str, float | str]:
    """Return the calls for each unit by figure, by default all of them; a reason in place of a figure that `tree`
    cannot give."""
    found: dict[str, float | str] = json.loads(output_of(tree, "work_figures", *names))
    return found


def figures_here(*names: str) -> dict[str, float]:
    """Return the figures of this tree, which gives all of them. Raise NoFigure if it does not."""
    found: dict[str, float] = {}
    for name, calls in measured(ROOT, *names).items():
        if isinstance(calls, str):
            raise NoFigure(name, calls)
        found[name] = calls
    return found


def judged(calls: Mapping[str, float], budgets: Mapping[str, float]) -> Iterator[str]:
    """Yield a sentence for each figure that is outside its budget or has none, and for each budget without a figure."""
    for name, found in calls.items():
        if name not in budgets:
            yield f"{name} has no budget: it takes {_calls(name, found)}; `python -m benchmarks work --budget` sets it"
            continue
        budget = budgets[name]
        part = found / budget - 1
        if found > budget * (1 + TOLERANCE):
            yield (
                f"{name} grew: {_calls(name, found)} are {part:.1%} above its budget of {budget:g};"
                f" `python -m benchmarks work --profile {name}` says where they go"
            )
        elif found < budget * (1 - TOLERANCE):
            yield (
                f"{name} got lighter, and its budget can be lowered: {_calls(name, found)} are {-part:.1%} below"
                f" {budget:g}; set it to {found:g}, or run `python -m benchmarks work --budget`"
            )
    for name in budgets:
        if name not in calls:
            yield f"{name} is a budget of no figure; there are: {', '.join(calls)}"


def _calls(name: str, calls: float) -> str:
    return f"{calls:g} calls a {FIGURES[name].per}" if name in FIGURES else f"{calls:g} calls"


def run(_: float = 0.0) -> Table:
    """Compare every figure with its budget."""
    calls, budgets = figures_here(), load()
    rows = []
    for name, found in calls.items():
        budget = budgets.calls.get(name)
        part = "-" if budget is None else f"{found / budget - 1:+.1%}"
        rows.append([*_named(name), f"{found:,.2f}", "-" if budget is None else f"{budget:,.2f}", part])
    other = [] if budgets.apply_here else [f"The budgets are of Python {budgets.python}, which counts otherwise."]
    return Table(
        "Work in function calls",
        ["", "name", "per", "calls", "budget", "difference"],
        rows,
        [f"Python {platform.python_version()}; the same on every machine.", *other, *judged(calls, budgets.calls)],
    )


def against(commit: str) -> Table:
    """Compare every figure with another commit's; '-' if that cannot give it. Raise NoCommit if there is no such
    commit."""
    with tree_of(commit) as tree:
        theirs = measured(tree)
    rows, missing = [], []
    for name, ours in figures_here().items():
        other = theirs[name]
        if isinstance(other, str):
            missing.append(f"{name}: not to be had of {commit}: {other}")
            rows.append([*_named(name), "-", f"{ours:,.2f}", "-"])
        else:
            rows.append([*_named(name), f"{other:,.2f}", f"{ours:,.2f}", f"{ours / other:.2f}" if other else "-"])
    notes = [f"Python {platform.python_version()}; ours measure both, on the same input.", *missing]
    return Table("Work in function calls, two commits", ["", "name", "per", commit, "here", "times"], rows, notes)


def profile(name: str, most: int = PROFILED) -> Table:
    """Return the functions that a figure calls most."""
    found: dict[str, float] | str = json.loads(output_of(ROOT, "work_figures", "--profile", name))[name]
    if isinstance(found, str):
        raise NoFigure(name, found)
    total = sum(found.values())
    rows = [[function, f"{calls:,.2f}", f"{calls / total:.1%}"] for function, calls in list(found.items())[:most]]
    figure = FIGURES[name]
    notes = [f"{total:,.2f} calls of {len(found)} functions; one in C has no line."]
    return Table(f"{figure.title}: calls a {figure.per}", ["", "calls", "part"], rows, notes)


def rebudget() -> Iterator[str]:
    """Make today's figures the budgets; yield a line for each that changed."""
    before = load().calls if BUDGETS.exists() else {}
    calls = figures_here()
    write(calls)
    for name in [*calls, *(before.keys() - calls.keys())]:
        if calls.get(name) != before.get(name):
            yield f"{name}: {before.get(name, '-')} -> {calls.get(name, '-')}"


def _named(name: str) -> list[str]:
    return [FIGURES[name].title, name, FIGURES[name].per]


def main(_: float, arguments: Sequence[str]) -> None:
    """Run `python -m benchmarks work` with these arguments."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks work", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--budget", action="store_true", help="make today's figures the budgets")
    asked.add_argument("--against", metavar="COMMIT", help="beside another commit")
    asked.add_argument("--profile", metavar="FIGURE", choices=FIGURES, help="the functions it calls most")
    parser.add_argument("--most", type=int, default=PROFILED, help="so many functions of a profile")
    args = parser.parse_args(arguments)
    try:
        if args.budget:
            for line in rebudget():
                print(line)
        elif args.against:
            print(against(args.against))
        else:
            print(profile(args.profile, args.most) if args.profile else run())
    except (NoCommit, NoFigure) as error:
        sys.exit(str(error))
