"""A recorded hand played through flow and settlement, and compared with what the record says of its end."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Literal

from dealer_flow.editions import load_edition
from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.histories.dealing import Cannot, Dealing, options_for
from dealwire.histories.forms import HOUSE
from dealwire.histories.history import History
from dealwire.histories.odd_chip import CLAUSE, odd_chip
from dealwire.table.table import TableTerms
from devices.events import Seen
from rules.game.load import Game, load_game
from rules.settlement import HouseRake, PotTotal, Settlement

EDITION: Final = "colorado-2021-05-01"
"""Edition without a maximum bet, by which every history is played."""
TOKENS: Final = (1, 5, 10, 25, 50, 100)
"""Smallest chips that a site may have split a pot in, in units of the record."""
ODD: Final = f"another seat has the odd chip than by {CLAUSE}"
MOST_RAKE: Final = 10
"""Largest rake that winnings may leave, in percent of the pots, where the record does not name it."""
UNSEEN: Final = "a hand that was never shown could win the pot"
Kind = Literal["same", "same-but-the-rake", "same-but-the-odd-chip", "not-expressible", "nothing-recorded", "different"]
SAME: Final = ("same", "same-but-the-rake")
ODD_KIND: Final = ("same-but-the-odd-chip",)


@dataclass
class Comparison:
    """Result of a comparison; `why` names what is not expressible or different."""

    kind: Kind
    why: str = ""
    reason: str = ""
    """The kind of `why`, without seats and amounts, to count by."""
    result: RoundResult | None = None
    settlement: Settlement | None = None
    incidents: Sequence[Incident] = ()
    heard: Sequence[Seen] = field(default=(), repr=False)
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """True if the hand was played to its end."""
        return self.result is not None and self.result.outcome == "complete"


class Table:
    """Flows and terms of the games that histories are played by."""

    def __init__(self, edition: str = EDITION) -> None:
        self._edition = load_edition(edition)
        self.procedure = cache(self._load_procedure)
        """Procedure by the id of its game."""
        self._game = cache(self._load_game)
        self._flows: dict[tuple[str, tuple[tuple[str, str], ...]], DealerFlow] = {}
        self._terms: dict[tuple[str, tuple[tuple[str, str], ...], int, int], TableTerms] = {}

    def _load_procedure(self, name: str) -> Procedure:
        return load_procedure(name, self._edition)

    def _load_game(self, name: str) -> Game:
        return load_game(name, edition=self._edition)

    def plays(self, history: History) -> Comparison:
        """Play a hand and compare its end. Where a blind is short, it is called in full, or else as it lies there."""
        found = self._plays(history, HOUSE)
        odd = found.kind == "same-but-the-odd-chip"
        other = history.as_posted() if history.as_posted is not None and (odd or found.kind == "different") else None
        if isinstance(other, History):
            second = self._plays(other, {**HOUSE, "short-blind": "as-posted"})
            nearer = second.kind != "different" or (second.ended and not found.ended)
            found = second if second.kind in SAME or (nearer and not odd) else found
        return _explained(history, found) if found.kind == "different" else found

    def _plays(self, history: History, house: Mapping[str, str]) -> Comparison:
        if history.not_expressible:
            return Comparison("not-expressible", history.not_expressible, history.not_expressible)
        procedure = self.procedure(history.form.game)
        options = options_for(history, procedure, house)
        dealing = Dealing(self._flow(procedure, options), history)
        try:
            result = dealing.played()
        except Cannot as why:
            return Comparison("not-expressible", str(why), str(why))
        finally:
            self._flow(procedure, options).finish()
        verdict = self._compared(history, result, dealing.incidents)
        verdict.incidents, verdict.heard, verdict.options = dealing.incidents, dealing.heard, options
        return verdict

    def _flow(self, procedure: Procedure, options: Mapping[str, str]) -> DealerFlow:
        key = procedure.id, tuple(sorted(options.items()))
        if key not in self._flows:
            self._flows[key] = DealerFlow(procedure, table="history", options=options)
        return self._flows[key]

    def _settled(self, history: History, result: RoundResult, token: int, rake: int) -> Settlement:
        readings = tuple(sorted(history.form.readings.items()))
        key = history.form.game, readings, token, rake
        if key not in self._terms:
            taken = HouseRake("10", cap_cents=rake, step_cents=1) if rake else None
            self._terms[key] = TableTerms(
                self._game(history.form.game), readings=dict(readings), token_cents=token, rake=taken
            )
        terms = self._terms[key]
        found = terms.settle(result)
        terms.meters.clear()
        if rake:
            del self._terms[key]
        return found

    # ------------------------------------------------------------------ comparing

    def _compared(self, history: History, result: RoundResult | None, incidents: Sequence[Incident]) -> Comparison:
        if result is None:
            return _different("the flow did not end the hand", "not ended")
        gross = self._settled(history, result, 1, 0)
        if result.outcome != "complete" or gross.status != "settled":
            return self._unsettled(history, result, gross, incidents)
        rake = _rake(history, gross)
        if rake is None:
            return Comparison("nothing-recorded", "the record has no outcome", "no outcome", result, gross)
        if isinstance(rake, str):
            return _different(rake, "another pot", result, gross)
        every = [self._with_token(history, result, gross, rake, 1)]
        if every[0].kind in SAME:
            return every[0]
        every += (self._with_token(history, result, gross, rake, token) for token in TOKENS[1:])
        return next((each for kinds in (SAME, ODD_KIND) for each in every if each.kind in kinds), every[0])

    def _with_token(
        self, history: History, result: RoundResult, gross: Settlement, rake: int, token: int
    ) -> Comparison:
        """Compare with the pots split in chips of `token`."""
        exact = not rake or (len(gross.pots) == 1 and 10 * rake <= gross.pots[0].cents)
        settled = self._settled(history, result, token, rake) if exact else gross
        wrong = next(_differences(history, settled, rake if not exact else 0), None)
        if wrong is not None:
            odd = odd_chip(history, settled, token) if exact and not _other_back(history, settled) else ""
            if odd:
                return Comparison("same-but-the-odd-chip", odd, ODD, result, settled)
            return _different(wrong, "other winnings", result, settled)
        how = f"split in chips of {token}" if token > 1 else ""
        return Comparison("same-but-the-rake" if rake else "same", how, how, result, settled)

    def _unsettled(
        self, history: History, result: RoundResult, settled: Settlement, incidents: Sequence[Incident]
    ) -> Comparison:
        """Return the verdict on a hand that was not settled: its first incident, or the pot that is held."""
        held = next((pot.held for pot in settled.pots if pot.held), settled.why or "")
        if result.outcome == "complete" and _nobody_showed(history):
            return Comparison("not-expressible", UNSEEN, UNSEEN, result, settled)
        if result.outcome == "complete":
            return _different(f"held: {held}", "held", result, settled)
        first = next((each for each in incidents if each.unreliable or each.code == "action-refused"), None)
        first = first or next(iter(incidents), None)
        why = f"{result.outcome}: {first.text}" if first is not None else result.outcome
        return _different(why, first.code if first is not None else result.outcome, result, settled)


def _different(
    why: str, reason: str, result: RoundResult | None = None, settlement: Settlement | None = None
) -> Comparison:
    return Comparison("different", why, reason, result, settlement)


def _nobody_showed(history: History) -> bool:
    return not any(each.cards for each in history.showings) and len(history.stakes) - len(history.folded) > 1


def _won(settlement: Settlement) -> Counter[int]:
    found: Counter[int] = Counter()
    for pot in settlement.pots:
        for winner in pot.winners:
            found[winner.seat] += winner.cents
    return found


def _rake(history: History, gross: Settlement) -> int | str | None:
    """Return the rake that the record leaves of the pots, a difference in the pots themselves, or None if it has no
    outcome."""
    recorded, pots = history.recorded, sum(pot.cents for pot in gross.pots)
    if _cut_otherwise(history, gross):
        return recorded.rake or 0
    total = recorded.total
    if total is not None and not recorded.back:  # a record may count an uncalled bet among the pots
        total -= sum(_back(gross).values()) if total > pots else 0
    if total is not None and pots not in (total, total + (recorded.rake or 0)):
        return f"recorded are pots of {recorded.total}, came {pots}"
    if recorded.taken is not None:
        rake = pots - sum(each.amount for each in recorded.taken)
        if rake < 0:  # a record may count an uncalled bet among the winnings
            rake += sum(line.returned for line in gross.lines if line.result == "returned")
    elif recorded.stacks is not None:
        rake = sum(history.stakes.values()) - sum(recorded.stacks.values())
    else:
        return None
    if rake < 0:
        return f"recorded are winnings of {pots - rake}, the pots are {pots}"
    if recorded.rake and rake not in (0, recorded.rake):
        return f"recorded is a rake of {recorded.rake}, the winnings leave {rake}"
    if not recorded.rake and 100 * rake > MOST_RAKE * pots:
        return f"the winnings leave {rake} of pots of {pots}, and the record names no rake"
    return rake


def _back(settled: Settlement) -> dict[int, int]:
    return {line.seat: line.returned for line in settled.lines if line.result == "returned"}


def _other_back(history: History, settled: Settlement) -> list[str]:
    """Return each uncalled bet that is another one than recorded."""
    back = _back(settled)
    return [
        f"recorded is {cents} back to seat {seat}, came {back.get(seat, 0)}"
        for seat, cents in history.recorded.back.items()
        if back.get(seat, 0) != cents
    ]


def _cut_otherwise(history: History, settled: Settlement) -> bool:
    """Return True if a record calls more or less of a bet uncalled, and its pot is as much smaller or larger."""
    recorded, pots = history.recorded, sum(pot.cents for pot in settled.pots)
    more = sum(recorded.back.values()) - sum(_back(settled).values())
    return bool(
        more and recorded.back and recorded.taken and recorded.total is not None and recorded.total + more == pots
    )


def _explained(history: History, found: Comparison) -> Comparison:
    """Return a difference as what the record lacks: an action, or the hand that a pot went to."""
    if (silent := _silent(history, complete=found.ended)) is not None:
        why, reason = f"the record has no action of seat {silent}", "an action is missing in the record"
        return replace(found, kind="not-expressible", why=why, reason=reason)
    if found.ended and found.settlement is not None and _unseen_winner(history, found.settlement):
        return replace(found, kind="not-expressible", why=UNSEEN, reason=UNSEEN)
    return found


def _silent(history: History, *, complete: bool) -> int | None:
    """Return a seat that has chips and cards, and no action in a hand that went on; the last one left needs none."""
    acted = {act.seat for street in history.streets for act in street.acts}
    put: Counter[int] = Counter()
    for post in history.posts:
        put[post.seat] += post.amount
    if complete and sum(bool(street.acts) for street in history.streets) < 2:
        return None
    left = history.stakes.keys() - history.folded
    return next(
        (seat for seat, stake in history.stakes.items() if seat not in acted and put[seat] < stake and left != {seat}),
        None,
    )


def _unseen_winner(history: History, settled: Settlement) -> bool:
    """Return True if the record gives more to a hand of the showdown that it neither shows nor calls thrown away."""
    recorded, won, nets = history.recorded, _won(settled), {each.seat: each.net for each in settled.seats}
    left = history.stakes.keys() - history.folded
    unseen = left if _nobody_showed(history) else left - {each.seat for each in history.showings}
    if recorded.stacks is not None:
        more = {seat for seat in unseen if recorded.stacks[seat] > history.stakes[seat] + nets.get(seat, 0)}
    else:
        more = {seat for seat in unseen if _taken(history)[seat] > won[seat]}
    return len(left) > 1 and bool(more)


def _differences(history: History, settled: Settlement, rake: int) -> Iterator[str]:
    """Yield each difference. With a `rake` that is not in the settlement, winnings may be lower by a part of it."""
    recorded, won, back = history.recorded, _won(settled), _back(settled)
    if _cut_otherwise(history, settled):
        won.update(back)
        yield from _by_seat(won, _taken(history) + Counter(recorded.back), rake, "chips of the pots")
        return
    yield from _other_back(history, settled)
    if recorded.taken is not None:
        theirs = _taken(history)
        if theirs.total() > won.total():
            won.update(back)
        yield from _by_seat(won, theirs, rake, "winnings")
        if rake and (named := {each.pot for each in recorded.taken}) and len(named) == len(settled.pots) > 1:
            yield from _by_pot(history, settled.pots, rake)
    if recorded.stacks is not None:
        nets = {each.seat: each.net for each in settled.seats}
        ours = Counter({seat: stake + nets.get(seat, 0) for seat, stake in history.stakes.items()})
        yield from _by_seat(ours, Counter(recorded.stacks), rake, "chips")


def _taken(history: History) -> Counter[int]:
    found: Counter[int] = Counter()
    for each in history.recorded.taken or ():
        found[each.seat] += each.amount
    return found


def _by_seat(ours: Counter[int], theirs: Counter[int], rake: int, what: str) -> Iterator[str]:
    for seat in sorted(ours.keys() | theirs.keys()):
        less = ours[seat] - theirs[seat]
        if not 0 <= less <= rake:
            yield f"recorded are {what} of {theirs[seat]} for seat {seat}, came {ours[seat]}"


def _by_pot(history: History, pots: Sequence[PotTotal], rake: int) -> Iterator[str]:
    """Yield pots of which other seats took parts than ours give; the record names the pots in its own way."""
    theirs: dict[str, dict[int, int]] = {}
    for seat, pot, cents in history.recorded.taken or ():
        theirs.setdefault(pot, {})[seat] = theirs.get(pot, {}).get(seat, 0) + cents
    ours = {pot.name: {winner.seat: winner.cents for winner in pot.winners} for pot in pots}
    for name, shares in ours.items():
        if not any(
            shares.keys() == each.keys() and all(0 <= shares[seat] - each[seat] <= rake for seat in shares)
            for each in theirs.values()
        ):
            yield f"{name}: the record gives it to other seats"
