"""Game files of earlier versions, written as the present one: what is said elsewhere now is taken out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dealer_flow.english import dollars
from dealer_flow.layers import Whole, alone, drop
from dealer_flow.procedure.bets import Amount, BetPart, amount_of
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.tomlfile import read
from dealer_flow.written_out import written_out
from protocol.printable import printable
from rules.game.as_dealt import DEALT, PROGRESSIVE
from rules.game.layers import GAME_SCHEMA, GameLayering
from rules.game.load import Game, content_hash, content_of, game_of
from rules.game.pairing import procedure_source
from rules.game.source import GameSource

CONVERTED: Final = "dealwire.game/2"
"""The version that is converted."""


@dataclass(frozen=True)
class Conversion:
    """A game file as it was and as it is now. `before`, `after`: the SHA-256 by which results name the game;
    `changes`: each key that went, or took
    another place."""

    text: str
    game: Game
    before: str
    after: str
    changes: tuple[str, ...]
    unsaid: tuple[str, ...]
    """What went and no procedure of the game says: without a row there, nobody asks it of a wager any more."""


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
    changes = [*_tips(whole), *_terms(whole), *_limit(whole), *_odds(whole), *_as_dealt(whole)]
    whole.tables["schema"] = GAME_SCHEMA
    new = written_out(whole, order)
    game = game_of(GameSource.of(new, path))
    rankings = game.source.own_rankings(game.rankings)
    before = content_hash(_as_it_was(content_of(game.spec), old), game.paytables, rankings)
    return Conversion(new, game, before, game.sha256, tuple(changes), tuple(dict.fromkeys(_unsaid(game, old))))


def _tips(whole: Whole) -> list[str]:
    """Bets of kind `tip`: the procedure says which spot is a tip for which bet."""
    rows = [row.value for row in whole.rows.get("bets", ()) if row.value.get("kind") == "tip"]
    tips = [row["name"] for row in rows if isinstance(row.get("name"), str) and isinstance(row.get("for"), str)]
    for name in tips:
        drop(whole, f"bets.{name}")
    return [f"bets.{name}: gone; the procedure's tip-for says it" for name in tips]


def _terms(whole: Whole) -> list[str]:
    """`equals` and `beside` of a bet: the procedure's `must` says it; the hand by which one may be raised stays. That
    raises lie on a spot the procedure says, too."""
    changes = []
    for row in [*whole.rows.get("bets", ())]:
        at = f"bets.{row.value.get('name')}"
        equals = row.value.get("equals")
        for key in ("equals", "beside"):
            if not isinstance(_table(row.value.get(key)).get("bet"), str):
                continue  # the loader refuses it
            changes += [f"{at}.{key}: gone; the procedure's must says it"] if drop(whole, f"{at}.{key}") else []
        if row.value.get("raised") is True and drop(whole, f"{at}.raised"):
            changes.append(f"{at}.raised: gone; the procedure's betting rounds say it")
        if raised := _raised(equals):
            changes.append(f"{at}.equals.raised: now {at}.raised")
            new = next(each for each in whole.rows["bets"] if each.value.get("name") == row.value.get("name"))
            new.value["raised"] = raised
    return changes


def _limit(whole: Whole) -> list[str]:
    """The figure of `[limit]`: it is the procedure's; its clause goes along, unless a limit of games needs it."""
    if not isinstance(_table(whole.tables.get("limit")).get("each-bet-cents"), int):
        return []
    drop(whole, "limit.each-bet-cents")
    if "games" not in whole.tables["limit"]:
        drop(whole, "limit")
    return ["limit.each-bet-cents: gone; the procedure's limit says it"]


def _as_dealt(whole: Whole) -> list[str]:
    """What the procedures say of the cards and of the bet that is played for the progressive."""
    rows = (row.value for row in whole.rows.get("bets", ()))
    keys = [*map(".".join, DEALT), *(f"bets.{row.get('name')}.kind" for row in rows if row.get("kind") == PROGRESSIVE)]
    return [f"{key}: gone; the procedure says it" for key in keys if drop(whole, key)]


def _raised(equals: Any) -> dict[str, Any]:
    """The hand by which a bet may be more than another, as it is said now; nothing where any hand may."""
    raised = _table(_table(equals).get("raised"))
    if not raised.get("at-least"):
        return {}
    kept = {"at-least": raised["at-least"], "words": raised.get("words", "")}
    return {"above": equals.get("bet"), **kept, "clause": equals.get("clause")}


def _table(value: Any) -> dict[str, Any]:
    """A table, or an empty one for what is none: the loader refuses that."""
    return value if isinstance(value, dict) else {}


