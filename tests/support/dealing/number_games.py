"""Small games in which a number decides who gets the first hand, and one in which players arrange theirs."""

from __future__ import annotations

from tests.support.dealing.step_games import rows, small, wrong


def step(name: str, do: str, rest: str = "") -> str:
    """Return the text of a step of the file."""
    return rows("step", f'name = "{name}"\ndo = "{do}"\n{rest}')


DEAL = step("hands", "deal", 'to = ["seats", "dealer"]\ncards = 8\nby = "packet"\nseats = "all"\nfirst = "number"')
SHOWDOWN = step("showdown", "reveal", 'order = ["dealer", "seats"]')
REST = (
    wrong("seats"),
    rows(
        "wrong",
        'of = "dealer"\nhow = ["short", "long"]\nthen = "misdeal"',
        'of = "remainder"\nhow = ["short", "long"]\nthen = "misdeal"',
    ),
    '[remainder]\ncards = 12\nclause = "S rest"\n',
)
DICE = small(DEAL, step("dice", "assign", 'bets = "open"'), SHOWDOWN, *REST)
AFTER = small(DEAL, step("number", "assign"), SHOWDOWN, *REST)
FOUL = '[foul-set]\nthen = "dead-hand"\nreturns = []\ncalls = "supervisor"\nclause = "S foul"\n'
SET = small(DEAL, step("set", "set", "low = 2"), SHOWDOWN, *REST, FOUL)
