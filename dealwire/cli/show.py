"""Output of results: NDJSON for programs, text for people. No other module prints results."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import click

from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Drawn, Hand, NamedHand, RoundResult, Seat
from dealwire.cli.terminal import echo, echo_json, echo_styled, say_object, say_table
from dealwire.table.action_words import WON_WITH, action_words, pot_words, settled_pot_name, street
from dealwire.table.id_words import Speech, id_words, names_in
from dealwire.table.table import TableOutcome
from protocol.printable import printable
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.settlement import PotTotal, Settlement, SettlementLine, amount

SUMMARY_SCHEMA = "dealwire.summary/1"

Say = Callable[[TableOutcome], None]


def say_json(item: TableOutcome) -> None:
    """Print one JSON line, flushed, so that a reader at the other end of a pipe gets it at once."""
    echo_json(item.to_json())


def say_summary(summary: dict[str, object], kind: str = "summary") -> None:
    """Print a closing JSON object."""
    say_object(SUMMARY_SCHEMA, kind, **summary)


class Counted(Protocol):
    """Counts of rounds by outcome and of incidents by code."""

    outcomes: Counter[str]
    incidents: Counter[str]


def counts(counted: Counted) -> dict[str, object]:
    """Return the part of every summary that is about rounds."""
    return {
        "rounds": counted.outcomes.total(),
        "outcomes": dict(counted.outcomes),
        "incidents": dict(counted.incidents),
    }


def money(cents: int, currency: str = DOLLAR) -> str:
    """Format an amount without needless zeros: `$12.50`, `-$3`, `€5`, `CHF 5`."""
    return amount(cents, currency).removesuffix(".00")


class RoundPrinter:
    """Printer of a table's results for people. Each incident appears under the heading of its round.

    A table publishes a round's incidents before the round. A `live` printer prints them at once, under a heading for
    the current round; otherwise they are kept until their round. A `verbose` printer prints each bet with its reason
    and clause; otherwise one line per seat and result.
    """

    def __init__(self, procedure: Procedure | None = None, *, live: bool = False, verbose: bool = False) -> None:
        self._live, self._under_way, self._verbose = live, False, verbose
        self._waiting: list[Incident] = []
        self._speech = Speech(())
        if procedure is not None:
            self.deals(procedure)

    def deals(self, procedure: Procedure) -> None:
        """Use the vocabulary of this procedure from now on."""
        self._speech = Speech.of(procedure)

    def __call__(self, item: TableOutcome) -> None:
        """Print one result, or keep an incident for its round."""
        if not isinstance(item, Incident):
            say_text(item, self._speech, self._waiting, verbose=self._verbose)
            if isinstance(item, RoundResult):
                self._waiting, self._under_way = [], False
        elif self._live:
            if not self._under_way:
                echo("")
                echo("In the current round:", bold=True)
            self._under_way = True
            say_incident(item, self._speech)
        else:
            self._waiting.append(item)

    def end(self) -> None:
        """Print incidents that are still kept; their round did not finish."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            echo("")
            echo("In a round that did not finish:", bold=True)
        for item in waiting:
            say_incident(item, self._speech)


class SettlementPrinter:
    """Printer of settlements without their deal. Each begins with the title of its round."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._speech, self._verbose = Speech(()), verbose

    def settles(self, result: RoundResult) -> None:
        """Use the vocabulary of this round's procedure from now on."""
        self._speech = Speech.named(result.procedure.id, names_in(result))

    def __call__(self, item: TableOutcome) -> None:
        """Print one settlement, meter step or award."""
        if isinstance(item, Settlement):
            say_title(item)
        say_text(item, self._speech, verbose=self._verbose)


def say_incident(item: Incident, speech: Speech) -> None:
    """Print an incident with its clause."""
    echo(f"  ! {speech.write(item.text)}  [{item.clause}]", fg="yellow", hang=4)


def say_text(item: TableOutcome, speech: Speech, incidents: Sequence[Incident] = (), *, verbose: bool = False) -> None:
    """Print one result, a round with its `incidents` under its heading. `speech` replaces ids by words."""
    if isinstance(item, Incident):
        say_incident(item, speech)
    elif isinstance(item, RoundResult):
        say_title(item)
        for incident in incidents:
            say_incident(incident, speech)
        for line in round_lines(item, verbose=verbose):
            echo(line, hang=ROUND_MARGIN)
    elif isinstance(item, Settlement):
        say_settlement(item, speech, verbose=verbose)
    else:
        say_meter(item, speech)


RESULT_COLOUR = {"win": "green", "lose": "red", "push": "cyan", "returned": "cyan", "held": "yellow"}
OUTCOME_COLOUR = {"complete": "green", "unreliable": "red", "defective-deck": "red"}


ROUND_MARGIN = 13
"""Column where the text of a round's lines begins, after a name such as ` seat 1 `."""


def _cards(cards: tuple[str, ...]) -> str:
    return " ".join(cards) or "(not shown)"


def _dead(status: str) -> str:
    return "  dead" if status == "dead" else ""


