"""Pages of bets and pay tables, and the part of a game's own page that says what it pays."""

from collections.abc import Iterable, Iterator
from typing import Final

from docs._print import printed, table
from docs._print.odds_pages import link
from rules.game.load import Game, game_ids, load_game
from rules.game.schema import OrderPass
from rules.paytables.paytable import PayTable

_BET: Final = ("bet", "kind and pay", "clauses")
_ENDS: Final = ("win", "lose", "tie", "fold", "unqualified", "below", "envy")


def pages() -> dict[str, str]:
    """Return the three pages by their paths under `docs/`."""
    games = [load_game(name) for name in game_ids()]
    return {
        "pays.md": printed("pays.md", table(("game", "settles rounds of", "bets", "pay tables"), map(_row, games))),
        "bets.md": printed("bets.md", _bets(games)),
        "pay-tables.md": printed("pay-tables.md", _paytables(games)),
    }


def _row(game: Game) -> tuple[str, ...]:
    dealt = ", ".join(f"[{name}](games/{name}.md)" for name in game.spec.procedures)
    wanted = "; ".join(f"{name} {' or '.join(options)}" for name, options in game.spec.options.items())
    own = sum(not bet.tip_for for bet in game.bets.values())
    suspect = sum(bool(each.suspect) for each in game.paytables.values())
    tables = f"{len(game.paytables)}, {suspect} of them suspect" if suspect else str(len(game.paytables))
    return link(game.id, "what-it-pays"), f"{dealt}{f' ({wanted})' if wanted else ''}", str(own), tables


def _bets(games: Iterable[Game]) -> Iterator[str]:
    rows = ((link(game.id, "what-it-pays"), *_bet(game, name)) for game in games for name in game.bets)
    yield from table(("game", *_BET), rows)


def _paytables(games: Iterable[Game]) -> Iterator[str]:
    """Yield one table of all rows of all pay tables; a suspect table is marked, its own game's page has the reason."""
    rows = (
        (link(game.id, "what-it-pays"), _title(each), row.when, _pays(each, row.when), row.clause)
        for game in games
        for names in _families(game)
        for each in (game.paytables[name] for name in names)
        for row in each.rows
    )
    yield from table(("game", "pay table", "row", "pays", "clause"), rows)


def section(game: Game) -> Iterator[str]:
    """Yield the lines of a game's own page: bets, settlement order, readings of the money, pay tables."""
    yield from table(_BET, (_bet(game, name) for name in game.bets))
    yield from ("", f"Settlement order: {'; then '.join(map(_phase, game.spec.order))}.")
    yield from _pairs(game)
    for names in _families(game):
        yield from ("", *_tables([game.paytables[name] for name in names]))


def _pairs(game: Game) -> Iterator[str]:
    """Yield one sentence for each two bets whose pay tables are chosen in pairs."""
    for bet in game.paired:
        assert bet.pairs_with is not None, "that is why it is one of them"
        other = game.bets[bet.pairs_with.bet]
        pairs = (f"{one} with {beside}" for one, beside in zip(bet.to_choose, other.to_choose, strict=True))
        what = f"Schedules of `{bet.name}` and `{other.name}` are chosen in pairs ({bet.pairs_with.clause})"
        yield from ("", f"{what}: {', '.join(pairs)}.")


def _bet(game: Game, name: str) -> tuple[str, ...]:
    bet = game.bets[name]
    if bet.tip_for:
        return f"`{name}`", f"same as `{bet.tip_for}`; a tip for the dealer", game.tips[name].clause
    pays = f", pays {bet.pays.text}" if bet.pays else f", by {', '.join(bet.paytables)}" if bet.paytables else ""
    on = f", paid on `{bet.on}`" if bet.on else ""
    folded = {"lose": ", lost by a fold", "absent": ", made instead of folding"}.get(bet.fold, "")
    ends = "; ".join(f"{end} {getattr(bet.clauses, end)}" for end in _ENDS if getattr(bet.clauses, end))
    return f"`{name}`", f"{bet.kind}{on}{pays}{folded}", ends


def _phase(phase: OrderPass) -> str:
    which = ", ".join(f"`{name}`" for name in phase.bets) or "all remaining bets"
    only = f" that are {phase.only}" if phase.only else ""
    where = "starting at the dealer's right" if phase.seats == "descending" else "starting at the dealer's left"
    return f"{which}{only}, {where} ({phase.clause})"


def _families(game: Game) -> Iterator[tuple[str, ...]]:
    """Yield each set of pay tables that a bet chooses from, without repeats."""
    seen: set[tuple[str, ...]] = set()
    for bet in game.bets.values():
        for names in (bet.paytables, bet.instead.paytables if bet.instead else ()):
            if names and names not in seen:
                seen.add(names)
                yield names


def _tables(tables: Iterable[PayTable]) -> Iterator[str]:
    """Yield the pay tables of one bet side by side; mark the suspect ones and append their reasons."""
    tables = list(tables)
    rows = dict.fromkeys(row.when for each in tables for row in each.rows)
    head = ("row", *map(_title, tables))
    yield from table(head, ((when, *(_pays(each, when) for each in tables)) for when in rows))
    clauses = dict.fromkeys(row.clause for each in tables for row in each.rows)
    yield from ("", f"Printed in {', '.join(clauses)}.")
    for each in tables:
        if each.suspect:
            yield from ("", f"{each.id} is suspect: {each.suspect}.")


def _title(each: PayTable) -> str:
    return f"{each.id}{' (suspect)' if each.suspect else ''}"


def _pays(each: PayTable, when: str) -> str:
    row = next((row for row in each.rows if row.when == when), None)
    if row is None:
        return ""
    envy = f", envy ${row.envy_cents / 100:g}" if row.envy_cents else ""
    return f"{each.paid(row).pay.text}{envy}"
