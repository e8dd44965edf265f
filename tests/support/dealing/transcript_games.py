"""Small games for transcripts: bets that go back clause by clause, two burns, an exact rest of a shoe."""

from dealer_flow.procedure.load import parse_procedure
from tests.support.dealing.step_games import HEAD, PACKETS, rows, small, wrong

BACK = (
    HEAD.replace('misdeal = { until = "first-decision",', 'misdeal = { until = "end", returns = ["ante"],')
    .replace('duplicate = { then = "defective-deck",', 'duplicate = { then = "defective-deck", returns = ["fee"],')
    .replace('foreign = { then = "defective-deck",', 'foreign = { then = "progressive-only", returns = ["side"],')
    .replace('deck = { then = "defective-deck",', 'deck = { then = "misdeal", returns = ["side"],')
)
"""The head of the small games, with a clause for the returns of each event that voids a round."""


def _deal(to: str, cards: int, by: str, name: str = "hands") -> str:
    return rows("step", f'name = "{name}"\ndo = "deal"\nto = {to}\ncards = {cards}\nby = "{by}"')


def _step(name: str, do: str, rest: str) -> str:
    return rows("step", f'name = "{name}"\ndo = "{do}"\n{rest}')


RETURNS = parse_procedure(
    BACK
    + _deal('["seats", "dealer"]', 2, "packet")
    + _step("showdown", "reveal", 'order = ["dealer", "seats"]')
    + rows(
        "wrong",
        'of = "seats"\nhow = ["short"]\nthen = "dead-hand"\nreturns = ["ante"]',
        'of = "seats"\nhow = ["long"]\nthen = "dead-hand"\nreturns = ["side"]',
        'of = "dealer"\nhow = ["short", "long"]\nthen = "progressive-only"\nreturns = ["ante"]',
        'of = "seats"\nhow = ["exposed"]\nthen = "unreliable"',
        'of = "dealer"\nhow = ["exposed"]\nthen = "person"\nreturns = ["fee"]\ncalls = "supervisor"',
    )
    + '[fouled]\nthen = "misdeal"\nreturns = ["side", "ante"]\nclause = "S fouled"\n'
    + '[[fault]]\nname = "sensor-failed"\nthen = "person"\ncalls = "supervisor"\nclause = "S sensor"\n'
    + PACKETS,
    "returns.toml",
)
"""Dealt in packets; every clause gives other bets back."""

SHOE_RETURNS = parse_procedure(
    BACK.replace('device = "packet-shuffler"', 'device = "card-shoe"').replace(
        'deck = { cards = 52, jokers = 0, clause = "S deck" }',
        'deck = { cards = 52, jokers = 0, fresh = "until-cut-card", clause = "S deck" }',
    )
    + _deal('["seats"]', 2, "single")
    + _step("choice", "decide", 'choices = ["stand", "draw-1"]')
    + rows("step", 'name = "burn"\ndo = "burn-card"\nif-drawn = true')
    + _step("exchange", "exchange", 'to = ["seats"]\nmost = 1')
    + _step("showdown", "reveal", 'order = ["seats"]')
    + rows("decision", 'number = 1\nname = "stand"', 'number = 2\nname = "draw-1"\ndraws = 1')
    + wrong("seats", then="misdeal")
    + '[care.shuffle]\nrounds = 2\noption = "shoe"\nclause = "S deck"\n'
    + '[[option]]\nname = "shoe"\ndefault = "dealing"\nallowed = ["dealing", "shuffling"]\nreason = "S does not say"\n',
    "shoe-returns.toml",
)
"""Dealt from a shoe that is dealt on, two rounds at most."""

TWO_BURNS = small(
    rows("hand", 'name = "left"\nplace = "hand 1"\nside = "house"'),
    _deal('["seats", "community", "left"]', 3, "packet"),
    rows("step", 'name = "one"\ndo = "burn"\nof = "community"\npositions = [1]\nspread = "from-top"\ntop-card = "top"'),
    rows(
        "step", 'name = "two"\ndo = "burn"\nof = "left"\npositions = [2, 3]\nspread = "right-to-left"\ntop-card = "top"'
    ),
    _step("showdown", "reveal", 'order = ["left", "community", "seats"]'),
    wrong("seats"),
    wrong("community", "left", then="misdeal"),
    PACKETS,
)
"""Cards of two packets are burned, one by each end."""

EXACT = small(
    _deal('["seats"]', 2, "packet"),
    _step("showdown", "reveal", 'order = ["seats"]'),
    wrong("seats"),
    rows("wrong", 'of = "remainder"\nhow = ["short", "long"]\nthen = "misdeal"'),
    '[remainder]\ncards = 44\nclause = "S rest"\n',
    device='"card-shoe"',
    seats='{ most = 4, clause = "S seats" }',
)
"""Two cards to each of four from a shoe; the text says what is left."""