def _count(hand: Hand | Seat | NamedHand) -> str:
    if hand.counted in (None, hand.expected):
        return ""
    return f"  {hand.counted} card{'' if hand.counted == 1 else 's'} instead of {hand.expected}"


def say_title(result: RoundResult | Settlement) -> None:
    """Print an empty line and the title of a round."""
    echo("")
    echo_styled(round_title(result))


def round_title(result: RoundResult | Settlement) -> str:
    """Return the title of a round in color: number, table, outcome."""
    colour = OUTCOME_COLOUR.get(result.outcome, "yellow")
    title = printable(f"Round {result.round} at {result.table}: ", None)
    return click.style(title, bold=True) + click.style(id_words(result.outcome), fg=colour, bold=True)


def round_lines(result: RoundResult, *, verbose: bool = False) -> list[str]:
    """Return the deal as lines: community, burned cards, every hand. Unless `verbose`, bets that a seat declined
    (`no-...` in the procedure) are left out."""
    if result.draw is not None:
        return _draw_lines(result, result.draw)
    lines = _middle_lines(result)
    if result.dealer is not None:
        lines.append(f"  dealer     {_cards(result.dealer.cards)}{_count(result.dealer)}")
    for hand in result.hands:
        lines.append(f"  {id_words(hand.name) + ' ':<11}{_cards(hand.cards)}{_dead(hand.status)}{_count(hand)}")
    for seat in result.seats:
        chosen = seat.decisions or ((seat.decision,) if seat.decision else ())
        chosen = chosen if verbose else tuple(each for each in chosen if not each.startswith("no-"))
        choice = f"  {', '.join(map(id_words, chosen))}" if chosen else ""
        sums = (f"{id_words(bet)} {money(cents, result.currency)}" for bet, cents in seat.returned.items())
        back = f"  returned {', '.join(sums)}"
        held = f"  held {', '.join(map(id_words, seat.held))}" if seat.held else ""
        chips = chips_of(seat, result)
        tail = chips + _dead(seat.status) + _count(seat) + (back if seat.returned else "") + held
        cards = "(not dealt in)" if seat.status == "out" else _cards(seat.cards)
        lines.append(f"  seat {seat.seat:<6}{cards}{choice}{tail}")
    lines += betting_lines(result)
    if result.remainder is not None:
        lines.append(f"  remainder  {result.remainder.counted} of {result.remainder.expected} expected")
    return lines


def _middle_lines(result: RoundResult) -> list[str]:
    """Return the lines of community and burned cards. Many games have no community: it is left out if it has no
    card."""
    burned = _cards(result.burned) if result.burned else ""
    if result.community or any(packet.to == "community" for packet in result.packets):
        return [f"  community  {_cards(result.community)}" + (f"   burned {burned}" if burned else "")]
    return [f"  burned     {burned}"] if burned else []


def _draw_lines(result: RoundResult, draw: Drawn) -> list[str]:
    """Return the lines of a race drawn from a shoe: columns, finish, cards left."""
    lines = [f"  {id_words(name) + ' ':<11}{' '.join(cards)}" for name, cards in draw.columns.items()]
    if draw.finish is None:
        lines.append("  finish     not decided")
    else:
        lines.append(f"  finish     {id_words(draw.finish.column or 'no column')} after {draw.finish.cards} cards")
    lines += [f"  named      card {n.position} is {n.card}, by badge {n.badge} {n.level}".rstrip() for n in draw.named]
    if draw.overdrawn:
        lines.append(f"  overdrawn  {_cards(draw.overdrawn)}")
    if result.burned:
        lines.append(f"  burned     {_cards(result.burned)}")
    if shoe := result.shoe:
        left = "an unknown number" if shoe.left is None else shoe.left
        lines.append(f"  shoe {shoe.id:<6}{shoe.drawn} of {shoe.loaded} cards drawn, {left} left")
    return lines


def say_settlement(settlement: Settlement, speech: Speech, *, verbose: bool = False) -> None:
    """Print the money: one line per seat and result, or each bet with its reason and clause if `verbose`; and held
    money with the reason."""
    if settlement.again:
        echo(f"  round {settlement.round} at {settlement.table} was settled before; no meter moved", fg="red", hang=4)
    if settlement.unseen:
        echo(f"  not known: {speech.write(settlement.unseen)}", fg="yellow", hang=4)
    if settlement.status == "held":
        echo(f"  held: {speech.write(settlement.why or '')}", fg="red", hang=4)
        return
    if verbose:
        _say_bets(settlement, speech)
    else:
        _say_seats(settlement)
    for each in pot_lines(settlement, speech):
        echo(each, hang=ROUND_MARGIN)
    if settlement.status == "partly-held":
        echo(f"  not all is settled: {speech.write(settlement.why or '')}", fg="red", hang=4)


