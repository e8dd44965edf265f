"""Conversion of game files of earlier versions: keys that other files now have are removed."""

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
"""Schema version that can be converted."""


@dataclass(frozen=True)
class Conversion:
    """A game file before and after conversion.

    `before` and `after` are the SHA-256 by which results name the game; `changes` describes each key that was removed
    or moved.
    """

    text: str
    game: Game
    before: str
    after: str
    changes: tuple[str, ...]
    unsaid: tuple[str, ...]
    """Removed rules that no procedure of the game has: until one does, wagers are no longer checked against them."""


class _AnyVersion(GameLayering):
    """Layering that accepts games of any version, used only to take them apart."""

    def check(self, layer: Any) -> None:
        """Accept the file unchecked."""


def converted(path: Path) -> Conversion | None:
    """Convert the game file at `path` to the present version; return None if it already is.

    Raises TomlFileError for any other kind of file, and for a file that is invalid after conversion.
    """
    text = read(path)
    whole = alone(text, str(path), _AnyVersion())
    schema = whole.tables.get("schema")
    if schema == GAME_SCHEMA:
        return None
    if schema != CONVERTED:
        why = f"{printable(repr(schema))} is not converted; allowed: {CONVERTED}"
        raise whole.fault(("schema",), why)
    order, old = tuple(whole.own.content), whole.own.content
    changes = [*_tips(whole), *_terms(whole), *_limit(whole), *_odds(whole), *_without_dealing(whole)]
    whole.tables["schema"] = GAME_SCHEMA
    new = written_out(whole, order)
    game = game_of(GameSource.of(new, path))
    rankings = game.source.own_rankings(game.rankings)
    before = content_hash(_earlier_form(content_of(game.spec), old), game.paytables, rankings)
    return Conversion(new, game, before, game.sha256, tuple(changes), tuple(dict.fromkeys(_unsaid(game, old))))


def _tips(whole: Whole) -> list[str]:
    """Remove bets of kind `tip`: the procedure's `tip-for` names the bet that a tip is for."""
    rows = [row.value for row in whole.rows.get("bets", ()) if row.value.get("kind") == "tip"]
    tips = [row["name"] for row in rows if isinstance(row.get("name"), str) and isinstance(row.get("for"), str)]
    for name in tips:
        drop(whole, f"bets.{name}")
    return [f"bets.{name}: removed; the procedure's tip-for defines it" for name in tips]


def _terms(whole: Whole) -> list[str]:
    """Remove `equals` and `beside` of a bet, which the procedure's `must` replaces, and `raised = true`, which its
    betting rounds replace. A minimum hand for a raise is kept."""
    changes = []
    for row in [*whole.rows.get("bets", ())]:
        at = f"bets.{row.value.get('name')}"
        equals = row.value.get("equals")
        for key in ("equals", "beside"):
            if not isinstance(_table(row.value.get(key)).get("bet"), str):
                continue  # malformed; the loader will refuse it
            changes += [f"{at}.{key}: removed; the procedure's must defines it"] if drop(whole, f"{at}.{key}") else []
        if row.value.get("raised") is True and drop(whole, f"{at}.raised"):
            changes.append(f"{at}.raised: removed; the procedure's betting rounds define it")
        if raised := _raised(equals):
            changes.append(f"{at}.equals.raised: now {at}.raised")
            new = next(each for each in whole.rows["bets"] if each.value.get("name") == row.value.get("name"))
            new.value["raised"] = raised
    return changes


def _limit(whole: Whole) -> list[str]:
    """Remove the amount of `[limit]`, which the procedure has; its clause goes too unless a limit of games needs it."""
    if not isinstance(_table(whole.tables.get("limit")).get("each-bet-cents"), int):
        return []
    drop(whole, "limit.each-bet-cents")
    if "games" not in whole.tables["limit"]:
        drop(whole, "limit")
    return ["limit.each-bet-cents: removed; the procedure's limit defines it"]


def _without_dealing(whole: Whole) -> list[str]:
    """Remove facts about the cards and the progressive bet, which the procedures have."""
    rows = (row.value for row in whole.rows.get("bets", ()))
    keys = [*map(".".join, DEALT), *(f"bets.{row.get('name')}.kind" for row in rows if row.get("kind") == PROGRESSIVE)]
    return [f"{key}: removed; the procedure defines it" for key in keys if drop(whole, key)]


