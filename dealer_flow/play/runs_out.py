"""A burned card that goes back on the deck, and a deck that runs out: what a shoe's game does when dealing halts."""

from msgspec.structs import replace

from dealer_flow.play.verdicts import apply
from dealer_flow.procedure.steps import Due
from dealer_flow.record.incidents import Incident
from dealer_flow.table.round import Round
from devices.events import Seen
from protocol.faults import Fault
from protocol.places import BURN, SHOE


def put_back(round_: Round, seen: Seen) -> bool:
    """The card that came out last was pushed back into the shoe; True when it was a burned one that may be."""
    may = round_.plan.back_on_top and round_.in_play and not round_.over and round_.given > 0
    if not may or round_.dues[round_.given - 1].place != BURN:
        return False
    care = round_.plan.procedure.care.burned
    clause = care.clause if care else round_.plan.clause
    back = Incident(code="burned-card-put-back", clause=clause, place=BURN.text, fault=Fault.PUSHED_BACK)
    round_.report(back, seen)
    round_.given -= 1
    round_.ledger.hands[BURN].put_back()
    if not round_.given and round_.shoes is not None:
        round_.shoes.on_table().rounds -= 1  # no card of this round is out: it begins anew
    return True


def look_ahead(round_: Round, seen: Seen) -> None:
    """Fewer cards are left in the shoe than are due: say so, and go on as the procedure has it."""
    policy = round_.plan.runs_out
    if policy is None or round_.over or round_.shoes is None or round_.shoes.current is None:
        return
    left = round_.shoes.current.left
    due = [due for due in round_.dues[round_.given :] if not due.at_most]
    if left is None or len(due) <= left:
        return
    burned = round_.ledger.burned_left
    pool = burned + min(left, 1)
    by_hand = len(due) - max(left - 1, 0)
    out = Incident(
        code="deck-runs-out", clause=policy.clause, reason="stop", place=SHOE.text, expected=len(due), left=left
    )
    if policy.then == "scramble" and pool >= by_hand:
        reason = "scramble-and-burn" if pool > by_hand else "scramble"
        out = replace(out, reason=reason, burned=burned, by_hand=by_hand)
        _scramble(round_, due, left)
        policy = policy._replace(then="nothing")
    elif policy.then != "misdeal":
        policy = policy._replace(then="person")
        out = replace(out, called="supervisor")
        _by_hand(round_, due, left)
    apply(round_, policy._replace(returns=round_.plan.procedure.misdeal.returns), SHOE, round_.report(out, seen))


def _scramble(round_: Round, due: list[Due], left: int) -> None:
    """All cards but the last go out; that one is laid to the burned ones, and what lies there is dealt by hand."""
    round_.ledger.scrambled = True
    whole = max(left - 1, 0)
    aside = [Due(BURN, 1, due[whole].step)] * min(left, 1)
    round_.dues[round_.given :] = [*due[:whole], *aside]
    round_.by_hand += due[whole:]


def _by_hand(round_: Round, due: list[Due], left: int) -> None:
    """What the shoe no longer has is dealt by hand, if a supervisor lets play go on."""
    round_.dues[round_.given :] = due[:left]
    round_.by_hand += due[left:]
