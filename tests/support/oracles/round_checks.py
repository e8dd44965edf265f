"""Invariants of every round and of the state after every report, for any game and any reports before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jsonschema import Draft202012Validator

from dealer_flow.editions import load_edition
from dealer_flow.play.course.face_up import dealt_face_up
from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import LOOSE, State
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.catalogue import INCIDENTS
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import UNREAD
from protocol.places import Place
from rules.game.load import game_id_of, load_game
from rules.settle.rounds import settle
from tests.support.dealing.flow_points import held_ends, held_reports, patient, round_of
from tests.support.evenings.table_events import Report
from tests.support.oracles.clause_returns import allowed_returns
from tests.support.reading.sentences import check_incident, check_legal

SCHEMA = Path(__file__).parents[3] / "docs" / "schema" / "round-2.json"
OUT_OF_ORDER = {"out-of-turn", "reveal-before-burn", "wrong-burn", "unknown-seat", "unknown-bet", "unknown-decision"}
UNBALANCED = {"cards-not-conserved", "counts-differ"}
_RANK = {State.PROGRESSIVE: 1, State.VOID: 2, State.HALTED: 3}


class Before(NamedTuple):
    """Facts before a report that the report must not improve."""

    state: State
    verdicts: tuple[bool, ...]
    dead: frozenset[int]
    unburned: frozenset[Place]
    held: bool

    @classmethod
    def of(cls, flow: DealerFlow) -> Before:
        """Return the facts of the flow as it is now; take them from a point that is loaded again for every report."""
        now = round_of(flow)
        waiting = frozenset(now.plan.burns.keys() - now.burns.keys())
        held = held_reports(flow) > 0 or patient(flow)
        return cls(flow.state, _verdicts(flow), frozenset(now.dead), waiting, held)


def _verdicts(flow: DealerFlow) -> tuple[bool, ...]:
    now = round_of(flow)
    return (now.unreliable, now.house_wrong, now.defective, now.misdeal)


def _another_deck(before: Before, body: e.Body) -> bool:
    """Return True if another deck may be there before START GAME: findings about the one before then concern no round.
    The round remains unreliable, with any deck."""
    filled = isinstance(body, e.ShoeLoaded | e.BadgeSwiped) or before.held
    return before.state is State.BETTING and filled


def check_step(before: Before, flow: DealerFlow, report: Report, out: Sequence[RoundResult | Incident]) -> None:
    """Check the state after one report: the flow waits for someone, no verdict improved, no legal report was refused,
    no card was shown early."""
    now, body = round_of(flow), report.body
    listed = flow.legal()
    assert listed, "nobody is waited for"
    for item in listed:
        check_legal(item)
    check_snapshot(flow)
    for found in out:
        if isinstance(found, Incident):
            check_incident(found)
    codes = {item.code for item in out if isinstance(item, Incident)}
    assert codes <= INCIDENTS.keys()
    if report.legal and report.due and not before.held:
        assert not codes & OUT_OF_ORDER, f"legal, and refused: {codes}"
    if any(isinstance(item, RoundResult) for item in out):
        return
    stays = 2 if _another_deck(before, body) else len(before.verdicts)
    known = zip(before.verdicts[:stays], _verdicts(flow), strict=False)
    assert all(was <= is_now for was, is_now in known), "a verdict got better"
    assert before.dead <= now.dead, "a dead hand lives again"
    assert _RANK.get(flow.state, 0) >= _RANK.get(before.state, 0), f"{before.state} -> {flow.state}"
    assert flow.state in LOOSE or not (now.unreliable and now.in_play)
    if isinstance(body, e.HandRevealed) and body.place in before.unburned and not before.held:
        loose = before.state in LOOSE or before.state is State.BETTING
        assert now.unreliable or loose, f"{body.place} was shown before the burn"
    if isinstance(body, e.SessionChanged | e.EventsLost) and now.in_play and before.state is not State.BETTING:
        assert now.unreliable or not (now.ledger.packets or now.given), "what was missed does not count"


# ------------------------------------------------------------------ a round that ended


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text()))


_VALID: set[tuple[object, ...]] = set()
"""Kinds of rounds that were checked against the published schema, once each: that takes longer than all other checks.
"""


def check_schema(result: RoundResult, line: str) -> None:
    """Check that the record is valid under the published schema."""
    codes = frozenset((incident.code, incident.reason, incident.called) for incident in result.incidents)
    seats = frozenset((seat.status, bool(seat.returned), len(seat.decisions), not seat.cards) for seat in result.seats)
    kind = (result.procedure.id, result.outcome, codes, seats, len(result.hands), result.burn is None)
    if kind not in _VALID:
        _validator().validate(json.loads(line))
        _VALID.add(kind)


def check_end(procedure: Procedure, result: RoundResult, path: Sequence[e.Body]) -> None:
    """Check a round's end: a valid record, all cards accounted for, each returned bet returned by a clause."""
    line = result.to_json()
    assert {incident.clause for incident in result.incidents} <= _clauses(procedure.id)
    assert RoundResult.from_json(line) == result
    check_schema(result, line)
    assert {incident.code for incident in result.incidents} <= INCIDENTS.keys()
    shown = {body.place.text for body in path if isinstance(body, e.HandRevealed)}
    for seat in result.seats:
        assert seat.returned.items() <= seat.wagers.items()
        assert len(seat.decisions) != 1
        assert not seat.decisions or seat.decisions[-1] == seat.decision
        allowed = allowed_returns(procedure, result, seat)
        if result.outcome == "defective-deck" and f"seat {seat.seat}" in shown:  # its bets stand (47.1-1036)
            allowed += [bets - seat.held.keys() for bets in allowed]
        assert set(seat.returned) in allowed, (
            f"seat {seat.seat} gets back {set(seat.returned)}, by its clauses {allowed}"
        )
    if not any(isinstance(body, e.SessionChanged | e.EventsLost | e.LinkLost) for body in path):
        check_cards(procedure, result, path)
    if result.outcome == "complete":
        check_complete(procedure, result)
    if result.outcome == "unreliable":
        assert any(incident.unreliable for incident in result.incidents), "nothing says why"
    check_money(result)


