"""Work of each part, in function calls: the way in which calls are counted, and figures checked against budgets."""

import gc
import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import __main__ as door
from benchmarks import calls, settled_rounds, trees, work, work_figures
from benchmarks.calls import Job, Meter, Tally, Unsteady, by_function, calls_of, steady, whole
from dealer_flow.record.result import RoundResult

THREE = 3


def leaf(text: str) -> int:
    return len(text)


def tree(branches: int) -> None:
    for _ in range(branches):
        leaf("four")


def calls_in(call: Callable[[], object]) -> int:
    meter = Meter()
    with meter:
        call()
    return meter.calls


# ---------------------------------------------------------------------- counting


@pytest.fixture(autouse=True)
def what_other_tests_left_is_not_looked_through() -> None:
    """Exclude the objects of other tests from garbage collection: each pass collects first, and thousands of tests
    leave many."""
    gc.freeze()


def test_an_empty_block_makes_no_calls() -> None:
    meter = Meter()
    with meter:
        pass
    assert meter.calls == 0


def test_calls_of_python_and_of_c_are_counted_alike() -> None:
    meter = Meter()
    with meter:
        leaf("four")  # leaf, len
    assert meter.calls == 2
    with meter:
        tree(THREE)  # tree, and three times leaf and len; range is a class, and making one no call of a function
    assert meter.calls == 2 + 1 + 2 * THREE


def test_a_generator_counts_each_time_it_is_resumed() -> None:
    def two() -> Iterator[int]:
        yield 1
        yield 2

    assert calls_in(lambda: [*two()]) == 1 + 3  # the lambda; to the first, to the second, to the end


def test_what_is_called_outside_its_blocks_is_not_counted() -> None:
    meter = Meter()
    leaf("four")
    with meter:
        leaf("four")
    leaf("four")
    assert meter.calls == 2
    assert sys.getprofile() is None


def test_a_block_that_ends_with_an_error_counts_no_further() -> None:
    meter = Meter()
    with pytest.raises(ValueError, match="no figure"), meter:
        int("no figure")
    before = meter.calls
    leaf("four")
    assert sys.getprofile() is None
    assert meter.calls == before


def test_a_tally_names_functions_and_leaves_its_own_out() -> None:
    tally = Tally()
    with tally:
        tree(THREE)
    here = f"tests/{Path(__file__).name}"
    assert tally.by_function == {
        f"{here}:{tree.__code__.co_firstlineno} tree": 1,
        f"{here}:{leaf.__code__.co_firstlineno} leaf": THREE,
        "builtins.len": THREE,
    }
    assert tally.calls == tally.by_function.total()


def test_calls_a_unit_are_what_it_takes_more_than_its_less() -> None:
    play, less = whole(lambda: tree(10)), whole(lambda: tree(4))
    assert calls_of(Job(6, play)) == (1 + 1 + 20) / 6  # the lambda, tree, ten leaves
    assert calls_of(Job(6, play, less)) == 2
    assert by_function(Job(6, play, less)) == {
        f"tests/{Path(__file__).name}:{leaf.__code__.co_firstlineno} leaf": 1,
        "builtins.len": 1,
    }


def test_what_a_cache_keeps_is_counted_only_where_the_input_is_new() -> None:
    """A job with `warm` is done once, on input that no pass has seen; one without is repeated until its count is
    stable."""
    known: set[int] = set()

    def meet(*numbers: int) -> None:
        for number in numbers:
            if number not in known:
                leaf("four")
                known.add(number)

    again = Job(2, whole(lambda: meet(1, 2)))
    assert calls_of(again) == (1 + 1) / 2  # the lambda and meet: both numbers are known by then
    new = Job(2, whole(lambda: meet(3, 4)), warm=whole(lambda: meet(1, 2)))
    assert calls_of(new) == (1 + 1 + 2 * THREE) / 2


def test_work_that_never_comes_to_rest_is_no_figure() -> None:
    passes = iter(range(1000))
    with pytest.raises(Unsteady) as caught:
        steady(whole(lambda: tree(next(passes))))
    assert len(caught.value.found) == calls.PASSES
    assert str(caught.value).startswith("no two passes in a row made as many calls: ")


# ---------------------------------------------------------------------- budgets


AT_A_TABLE = ("line", "live", "heartbeat", "step")
"""Figures of a whole table, which take longer to count than all others together."""


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([name for name in work_figures.FIGURES if name not in AT_A_TABLE], id="of a part"),
        pytest.param([*AT_A_TABLE], id="at a table", marks=pytest.mark.more),
    ],
)
def test_every_figure_is_within_its_budget(names: list[str]) -> None:
    budgets = work.load()
    if not budgets.apply_here:
        pytest.skip(f"not here: the budgets are of Python {budgets.python}; this one is {work.python_here()}")
    problems = list(work.judged(work.figures_here(*names), {name: budgets.calls[name] for name in names}))
    assert not problems, "\n".join(["", *problems])


