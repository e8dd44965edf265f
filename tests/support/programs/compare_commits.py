"""The same evenings dealt by another commit and by this tree: outcomes, money and clauses must be the same.

    python -m tests.support.programs.compare_commits 517dc6e7

The inputs are made once, by the players of commits 659696b (`compare_inputs`) and 517dc6e7 (`compare_later`, for the
games that came between; only with commits that have them), and written as plain data; each tree deals them in a process
of its own (`compare_deal`). The comparison goes report by report: each incident by code, clause, place, fault, call and
events; each round and each settlement in every key except its texts and the hashes of its files; for recordings also
the summary and the exit code. `--words` compares every text, too. Allowed differences from 659696b are in `DECLARED`,
with the reason. In addition, and for information only, the legal reports after every report are compared.

`--keep FOLDER` keeps the inputs, the trees and the other commit's answers, so that the next comparison costs this
tree's run only. The exit code is 1 if there is a difference that is not declared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).resolve()
ROOT: Final = HERE.parents[3]
PLAYERS: Final = {"659696b": HERE.with_name("compare_inputs.py"), "517dc6e7": HERE.with_name("compare_later.py")}
"""Commits whose players make the inputs, for any comparison, and the program that runs in their tree."""
DEAL: Final = HERE.with_name("compare_deal.py")
MADE_BY: Final = (*PLAYERS.values(), HERE.with_name("compare_plain.py"), DEAL)

DECLARED: Final[Mapping[str, str]] = {
    "round.schema": "incidents carry facts: dealwire.round/2",
    "incident.place": "incidents carry facts: a report out of turn names its place",
    "round.incidents[].place": "incidents carry facts: a report out of turn names its place",
    "settlement.lines[].clause": "incidents carry facts: a held line cites the incident that made the round unreliable,"
    " before it cited the first whose code may do so",
}
"""Allowed differences from 659696b: the path of a value as it is printed here -> the explanation.

In addition, an incident like another one of the same round is compared once: equal sentences used to be one incident,
now equal facts are.
"""

WORDS: Final = frozenset({"text", "why", "sha256"})
"""Keys of sentences and of hashes of files."""
OF_AN_INCIDENT: Final = ("code", "clause", "place", "fault", "called", "events")

Json = dict[str, Any]


class Difference(NamedTuple):
    """Two answers that differ: the place in the input, the value, and the answer of either tree."""

    input: str
    index: int
    path: str
    old: object
    new: object


@dataclass
class Compared:
    """Counts of what was compared, and the differences found."""

    inputs: int = 0
    reports: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    differing: int = 0
    """Inputs with a difference that is not declared."""
    differences: list[Difference] = field(default_factory=list)
    """First difference of each path in each input, until the trees give answers of different kinds."""
    declared: Counter[str] = field(default_factory=Counter)
    """Path -> number of answers in which it differs."""
    legal: list[tuple[str, int, list[str], list[str]]] = field(default_factory=list)
    """Input, report, entries of the old tree alone, entries of the new one alone: the first of each input."""
    not_listed: int = 0
    """Inputs for which a tree does not list the legal reports."""


# ---------------------------------------------------------------------- one answer


def meant(value: Any) -> Any:
    """Return the object without texts that may be worded otherwise."""
    if isinstance(value, list):
        return [meant(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "incident":
        return {"type": "incident"} | _incident(value)
    kept = {key: meant(each) for key, each in value.items() if key not in WORDS}
    if isinstance(value.get("incidents"), list):
        kept["incidents"] = [_incident(each) for each in value["incidents"]]
    return kept


def once(said: Iterable[Any]) -> Iterator[Any]:
    """Yield answers without incidents that are like an earlier one in the same round, in the round's own list too."""
    known: set[tuple[Any, ...]] = set()
    for index, item, *rest in said:
        if item["type"] == "incident":
            if _like(item) in known:
                continue
            known.add(_like(item))
        elif item["type"] == "round":
            known.clear()
            found = item.get("incidents", [])
            firsts = {_like(each): each for each in reversed(found)}
            incidents = [each for each in found if firsts[_like(each)] is each]
            item = item | ({"incidents": incidents} if "incidents" in item else {})
        yield index, item, *rest


