"""Warnings about a table's terms that do not make its file invalid, one sentence each."""

from typing import Final

from dealer_flow.record.details import DOLLAR
from dealwire.table.table import TableTerms
from rules.meters.setup import cautions
from rules.settlement import amount

USUAL_WAGER_CENTS: Final = 100
"""Progressive wager assumed for checks when the setup does not name the sensor's wager."""


def cautions_of(terms: TableTerms) -> list[str]:
    """Return the warnings: where the bank's setup departs from the maker's recommendations with the chosen pay table,
    and which meters receive no contributions and so never grow."""
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
    """Warn that a meter receives nothing. The house sets contribution rates, so there is no default."""
    stays = (
        f"meter {name}: no share of the {bet} bets goes to it, so it stays at {amount(cents, DOLLAR)} until it is won"
    )
    return f'{stays}; set progressive = "FILE" to add contributions'
