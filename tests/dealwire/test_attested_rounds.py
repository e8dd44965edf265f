"""Rounds of devices that must prove their firmware: awaited, proved, failed, changed; in the play and between."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
import pytest
from msgspec.structs import replace

import devices.events as e
from dealer_flow.record.details import FirmwareRecord
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.table.state import TableState
from devices.events import FirmwareAttested, Seen
from rules.settlement import Settlement
from tests.dealwire.test_freshness import CONTROLLER, DEVICE, codes, colorado, fed, of, renumbered
from tests.support.evenings.reported_table import reports as evening

GOOD, OTHER = hashlib.sha256(b"1.0").hexdigest(), hashlib.sha256(b"1.1").hexdigest()
SEEN = list(evening("clean-1"))
SESSION = next(each.session for each in SEEN if each.device == DEVICE and each.session)
MIDDLE = next(index for index, each in enumerate(SEEN) if isinstance(each.body, e.PacketLifted))
END = next(index for index, each in enumerate(SEEN) if isinstance(each.body, e.GameEnded))


def verdict(state: str, sha256: str = "", why: str = "", *, session: int = SESSION, key: str = "0a" * 8) -> Seen:
    found = {"proved": (sha256 or GOOD, "1.0", 7, key, "")}.get(state, ("", "", 0, "", why))
    return Seen(DEVICE, session, 0, SEEN[0].at_ns, FirmwareAttested(state, *found))


def dealt(*more: tuple[int, Seen]) -> tuple[RoundResult, Settlement]:
    """Return the round with these verdicts before the reports of these indices."""
    seen: list[Seen] = []
    for index, each in enumerate(SEEN):
        seen += [*(one for at, one in more if at == index), each]
    outcomes = fed(colorado(), seen)
    (round_,), (settled,) = of(RoundResult, outcomes), of(Settlement, outcomes)
    return round_, settled


def test_a_table_that_demands_nothing_publishes_what_it_did() -> None:
    round_, settled = dealt()
    assert "firmware" not in round_.body_json()
    assert (round_.outcome, settled.status) == ("complete", "settled")


@pytest.mark.parametrize("at", [0, MIDDLE, END])
def test_a_proof_that_came_before_the_end_counts(at: int) -> None:
    round_, settled = dealt((0, verdict("awaited")), (at, verdict("proved")))
    assert (round_.outcome, settled.status, round_.incidents) == ("complete", "settled", ())
    assert round_.firmware == (FirmwareRecord(device=DEVICE, sha256=GOOD, version="1.0"),)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([(0, verdict("awaited"))], "it has not answered since it connected"),
        ([(0, verdict("failed", why="it did not answer"))], "it did not answer"),
        ([(0, verdict("proved")), (MIDDLE, verdict("failed", why="x"))], "x"),
        ([(END, verdict("awaited"))], "it has not answered since it connected"),
        ([(0, verdict("proved", session=SESSION + 1))], "it has not answered since it connected"),
    ],
)
def test_a_round_without_proof_is_held(more: Sequence[tuple[int, Seen]], words: str) -> None:
    round_, settled = dealt(*more)
    assert (round_.outcome, settled.status, round_.firmware) == ("unreliable", "held", ())
    (found,) = [each for each in round_.incidents if each.unreliable]
    assert (found.code, found.device, found.words) == ("device-not-attested", DEVICE, words)


@pytest.mark.parametrize(("sha256", "key", "parts"), [(OTHER, "0a", ("firmware-digest",)), (GOOD, "0b", ("key",))])
def test_another_firmware_or_key_in_the_play_spoils_the_round(sha256: str, key: str, parts: tuple[str, ...]) -> None:
    """Both are allowed; a certificate that is exchanged during a session is one of them."""
    first, then = verdict("proved", key="0a"), verdict("proved", sha256, key=key)
    round_, settled = dealt((0, first), (MIDDLE, then))
    (found,) = round_.incidents
    assert (found.code, found.parts, found.unreliable) == ("firmware-changed", parts, True)
    assert (round_.outcome, settled.status) == ("unreliable", "held")
    table = colorado()
    fed(table, [*SEEN, first])
    (between,) = fed(table, [then])
    assert isinstance(between, Incident)
    assert (between.code, between.unreliable) == ("firmware-changed", False)
    (good,) = of(RoundResult, fed(table, renumbered(SEEN, SESSION, 1)))
    assert (good.outcome, good.firmware[0].sha256) == ("complete", sha256)


def test_it_outlives_rounds_and_restarts() -> None:
    table = colorado()
    outcomes = fed(table, [verdict("failed", why="no key"), *SEEN, *renumbered(SEEN, SESSION, 1)])
    assert codes(outcomes).count("device-not-attested") == 3, "as it came, and in each round"
    state = table.state()
    assert state is not None
    restarted = colorado()
    restarted.restore(msgspec.json.decode(msgspec.json.encode(state), type=TableState))
    for each in (table, restarted):
        (held,) = of(RoundResult, fed(each, renumbered(SEEN, SESSION, 2)))
        assert held.outcome == "unreliable"
        (good,) = of(RoundResult, fed(each, [verdict("proved"), *renumbered(SEEN, SESSION, 3)]))
        assert (good.outcome, [one.device for one in good.firmware]) == ("complete", [DEVICE])


def test_a_restarted_device_must_prove_it_again_before_the_round_ends() -> None:
    table = colorado()
    fed(table, [verdict("proved"), *SEEN])
    began = Seen(DEVICE, 9, 0, SEEN[-1].at_ns, e.SessionChanged(SESSION, 9, whole=True))
    (held,) = of(RoundResult, fed(table, [began, *renumbered(SEEN, 9, 1)]))
    assert [each.words for each in held.incidents] == ["it has not answered since it connected"]
    (good,) = of(RoundResult, fed(table, [verdict("proved", session=9), *renumbered(SEEN, 9, 2)]))
    assert good.outcome == "complete"


def test_each_device_answers_for_itself() -> None:
    session = next(each.session for each in SEEN if each.device == CONTROLLER and each.session)
    other = replace(verdict("failed", why="no key"), device=CONTROLLER, session=session)
    round_, _ = dealt((0, verdict("proved")), (0, other))
    assert {each.device for each in round_.incidents} == {CONTROLLER}
    assert [each.device for each in round_.firmware] == [DEVICE]