def check_finish(flow: DealerFlow, path: Sequence[e.Body]) -> list[RoundResult]:
    """Check the end of the input. A round under way is unreliable and nothing of it goes back; one whose END GAME was
    reported, and set aside while a line was silent, ends as that report has it."""
    ended, results = held_ends(flow), flow.finish()
    for result in results:
        check_end(flow.procedure, result, path)
        cut_off = any(incident.code == "recording-ended" for incident in result.incidents)
        assert cut_off or ended, f"{result.outcome}, and nobody ended it"
        if cut_off:
            assert result.outcome == "unreliable"
            assert all(not seat.returned for seat in result.seats)
        else:
            ended -= 1
    return results


@cache
def _clauses(name: str) -> set[str]:
    """Return every clause of a procedure's file; `procedure` where no text states a rule."""
    found = {"procedure"}

    def look(value: object) -> None:
        for key, each in value.items() if isinstance(value, dict) else ():
            if key.endswith("clause") or key == "bets-closed":
                found.add(each)
            look(each)
        for each in value if isinstance(value, list) else ():
            look(each)

    look(load_procedure(name).model_dump(mode="json", by_alias=True))
    return found


def check_snapshot(flow: DealerFlow) -> None:
    """Check that the snapshot is consistent and shows nothing that is hidden."""
    now, seen = round_of(flow), flow.snapshot()
    assert (seen.state, seen.number) == (flow.state, now.number if now.in_play else 0)
    hands = [*seen.hands, *(hand for hand in (seen.dealer, seen.community) if hand is not None)]
    hands += [seat.hand for seat in seen.seats if seat.hand is not None]
    shown = [card for hand in hands for card in (*hand.cards, *hand.burned)]
    twice = {card for card, times in Counter(now.from_shoe).items() if times > 1}  # one may lie open, the other not
    assert not (seen.unshown & set(shown)) - twice
    places = {place.text: place for place in now.ledger.hands} | now.plan.hands
    for hand in hands:
        held = now.ledger.hands[places[hand.place]]
        if held.revealed is None and not now.ledger.burned_shown:
            up = [card for card in dealt_face_up(now, held.place) if card != UNREAD]  # an unread one may be elsewhere
            lies = max(len(held.opened), len(up)) + len(hand.burned)
            assert len(hand.cards) + len(hand.burned) == max(hand.counted or 0, lies)
    for seat in seen.seats:
        live, active = seat.number in now.live, seat.number in now.active
        assert seat.status == (
            ("live" if live else "dead" if seat.number in now.dead else "folded")
            if active
            else ("out" if now.in_play else None)
        )
    lifted = [packet for packet in seen.packets if packet.lifted]
    assert [packet.ordinal for packet in lifted] == [packet.ordinal for packet in now.ledger.lifted]
    coming = [packet for packet in seen.packets if not packet.lifted]
    if not now.plan.from_shoe and len(now.ledger.packets) == len(lifted):
        due = [due.place.text for due in now.dues[now.given :]]
        assert [packet.ordinal for packet in coming] == [len(lifted) + 1 + number for number in range(len(coming))]
        assert [packet.to for packet in coming][: len(due)] == due


