"""What a person should know of a table's terms that no file is refused for, a sentence each."""

from typing import Final

from dealer_flow.record.details import DOLLAR
from dealwire.table.table import TableTerms
from rules.meters.setup import cautions
from rules.settlement import amount

USUAL_WAGER_CENTS: Final = 100
"""The progressive wager that a setup is held against when it does not say what lies on a sensor."""


def cautions_of(terms: TableTerms) -> list[str]:
    """What the maker's recommendations say against the bank's setup with the pay table that is chosen, and that a
    meter on which nothing is put stays where it is."""
    bet = terms.game.progressive
    if bet is None:
        return []
    table = terms.game.paytables[terms.chosen[bet.name]]
    if terms.bank is None:
        paying = {row.pays.meter for row in table.rows if row.pays.meter}
        return [_stands_still(name, cents, bet.name) for name, cents in terms.meters.items() if name in paying]
    setup = terms.bank.setup
    return cautions(setup, table, setup.sensor_cents or USUAL_WAGER_CENTS)


def _stands_still(name: str, cents: int, bet: str) -> str:
    """The rates are the house's, so none could be taken by default."""
    stays = f"meter {name}: nothing of the {bet} bets goes to it, so it stays {amount(cents, DOLLAR)} until it is won"
    return f'{stays}; progressive = "FILE" says how much goes to it'
