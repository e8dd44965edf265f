"""Pots that readers of the regulation shared out on paper, as rounds: `tests/rules/pots_on_paper/GAME.toml`.

A case has what each seat put in by bet name, its hand at the end, and what it `gets` of the pots, its own chips in them
included, in addition to what is `returned`. An `ambiguous` case has the other reading that the text allows.
"""

import tomllib
from collections.abc import Collection
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from dealer_flow.record.details import Split
from dealer_flow.record.result import Seat
from rules import Settlement, load_game, settle
from rules.facts.terms import agree
from rules.game.load import Game
from rules.game.pot_spec import UNCALLED
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import PoolPart, load_jackpot
from rules.settlement import HouseRake, Meter, Rolled
from tests.support.dealing.written_rounds import ended_round, seat_of

EXAMPLE: Final = Path(__file__).parents[3] / "docs/examples/jackpot-bad-beat.toml"
FOLDER: Final = Path(__file__).parents[2] / "rules" / "pots_on_paper"


def pot_games() -> list[str]:
    """Return the games with pots on paper."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def pot_cases(game: str) -> tuple[dict[str, Any], ...]:
    """Return the cases of a game, in the order of its file. `apart`: wagers of every seat that belong to no pot, which
    the file names once."""
    read = tomllib.loads((FOLDER / f"{game}.toml").read_text(encoding="utf-8"))
    return tuple({"apart": read.get("apart", {})} | case for case in read["case"])


def seats_of(case: dict[str, Any]) -> list[Seat]:
    """Return the seats as the round has them: bets returned at the table are no longer in the pot."""
    found = []
    jokers = iter(("X1", "X2"))
    for row in case["seat"]:
        wagers = {name.replace("-", "_"): cents for name, cents in (case["apart"] | row["wagers"]).items()}
        back = _given_back(case, row)
        cards = [next(jokers) if card == "JK" else card for card in row["cards"].split()]
        seat = seat_of(row["seat"], cards, status=row["status"], returned=back, **wagers)
        if wild := row.get("wild"):
            rest = list(cards)
            rest.remove(wild)
            seat = replace(seat, split=Split(low=(wild,), rest=tuple(rest), by="player", foul=False))
        found.append(replace(seat, stake=row.get("stake")))
    return found


def _given_back(case: dict[str, Any], row: dict[str, Any]) -> dict[str, int]:
    """Return the bets that a seat gets back before any pot is shared.

    All of them if its hand is dead by no fault of its player's, the deck is defective or the blinds are chopped; if its
    hand was fouled as it bet, that last bet.
    """
    wagers, back = row["wagers"], row["expect"].get("returned", 0)
    blameless = row["status"] == "dead" and row.get("cause") == "none"
    if blameless or (back and (case.get("deck") == "defective" or case.get("chop"))):
        return dict(wagers)
    if row["status"] == "dead" and back:
        last = next(reversed(wagers))
        assert wagers[last] == back
        return {last: back}
    return {}


def settled_on_paper(game: str, case: dict[str, Any]) -> Settlement:
    """Settle the case as it says: with its qualifier, its rake, and its chips."""
    spec = load_game(game)
    readings = {}
    if "low-qualifier" in spec.spec.readings:
        readings["low-qualifier"] = "eight-or-better" if case.get("qualifier") == "8" else "none"
    if "share" in case:
        readings["high-hand-share"] = case["share"].removesuffix(" %")
    if case.get("final-round"):
        readings["last-hand"] = "fifth"
    if "odd-low" in case:
        readings["odd-chip-low"] = case["odd-low"]
    if "ambiguous" in case and "unequal-winners" in spec.spec.readings:
        readings["unequal-winners"] = "layers"  # the sentence this reader settled on; by itself the hand is held
    rake = HouseRake(percent=case["rake"].removesuffix(" %")) if case.get("rake", "0 %") != "0 %" else None
    void = {"outcome": "defective-deck"} if case.get("deck") == "defective" else {}
    result = ended_round(game, seats_of(case), case.get("community", ""), button=case.get("button"), **void)
    return settle(result, spec, readings=readings, token_cents=case["token"], rake=rake, meters=_meters(spec, case))


def posted_after(game: str, case: dict[str, Any]) -> int:
    """Return the posted award after the case, by a book of a primary and a secondary jackpot."""
    setup = load_jackpot(EXAMPLE)
    cents = {"primary": case["pool"], "secondary": case["secondary"]}
    half = Fraction(1, 2)
    rows = [{"name": name, "contribution": half, "start-cents": each} for name, each in cents.items()]
    pools = tuple(PoolPart.model_validate(row) for row in rows)
    spec = load_game(game)
    book = JackpotBook(setup.model_copy(update={"games": (game,), "pools": pools, "rake_cents": 0}))
    result = ended_round(game, seats_of(case), case.get("community", ""), button=case.get("button"))
    book.settle(result, agree(spec, token_cents=case["token"]))
    return book.award_cents


def _meters(game: Game, case: dict[str, Any]) -> dict[str, Meter]:
    """Return the meter before the hand: the pot that rolls over, or the posted amount of the game's own award."""
    rolls, award = game.spec.pot.rolls if game.spec.pot else None, game.spec.jackpot
    if "pool" not in case or (rolls is None and award is None):
        return {}
    if rolls is not None:
        hand = 5 if case.get("final-round") else 2 if case["pool"] else 1
        seats = tuple(row["seat"] for row in case["seat"])
        return {rolls.meter: Meter(case["pool"], rolled=Rolled(hands=hand - 1, seats=seats))}
    return {award.meter: Meter(case["pool"])} if award is not None else {}


def comes_to(settlement: Settlement, seat: int, apart: Collection[str] = ()) -> dict[str, int]:
    """Return a seat's cents from the pots, from returned bets, and from a jackpot; bets `apart` are left out."""
    mine = [line for line in settlement.lines if line.seat == seat and line.bet not in apart]
    back = [line for line in mine if line.bet == UNCALLED or line.result == "returned"]
    award = [line for line in mine if line.meter]
    pots = [line for line in mine if line not in back and line not in award]
    found = {
        "gets": sum(line.pay + line.returned for line in pots),
        "returned": sum(line.returned for line in back),
        "pool": sum(line.pay for line in award),
    }
    return {name: cents for name, cents in found.items() if cents or name == "gets"}