def _like(incident: Json) -> tuple[Any, ...]:
    return tuple(incident.get(key) or None for key in ("code", "clause", "fault"))


def _incident(value: Json) -> Json:
    return {key: value.get(key) or None for key in OF_AN_INCIDENT}


def differing(old: Any, new: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield every value that differs, by its path; an object or a list of another length is one value."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old | new:
            yield from differing(old.get(key, "absent"), new.get(key, "absent"), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from differing(one, other, f"{path}[]")
    else:
        yield path, old, new


def unhashed(value: Any) -> Any:
    """Return the object without the hashes of its files."""
    if isinstance(value, list):
        return [unhashed(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: unhashed(each) for key, each in value.items() if key != "sha256"}


def compare(
    found: Compared,
    item: Json,
    old: Json,
    new: Json,
    declared: Mapping[str, str] = DECLARED,
    *,
    words: bool = False,
) -> None:
    """Compare one input's answers of both trees; with `words` every sentence must be the same, too."""
    view, answers = (unhashed, iter) if words else (meant, once)
    found.inputs += 1
    found.reports += len(item.get("reports", ()))
    firsts: dict[str, Difference] = {}
    aligned = True
    for one, other in zip_longest(answers(old["said"]), answers(new["said"]), fillvalue=None):
        if one is not None:
            found.kinds[one[1]["type"]] += 1
            found.errors += one[1]["type"] == "error"
        if not aligned:
            continue
        index = min(side[0] for side in (one, other) if side is not None)
        kinds = [side[1]["type"] if side else "nothing" for side in (one, other)]
        if one is None or other is None or kinds[0] != kinds[1] or one[0] != other[0]:
            aligned = False
            shown = [view(side[1]) if side else "nothing" for side in (one, other)]
            where = " and ".join(dict.fromkeys(kinds)) + (" at another report" if kinds[0] == kinds[1] else "")
            firsts[where] = Difference(item["id"], index, where, *shown)
            continue
        for path, was, is_now in differing(view(one[1]), view(other[1]), kinds[0]):
            if path in declared:
                found.declared[path] += 1
            else:
                firsts.setdefault(path, Difference(item["id"], index, path, was, is_now))
    found.differing += bool(firsts)
    found.differences += firsts.values()


def compare_legal(found: Compared, item: Json, old: Sequence[Any], new: Sequence[Any]) -> None:
    """Compare the legal reports after each report, up to the first difference. `old` and `new` are sets, None if
    unknown."""
    if None in old or None in new:
        found.not_listed += 1
        return
    for index, (was, is_now) in enumerate(zip(old, new, strict=False)):
        if was is not is_now and was != is_now:
            gone, come = (sorted(map(_legal_text, one - other)) for one, other in ((was, is_now), (is_now, was)))
            found.legal.append((item["id"], index, gone, come))
            return


def _legal_text(entry: tuple[Any, ...]) -> str:
    return " ".join(str(part) for part in entry)


# ---------------------------------------------------------------------- trees and processes


def commit_of(name: str) -> str:
    """Return the full name of a commit of this repository; raise CalledProcessError if there is none."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--verify", f"{name}^{{commit}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def tree_of(commit: str, folder: Path) -> Path:
    """Return the commit's files below `folder`, unpacked once."""
    target = folder / f"tree-{commit[:12]}"
    if not target.exists():
        tar = subprocess.run(["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=True).stdout
        making = target.with_suffix(".part")
        with tarfile.open(fileobj=BytesIO(tar)) as files:
            files.extractall(making, filter="data")
        making.rename(target)
    return target


def run_in(tree: Path, program: Path, arguments: Iterable[str], *, cwd: Path, out: Path | None = None) -> None:
    """Run the program with the packages of `tree`. Raise SystemExit with its last output if it fails."""
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-P", str(program), *arguments]
    with open(out or os.devnull, "wb") as target:
        done = subprocess.run(command, cwd=cwd, env=environment, stdout=target, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(f"{program.name} failed in {tree}:\n{done.stderr.decode()[-3000:]}")


@dataclass(frozen=True)
class Comparison:
    """The two trees that are compared, the inputs, and the folder of the files."""

    commit: str
    tree: Path
    folder: Path
    rounds: int
    seed: int
    procedures: tuple[str, ...]
    words: bool = False

    @property
    def key(self) -> str:
        """Hash of the inputs and of the programs that made inputs and answers."""
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in MADE_BY))
        digest.update(repr((self.rounds, self.seed, self.procedures, self.players)).encode())
        return digest.hexdigest()[:8]

    @property
    def inputs(self) -> Path:
        return self.folder / f"inputs-{self.key}.ndjson"

    def run(self) -> Compared:
        """Make the inputs, deal them in both trees, compare. Files already in the folder are not made again."""
        self._make_inputs()
        was = self.folder / f"answers-{self.commit[:12]}-{self.key}.ndjson"
        if not was.exists():
            dealt = was.with_suffix(".part")
            run_in(tree_of(self.commit, self.folder), DEAL, [str(self.inputs), str(dealt)], cwd=self.folder)
            dealt.rename(was)
        is_now = self.folder / f"answers-now-{os.getpid()}.ndjson"
        try:
            run_in(self.tree, DEAL, [str(self.inputs), str(is_now)], cwd=self.folder)
            declared = {} if [*PLAYERS][-1] in self.players else DECLARED
            return compare_files(self.inputs, was, is_now, declared, words=self.words)
        finally:
            is_now.unlink(missing_ok=True)

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Commits whose evenings the compared commit can deal: they are no younger than it is."""
        older = ["git", "-C", str(ROOT), "merge-base", "--is-ancestor"]
        found = [each for each in PLAYERS if not subprocess.run([*older, each, self.commit], check=False).returncode]
        return tuple(found or PLAYERS)

    def _make_inputs(self) -> None:
        """Write the inputs unless they exist, and unpack the trees whose recordings are among them."""
        makers = {tree_of(commit_of(each), self.folder): PLAYERS[each] for each in self.players}
        if self.inputs.exists():
            return
        made = self.inputs.with_suffix(".part")
        with made.open("wb") as whole:
            for tree, make in makers.items():
                known = _known(tree, self.procedures)
                if known or not self.procedures:
                    part = made.with_suffix(f".{make.stem}")
                    run_in(tree, make, [str(self.rounds), str(self.seed), *known], cwd=tree, out=part)
                    whole.write(part.read_bytes())
                    part.unlink()
        made.rename(self.inputs)


def _known(tree: Path, procedures: Iterable[str]) -> list[str]:
    """Return the procedures of which the tree has a file."""
    files = {path.name.removesuffix(".toml") for path in (tree / "dealer_flow").rglob("*.toml")}
    return [name for name in procedures if name in files]


def compare_files(
    inputs: Path, old: Path, new: Path, declared: Mapping[str, str] = DECLARED, *, words: bool = False
) -> Compared:
    """Compare both answers to every input of the file."""
    found = Compared()
    was_sets, is_sets = _sets(old), _sets(new)
    with inputs.open(encoding="utf-8") as items, old.open(encoding="utf-8") as was, new.open(encoding="utf-8") as now:
        for line, one, other in zip(items, was, now, strict=False):
            item, old_answer, new_answer = json.loads(line), json.loads(one), json.loads(other)
            assert item["id"] == old_answer["id"] == new_answer["id"], "the answers are not of these inputs"
            compare(found, item, old_answer, new_answer, declared, words=words)
            numbers = [(old_answer["legal"], was_sets), (new_answer["legal"], is_sets)]
            sides = [[None if number is None else sets[number] for number in each] for each, sets in numbers]
            compare_legal(found, item, *sides)
    return found


def _sets(answers: Path) -> list[frozenset[tuple[Any, ...]]]:
    """Return the sets of legal reports, by number: the last line of the file."""
    with answers.open("rb") as file:
        *_, last = file
    return [frozenset(tuple(entry) for entry in each) for each in json.loads(last)["sets"]]


# ---------------------------------------------------------------------- output


def table(found: Compared) -> str:
    """Return a table of the numbers of things compared."""
    rows = {
        "inputs": found.inputs,
        "reports": found.reports,
        "rounds": found.kinds["round"],
        "incidents": found.kinds["incident"],
        "settlements": found.kinds["settlement"],
        "other answers": found.kinds.total() - sum(found.kinds[kind] for kind in ("round", "incident", "settlement")),
        "broken off by an error, in the other commit too": found.errors,
        "values that differ as declared": sum(found.declared.values()),
        "inputs that differ": found.differing,
    }
    lines = ["| compared | number |", "| --- | --- |", *(f"| {name} | {count:,} |" for name, count in rows.items())]
    return "\n".join(lines)


def report_text(line: Sequence[Any]) -> str:
    """Return a report as a person would write it down."""
    device, session, number, _, kind, fields = line
    named = "; ".join(f"{name} {' '.join(map(str, v)) if isinstance(v, list) else v}" for name, v in fields.items())
    return f"{device} {session:x}/{number} {kind}: {named}"


def around(item: Json, index: int, before: int = 3) -> Iterator[str]:
    """Yield the report at `index` and those before it; for a recording, the command."""
    told = item.get("reports")
    if told is None:
        yield f"  {' '.join(item['command'])}: line {index + 1}"
        return
    yield f"  {item['procedure']} {item['options'] or 'by default'}, {len(told)} reports"
    for number in range(max(0, index - before), min(index + 1, len(told))):
        yield f"  {'>' if number == index else ' '} {number}: {report_text(told[number])}"
    if index >= len(told):
        yield "  > end of the input"


def explained(found: Compared, inputs: Mapping[str, Json], most: int) -> Iterator[str]:
    """Yield the first differences, one of each path before a second one of any."""
    paths = Counter(each.path for each in found.differences)
    for path, count in paths.most_common():
        yield f"{count} inputs differ in: {path}"
    seen = Counter[str]()
    order = []
    for each in found.differences:
        order.append((seen[each.path], each))
        seen[each.path] += 1
    for _, each in sorted(order, key=lambda pair: pair[0])[:most]:
        yield f"\n{each.input}, {each.path}"
        yield from around(inputs[each.input], each.index)
        yield f"  old: {json.dumps(each.old)[:1500]}"
        yield f"  new: {json.dumps(each.new)[:1500]}"


def legal_told(found: Compared, inputs: Mapping[str, Json], most: int = 3) -> Iterator[str]:
    """Yield differences in the legal reports, which do not count."""
    yield f"what may happen next: {len(found.legal)} inputs differ"
    if found.not_listed:
        yield f"  of {found.not_listed} inputs it is not known"
    for name, index, gone, come in found.legal[:most]:
        yield f"\n{name}"
        yield from around(inputs[name], index)
        yield f"  only old: {'; '.join(gone) or 'nothing'}"
        yield f"  only new: {'; '.join(come) or 'nothing'}"


@contextmanager
def folder_of(kept: Path | None) -> Iterator[Path]:
    """Yield the folder of the files: the one that is kept, or a temporary one for this run."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def main(arguments: Sequence[str]) -> int:
    """Compare, print, and return an exit code that says whether both are the same."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.programs.compare_commits", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("commit", nargs="?", default=[*PLAYERS][-1], help="the other commit")
    parser.add_argument("--rounds", type=int, default=30, help="random evenings of each procedure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--procedure", action="append", default=[], help="these only, and no recordings")
    parser.add_argument("--words", action="store_true", help="sentences must be the same, too")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep inputs, trees and answers there")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the tree to judge; by default this one")
    parser.add_argument("--show", type=int, default=5, help="differences to print")
    args = parser.parse_args(arguments)
    with folder_of(args.keep) as folder:
        commit, procedures = commit_of(args.commit), tuple(args.procedure)
        comparison = Comparison(commit, args.tree.resolve(), folder, args.rounds, args.seed, procedures, args.words)
        found = comparison.run()
        wanted = {each.input for each in found.differences} | {name for name, *_ in found.legal[:3]}
        with comparison.inputs.open(encoding="utf-8") as lines:
            inputs = {item["id"]: item for item in map(json.loads, lines) if item["id"] in wanted}
    print(table(found))
    for path, count in found.declared.items():
        print(f"declared: {path} differs in {count} answers: {DECLARED[path]}")
    for line in explained(found, inputs, args.show):
        print(line)
    print()
    for line in legal_told(found, inputs):
        print(line)
    return 1 if found.differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
