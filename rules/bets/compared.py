"""Comparison of two hands, in words."""

from dealer_flow.record.result import Seat
from rules.bets.bet import AgreedBet, Compared, RoundFacts
from rules.hands import Ranked


def compared(of: AgreedBet, hand: str, seat: Seat, view: RoundFacts) -> Compared | str:
    """Compare a seat's hand with the hand it plays against, or return a phrase that says what is unknown.

    The third value, the margin, is the number of cards by which the first hand is longer, for hands compared by length.
    The result is cached for all bets that need it.
    """
    key = hand, of.against, seat.seat
    found = view.compared.get(key)
    if found is None:
        player, other = view.hand(hand, seat), view.hand(of.against, seat)
        if isinstance(player, str) or isinstance(other, str):
            found = player if isinstance(player, str) else str(other)
        else:
            found = _compared(player, other, of)
        view.compared[key] = found
    return found


def _compared(player: Ranked, other: Ranked, of: AgreedBet) -> Compared:
    mine, theirs, whose = player.strength, other.strength, of.whose
    sign = (mine > theirs) - (mine < theirs)
    player_text, other_text = player.text, other.text
    words = ("tie", "beat", "lose to") if player_text.endswith(" points") else ("ties", "beats", "loses to")
    facts = f"{player_text} {words[sign]} {whose} {other_text}"
    if not of.by_length:
        return sign, facts + (" on the kickers" if sign and player_text == other_text else ""), 0
    margin = mine[0] - theirs[0]
    by = "" if sign == 0 else f" by {abs(margin)}" if margin else " on the kickers"
    return sign, facts + by, margin
