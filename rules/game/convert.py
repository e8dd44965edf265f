"""Game files of earlier versions, written as the present one: what is said elsewhere now is taken out."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dealer_flow.layers import Whole, alone, drop
from dealer_flow.tomlfile import read
from dealer_flow.written_out import written_out
from protocol.printable import printable
from rules.game.layers import GAME_SCHEMA, GameLayering
from rules.game.load import Game, content_hash, content_of, game_of
from rules.game.source import GameSource

CONVERTED: Final = "dealwire.game/2"
"""The version that is converted."""


@dataclass(frozen=True)
class Conversion:
    """A game file as it was and as it is now. `before`, `after`: the SHA-256 by which results name the game;
    `changes`: each key that went, or took another place."""

    text: str
    game: Game
    before: str
    after: str
    changes: tuple[str, ...]


class _AnyVersion(GameLayering):
    """Games of any version, to be taken apart only."""

    def check(self, layer: Any) -> None:
        """Take a file as it is."""


def converted(path: Path) -> Conversion | None:
    """The game file at `path` as one of the present version; None when it is one already. TomlFileError for a file of
    any other kind, and for one that is not in order once it is converted."""
    text = read(path)
    whole = alone(text, str(path), _AnyVersion())
    schema = whole.tables.get("schema")
    if schema == GAME_SCHEMA:
        return None
    if schema != CONVERTED:
        why = f"{printable(repr(schema))} is not converted; allowed: {CONVERTED}"
        raise whole.fault(("schema",), why)
    order, old = tuple(whole.own.content), deepcopy(whole.own.content)
    changes = [*_odds(whole), *_bets(whole), *_limit(whole)]
    whole.tables["schema"] = GAME_SCHEMA
    new = written_out(whole, order)
    game = game_of(GameSource.of(new, path))
    rankings = game.source.own_rankings(game.rankings)
    before = content_hash(_as_it_was(content_of(game.spec), old), game.paytables, rankings)
    return Conversion(new, game, before, game.sha256, tuple(changes))


def _odds(whole: Whole) -> list[str]:
    """`[odds.settings]`: what players may choose is read off the steps; the rest stands in `[odds]` itself."""
    odds = whole.tables.get("odds", {})
    if "settings" not in odds:
        return []
    settings = odds.pop("settings")
    kept = {key: settings[key] for key in ("beside", "fine") if key in settings}
    stakes = _stakes(settings.get("ways", []))
    odds |= kept | ({"stakes": stakes} if stakes else {})
    gone = [f"odds.settings.{key}: gone, it is read off the steps" for key in settings if key not in kept]
    return [*gone, *(f"odds.settings.{key}: now odds.{key}" for key in kept)]


def _stakes(ways: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Bet -> its stakes in units of the first, of bets that may be made in several ways."""
    found: dict[str, list[str]] = {}
    for way in ways:
        for bet in way.get("as", {}):
            if bet in way.get("bets", (bet,)):
                found.setdefault(bet, []).append(way.get("stakes", {}).get(bet, "1"))
    return found


def _bets(whole: Whole) -> list[str]:
    """Rows of `[[bets]]`: what a wager must be, and which is a tip, its procedure says."""
    changes: list[str] = []
    for row in [each.value for each in whole.rows.get("bets", [])]:
        name = row.get("name", "")
        if row.get("kind") == "tip":
            drop(whole, f"bets.{name}")
            changes.append(f"bets.{name}: gone; the procedure has tip-for")
            continue
        equals = row.pop("equals", None)
        if equals is not None:
            changes.append(f"bets.{name}.equals: gone; the procedure says it in must")
        if row.pop("beside", None) is not None:
            changes.append(f"bets.{name}.beside: gone; the procedure says it in must, or by the bet that enters")
        if row.get("kind") == "to-pot" and row.pop("raised", None) is not None:
            changes.append(f"bets.{name}.raised: gone; the procedure places it by-action")
        raised = (equals or {}).get("raised", {})
        if raised.get("at-least"):
            least = {key: raised[key] for key in ("at-least", "words") if key in raised}
            row["raised"] = {"above": equals["bet"], **least, "clause": equals["clause"]}
            changes.append(f"bets.{name}.equals.raised: now bets.{name}.raised")
    return changes


def _limit(whole: Whole) -> list[str]:
    """`[limit]`: its figure is the procedure's, as is the clause of it."""
    limit = whole.tables.get("limit", {})
    if limit.pop("each-bet-cents", None) is None:
        return []
    if "games" in limit:
        return ["limit.each-bet-cents: gone; the procedure has it in its [limit]"]
    del whole.tables["limit"]
    return ["limit: gone; the procedure has it"]


def _bet_as_it_was(row: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A bet of the present version with what it said of itself in the earlier one, its defaults left out."""
    if row["kind"] == "tip":
        return {{"for": "for_"}.get(key, key): value for key, value in row.items() if value}
    found = dict(now)
    if row["kind"] == "to-pot" and row.get("raised"):
        found["raised"] = True
    if "beside" in row:
        found["beside"] = row["beside"]
    if "equals" in row:
        found.pop("raised", None)
        equals = {{"with": "with_"}.get(key, key): value for key, value in row["equals"].items() if value}
        if "raised" in equals:
            equals["raised"] = {key.replace("-", "_"): value for key, value in equals["raised"].items() if value}
        found["equals"] = equals
    return found


def _as_it_was(content: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the present version as that of the earlier one, of which the hash was taken."""
    found = {**content, "schema_": old["schema"]}
    now = {row["name"]: row for row in content["bets"]}
    found["bets"] = [_bet_as_it_was(row, now.get(row["name"], {})) for row in old["bets"]]
    if "limit" in old:
        found["limit"] = {key.replace("-", "_"): value for key, value in old["limit"].items()}
    settings = old.get("odds", {}).get("settings")
    if settings:
        odds = {key: value for key, value in found["odds"].items() if key not in ("beside", "fine", "stakes")}
        found["odds"] = {**odds, "settings": settings}
    return found
