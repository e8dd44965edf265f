"""Acceptance plans written in a test."""

from pathlib import Path

from dealwire.bench.plan.plan import BenchPlan, load_plan


def bench_plan_of(text: str, folder: Path) -> BenchPlan:
    """Return the plan with this text, as `x.toml`."""
    file = folder / "x.toml"
    file.write_text(text, encoding="utf-8")
    return load_plan(file)
