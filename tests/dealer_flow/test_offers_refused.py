"""Errors of a file about offered hands, bets that enter under a reading, and bets of which a share is lost."""

import re
from pathlib import Path

import pytest

from tests.support.reading.refusals import check_refusal, refused_file

BAD = {
    "a bet that a step closes which deals no card": (
        "western-stud.co",
        ('until = "last-card"', 'until = "showdown"'),
        "bet[2].until: 'showdown' is not a step that deals; allowed: hands, last-card",
    ),
    "a joker that is replaced after what is no round": (
        "western-stud.co",
        ('after = "joker-round"', 'after = "exposed-card"'),
        "face.joker.after: option 'exposed-card' must choose between deal, lap",
    ),
    "a bet before the deal that a step closes": (
        "western-stud.co",
        ("enters = true", 'until = "hands"\nenters = true'),
        "bet[1].until: only for a bet placed by-decision that is not a tip: a tip is closed with its bet",
    ),
    "an offer of a hand that comes later": (
        "pai-gow.co",
        ('about = "dragon"\ntakers = "one"', 'about = "tiger"\ntakers = "one"'),
        "step[7].about: 'tiger' is not a hand that was offered before; allowed: dragon",
    ),
    "one taker of nothing": (
        "pai-gow.co",
        ('about = "dragon"\ntakers = "one"', 'takers = "one"'),
        "step[7].takers: only for a hand that is offered: give 'about', too",
    ),
    "the dealer's hand from a position": (
        "pai-gow.co",
        ('do = "offer-hand"\nto = "dragon"', 'do = "offer-hand"\nto = "dealer"'),
        "step[6].to: no [[hand]] 'dealer'; allowed: dragon",
    ),
    "a position that an option does not name": (
        "pai-gow.co",
        ('from = "dragon-is"', 'from = "dragon-hand"'),
        "step[6].from: no option 'dragon-hand' that chooses between positions: last-unplayed, seat-1 to seat-6",
    ),
    "a position beyond the table": (
        "pai-gow.co",
        ('allowed = ["last-unplayed", "seat-6"]', 'allowed = ["last-unplayed", "seat-7"]'),
        "step[6].from: no option 'dragon-is' that chooses between positions: last-unplayed, seat-1 to seat-6",
    ),
    "a hand nobody got where all have players": (
        "pai-gow.co",
        ('seats = "all" ', 'seats = "entered" '),
        "step[6].do: every position has a player; a deal with seats = 'all' must come before",
    ),
    "a count of it that nothing speaks of": (
        "pai-gow.co",
        ('of = "dragon"\nhow = ["short", "long"]', 'of = "dragon"\nhow = ["short"]'),
        "wrong: missing: a row of 'dragon' for 'long', cards of step 'dragon-for-one'",
    ),
    "a bet that enters and enters by a reading": (
        "boston-5.co",
        ("enters-when = {", "enters = true\nenters-when = {"),
        "bet[3].enters-when: only for a bet placed before-deal that has no enters = true",
    ),
    "a reading that is not there": (
        "boston-5.co",
        ('option = "bonus-alone", is = "offered"', 'option = "bonus-only", is = "offered"'),
        "bet[3].enters-when: no option 'bonus-only'; known: ante-bonus-bet, first-burn, second-burn, bonus-alone",
    ),
    "a value that it does not have": (
        "boston-5.co",
        ('option = "bonus-alone", is = "offered"', 'option = "bonus-alone", is = "yes"'),
        "bet[3].enters-when: 'yes' is not a value of that option; allowed: not-offered, offered",
    ),
    "cards for a bet that is not there": (
        "boston-5.co",
        ('seats = "live"\nonly = "first-wager"', 'seats = "live"\nonly = "wager"'),
        "step[6].only: no bet 'wager'; allowed: first-wager, ante-bonus, optional-bonus, second-wager",
    ),
    "a bet given up that is not there": (
        "3-5-7.co",
        ('gives-up = { bet = "seven-card"', 'gives-up = { bet = "nine-card"'),
        "decision[2].gives-up.bet: no bet 'nine-card' placed before-deal; allowed: three-card, five-card, seven-card",
    ),
    "what was given up under another bet's name": (
        "3-5-7.co",
        ('as = "surrendered"', 'as = "five-card"'),
        "decision[2].gives-up.as: 'five-card' is a bet already; give the share another name",
    ),
    "all of a bet given up": (
        "3-5-7.co",
        ('share = "1/2"', 'share = "3/3"'),
        "decision[2].gives-up.share: 3/3 is not a part of a bet; allowed: less than 1",
    ),
    "a share that is no share": ("3-5-7.co", ('share = "1/2"', 'share = "half"'), "decision[2].gives-up.share: "),
    "a rest that nothing becomes of": (
        "3-5-7.co",
        ('rest = "surrender-rest"', 'rest = "surrender"'),
        "decision[2].gives-up.rest: option 'surrender' must choose between comes-back, plays-on",
    ),
    "a choice for who has a bet that is not there": (
        "3-5-7.co",
        ('\nneeds = ["three-card"', '\nneeds = ["two-card"'),
        "decision[2].needs: no bet 'two-card'; allowed: three-card, five-card, seven-card",
    ),
    "the bottom of all cards": (
        "caribbean-stud.co",
        ("cards = 1\nwhich", "which"),
        "step[2].which: only for a number of cards: give 'cards', too",
    ),
    "the top card": (
        "caribbean-stud.co",
        ('which = "bottom"', 'which = "top"'),
        "step[2].which: must be 'any' or 'bottom'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_meant_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    game, (before, after), why = BAD[name]
    faults = refused_file(game, before, after, tmp_path)
    assert [fault for fault in faults if re.search(rf"bad\.toml:\d+: {re.escape(why)}", str(fault))], faults
    for fault in faults:
        if "must be" not in fault.why:
            check_refusal(fault)