def _odds(whole: Whole) -> list[str]:
    """`[odds.settings]`: what players may choose is read off the steps; the rest stands in `[odds]` itself."""
    odds = whole.tables.get("odds")
    settings = odds.get("settings") if isinstance(odds, dict) else None
    if not isinstance(odds, dict) or not isinstance(settings, dict):
        return []
    del odds["settings"]
    kept = {key: settings[key] for key in ("beside", "fine") if key in settings}
    stakes = _stakes(settings.get("ways", []))
    odds |= kept | ({"stakes": stakes} if stakes else {})
    gone = [f"odds.settings.{key}: gone, it is read off the steps" for key in settings if key not in kept]
    return [*gone, *(f"odds.settings.{key}: now odds.{key}" for key in kept)]


def _stakes(ways: Any) -> dict[str, list[str]]:
    """Bet -> its stakes in units of the first, of bets that may be made in several ways."""
    found: dict[str, list[str]] = {}
    for way in map(_table, ways if isinstance(ways, list) else ()):
        stakes, bets = _table(way.get("stakes")), way.get("bets")
        for bet in _table(way.get("as")):
            if not isinstance(bets, list) or bet in bets:
                found.setdefault(bet, []).append(stakes.get(bet, "1"))
    return found


_RENAMED: Final = {"for": "for_", "with": "with_"}
_ABSENT: Final[tuple[object, ...]] = ("", False, {})
"""What such a key held unless it was given; it was not hashed."""


def _hashed(value: Any) -> Any:
    """What an earlier version hashed of a table that is gone."""
    if not isinstance(value, dict):
        return value
    parts = {_RENAMED.get(key, key.replace("-", "_")): _hashed(part) for key, part in value.items()}
    return {key: part for key, part in parts.items() if part not in _ABSENT}


def _bets_as_they_were(bets: list[dict[str, Any]], old: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    named = {row["name"]: row for row in bets}
    for row in old:
        if row["kind"] == "tip":
            yield _hashed(row)
        else:
            gone: dict[str, Any] = {key: _hashed(row[key]) for key in ("equals", "beside", "raised") if key in row}
            kept = {key: value for key, value in named[row["name"]].items() if key != "raised"}
            yield {**kept, **gone}


def _dealt_as_it_was(old: Mapping[str, Any]) -> dict[str, Any]:
    """What the earlier version hashed of what the procedures say now; None for what it did not."""
    decks = old.get("decks", 1)
    return {"decks": decks if decks > 1 else None, "laid_aside": old.get("laid-aside") or None, "race": old.get("race")}


def _as_it_was(content: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The content of the present version as that of the earlier one, of which the hash was taken."""
    bets = [*_bets_as_they_were(content["bets"], old["bets"])]
    found = {**content, "schema_": old["schema"], "bets": bets, **_dealt_as_it_was(old)}
    found = {key: value for key, value in found.items() if value is not None}
    if "each-bet-cents" in old.get("limit", {}):
        found["limit"] = _hashed(old["limit"])
    settings = old.get("odds", {}).get("settings")
    if settings:
        odds = {key: value for key, value in found["odds"].items() if key not in ("beside", "fine", "stakes")}
        found["odds"] = {**odds, "settings": settings}
    return found


# ------------------------------------------------------------------ what the procedures must say


def _unsaid(game: Game, old: Mapping[str, Any]) -> Iterator[str]:
    """Each figure, rule of a wager and tip that went from a game in order, and that a procedure of it does not have."""
    now = content_of(game.spec)
    for key, was in _dealt_as_it_was(old).items():
        if now.get(key) != was:
            yield f"the procedures have another {key.replace('_', '-')} than {was or 'none'}: {now.get(key, 'none')}"
    for name in game.spec.procedures:
        source = procedure_source(game, name)
        if source is None:
            yield f"procedure {name} is not at hand: the rules of its bets were not looked at"
            continue
        spots = {bet.name: bet for bet in load_procedure(source).bet}
        yield from _unsaid_limit(load_procedure(source), old.get("limit", {}).get("each-bet-cents"))
        for row in old["bets"]:
            spot = spots.get(row["name"])
            if row["kind"] == "tip" and not row.get("on") and (spot is None or spot.tip_for != row["for"]):
                yield f"procedure {name} has no tip {row['name']!r} for {row['for']!r}"
            for key in ("equals", "beside"):
                other = row.get(key, {}).get("bet")
                if (
                    spot is not None
                    and other
                    and not _speaks_of(spot, other)
                    and not (key == "beside" and spots[other].enters)
                ):
                    yield f"procedure {name} has no must of {row['name']!r} that speaks of {other!r}"


def _unsaid_limit(procedure: Procedure, cents: int | None) -> Iterator[str]:
    """The limit of a bet that went, where the procedure has another figure or none."""
    limit = amount_of(procedure.limit.each_bet) if procedure.limit is not None else None
    if cents is not None and limit != Amount(cents):
        yield f"procedure {procedure.id} has no [limit] of {dollars(cents)} for each bet"


def _speaks_of(spot: BetPart, other: str) -> bool:
    """True where some rule of a bet is about another."""
    return any(other in must.others or (must.amount is not None and must.amount.bet == other) for must in spot.must)