def check_cards(procedure: Procedure, result: RoundResult, path: Sequence[e.Body]) -> None:
    """Check that cards that left a shuffler are those of the lifted packets, and with the rest make the deck."""
    if procedure.device != "packet-shuffler":
        return
    lifted = {body.ordinal for body in path if isinstance(body, e.PacketLifted)}
    counted = {body.ordinal: body.counted for body in path if isinstance(body, e.PacketDispensed)}
    for packet in result.packets:
        assert packet.ordinal in lifted
        assert packet.counted == counted[packet.ordinal] or result.outcome == "unreliable"
    codes = {incident.code for incident in result.incidents}
    if result.remainder is not None and result.outcome in ("complete", "progressive-only"):
        out = sum(packet.counted for packet in result.packets)
        total = out + result.remainder.counted + result.rejected
        loaded = result.deck.loaded if result.deck.loaded is not None else procedure.deck.cards
        assert total == loaded or codes & UNBALANCED, f"{total} of {loaded} cards, and nothing says so"


def check_complete(procedure: Procedure, result: RoundResult) -> None:
    """Check a settled round: nothing happened that makes it unreliable, and every live hand has its cards."""
    codes = {incident.code for incident in result.incidents}
    broken = {code for code in codes if INCIDENTS[code].consequence.startswith("unreliable")}
    assert not broken - {"out-of-turn", "power-lost", "card-missing", "drawn-outside"}, broken
    assert not any(incident.unreliable for incident in result.incidents)
    explained = {incident.place for incident in result.incidents}
    for seat in result.seats:
        if seat.status == "live" and result.draw is None:
            assert (seat.counted or 0) == seat.expected or f"seat {seat.seat}" in explained, seat
    rest = procedure.remainder
    if rest is not None and rest.cards is not None and result.remainder is not None:
        dealt = [seat for seat in result.seats if seat.status != "out"]
        by_hands = rest.explained is not None and result.options[rest.explained] == "by-hands"
        off = sum((seat.counted or 0) - seat.expected for seat in dealt) if by_hands else 0
        assert result.remainder.counted in (rest.cards, rest.cards - off) or "ruled-on" in codes


# ------------------------------------------------------------------ money


@cache
def _game(procedure: str, edition: str | None) -> object:
    game = game_id_of(procedure)
    named = load_edition(edition) if edition is not None else None
    return None if game is None else load_game(game, edition=named)


def check_money(result: RoundResult) -> None:
    """Check a game with pay tables: a returned bet pays nothing, and after a misdeal only the progressive may."""
    game = _game(result.procedure.id, result.edition.id if result.edition is not None else None)
    if game is None:
        return
    settled = settle(result, game)  # type: ignore[arg-type]
    back = {(seat.seat, bet): cents for seat in result.seats for bet, cents in seat.returned.items()}
    stays = {(seat.seat, bet) for seat in result.seats for bet in seat.settled}
    for line in settled.lines:
        if (line.seat, line.bet) in back:
            assert line.pay == 0, line
            assert line.result == "held" or (line.result, line.returned) == ("returned", back[line.seat, line.bet]), (
                line
            )
        if result.outcome == "progressive-only" and line.pay:
            assert line.bet in ("progressive", "envy"), line
        if result.outcome in ("unreliable", "misdeal", "defective-deck"):
            assert line.pay == 0 or (line.seat, line.bet) in stays or line.bet == "envy", line
    assert settled.totals.players + settled.totals.house + settled.totals.meters == 0


__all__ = ["Before", "check_end", "check_finish", "check_step"]