def test_a_figure_may_differ_from_its_budget_by_three_percent() -> None:
    for found in (97.0, 100.0, 103.0):
        assert list(work.judged({"flow": found}, {"flow": 100.0})) == []


def test_one_that_grew_is_named_with_how_much_it_grew() -> None:
    assert list(work.judged({"flow": 63.1, "link": 36.0}, {"flow": 60.0, "link": 36.0})) == [
        "flow grew: 63.1 calls a frame are 5.2% above its budget of 60;"
        " `python -m benchmarks work --profile flow` says where they go"
    ]


def test_one_that_got_lighter_is_named_with_its_new_budget() -> None:
    assert list(work.judged({"emperors": 4000.5}, {"emperors": 8342.1})) == [
        "emperors got lighter, and its budget can be lowered: 4000.5 calls a settled round are 52.0% below 8342.1;"
        " set it to 4000.5, or run `python -m benchmarks work --budget`"
    ]


def test_a_figure_without_a_budget_and_a_budget_of_no_figure_are_named() -> None:
    assert list(work.judged({"flow": 60.0}, {"speed": 1.0})) == [
        "flow has no budget: it takes 60 calls a frame; `python -m benchmarks work --budget` sets it",
        "speed is a budget of no figure; there are: flow",
    ]


def test_budgets_are_written_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / "work.toml"
    figures = {name: float(at) + 0.25 for at, name in enumerate(work_figures.FIGURES, 1)}
    work.write(figures, file)
    assert work.load(file) == work.Budgets(work.python_here(), figures)
    for name, figure in work_figures.FIGURES.items():
        (line,) = re.findall(rf"^{name} = .*$", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert line.endswith(f"# {figure.title}: calls a {figure.per}")


def test_budgets_of_another_python_do_not_apply() -> None:
    assert work.Budgets(work.python_here(), {}).apply_here
    assert not work.Budgets("3.0", {}).apply_here


def test_the_file_of_budgets_has_each_figure_once() -> None:
    content = tomllib.loads(work.BUDGETS.read_text(encoding="utf-8"))
    assert list(content) == ["python", "calls"]
    assert list(content["calls"]) == list(work_figures.FIGURES)


# ---------------------------------------------------------------------- the commands


def named(name: str, calls_found: dict[str, float | str]) -> Callable[..., str]:
    """Return a stand-in for the process that counts."""

    def output_of(*_: object) -> str:
        return json.dumps(calls_found if name == "counted" else {name: calls_found})

    return output_of


EVERY: dict[str, float | str] = dict.fromkeys(work_figures.FIGURES, 100.0)


@pytest.fixture
def budgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "work.toml"
    work.write(dict.fromkeys(work_figures.FIGURES, 100.0), file)
    monkeypatch.setattr(work, "BUDGETS", file)
    monkeypatch.setattr(work.load, "__defaults__", (file,))
    monkeypatch.setattr(work.write, "__defaults__", (file,))
    return file


def test_the_table_has_every_figure_beside_its_budget(budgets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "output_of", named("counted", EVERY | {"flow": 105.0}))
    table = work.run()
    rows = {row[1]: row for row in table.rows}
    assert list(rows) == list(work_figures.FIGURES)
    assert rows["flow"][2:] == ["frame", "105.00", "100.00", "+5.0%"]
    assert [note for note in table.notes if note.startswith("flow grew")]


def test_new_budgets_are_told_with_what_they_were(
    budgets: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(work, "output_of", named("counted", EVERY | {"flow": 26.0}))
    door.main(["work", "--budget"])
    assert capsys.readouterr().out == "flow: 100.0 -> 26.0\n"
    assert work.load(budgets).calls == {**dict.fromkeys(work_figures.FIGURES, 100.0), "flow": 26.0}


def test_a_figure_that_cannot_be_counted_ends_the_command_and_changes_no_budget(
    budgets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = budgets.read_text(encoding="utf-8")
    monkeypatch.setattr(work, "output_of", named("counted", EVERY | {"step": "KeyError: 'view'"}))
    with pytest.raises(SystemExit, match=r"^step: KeyError: 'view'$"):
        door.main(["work", "--budget"])
    assert budgets.read_text(encoding="utf-8") == before


def test_a_figure_that_another_commit_cannot_give_is_a_dash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = EVERY | {"flow": 30.0}, EVERY | {"flow": 60.0, "step": "ImportError: no console"}
    monkeypatch.setattr(work, "output_of", lambda tree, *_: json.dumps(here if tree == trees.ROOT else there))
    monkeypatch.setattr(work, "tree_of", lambda _: nullcontext(tmp_path))
    table = work.against("517dc6e7")
    rows = {row[1]: row for row in table.rows}
    assert rows["flow"][3:] == ["60.00", "30.00", "0.50"]
    assert rows["step"][3:] == ["-", "100.00", "-"]
    assert "step: not to be had of 517dc6e7: ImportError: no console" in table.notes


def test_a_profile_names_what_a_figure_calls_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "output_of", named("flow", {"dict.get": 6.0, "builtins.len": 2.0, "list.append": 1.0}))
    table = work.profile("flow", most=2)
    assert table.rows == [["dict.get", "6.00", "66.7%"], ["builtins.len", "2.00", "22.2%"]]
    assert table.notes == ["9.00 calls of 3 functions; one in C has no line."]


def test_a_figure_that_goes_wrong_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(name: str) -> float:
        raise LookupError(f"{name} is not there\nand more")

    assert work_figures.figure_or_error(fails, "flow") == "LookupError: flow is not there"
    assert "in fails" in capsys.readouterr().err
    assert work_figures.figure_or_error(lambda _: 2.5, "flow") == 2.5


@pytest.mark.more
def test_a_profile_adds_up_to_its_figure() -> None:
    (note,) = work.profile("flushes-gone-wild").notes
    (figure,) = work.measured(trees.ROOT, "flushes-gone-wild").values()
    assert note.startswith(f"{figure:,.2f} calls of ")


# ---------------------------------------------------------------------- other commits


def test_what_is_no_commit_is_said() -> None:
    with pytest.raises(trees.NoCommit, match=r"^no-such-commit: "), trees.tree_of("no-such-commit"):
        pass
    with pytest.raises(SystemExit, match=r"^no-such-commit: "):
        door.main(["work", "--against", "no-such-commit"])


def test_programs_get_their_packages_from_the_tree_and_nothing_else_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDEVMODE", "1")
    found = trees.environment(tmp_path)
    assert {name: text for name, text in found.items() if name.startswith("PYTHON")} == {
        "PYTHONPATH": str(tmp_path),
        "PYTHONHASHSEED": "0",
    }


@pytest.mark.more
def test_a_commit_is_measured_with_our_benchmarks_on_its_own_packages() -> None:
    with trees.tree_of("HEAD") as tree:
        assert sorted(path.name for path in tree.iterdir()) == sorted([*trees.PACKAGES, *trees.OURS])
        assert work.measured(tree, "holdem") == work.measured(trees.ROOT, "holdem")
        (tree / "rules" / "__init__.py").write_text("raise ImportError('the rules of that commit')", encoding="utf-8")
        assert work.measured(tree, "holdem") == {"holdem": "ImportError: the rules of that commit"}


@pytest.mark.more
def test_two_commits_are_timed_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    door.main(["0.01", "replay", "--against", "HEAD"])
    printed = capsys.readouterr().out
    assert "Recorded bytes to results, two commits" in printed
    for stage in ("framing, check, decode", "link, driver: events", "flow: rounds", "rules: settlements"):
        (line,) = [each for each in printed.splitlines() if stage in each]
        assert all(float(cell.replace(",", "")) > 0 for cell in line.split()[-4:])


@pytest.mark.more
def test_figures_are_the_same_without_extras_and_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = ("pai-gow", "line", "live", "heartbeat")
    usual = work.measured(trees.ROOT, *figures)
    absent = ("cryptography", "jinja2", "numpy", "starlette", "uvicorn", "websockets")
    hides = f"import sys\nsys.modules.update(dict.fromkeys({absent}))\n"
    (tmp_path / "sitecustomize.py").write_text(hides, encoding="utf-8")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    of_tree = trees.environment
    path = {"PYTHONPATH": os.pathsep.join([str(trees.ROOT), str(tmp_path)])}
    monkeypatch.setattr(trees, "environment", lambda tree: {**of_tree(tree), **path})
    assert work.measured(trees.ROOT, *figures) == usual


# ---------------------------------------------------------------------- what is settled


@pytest.mark.parametrize("game", settled_rounds.PLAYERS)
def test_the_kept_rounds_were_played_out(game: str) -> None:
    rounds = [RoundResult.from_json(line) for line in settled_rounds.lines_of(game)]
    assert len(rounds) == settled_rounds.ROUNDS
    assert {each.outcome for each in rounds} == {"complete"}
    assert len({str(each.seats) for each in rounds}) == len(rounds)


def test_hands_of_holdem_are_kept_that_have_side_pots() -> None:
    from dealwire.table.table import TableTerms
    from rules.game.load import load_game

    terms = TableTerms(load_game("holdem.co"))
    counted = [RoundResult.from_json(line) for line in settled_rounds.lines_of("holdem.co")][settled_rounds.WARM_UP :]
    pots = [len(terms.settle(each).pots) for each in counted]
    assert sum(number > 1 for number in pots) >= len(pots) // 2


def test_the_door_gives_options_to_the_one_table_that_has_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        door.main(["work", "--help"])
    assert ended.value.code == 0
    assert "--against COMMIT" in capsys.readouterr().out