def _say_seats(settlement: Settlement) -> None:
    """Print one line per seat and result: total stake, net, and the bets."""
    groups: dict[tuple[int, str], list[SettlementLine]] = {}
    for line in sorted(settlement.lines, key=lambda line: line.seat):
        groups.setdefault((line.seat, line.result), []).append(line)
    currency = settlement.currency
    say_table(
        [
            (
                f"seat {seat}",
                result,
                money(sum(line.stake for line in lines), currency),
                money(sum(line.net for line in lines), currency),
                ", ".join(_won(line, currency) if result == "win" else id_words(line.bet) for line in lines),
            )
            for (seat, result), lines in groups.items()
        ],
        right=frozenset({2, 3}),
        tint=lambda row: RESULT_COLOUR.get(row[1]),
        tinted=frozenset({1, 3}),
    )


def _won(line: SettlementLine, currency: str) -> str:
    """Return a winning bet with its net, such as `play $5`."""
    return f"{id_words(line.bet)} {money(line.net, currency)}"


def _say_bets(settlement: Settlement, speech: Speech) -> None:
    """Print each bet in the order of settlement, with its reason and clause."""
    currency = settlement.currency
    say_table(
        [
            (
                f"seat {line.seat}",
                id_words(line.bet),
                money(line.stake, currency),
                line.result,
                money(line.net, currency),
                f"{speech.write(line.why)}{_kept(line, settlement)}  [{line.clause}]",
            )
            for line in settlement.lines
        ],
        right=frozenset({2, 4}),
        tint=lambda row: RESULT_COLOUR.get(row[3]),
        tinted=frozenset({3, 4}),
    )


def _kept(line: SettlementLine, settlement: Settlement) -> str:
    """Describe the part of a payout that rounding kept."""
    if line.rest == "0":
        return ""
    if line.meter:
        return f"; {line.rest} of a cent stays on the meter"
    cents, unit = Fraction(line.rest), money(settlement.rounding.unit_cents, settlement.currency)
    kept = money(int(cents), settlement.currency) if cents.denominator == 1 else f"{line.rest} cents"
    return f", rounded down to {unit}: {kept} less"


def say_meter(item: MeterRecord | AwardRecord, speech: Speech) -> None:
    """Print a step of a meter, or of an award at the controller."""
    why = speech.write(item.why)
    if isinstance(item, MeterRecord):
        shows = f"shows {money(item.meter_cents)}  {why}"
        if item.kind == "posted":
            echo(f"  pool {id_words(item.meter)}: posted at {money(item.posted or 0)}, {shows}", hang=4)
            return
        echo(f"  meter {id_words(item.meter)}: {id_words(item.kind)} {money(item.to_meter)}, {shows}", hang=4)
        return
    colour = {
        "awarded": "green",
        "posted": "green",
        "refused": "yellow",
        "unfinished": "yellow",
        "waits": "yellow",
        "differs": "red",
    }.get(item.kind)
    echo(f"  award: {why}  [{item.clause}]", fg=colour, hang=4)


# ------------------------------------------------------------------ the betting


def betting_lines(result: RoundResult) -> Iterator[str]:
    """Yield the button, the actions of each betting round, and the pots taken in; nothing for a game without
    betting."""
    if not result.actions:
        return
    if result.button is not None:
        yield f"  button     seat {result.button}"
    for step in dict.fromkeys(each.step for each in result.actions):
        acts = (
            f"{each.seat} {action_words(each.action, each.cents, each.manner, result.currency)}"
            for each in result.actions
            if each.step == step
        )
        yield f"  {street(step) + ' ':<11}{', '.join(acts)}"
    if result.awards:
        takes = (
            f"seat {each.seat} {money(each.cents, result.currency)} of {pot_words(each.pot)}" for each in result.awards
        )
        yield f"  taken in   {', '.join(takes)}"


def chips_of(seat: Seat, result: RoundResult) -> str:
    """Return the chips a seat put in, such as ` put in $86 of $200`; empty for a seat without a stake."""
    if seat.stake is None:
        return ""
    gave_up = "  folded" if seat.status == "folded" else ""
    return (
        f"{gave_up}  put in {money(sum(seat.wagers.values()), result.currency)} of {money(seat.stake, result.currency)}"
    )


def pot_lines(settlement: Settlement, speech: Speech) -> Iterator[str]:
    """Yield a line for each pot: rake, and who won the rest."""
    for pot in settlement.pots:
        yield f"  {settled_pot_name(pot.name) + ' ':<11}{_pot(pot, settlement, speech)}"


def _pot(pot: PotTotal, settlement: Settlement, speech: Speech) -> str:
    taken = [f"{money(pot.rake, settlement.currency)} rake"] if pot.rake else []
    taken += [f"{money(pot.jackpot_rake, settlement.currency)} for the jackpot"] if pot.jackpot_rake else []
    less = f" less {' and '.join(taken)}" if taken else ""
    winners = (
        f"seat {each.seat} has {money(each.cents, settlement.currency)}, {WON_WITH[each.won_with]}"
        for each in pot.winners
    )
    return f"{money(pot.cents, settlement.currency)}{less}: " + (
        f"held, {speech.write(pot.held)}" if pot.held else "; ".join(winners)
    )
