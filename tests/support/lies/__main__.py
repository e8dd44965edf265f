"""Play lies: `python -m tests.support.lies [ID or DEVICE ...] [--only PATTERN] [--no-bench] [--no-table]`.

With `--lines FILE` one evening is also played on pseudo-terminals, in real time; its recording is replayed.

Each lie is tested by the whole acceptance plan of its device (or by the checks of `--only`, which the output says), on
the simulated clock and with simulated hands. It is also played through evenings at a table, each next to the same
evening without a lie. The output names everything that catches it, or says that nothing does.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.lies import controller, shoe, shuffler
from tests.support.lies.liar import DeviceLie
from tests.support.lies.playing import (
    EVENINGS,
    USUAL,
    Played,
    evenings_of,
    failing_checks,
    honest_checks,
    honest_evening,
    lying_evening,
    on_lines,
)

LIES: dict[str, type[DeviceLie]] = {
    each.id: each
    for module in (shuffler, controller, shoe)
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, DeviceLie) and each.id
}


def otherwise(lied: Played, usual: Played) -> dict[str, Any]:
    """Return the differences between an evening with the lie and the honest one."""
    incidents = {code: number - usual.incidents[code] for code, number in lied.incidents.items()}
    found: dict[str, Any] = {
        "incidents": {
            code: {"more": more, "says": lied.texts[code]} for code, more in sorted(incidents.items()) if more > 0
        }
    }
    fewer = {code: number - lied.incidents[code] for code, number in usual.incidents.items()}
    if any(number > 0 for number in fewer.values()):
        found["fewer"] = {code: number for code, number in sorted(fewer.items()) if number > 0}
    if lied.rounds != usual.rounds:
        found["rounds"] = [dict(usual.rounds), dict(lied.rounds)]
    if lied.money != usual.money:
        found["money"] = [usual.money, lied.money]
    more_held = {why: number - usual.held_for[why] for why, number in lied.held_for.items()}
    if any(number > 0 for number in more_held.values()):
        found["held"] = {why: number for why, number in more_held.items() if number > 0}
    if lied.stood_still:
        found["stood still"] = True
    return found if len(found) > 1 or found["incidents"] else {}


def all_that_names(
    lie: type[DeviceLie], only: list[str], on_bench: bool, at_table: bool, rounds: int, few: bool
) -> dict[str, Any]:
    """Return everything that catches a lie."""
    result: dict[str, Any] = {"id": lie.id, "device": lie.device, "does": lie.does}
    if on_bench:
        usual = {each.id for each in honest_checks(lie.device, lie.recognition, rounds, tuple(only))}
        liar = lie()
        try:
            result["bench"] = [
                each._asdict() for each in failing_checks(liar, lie.device, only, rounds) if each.id not in usual
            ]
            result["lied at the bench"] = liar.lied
        except Exception as error:
            result["bench"] = [{"id": "crash", "must": "", "why": f"{type(error).__name__}: {error}"}]
            result["trace"] = traceback.format_exc(limit=-6)
    if at_table:
        result["table"], result["lied at the table"] = {}, {}
        for name in evenings_of(lie, few):
            liar = lie()
            try:
                differs = otherwise(lying_evening(liar, lie.device, EVENINGS[name]), honest_evening(lie.device, name))
                if liar.lied:
                    result["lied at the table"][name] = liar.lied
            except Exception as error:
                differs = {"crash": f"{type(error).__name__}: {error}", "trace": traceback.format_exc(limit=-6)}
            if differs:
                result["table"][name] = differs
    return result


def on_real_lines(lie: type[DeviceLie], rounds: int, file: Path) -> dict[str, Any]:
    """Play a lie on pseudo-terminals; return the incidents that name it, and whether a replay of the recording gives
    the same."""
    name = evenings_of(lie, few=True)[0]
    evening = replace(EVENINGS[name], rounds=min(rounds, EVENINGS[name].rounds))
    lied, again = on_lines(lie(), lie.device, evening, file)
    return {
        "evening": name,
        "incidents": lied.texts,
        "rounds": dict(lied.rounds),
        "money": lied.money,
        "replay is the same": (lied.incidents, lied.rounds, lied.money) == (again.incidents, again.rounds, again.money),
    }


def main() -> None:
    """Play the lies that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.lies", description=__doc__.split("\n")[0])
    parser.add_argument("ids", nargs="*", metavar="ID", help="of a lie, or a device")
    parser.add_argument("--only", action="append", default=[], help="only these checks of the plan")
    parser.add_argument("--no-bench", action="store_true")
    parser.add_argument("--no-table", action="store_true")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of the soak (default: 20)")
    parser.add_argument("--few", action="store_true", help="only the evenings in which most is seen")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="also on real lines, recorded in FILE")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    unknown = [name for name in given.ids if name not in LIES and name not in USUAL]
    if unknown:
        parser.error(f"no such lie: {', '.join(unknown)}; there are {', '.join(LIES)}")
    if given.only:
        print(f"only these checks of the plan: {', '.join(given.only)}")
    results = []
    for lie in LIES.values():
        if given.ids and lie.id not in given.ids and lie.device not in given.ids:
            continue
        began = time.monotonic()
        result = all_that_names(lie, given.only, not given.no_bench, not given.no_table, given.rounds, given.few)
        if given.lines:
            result["lines"] = on_real_lines(lie, 8, given.lines)
        results.append(result)
        print(f"\n{lie.device} {lie.id}: {lie.does}  ({time.monotonic() - began:.1f} s)")
        for check in result.get("bench", []):
            print(f"  bench  {check['id']}: {check['must']} -- {check['why'][:300]}")
        for evening, differs in result.get("table", {}).items():
            print(f"  table  {evening}: {json.dumps(differs)[:600]}")
        if given.lines:
            print(f"  lines  {json.dumps(result['lines'])[:600]}")
        if not result.get("bench") and not any(
            d.get("incidents") or d.get("held") or "crash" in d for d in result.get("table", {}).values()
        ):
            at_bench, at_table = result.get("lied at the bench", 0), sum(result.get("lied at the table", {}).values())
            words = "PASSED UNNOTICED" if at_bench or at_table else "HAD NO OCCASION"
            print(f"  {words} (lied {at_bench} times at the bench, {at_table} at a table)")
        if given.json:
            given.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
