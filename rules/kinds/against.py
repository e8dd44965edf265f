"""Bets on one hand against another: the dealer's, or one that belongs to nobody."""

from dataclasses import replace

from dealer_flow.english import dollars
from dealer_flow.record.result import Seat
from rules.facts.held import Hold
from rules.facts.line import Staked
from rules.facts.seen import View
from rules.game.bet_terms import Doubt, Equals
from rules.game.paytable import PaidRow
from rules.game.schema import AgainstBet, MarginBet
from rules.hands import Ranked
from rules.kinds.hands import compared
from rules.settlement import SettlementLine


def resolve(bet: AgainstBet, staked: Staked, seat: Seat, view: View) -> SettlementLine:
    """Wins at a fixed pay or by a table, loses, or ties by the hands, as far as the other hand qualifies."""
    player = view.hand(staked.of.hand, seat)
    if isinstance(player, str):
        ruled = _unqualified(bet, staked, seat, view, None) if not bet.always and not _is_raised(staked, seat) else None
        return ruled if ruled is not None else staked.held(Hold(player, bet.clauses.win))
    if staked.of.raised is not None and (wrong := _raised(staked.of.raised, staked, seat, player)):
        return staked.held(wrong)
    shown = view.hand(bet.table_hand, seat) if bet.table_hand else player
    if isinstance(shown, str):
        return staked.held(Hold(shown, bet.clauses.win))
    row = staked.row(shown.key) if bet.paytables else None
    if bet.always == "stake-kept" and row is not None:
        return staked.won(f"{shown.text}, whatever the dealer has", row, staked.paytable)
    ruled = _unqualified(bet, staked, seat, view, player) if bet.unqualified is not None else None
    return ruled if ruled is not None else by_hands(bet, staked, seat, view, row)


def _is_raised(staked: Staked, seat: Seat) -> bool:
    """Whether the bet, or the one that a tip is for, is more than every hand may make it."""
    equals = staked.of.raised
    if equals is None:
        return False
    return seat.wagers.get(_own(staked), 0) > seat.wagers.get(equals.bet, 0) * equals.times


def _own(staked: Staked) -> str:
    """The bet, or the one that a tip is for."""
    return staked.bet.tip_for or staked.bet.name


def _raised(equals: Equals, staked: Staked, seat: Seat, player: Ranked) -> Hold | None:
    """Why a bet may not be raised as it was with this hand; None where it may, or was not raised."""
    assert equals.raised is not None, "that is why it is asked"
    if not _is_raised(staked, seat) or staked.terms.reaches(staked.of.hand, player, equals.raised.at_least):
        return None
    name = _own(staked)
    stake, other = seat.wagers.get(name, 0), seat.wagers.get(equals.bet, 0)
    more = f"{name} of {dollars(stake)} beside {equals.bet} of {dollars(other)}"
    return Hold(f"{more} asks for {equals.raised.words}, and the hand is {player.text}", equals.clause)


def _unqualified(
    bet: AgainstBet, staked: Staked, seat: Seat, view: View, player: Ranked | None
) -> SettlementLine | None:
    """The line of a bet against a hand that does not qualify; None when the hands decide, or a player's hand that is
    not known would have to."""
    rule = bet.unqualified
    if rule is None or (player is None and rule.unless):
        return None
    qualified = view.qualifies(rule.qualifier, seat)
    if isinstance(qualified, str):
        return staked.held(Hold(qualified, bet.clauses.unqualified))
    if qualified:
        return None
    clause, then = bet.clauses.unqualified, rule.then
    name = staked.of.hand
    for unless in rule.unless:
        if player is not None and view.terms.reaches(name, player, unless.at_least):
            clause, then = unless.clause, unless.then
            break
    facts = f"the dealer does not qualify with {view.terms.game.spec.qualifiers[rule.qualifier].words}"
    if then == "acts":
        return None
    if then == "push":
        return staked.push(facts, clause)
    row = view.terms.game.fixed[bet.name]
    return staked.won(facts, replace(row, clause=clause))


