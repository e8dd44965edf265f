"""Pots that readers of the regulation shared out on paper, as rounds: `tests/rules/pots_on_paper/GAME.toml`.

A case says what each seat put in by bet name, what it ends with, and what it `gets` of the pots, its own chips in them
included, beside what is `returned`. Where a case is `ambiguous` the text allows another reading, which stands there.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from dealer_flow.record.result import Seat
from rules import Settlement, load_game, settle
from rules.pot_spec import UNCALLED
from rules.settlement import HouseRake
from tests.support.pot_rounds import round_of, seat_of

FOLDER: Final = Path(__file__).parents[1] / "rules" / "pots_on_paper"


def games() -> list[str]:
    """The games that pots were shared out of on paper."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def cases(game: str) -> tuple[dict[str, Any], ...]:
    """The cases of a game, in the order of its file."""
    return tuple(tomllib.loads((FOLDER / f"{game}.toml").read_text(encoding="utf-8"))["case"])


def seats_of(case: dict[str, Any]) -> list[Seat]:
    """The seats as the round has them: what went back at the table is no more of the pot."""
    found = []
    for row in case["seat"]:
        wagers = {name.replace("-", "_"): cents for name, cents in row["wagers"].items()}
        back = _given_back(case, row)
        found.append(seat_of(row["seat"], row["cards"], status=row["status"], returned=back, **wagers))
    return found


def _given_back(case: dict[str, Any], row: dict[str, Any]) -> dict[str, int]:
    """What a seat has back before any pot is shared: all of it where its hand is dead by no fault of its player's, the
    deck is defective or the blinds are chopped; of a hand that was fouled when it bet, that last bet."""
    wagers, back = row["wagers"], row["expect"].get("returned", 0)
    blameless = row["status"] == "dead" and row.get("cause") == "none"
    if blameless or (back and (case.get("deck") == "defective" or case.get("chop"))):
        return dict(wagers)
    if row["status"] == "dead" and back:
        last = next(reversed(wagers))
        assert wagers[last] == back
        return {last: back}
    return {}


def settled(game: str, case: dict[str, Any]) -> Settlement:
    """The case settled as it says: its qualifier, its rake, in its chips."""
    spec = load_game(game)
    readings = {}
    if "low-qualifier" in spec.spec.readings:
        readings["low-qualifier"] = "eight-or-better" if case.get("qualifier") == "8" else "none"
    rake = HouseRake(percent=case["rake"].removesuffix(" %")) if case.get("rake", "0 %") != "0 %" else None
    void = {"outcome": "defective-deck"} if case.get("deck") == "defective" else {}
    result = round_of(game, seats_of(case), case.get("community", ""), button=case.get("button"), **void)
    return settle(result, spec, readings=readings, token_cents=case["token"], rake=rake)


def comes_to(settlement: Settlement, seat: int) -> dict[str, int]:
    """What a seat gets of the pots, and what comes back to it."""
    mine = [line for line in settlement.lines if line.seat == seat]
    back = [line for line in mine if line.bet == UNCALLED or line.result == "returned"]
    pots = [line for line in mine if line not in back]
    found = {"gets": sum(line.pay + line.returned for line in pots), "returned": sum(line.returned for line in back)}
    return {name: cents for name, cents in found.items() if cents or name == "gets"}
