"""Game files of earlier versions, written as the present one: what is said elsewhere now is taken out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dealer_flow.layers import Whole, alone
from dealer_flow.tomlfile import read
from dealer_flow.written_out import written_out
from protocol.printable import printable
from rules.game.layers import GAME_SCHEMA, GameLayering
from rules.game.load import Game, content_hash, content_of, game_of
from rules.game.schema import OddsSpec
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
    order, old = tuple(whole.own.content), whole.own.content
    changes = [*_odds(whole)]
    whole.tables["schema"] = GAME_SCHEMA
    new = written_out(whole, order)
    game = game_of(GameSource.of(new, path))
    rankings = game.source.own_rankings(game.rankings)
    before = content_hash(_as_it_was(content_of(game.spec), old), game.paytables, rankings)
    return Conversion(new, game, before, game.sha256, tuple(changes))


def _odds(whole: Whole) -> list[str]:
    """`[odds.settings]`: what players may choose is read off the steps; the rest stands in `[odds]` itself."""
    odds = whole.tables.get("odds", {})
    if "settings" not in odds or "settings" in OddsSpec.model_fields:
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


def _as_it_was(content: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the present version as that of the earlier one, of which the hash was taken."""
    found = {**content, "schema_": old["schema"]}
    settings = old.get("odds", {}).get("settings")
    if settings and "settings" not in OddsSpec.model_fields:
        odds = {key: value for key, value in found["odds"].items() if key not in ("beside", "fine", "stakes")}
        found["odds"] = {**odds, "settings": settings}
    return found