def by_hands(bet: AgainstBet, staked: Staked, seat: Seat, view: View, row: PaidRow | None = None) -> SettlementLine:
    """By which of the two hands is higher; `row` of its table, where it has one, pays a win."""
    found = compared(staked.of, staked.of.hand, seat, view)
    if isinstance(found, str):
        return staked.held(Hold(found, bet.clauses.win))
    sign, facts, _ = found
    sign = sign if bet.wins == "higher" else -sign
    if bet.doubt is not None and (doubt := _doubt(bet.doubt, sign, seat, view)):
        return staked.held(Hold(f"{facts}, {doubt}", bet.doubt.clause))
    row = row if bet.paytables else view.terms.game.fixed[bet.name]
    if bet.always == "stake-lost" and row is not None:
        return staked.won(facts, row, staked.paytable, stake_lost=sign < 0)
    if sign == 0:
        return _tied(bet, staked, seat, view, facts)
    if sign < 0:
        return staked.lose(facts, bet.clauses.lose)
    if row is not None:
        return staked.won(facts, row, staked.paytable if bet.paytables else None)
    if bet.below == "push":
        return staked.push(facts, bet.clauses.below or bet.clauses.win)
    return staked.lose(facts, bet.clauses.lose, staked.paytable)


def _doubt(doubt: Doubt, sign: int, seat: Seat, view: View) -> str:
    """How the other ranking that the text leaves open has it, where it has it otherwise."""
    if not doubt.holds(view.terms.readings):
        return ""
    player, other = view.hand(doubt.hand, seat), view.hand(doubt.against, seat)
    if isinstance(player, str) or isinstance(other, str):
        return ""
    if sign == (player.strength > other.strength) - (player.strength < other.strength):
        return ""
    return "or the other way round: the text does not say how these hands rank"


def _tied(bet: AgainstBet, staked: Staked, seat: Seat, view: View, facts: str) -> SettlementLine:
    """A tie: as the first rule says that the other hand is in, else as the bet says."""
    then, clause = bet.tie, bet.clauses.tie
    player, other = view.hand(staked.of.hand, seat), view.hand(bet.against, seat)
    assert not isinstance(player, str), "they tie"
    assert not isinstance(other, str), "they tie"
    colours = {card.suit in ("D", "H") for card in (*player.cards, *other.cards)}
    if bet.one_colour is not None and len(colours) == 1:
        then, clause = bet.one_colour.then, bet.one_colour.clause
        facts += f", all {'red' if True in colours else 'black'}"
    for rule in bet.ties:
        if view.terms.holds(bet.against, other, rule.row):
            then, clause = rule.then, rule.clause
            break
    if then == "push":
        return staked.push(facts, clause)
    if then == "lose":
        return staked.lose(facts, clause)
    return staked.won(facts, replace(view.terms.game.fixed[bet.name], clause=clause))


def by_hands_alone(bet: AgainstBet, staked: Staked, seat: Seat, view: View) -> SettlementLine:
    """The same of a bet at a fixed pay of which nothing is asked but that its hand is the higher one."""
    of = staked.of
    found = view.compared.get((of.hand, of.against, seat.seat)) or compared(of, of.hand, seat, view)
    if isinstance(found, str):
        return staked.held(Hold(found, bet.clauses.win))
    sign, facts, _ = found
    if sign == 0:
        return _tied(bet, staked, seat, view, facts)
    if sign < 0:
        return staked.lose(facts, of.lost)
    assert of.fixed is not None, "it has no table"
    return staked.won(facts, of.fixed)


def resolve_margin(bet: MarginBet, staked: Staked, seat: Seat, view: View) -> SettlementLine:
    """A win is paid by how many cards longer the winning hand is."""
    of = staked.of
    found = view.compared.get((bet.hand, of.against, seat.seat)) or compared(of, bet.hand, seat, view)
    if isinstance(found, str):
        return staked.held(Hold(found, bet.clauses.win))
    sign, facts, margin = found
    if sign < 0:
        return staked.lose(facts, of.lost)
    if sign == 0:
        return staked.push(facts, bet.clauses.tie)
    row = of.rows[margin] if of.rows is not None else None
    assert row is not None, "a margin table says what every win pays"
    return staked.won(facts, row, of.paytable)
