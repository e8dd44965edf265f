"""Which hand decides a bet, and two hands compared in words."""

from rules.hands import Ranked
from rules.spec import AgainstBet, Bet, MarginBet
from rules.view import Compared, View


def deciding(bet: Bet, view: View) -> str:
    """Name of the hand that decides this bet under the readings in use, by the pay table in use."""
    return view.terms.agreed(bet).hand


def compared(player: Ranked, other: Ranked, bet: AgainstBet | MarginBet, view: View) -> Compared:
    """Two hands of the view compared; `margin` is how much longer the first is, of hands that are compared by length.
    Found once for all the bets that ask it."""
    key = id(player), id(other), bet.against
    found = view.compared.get(key)
    if found is None:
        found = view.compared[key] = _compared(player, other, bet, view)
    return found


def _compared(player: Ranked, other: Ranked, bet: AgainstBet | MarginBet, view: View) -> Compared:
    mine, theirs = player.strength, other.strength
    sign = (mine > theirs) - (mine < theirs)
    whose = "dealer's" if bet.against.startswith("dealer") else f"the {bet.against} hand's"
    player_text, other_text = player.text, other.text
    words = ("tie", "beat", "lose to") if player_text.endswith(" points") else ("ties", "beats", "loses to")
    facts = f"{player_text} {words[sign]} {whose} {other_text}"
    if view.terms.game.rankings[bet.hand].vocabulary != "longest-flush":
        return Compared(sign, facts + (" on the kickers" if sign and player_text == other_text else ""))
    margin = mine[0] - theirs[0]
    by = "" if sign == 0 else f" by {abs(margin)}" if margin else " on the kickers"
    return Compared(sign, facts + by, margin)