def _raised(equals: Any) -> dict[str, Any]:
    """Return the minimum hand for a raise in the present form; empty if any hand may raise."""
    raised = _table(_table(equals).get("raised"))
    if not raised.get("at-least"):
        return {}
    kept = {"at-least": raised["at-least"], "words": raised.get("words", "")}
    return {"above": equals.get("bet"), **kept, "clause": equals.get("clause")}


def _table(value: Any) -> dict[str, Any]:
    """Return a table, or an empty one for any other value, which the loader refuses."""
    return value if isinstance(value, dict) else {}


def _odds(whole: Whole) -> list[str]:
    """Remove `[odds.settings]`: players' choices are read from the steps, and the rest moves to `[odds]`."""
    odds = whole.tables.get("odds")
    settings = odds.get("settings") if isinstance(odds, dict) else None
    if not isinstance(odds, dict) or not isinstance(settings, dict):
        return []
    del odds["settings"]
    kept = {key: settings[key] for key in ("beside", "fine") if key in settings}
    stakes = _stakes(settings.get("ways", []))
    odds |= kept | ({"stakes": stakes} if stakes else {})
    gone = [f"odds.settings.{key}: removed; it is read from the steps" for key in settings if key not in kept]
    return [*gone, *(f"odds.settings.{key}: now odds.{key}" for key in kept)]


def _stakes(ways: Any) -> dict[str, list[str]]:
    """Return the stakes, in units of the first bet, of bets that may be made in several ways."""
    found: dict[str, list[str]] = {}
    for way in map(_table, ways if isinstance(ways, list) else ()):
        stakes, bets = _table(way.get("stakes")), way.get("bets")
        for bet in _table(way.get("as")):
            if not isinstance(bets, list) or bet in bets:
                found.setdefault(bet, []).append(stakes.get(bet, "1"))
    return found


_RENAMED: Final = {"for": "for_", "with": "with_"}
_ABSENT: Final[tuple[object, ...]] = ("", False, {})
"""Default values of such keys; they were not part of the hash."""


def _hashed(value: Any) -> Any:
    """Return a removed table in the form in which an earlier version hashed it."""
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
    """Return the facts that the procedures now have as the earlier version hashed them; None for a fact it did not
    hash."""
    decks = old.get("decks", 1)
    return {"decks": decks if decks > 1 else None, "laid_aside": old.get("laid-aside") or None, "race": old.get("race")}


def _earlier_form(content: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Return the present content in the form of the earlier version, to compute its hash."""
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


# ------------------------------------------------------------------ rules that the procedures lack


def _unsaid(game: Game, old: Mapping[str, Any]) -> Iterator[str]:
    """Yield each amount, wager rule and tip that was removed from a valid game and that one of its procedures lacks."""
    now = content_of(game.spec)
    for key, was in _dealt_as_it_was(old).items():
        if now.get(key) != was:
            yield f"{key.replace('_', '-')} of the procedures is {now.get(key, 'none')}; the game has {was or 'none'}"
    for name in game.spec.procedures:
        source = procedure_source(game, name)
        if source is None:
            yield f"procedure {name} is not available: the rules of its bets were not checked"
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
                    and not _refers_to(spot, other)
                    and not (key == "beside" and spots[other].enters)
                ):
                    yield f"procedure {name} has no must of {row['name']!r} that refers to {other!r}"


def _unsaid_limit(procedure: Procedure, cents: int | None) -> Iterator[str]:
    """Yield the removed limit of a bet if the procedure has another amount or none."""
    limit = amount_of(procedure.limit.each_bet) if procedure.limit is not None else None
    if cents is not None and limit != Amount(cents):
        yield f"procedure {procedure.id} has no [limit] of {dollars(cents)} for each bet"


def _refers_to(spot: BetPart, other: str) -> bool:
    """Return True if a rule of a bet refers to another."""
    return any(other in must.others or (must.amount is not None and must.amount.bet == other) for must in spot.must)