_HANDS = _deal('["seats", "dealer", "community"]', 3, "packet")
_BET = rows("decision", 'number = 1\nname = "check"', 'number = 2\nname = "bet"\nbet = "raise"')
_DRAWS = rows("decision", 'number = 3\nname = "stand"', 'number = 4\nname = "draw-2"\ndraws = 2')
_CHOICE = _step("choice", "decide", 'choices = ["check", "bet"]\noptional = true')
_DRAW = _step("draw-choice", "decide", 'choices = ["stand", "draw-2"]')
_REVEAL = _step("showdown", "reveal", 'order = ["dealer", "community", "seats"]')
_ROWS = wrong("seats") + wrong("community", "dealer", then="misdeal") + PACKETS

SHOWS = small(
    _HANDS,
    _step("one", "show", 'of = ["community"]\ncards = 1'),
    _CHOICE,
    _step("all", "show", 'of = ["community"]'),
    _REVEAL,
    _BET,
    _ROWS,
)
"""A card is shown, then a choice that need not be made, then all cards: each step may end by a later one's report."""

SHOW_THEN_BURN = small(
    _HANDS,
    _step("one", "show", 'of = ["community"]\ncards = 1'),
    _step("away", "burn", 'of = "community"\npositions = [3]\nspread = "from-top"\ntop-card = "top"'),
    _REVEAL,
    _ROWS,
)
"""A card is shown before another of the same packet is burned."""

DRAW_THEN_CHOOSE = small(
    _HANDS,
    _DRAW,
    _step("exchange", "exchange", 'to = ["seats", "dealer"]\nmost = 2'),
    _step("choice", "decide", 'choices = ["check", "bet"]'),
    _step("away", "burn", 'of = "community"\npositions = [3]\nspread = "from-top"\ntop-card = "top"'),
    _REVEAL,
    _BET,
    _DRAWS,
    _ROWS,
)
"""The house exchanges, and a choice follows."""

DRAW_THEN_BURN = small(
    _HANDS,
    _DRAW,
    _step("exchange", "exchange", 'to = ["dealer", "seats"]\nmost = 2'),
    _step("away", "burn", 'of = "community"\npositions = [3]\nspread = "from-top"\ntop-card = "top"'),
    _REVEAL,
    _DRAWS,
    _ROWS,
)
"""The house exchanges first, and a burn follows."""

SEATS_FIRST = small(
    _deal('["seats", "dealer"]', 2, "packet"),
    _step("showdown", "reveal", 'order = ["seats", "dealer"]'),
    wrong("seats"),
    wrong("dealer", then="misdeal"),
    PACKETS,
)
"""The players show before the dealer does."""

BY_HAND = small(
    _deal('["dealer"]', 1, "single"),
    rows("step", 'name = "own"\ndo = "deal"\nto = ["seats"]\ncards = 2\nby = "packet"\norigin = "hand"'),
    _REVEAL.replace('"community", ', ""),
    wrong("seats"),
    wrong("dealer", then="misdeal"),
    device='"card-shoe"',
)
"""A card from a shoe, and two for each seat by hand from another deck."""

BURN_THEN_DEAL = small(
    _deal('["seats", "community"]', 3, "packet"),
    _step("away", "burn", 'of = "community"\npositions = [1]\nspread = "from-top"\ntop-card = "top"'),
    _deal('["community"]', 2, "packet", name="more"),
    _REVEAL.replace('"dealer", ', ""),
    wrong("seats"),
    wrong("community", then="misdeal"),
    PACKETS,
)
"""A card of the community is burned before its last cards come."""

PROPOSITIONS = parse_procedure(
    HEAD.replace(
        'name = "side"\nplaced = "before-deal"\n',
        'name = "side"\nplaced = "before-deal"\npropositions = [\n'
        '  { number = 1, name = "card", on = "card", clause = "S card" },\n'
        '  { number = 2, name = "rank", on = "rank", without = ["7"], clause = "S rank" },\n'
        '  { number = 3, name = "suit", on = "suit", clause = "S suit" },\n'
        '  { number = 4, name = "over-7", clause = "S over" },\n]\n',
    )
    + _deal('["seats"]', 3, "packet", "first")
    + _step("declare", "decide", 'choices = ["play", "declare"]\nsettles = ["side"]')
    + _deal('["seats"]', 2, "packet", "last")
    + _deal('["community"]', 5, "packet", "board")
    + _step("flop", "show", 'of = ["community"]\ncards = 3')
    + _step("turn", "show", 'of = ["community"]\ncards = 4')
    + _step("bet", "decide", 'choices = ["check", "raise"]')
    + _step("showdown", "reveal", 'order = ["community", "seats"]')
    + rows(
        "decision",
        'number = 1\nname = "play"',
        'number = 2\nname = "declare"',
        'number = 3\nname = "check"',
        'number = 4\nname = "raise"\nbet = "raise"',
    )
    + wrong("seats")
    + wrong("community", then="misdeal")
    + PACKETS,
    "propositions.toml",
)
"""Cards in stages, and a spot that takes wagers on many things."""
