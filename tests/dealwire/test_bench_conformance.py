"""The sentence that a device conforms: a report has it if it is true, and only then."""

from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import ClassVar

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from dealwire.bench.plan.plan import known_plans, load_plan
from dealwire.bench.record import BenchOutcome, NotRunCause
from dealwire.bench.report.conformance import conformances, sentence_of, why_not
from dealwire.bench.report.html import to_html
from dealwire.bench.report.report import PlanOrigin, Report
from dealwire.bench.report.text import text_lines, to_junit
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.run.verifying import Received, verify_report
from docs._print import DOCS
from docs._print.bench import pages
from protocol.tdp.codec import Envelope, read
from protocol.tdp.device_link import DeviceLink
from protocol.tdp.framing import Frame
from protocol.tdp.instruments import Instruments
from protocol.tdp.messages import Capability, HelloReplyMessage, Message, OpenSessionMessage, ReplyMessage
from protocol.tdp.outputs import Output
from tests.support.broken.base import Broken, changed
from tests.support.broken.links import OtherLink

TDP = [name for name in known_plans() if name in conformances()]


WHOLE = BenchChoices()


def judged(plan: str, choices: BenchChoices = WHOLE) -> Report:
    rig = SimulatedRig("shuffler" if plan == "link" else plan, speed=50)
    return report_of(run_plan(load_plan(plan), rig.wire, lambda _: rig.hands, choices))


@pytest.fixture(scope="module")
def report() -> Report:
    """Of a shuffler that passed everything but the soak, which was made in part."""
    return judged("shuffler", BenchChoices(rounds=2))


def with_check(report: Report, name: str, **values: object) -> Report:
    checks = tuple(replace(check, **values) if check.id == name else check for check in report.checks)
    return replace(report, checks=checks)


def said(report: Report) -> Report:
    """The report as the bench would write it."""
    return replace(report, conformance=sentence_of(report) or UNSET)


# ------------------------------------------------------------------ the data


def test_every_class_of_device_names_a_plan_and_what_it_includes() -> None:
    for each in conformances().values():
        plan = load_plan(each.plan)
        assert {file.name.removesuffix(".toml") for file in plan.files} == set(each.judges)
        assert each.judges[-1] == each.plan
        assert set(each.may_lack) <= set(Capability.__members__)
        assert all(any(BenchChoices((pattern,)).takes(name) for name in plan.ids) for pattern in each.beside)
        needed = {need for check in plan.check for need in check.needs}
        assert needed <= set(each.may_lack), "a check of a capability without which no device conforms"


def test_the_page_says_what_a_device_may_lack() -> None:
    for path, text in pages().items():
        assert (DOCS / path).read_text(encoding="utf-8") == text, "run `make docs`"


# ------------------------------------------------------------------ true


@pytest.mark.every(3)
@pytest.mark.parametrize("plan", ["link", "table-controller", "shoe"])
def test_a_simulated_device_conforms(plan: str) -> None:
    report = judged(plan)
    parts = "link 1.4" if plan == "link" else f"link 1.4, {plan} 1.4"
    assert (
        report.conformance == f"passed {parts}, without SEALING and ATTESTATION, plan digest {load_plan(plan).sha256}"
    )


class Plain(OtherLink):
    """A shuffler without meters and without measurement of its firmware: it refuses both."""

    class Link(DeviceLink):
        def _own_reply(self, request: int, command: Message, now_ns: int, out: list[Output]) -> ReplyMessage | None:
            self._instruments = Instruments()
            return super()._own_reply(request, command, now_ns, out)

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, HelloReplyMessage):
            return [envelope.body]
        return [changed(envelope, capabilities=message.capabilities & ~(Capability.METERS | Capability.VERIFY))]


def test_a_device_without_meters_conforms_as_well() -> None:
    rig = SimulatedRig("shuffler", speed=20, wrap=Plain)
    found = report_of(run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, WHOLE))
    assert found.conformance == (
        f"passed link 1.4, without METERS, VERIFY, SEALING and ATTESTATION, plan digest {load_plan('link').sha256}"
    )


class SpeaksOlder(Broken):
    """A device of 1.2, which knows of no later version."""

    opened: ClassVar[set[tuple[int, int]]] = set()

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        greets = isinstance(envelope.message, HelloReplyMessage)
        return [changed(envelope, highest_minor=2) if greets else envelope.body]

    def hear(self, data: bytes) -> Iterable[bytes]:
        for piece in self._from_host.feed(data):
            message = read(piece.body).message if isinstance(piece, Frame) else None
            if isinstance(message, OpenSessionMessage):
                self.opened.add((message.major, message.minor))
        return [data]


def test_a_device_of_the_version_before_conforms_to_that() -> None:
    rig = SimulatedRig("table-controller", speed=50, wrap=SpeaksOlder)
    found = report_of(run_plan(load_plan("table-controller"), rig.wire, lambda _: rig.hands, WHOLE))
    digest = load_plan("table-controller").sha256
    unseen = "StakeShown, PlayerActed and PotTaken not seen"
    assert found.conformance == f"passed link 1.2, table-controller 1.2, {unseen}, plan digest {digest}"
    assert found.protocol.common == "1.2"
    assert SpeaksOlder.opened >= {(1, 2), (1, 250)}
    assert (1, 4) not in SpeaksOlder.opened


