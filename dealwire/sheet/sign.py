"""The sign of a house: what must be posted, in words for players (47.1-1039, 47.1-1040, 47.1-1061, 47.1-1062).

It is a `Paper` like any sheet, in a type that can be read at three metres.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import Final

from dealer_flow.english import dollars, listed
from dealer_flow.procedure.betting import UNLIMITED, BettingPart
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealwire.sheet.html import body_of
from dealwire.sheet.paper import Block, Cell, Paper, PaperBlanks, PaperFacts, PaperHeading, PaperRemark
from dealwire.sheet.pdf import PageStyle, pdf_of
from rules.game.load import Game
from rules.game.readings import READINGS
from rules.house.house import HouseRules
from rules.house.schema import HouseGamePart, HouseJackpotPart, RakeSchedulePart
from rules.meters.jackpot_setup import load_jackpot

STYLE: Final = (Path(__file__).parent / "sign.css").read_text(encoding="utf-8")
"""Style sheet of the sign, for a screen and for paper of size A2."""
A2: Final = PageStyle(420, 594, 40.0, 132, bold=True)
"""Page of the sign: its letters without ascenders are 7 mm high, which most people read at three metres."""
_NUMBERS: Final = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five"}
_ODD_CHIP: Final = {
    "button-left": "to the first of the tied hands left of the button",
    "dealer-left": "to the first of the tied hands left of the dealer",
}

_DECISIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "out-of-turn": {
        "taken-back": "an action out of turn is taken back, and the player acts again in turn",
        "stands": "an action out of turn stands",
        "binds": "an action out of turn binds its player, unless a bet or raise before the turn changes what it faces",
    },
    "short-blind": {
        "full": "a blind that is all-in for less is called in full",
        "as-posted": "a blind that is all-in for less is called as it lies",
    },
    "short-all-in": {
        "reopens": "lets everyone raise again",
        "full-raise-only": "lets players who have acted raise again only if it is a full raise",
    },
    "heads-up-blinds": {
        "left-of-button": "the player left of the button has the small blind",
        "button-small": "the button has the small blind",
    },
    "button-straddle": {
        "none": "not allowed",
        "left-of-button": "allowed; the player left of the button begins",
        "left-of-blinds": "allowed; the player left of the blinds begins",
    },
}
"""Options of betting in words for players; any other option is printed by its name and value."""
_ELSEWHERE: Final = ("ante", "bring-in")
"""Options that the amounts of a game state."""
_QUALIFIERS: Final = {"high-qualifier": "High hand", "low-qualifier": "Low hand"}
"""Readings that restrict a hand, which 47.1-1040(5) asks to be posted -> their label."""
_WORDS: Final[Mapping[str, str]] = {
    "chop-blinds": "chopping the blinds",
    "short-all-in": "short all-in",
    "heads-up-blinds": "heads-up blinds",
    "button-straddle": "straddle from the button",
    "out-of-turn": "action out of turn",
    "given-up-side-pot": "given-up side pot",
    "hi-lo-ties": "ties of high and low",
    "odd-chip-low": "odd chip of the low half",
}
"""Names of options and readings that are no words of a player with their hyphens taken out."""


def sign_html(house: HouseRules) -> str:
    """Return the sign as a whole page."""
    paper = sign_of(house)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(paper.running)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        f'<body class="sign">\n<main>\n{body_of(paper)}<footer>{escape(paper.foot)}</footer>\n</main>\n'
        "</body>\n</html>\n"
    )


def sign_pdf(house: HouseRules) -> bytes:
    """Return the sign as a PDF. ExtraMissing if ReportLab is not installed."""
    return pdf_of(sign_of(house), A2)


def sign_of(house: HouseRules) -> Paper:
    """Return the content of the sign."""
    spec = house.spec
    approved = f"; approved: {spec.approved}" if spec.approved is not None else ""
    edition = house.edition.part.title if house.edition is not None else "the regulation as printed"
    paper = Paper(
        spec.title,
        f"House rules of poker, in force from {_date(spec.effective)}",
        f"{spec.title}: house rules",
        foot=f"{edition}{approved}; {spec.id} {house.sha256[:12]}",
    )
    loaded = [(part, *house.load(part)) for part in spec.game]
    policies = {each[0].name: dict(_policies(house, *each)) for each in loaded if each[0].structure is not None}
    shared = _shared([*policies.values()])
    paper.blocks.extend(_all_games(house, shared))
    for part, procedure, game in loaded:
        own = {name: text for name, text in policies.get(part.name, {}).items() if name not in shared}
        paper.blocks.extend(_game(house, part, part.title or procedure.title, game, own))
    for name, jackpot in spec.jackpot.items():
        games = [each.title or each.name for each in spec.game if each.jackpot == name]
        paper.blocks.extend(_jackpot(jackpot, games))
    return paper


# ------------------------------------------------------------------ all games


def _all_games(house: HouseRules, shared: Mapping[str, str]) -> Iterator[Block]:
    spec = house.spec
    yield PaperHeading("All games")
    rows: list[tuple[str, Cell]] = [*shared.items()]
    if spec.act_seconds is not None:
        warned = f" The dealer warns {spec.warning_seconds} seconds before." if spec.warning_seconds else ""
        late = "Then a player who faces a bet is out of the hand, and any other checks."
        rows.append(("Time to act", f"{spec.act_seconds} seconds.{warned} {late}"))
    rows.append(("Smallest chip", dollars(spec.token_cents)))
    yield PaperFacts(tuple(rows))
    yield from (PaperRemark(each) for each in spec.notes)
    if readings := [*_readings(spec.readings)]:
        yield PaperHeading("How the house reads the rules")
        yield from readings
    for signed in spec.signed:
        names = listed([_name(each) for each in (*signed.options, *signed.readings)])
        yield PaperRemark(f"Decided for the house by {signed.by} on {_date(signed.on)}: {names}.")


def _shared(policies: list[dict[str, str]]) -> dict[str, str]:
    """Return the rules of betting that every poker game of the house shares."""
    first = policies[0].items() if policies else ()
    return {name: text for name, text in first if all(each.get(name) == text for each in policies)}


def _policies(house: HouseRules, part: HouseGamePart, procedure: Procedure, game: Game) -> Iterator[tuple[str, str]]:
    """Yield what 47.1-1040(1), (2) and (4) ask to be posted of a game."""
    betting = procedure.betting
    if betting is None:
        return
    options = Plan(procedure, house.options(part, procedure)).options
    raises = options[betting.raises.option]
    yield "Raises", "no limit" if raises == UNLIMITED else f"{_NUMBERS.get(raises, raises)} in a betting round"
    yield "Check and raise", "allowed" if options[betting.check_and_raise.option] == "yes" else "not allowed"
    fold = options[betting.bet_or_fold.option] == "yes"
    yield "Bet or fold", "in use: a player bets or folds, and may not check" if fold else "not in use"
    yield from _chop(betting, options)
    posted = {betting.raises, betting.check_and_raise, betting.bet_or_fold, betting.chop}
    stated = {each.option for each in posted if each is not None}
    for name, value in house.options(part, procedure).items():
        if name not in stated and name not in _ELSEWHERE:
            label = _name(name)
            yield f"{label[:1].upper()}{label[1:]}", _DECISIONS.get(name, {}).get(value) or _name(value)
    if game.spec.pot is not None:
        high = "to the high hand; of a tied hand, " if game.spec.pot.high and game.spec.pot.low else ""
        yield "Odd chip", f"{high}{_ODD_CHIP[game.spec.pot.odd_chips]}"


def _chop(betting: BettingPart, options: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if betting.chop is not None:
        chop = options[betting.chop.option] == "yes"
        yield "Chopping the blinds", "allowed, when all others have folded" if chop else "not allowed"


# ------------------------------------------------------------------ one game


def _game(house: HouseRules, part: HouseGamePart, title: str, game: Game, own: Mapping[str, str]) -> Iterator[Block]:
    yield PaperHeading(title)
    rows: list[tuple[str, Cell]] = [*_limits(house, part)]
    if part.seats is not None:
        rows.append(("Players", f"at most {part.seats}"))
    if game.rake is not None:
        rows.append(("Rake", _rake(house.spec.rake[part.rake] if part.rake is not None else None, game)))
    if part.jackpot is not None:
        flop = part.rake is not None and house.spec.rake[part.rake].no_flop_no_drop
        rows.append(("Jackpot", _drop(part, house.spec.jackpot[part.jackpot], flop=flop)))
    rows += _maximum(part)
    rows += _qualifiers(house, part, game)
    rows += own.items()
    yield PaperFacts(tuple(rows))
    yield from _readings(part.readings)
    yield from (PaperRemark(each) for each in part.notes)


def _qualifiers(house: HouseRules, part: HouseGamePart, game: Game) -> Iterator[tuple[str, str]]:
    """Yield the hand that wins low, and the least high hand where the house restricts it (47.1-1040(5))."""
    chosen = house.readings(part, game)
    for name, label in _QUALIFIERS.items():
        if name in game.spec.readings:
            option = chosen.get(name, game.spec.readings[name].default)
            if option != "none" or name == "low-qualifier":
                yield label, READINGS[name][option]


def _limits(house: HouseRules, part: HouseGamePart) -> Iterator[tuple[str, Cell]]:
    posted = house.posted(part).bets
    if posted is None:
        least = f"from {dollars(part.least_bet_cents)} " if part.least_bet_cents else ""
        most = f"to {dollars(part.most_bet_cents)}" if part.most_bet_cents else ""
        if least or most:
            yield "Bets", f"{least}{most}".strip()
        return
    words = posted.words()
    yield "Limits", f"{words[:1].upper()}{words[1:]}"
    if part.structure != "fixed":
        bet = part.least_raise == "bet-before"
        yield "Least raise", "the bet or raise before it" if bet else dollars(part.least_bet_cents or 0)
    forced = [f"{_name(name)} {dollars(cents)}" for name, cents in part.forced_cents.items()]
    if part.bring_in_cents is not None:
        by = part.options.get("bring-in") or house.spec.options.get("bring-in")
        forced.append(f"bring-in {dollars(part.bring_in_cents)}{f', by the {_name(by)}' if by else ''}")
    if forced:
        yield "Before the deal", ", ".join(forced)


def _rake(rake: RakeSchedulePart | None, game: Game) -> str:
    """Return a rake schedule in words. 47.1-1040(3): the most is stated, of a hand, or of each pot where a hand has
    several pots of bets apart (47.1-1017.37(8))."""
    if rake is None:
        return "none"
    if rake.time is not None:
        return f"none; each player pays {dollars(rake.time.cents)} every {rake.time.minutes} minutes"
    percent = f"{rake.percent} % of the pot"
    if rake.steps:
        steps = (f"{dollars(each.take_cents)} once the pot holds {dollars(each.from_cents)}" for each in rake.steps)
        found = f"{', '.join(steps)}; never over {percent}"
    else:
        found = f"{percent}, in steps of {dollars(rake.step_cents)}" if rake.step_cents else percent
    caps = [cents for cents in (rake.cap_cents, game.rake.most_cents if game.rake is not None else None) if cents]
    if caps and (rake.steps or Fraction(rake.percent)):
        found += f", at most {dollars(min(caps))} a {'pot' if game.spec.pot is None else 'hand'}"
    if Fraction(rake.pool_percent):
        found += f"; {rake.pool_percent} % of a pool that is won"
    return found + ("; nothing if there is no flop" if rake.no_flop_no_drop else "")


def _drop(part: HouseGamePart, jackpot: HouseJackpotPart, *, flop: bool) -> str:
    """Return the jackpot drop in words; `flop` if nothing is taken of a hand without one."""
    if part.jackpot_rake_cents is None:
        return "offered; nothing is taken from pots"
    each = f"each hand{' with a flop' if flop else ''}{_when(jackpot)}"
    return f"{dollars(part.jackpot_rake_cents)} from {each}, in addition to the rake"


def _when(jackpot: HouseJackpotPart) -> str:
    found = [f"the pot holds at least {dollars(jackpot.least_pot_cents)}"] if jackpot.least_pot_cents else []
    if jackpot.least_players:
        found.append(f"at least {jackpot.least_players} players are dealt in")
    return f" in which {listed(found)}" if found else ""


def _maximum(part: HouseGamePart) -> Iterator[tuple[str, Cell]]:
    """Yield the maximum payouts, which 47.1-1062(5) wants on a sign at the table."""
    if part.maximum is None:
        return
    for what, cents in (
        ("for all players in a round", part.maximum.round_cents),
        ("for one player in a round", part.maximum.player_cents),
        ("for a tip", part.maximum.tip_cents),
    ):
        if cents is not None:
            yield "Maximum payout", f"{dollars(cents)} {what}, of bets that pay 50 to 1 or more"


def _readings(readings: Mapping[str, str]) -> Iterator[Block]:
    for name, option in readings.items():
        if name in _QUALIFIERS:
            continue  # which its games state
        text = READINGS[name][option]
        yield PaperRemark(f"{text[:1].upper()}{text[1:]}.")


# ------------------------------------------------------------------ jackpots


def _jackpot(jackpot: HouseJackpotPart, games: list[str]) -> Iterator[Block]:
    """Yield what 47.1-1061 asks to be posted; the present amount is written by hand, or shown on the console."""
    setup = load_jackpot(jackpot.file)
    yield PaperHeading(f"Jackpot: {_name(setup.id)}")
    yield PaperBlanks(("Present amount",))
    rows: list[tuple[str, Cell]] = [
        ("Games", ", ".join(games) or "none at present"),
        ("Who wins it", f"{_sentence(setup.posted.qualification)}{_conditions(jackpot)}"),
        ("Division", setup.posted.division),
        ("From pots", f"{_sentence(setup.posted.rake)}{_conditions(jackpot)} {_most(setup.rake_cents)}"),
    ]
    yield PaperFacts(tuple(rows))
    yield from (PaperRemark(each) for each in setup.posted.disclaimers)


def _most(cents: int) -> str:
    """Return the total that can be taken from a hand for the jackpot (47.1-1061(4))."""
    return f"At most {dollars(cents)} from one hand." if cents else "Nothing is taken from a pot."


def _conditions(jackpot: HouseJackpotPart) -> str:
    return f" Only from a hand{_when(jackpot)}." if _when(jackpot) else ""


def _sentence(text: str) -> str:
    """Return a house's words with an end, since a sentence follows them."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _name(name: str) -> str:
    """Return a name of a file as words."""
    return _WORDS.get(name) or name.replace("-", " ")


def _date(day: str) -> str:
    """Return a day as a player reads it: `March 1, 2024`."""
    found = date.fromisoformat(day)
    return f"{found:%B} {found.day}, {found.year}"
