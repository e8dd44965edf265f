"""What `[odds]` of a game file names: a solver, its settings, and bets. None of it touches a settlement, so a game with
a fault here settles; `dealwire check` and `dealwire odds` find it before anything is counted."""

from collections.abc import Iterator

from dealer_flow.tomlfile import validated
from protocol.tomlfile import Key, TomlFileError
from rules.game.faults import unknown
from rules.game.load import Game, cards_of
from rules.game.schema import OddsSpec
from rules.kinds.against import AgainstBet
from rules.odds.settings import SETTINGS, AgainstSettings, NoSettings
from rules.odds.solvers import SOLVERS


def odds_faults(game: Game) -> Iterator[TomlFileError]:
    """Each name in `[odds]` of a game's file that stands for nothing and each setting that cannot be meant, at its
    line."""
    if game.spec.odds is not None:
        for key, why in _faults(game.spec.odds, game):
            yield game.fault(("odds", *key), why)


def _faults(spec: OddsSpec, game: Game) -> Iterator[tuple[Key, str]]:
    bets = [bet.name for bet in game.spec.bets]
    yield from unknown(("bets",), "bet", spec.bets, bets)
    yield from unknown(("not-computed",), "bet", spec.not_computed, bets)
    if not spec.solver:
        return
    yield from unknown(("solver",), "solver", (spec.solver,), SOLVERS)
    if spec.solver in SOLVERS:
        settings, wrong = validated(spec.settings, SETTINGS.get(spec.solver, NoSettings), lambda _: ())
        none = "" if spec.solver in SETTINGS else f"none; {spec.solver} reads no settings"
        yield from ((("settings", *key), why + none) for key, why in wrong)
        if isinstance(settings, AgainstSettings):
            yield from _strange_bets(settings, bets)
            yield from _unseen(settings, game)


def _strange_bets(settings: AgainstSettings, bets: list[str]) -> Iterator[tuple[Key, str]]:
    """Bets that the settings name and the file has not."""
    yield from unknown(("settings", "beside"), "bet", settings.beside, bets)
    if settings.ways == ():
        yield ("settings", "ways"), "needs at least 1"
    for number, way in enumerate(settings.ways or ()):
        at = "settings", "ways", number
        for key, names in (("bets", way.bets or ()), ("stakes", way.stakes), ("as", way.as_)):
            yield from unknown((*at, key), "bet", names, bets)


def _unseen(settings: AgainstSettings, game: Game) -> Iterator[tuple[Key, str]]:
    """The player has seen some of his own cards, or all of them and perhaps one of the dealer's."""
    compared = next((bet for bet in game.bets.values() if isinstance(bet, AgainstBet)), None)
    if compared is None or settings.seen is None:
        return
    cards = cards_of(game.hand(compared.hand))[1]
    if settings.seen > cards:
        yield ("settings", "seen"), f"{settings.seen} cards of {cards}; allowed: 1 to {cards}"
    elif settings.seen < cards and settings.dealer_up:
        yield ("settings", "dealer-up"), f"beside {settings.seen} of {cards} own cards; allowed: 0"