def test_the_sentence_stands_in_every_form(report: Report) -> None:
    sentence = report.conformance
    assert isinstance(sentence, str)
    lacking = "CARD_RECOGNITION, SEALING and ATTESTATION"
    assert sentence.startswith(f"passed link 1.4, shuffler 1.4, without {lacking}, plan digest ")
    for form in ("\n".join(text_lines(report)), to_junit(report), report.to_json()):
        assert sentence in form
    assert escape(sentence) in to_html(report)
    assert Report.from_json(report.to_bytes()) == report


def test_a_device_may_lack_what_a_device_may_lack(report: Report) -> None:
    lacking = tuple(name for name in report.device.capabilities if name != "TWO_DECKS")
    checks = [check.id for check in load_plan("shuffler").check if "TWO_DECKS" in check.needs]
    assert checks
    one = replace(report, device=replace(report.device, capabilities=lacking))
    for name in checks:
        one = with_check(one, name, outcome=BenchOutcome.NOT_RUN, cause=NotRunCause.NOT_OFFERED, why="has none")
    assert "without CARD_RECOGNITION, TWO_DECKS, SEALING and ATTESTATION" in sentence_of(one)
    claims = replace(one, device=report.device)
    assert why_not(claims) == f"{checks[0]} was not run"


# ------------------------------------------------------------------ not true

Change = Callable[[Report], Report]


def not_run(report: Report, name: str, cause: NotRunCause) -> Report:
    return with_check(report, name, outcome=BenchOutcome.NOT_RUN, cause=cause, why="x")


UNTRUE: dict[str, tuple[Change, str]] = {
    "one failed": (lambda r: with_check(r, "deal.whole", outcome=BenchOutcome.FAILED, why="x"), "deal.whole failed"),
    "the soak failed": (lambda r: with_check(r, "soak.rounds", outcome=BenchOutcome.FAILED), "soak.rounds failed"),
    "a rule failed": (lambda r: with_check(r, "always.clean", outcome=BenchOutcome.FAILED), "always.clean failed"),
    "one needs a person": (
        lambda r: not_run(r, "deal.whole", NotRunCause.UNATTENDED),
        "deal.whole was not run",
    ),
    "nothing to judge": (lambda r: not_run(r, "always.window", NotRunCause.UNSEEN), "always.window was not run"),
    "not offered, and it needs no capability": (
        lambda r: not_run(r, "deal.whole", NotRunCause.NOT_OFFERED),
        "deal.whole was not run",
    ),
    "filtered": (lambda r: replace(r, options=replace(r.options, only=("*",))), "checks were filtered"),
    "more allowed": (
        lambda r: replace(r, allowance_ms=51),
        "the allowance was 51 ms, more than the plan's 50",
    ),
    "it speaks 1.1": (
        lambda r: replace(r, protocol=replace(r.protocol, common="1.1")),
        "the device does not support protocol version 1.2 or 1.3 or 1.4",
    ),
    "another plan": (
        lambda r: replace(r, plan=replace(r.plan, sha256="0" * 64)),
        "the plan is not one for conformance",
    ),
    "somebody's plan": (
        lambda r: replace(r, plan=replace(r.plan, origin=PlanOrigin.SAME_ID)),
        "the plan is not one for conformance",
    ),
    "a check is missing": (lambda r: replace(r, checks=r.checks[1:]), "the checks are not those of the plan"),
}


@pytest.mark.every(4)
@pytest.mark.parametrize("what", UNTRUE)
def test_it_is_not_said_when(report: Report, what: str) -> None:
    change, why = UNTRUE[what]
    spoilt = said(change(report))
    assert why_not(spoilt) == why
    assert spoilt.conformance is UNSET
    for form in ("\n".join(text_lines(spoilt)), to_junit(spoilt), to_html(spoilt), spoilt.to_json()):
        assert "passed link" not in form


def test_a_run_of_a_part_does_not_say_it() -> None:
    assert judged("link", BenchChoices(("*.*",))).conformance is UNSET
    assert judged("link", BenchChoices(("frame.*",))).conformance is UNSET


# ------------------------------------------------------------------ verified


def found(report: Report, folder: Path) -> tuple[bool | None, str] | None:
    data = report.to_bytes()
    looked = verify_report(Received(folder / "r.json", report, data))
    return next(((each.holds, each.words) for each in looked if each.what == "conforms"), None)


def test_whoever_verifies_finds_the_sentence_again(report: Report, tmp_path: Path) -> None:
    assert found(report, tmp_path) == (True, report.conformance)
    assert found(replace(report, conformance=UNSET), tmp_path) == (
        False,
        f"it should say {report.conformance!r} but does not",
    )
    other = replace(report, conformance="passed everything")
    assert found(other, tmp_path) == (
        False,
        f"the report says 'passed everything', its checks give {report.conformance!r}",
    )
    spoilt = with_check(report, "deal.whole", outcome=BenchOutcome.FAILED, why="x")
    assert found(spoilt, tmp_path) == (False, f"the report says {report.conformance!r}, but deal.whole failed")
    assert found(said(spoilt), tmp_path) is None


def test_a_report_of_a_plan_that_is_not_here_is_not_doubted_for_its_sentence(report: Report, tmp_path: Path) -> None:
    older = replace(report, plan=replace(report.plan, sha256="0" * 64))
    looked = found(older, tmp_path)
    assert looked is not None
    assert looked[0] is None
    own = replace(older, plan=replace(older.plan, origin=PlanOrigin.OWN))
    looked = found(own, tmp_path)
    assert looked is not None
    assert looked[0] is False


def test_a_report_without_the_key_is_read_as_it_was_written(report: Report) -> None:
    older = replace(report, conformance=UNSET)
    assert b'"conformance":' not in older.to_bytes()
    assert Report.from_json(older.to_bytes()) == older
