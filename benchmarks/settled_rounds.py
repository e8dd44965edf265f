"""Rounds that `work` settles, kept as lines of JSON in `rounds/`, so that they do not change with the program.

`python -m benchmarks.settled_rounds` deals them again on simulated devices, from a seed. Every budget of a settled
round depends on them.
"""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "rounds"
ROUNDS: Final = 16
WARM_UP: Final = 6
"""Number of rounds that are settled before the others are counted."""
SEED: Final = 30
PLAYERS: Final = {
    "flushes-gone-wild.co": 5,
    "ultimate-texas-holdem.co": 5,
    "pai-gow.co": 5,
    "emperors-challenge.co": 5,
    "holdem.co": 6,
    "home-run.co": 6,
}
"""Number of players by procedure; the ids are also those of their games."""


def lines_of(procedure: str) -> list[str]:
    """Return the kept rounds of a procedure."""
    return (FOLDER / f"{procedure}.ndjson").read_text(encoding="utf-8").splitlines()


def write() -> None:
    """Deal all of them again."""
    from dealer_flow.record.result import RoundResult
    from dealwire.rehearsal.simulate import simulate

    FOLDER.mkdir(exist_ok=True)
    for procedure, players in PLAYERS.items():
        dealt = simulate(procedure, rounds=ROUNDS, seed=SEED, players=players)
        found = [each.to_json() + "\n" for each in dealt if isinstance(each, RoundResult)]
        (FOLDER / f"{procedure}.ndjson").write_text("".join(found), encoding="utf-8")


if __name__ == "__main__":
    write()
