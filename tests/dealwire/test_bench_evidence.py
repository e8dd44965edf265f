"""A report is evidence: it is not trimmed unseen, names its plan, is signed and verified, is held against the last."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from dealwire.bench.hands.operator import NoOperator, Operator, PersonOperator
from dealwire.bench.plan.plan import FOLDER, BenchPlan, known_plans, load_plan
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRunCause
from dealwire.bench.report.comparing import compare_reports
from dealwire.bench.report.report import (
    BenchVerdict,
    CheckCounts,
    NotAReport,
    PlanOrigin,
    Report,
    counts_of,
    read_report,
    summary_of,
    verdict_of,
)
from dealwire.bench.report.signing import ReportSignature, ReportSigner, load_public
from dealwire.bench.report.words import protocol_words, warnings
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.run.verifying import Received, verify_report
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from protocol.tdp.packets import VERSION_TEXT

CHECKS = len(load_plan("shuffler").ids)
CHECKS_OF_ITS_OWN = re.findall(r'^\[\[check\]\]\nid = "(.+)"', (FOLDER / "shuffler.toml").read_text(), re.MULTILINE)
"""Of the plan of the shuffler."""
ONLY = ("frame.hello", "timing.hello", "fault.door-501")
ROOT = Path(__file__).parents[2]


PART = BenchChoices(ONLY)


def judged(choices: BenchChoices = PART, plan: BenchPlan | None = None, hands: Operator | None = None) -> Report:
    rig = SimulatedRig("shuffler", speed=10)
    return report_of(run_plan(plan or load_plan("shuffler"), rig.wire, lambda _: hands or rig.hands, choices))


@pytest.fixture(scope="module")
def report() -> Report:
    return judged()


# ------------------------------------------------------------------ not run


LEAVES_OUT: dict[str, tuple[BenchChoices, Operator | None, NotRunCause]] = {
    "--only": (BenchChoices(("frame.hello",)), None, NotRunCause.FILTERED),
    "--only twice": (BenchChoices(("frame.hello", "timing.hello")), None, NotRunCause.FILTERED),
    "--unattended": (BenchChoices(("frame.hello", "fault.door-501")), NoOperator(), NotRunCause.UNATTENDED),
    "a person who skips": (
        BenchChoices(("frame.hello", "fault.too-few-101")),
        PersonOperator(lambda _: False),
        NotRunCause.SKIPPED,
    ),
    "--rounds": (BenchChoices(("frame.hello", "soak.*"), rounds=2), None, NotRunCause.SHORTENED),
}


@pytest.mark.parametrize("option", LEAVES_OUT)
def test_whatever_leaves_a_check_out_leaves_it_in_the_report(option: str) -> None:
    choices, hands, cause = LEAVES_OUT[option]
    report = judged(choices, hands=hands)
    assert tuple(check.id for check in report.checks) == load_plan("shuffler").ids
    assert report.counts.causes[cause] > 0
    assert report.counts.run + report.counts.not_run == report.counts.checks == CHECKS
    assert report.verdict is BenchVerdict.INCOMPLETE
    assert report.summary.startswith(f"Incomplete: {report.counts.run} of {CHECKS} checks run, none failed; ")


def test_a_filter_is_named_at_the_head() -> None:
    report = judged(BenchChoices(("frame.*",)))
    assert report.summary == (
        f"Incomplete: 19 of {CHECKS} checks run, none failed; {CHECKS - 19} not run (filtered by --only 'frame.*')"
    )


@pytest.mark.parametrize(
    ("passed", "failed", "causes", "verdict", "summary"),
    [
        (118, 0, {}, "passed", "Passed: 118 of 118 checks run, none failed"),
        (100, 0, {"needs a person": 18}, "incomplete",
         "Incomplete: 100 of 118 checks run, none failed; 18 not run (needs a person)"),
        (115, 3, {}, "failed", "Failed: 118 of 118 checks run, 3 failed"),
        (0, 0, {"line gone": 118}, "nothing run", "Nothing run: 0 of 118 checks run; 118 not run (line gone)"),
        (0, 1, {"line gone": 117}, "failed", "Failed: 1 of 118 checks run, 1 failed; 117 not run (line gone)"),
        (1, 0, {"needs a person": 110, "not offered by the device": 7}, "incomplete",
         "Incomplete: 1 of 118 checks run, none failed; 117 not run (110 needs a person, 7 not offered by the device)"),
        (0, 0, {}, "nothing run", "Nothing run: 0 of 0 checks run"),
    ],
)  # fmt: skip
def test_the_words_of_every_verdict(
    report: Report, passed: int, failed: int, causes: dict[str, int], verdict: str, summary: str
) -> None:
    not_run = sum(causes.values())
    run = passed + failed
    named = {NotRunCause(name): number for name, number in causes.items()}
    counts = CheckCounts(run + not_run, run, passed, failed, not_run, named)
    assert verdict_of(counts) == verdict
    assert summary_of(counts, report.options) == summary


# ------------------------------------------------------------------ the plan


def own_plan(folder: Path, name: str, change: Callable[[str], str]) -> BenchPlan:
    """The packaged plan of the shuffler, somewhat otherwise."""
    file = folder / name
    file.write_text(change((FOLDER / "shuffler.toml").read_text()))
    return load_plan(file)


def test_a_copy_of_the_packaged_plan_is_the_packaged_plan(tmp_path: Path) -> None:
    report = judged(plan=own_plan(tmp_path, "copy.toml", lambda text: text))
    assert report.plan.origin is PlanOrigin.PACKAGED
    assert report.plan.sha256 == load_plan("shuffler").sha256


@pytest.mark.parametrize(
    ("change", "left_out", "altered"),
    [
        (lambda text: text.replace('include = ["link"]\n', ""), len(load_plan("link").ids), 0),
        (lambda text: text.replace("deal = 9", "deal = 1", 1), 0, 1),
        (lambda text: text + "\n", 0, 0),
        (lambda text: text.split("[[check]]")[0], len(CHECKS_OF_ITS_OWN), 0),
    ],
)
def test_another_plan_with_a_packaged_id_is_said_loudly(
    tmp_path: Path, change: Callable[[str], str], left_out: int, altered: int
) -> None:
    plan = own_plan(tmp_path, "shuffler.toml", change)
    report = judged(BenchChoices(("frame.hello", "deal.lock")), plan)
    assert report.plan.origin is PlanOrigin.SAME_ID
    assert (len(report.plan.left_out), len(report.plan.altered)) == (left_out, altered)
    assert warnings(report)[0].startswith("This is not the included plan 'shuffler', although it has the same id")
    assert report.counts.checks == CHECKS
    assert report.counts.causes.get(NotRunCause.LEFT_OUT, 0) == left_out
    assert report.verdict is not BenchVerdict.PASSED


def test_a_plan_of_one_check_with_a_packaged_id_never_passes(tmp_path: Path) -> None:
    head = 'schema = "dealwire.plan/1"\nid = "shuffler"\ntitle = "Packet shuffler"\ndevice = "shuffler"\n'
    check = '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "frame"\nmust = "m."\nsteps = [ { greet = 500 } ]\n'
    (tmp_path / "mine.toml").write_text(head + check)
    report = judged(BenchChoices(), load_plan(tmp_path / "mine.toml"))
    assert (
        report.summary
        == f"Incomplete: 1 of {CHECKS + 1} checks run, none failed; {CHECKS} not run (left out of the plan)"
    )
    (tmp_path / "mine.toml").write_text(head.replace('id = "shuffler"', 'id = "mine"') + check)
    mine = judged(BenchChoices(), load_plan(tmp_path / "mine.toml"))
    assert (mine.verdict, mine.plan.origin) == (BenchVerdict.PASSED, PlanOrigin.OWN)


def test_the_digest_is_over_every_file_that_is_included(tmp_path: Path) -> None:
    head = 'schema = "dealwire.plan/1"\nid = "{0}"\ntitle = "t"\ndevice = "shuffler"\ninclude = [{1}]\n'
    for name, included in (("a", '"b", "c"'), ("b", '"d"'), ("c", ""), ("d", "")):
        (tmp_path / f"{name}.toml").write_text(head.format(name, included))
    plan = load_plan(tmp_path / "a.toml")
    assert [file.name for file in plan.files] == ["a.toml", "b.toml", "d.toml", "c.toml"]
    for name in "abcd":
        file = tmp_path / f"{name}.toml"
        before = file.read_bytes()
        file.write_bytes(before + b"#")
        assert load_plan(tmp_path / "a.toml").sha256 != plan.sha256
        file.write_bytes(before)
    assert load_plan(tmp_path / "a.toml").sha256 == plan.sha256


def test_plans_the_page_and_reports_name_one_version_of_the_protocol(report: Report) -> None:
    page, reference = ((ROOT / f"docs/{name}.md").read_text() for name in ("protocol", "protocol-reference"))
    assert page.startswith(f"# Table Device Protocol, version {VERSION_TEXT}\n")
    assert reference.startswith(f"# Table Device Protocol, version {VERSION_TEXT}: reference\n")
    assert report.protocol.version == VERSION_TEXT
    assert f"Table Device Protocol (tdp) {VERSION_TEXT};" in protocol_words(report)
    for name in known_plans():
        plan = load_plan(name)
        for text in (plan.title, *(words for entry in plan.entries for words in (entry.title, entry.must))):
            assert not re.search(r"[0-9]\.[0-9]", text), f"{name}: {text}"


# ------------------------------------------------------------------ verified


@pytest.fixture
def signed(report: Report, tmp_path: Path) -> Received:
    """A report on the disk with its signature, and the key it must be of."""
    signer = ReportSigner.new(tmp_path / "lab.key", tmp_path / "lab.pub")
    file = tmp_path / "report.json"
    file.write_bytes(report.to_bytes())
    signer.sign(report.to_bytes()).write(file)
    return Received(file, *read_report(file), public=load_public(tmp_path / "lab.pub"))


def wrong(received: Received) -> dict[str, str]:
    """Return the findings that do not hold, each with its reason."""
    return {found.what: found.words for found in verify_report(received) if found.holds is False}


def altered(received: Received, report: Report) -> Received:
    """Somebody wrote another report in its place, in the form that the bench writes."""
    received.path.write_bytes(report.to_bytes())
    return received._replace(report=report, data=report.to_bytes())


def unsigned(received: Received) -> Received:
    received.path.with_name("report.json.sig").unlink()
    return received._replace(public=None)


def test_what_the_bench_wrote_holds(signed: Received) -> None:
    found = {finding.what: finding.holds for finding in verify_report(signed)}
    assert found == dict.fromkeys(("form", "signature", "counts", "checks", "plan", "program"), True)
    assert wrong(unsigned(signed)) == {}


def test_the_signature_is_ed25519_over_the_bytes_of_the_file(signed: Received) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    word, _, public, signature = signed.path.with_name("report.json.sig").read_text().split()
    assert word == "dealwire-report-signature"
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), signed.data)


def test_every_byte_is_signed(signed: Received) -> None:
    signature, random = ReportSignature.of(signed.path), Random(1)
    assert signature is not None
    for _ in range(200):
        at = random.randrange(len(signed.data))
        data = bytearray(signed.data)
        data[at] ^= 1 << random.randrange(8)
        assert not signature.fits(signed.path, bytes(data))


def with_check(report: Report, name: str, **changes: Any) -> Report:
    return replace(
        report, checks=tuple(replace(each, **changes) if each.id == name else each for each in report.checks)
    )


def recounted(report: Report) -> Report:
    """With counts, verdict and head as the checks give them: somebody who knows what is looked at."""
    counts = counts_of(report.checks)
    return replace(report, counts=counts, verdict=verdict_of(counts), summary=summary_of(counts, report.options))


def without(report: Report, name: str) -> Report:
    return replace(report, checks=tuple(each for each in report.checks if each.id != name))


TRIMMED: dict[str, tuple[Callable[[Report], Report], str]] = {
    "a check gone": (lambda r: without(r, "deal.whole"), "counts"),
    "a check gone, counts put right": (lambda r: recounted(without(r, "deal.whole")), "plan"),
    "a check gone, plan's number put right": (
        lambda r: replace(recounted(without(r, "deal.whole")), plan=replace(r.plan, checks=117)),
        "plan",
    ),
    "all filtered checks gone": (
        lambda r: recounted(replace(r, checks=tuple(c for c in r.checks if c.cause is None))),
        "plan",
    ),
    "a check twice": (lambda r: recounted(replace(r, checks=(*r.checks, r.checks[0]))), "plan"),
    "the order": (lambda r: replace(r, checks=(*r.checks[1:], r.checks[0])), "plan"),
    "a check of another plan": (lambda r: recounted(with_check(r, "deal.whole", id="deal.part")), "plan"),
    "a rule in other words": (lambda r: with_check(r, "deal.whole", must="Anything goes."), "plan"),
    "not run made passed": (
        lambda r: with_check(r, "deal.whole", outcome=BenchOutcome.PASSED, why="", cause=None),
        "counts",
    ),
    "not run made passed, counts put right": (
        lambda r: recounted(with_check(r, "deal.whole", outcome=BenchOutcome.PASSED, why="", cause=None)),
        "checks",
    ),
    "a reason left over": (lambda r: recounted(with_check(r, "deal.whole", outcome=BenchOutcome.PASSED)), "checks"),
    "a reason taken away": (lambda r: with_check(r, "deal.whole", why=""), "checks"),
    "the verdict": (lambda r: replace(r, verdict=BenchVerdict.PASSED), "counts"),
    "the head's words": (
        lambda r: replace(r, summary=f"Passed: {CHECKS} of {CHECKS} checks run, none failed"),
        "counts",
    ),
    "the number run": (lambda r: replace(r, counts=replace(r.counts, run=CHECKS, not_run=0)), "counts"),
    "the number of checks": (lambda r: replace(r, counts=replace(r.counts, checks=3)), "counts"),
    "the causes": (lambda r: replace(r, counts=replace(r.counts, causes={})), "counts"),
    "the filter": (lambda r: recounted(replace(r, options=replace(r.options, only=()))), "checks"),
    "the plan's digest": (lambda r: replace(r, plan=replace(r.plan, sha256="0" * 64)), "plan"),
    "the plan's files": (lambda r: replace(r, plan=replace(r.plan, files=r.plan.files[:1])), "plan"),
    "the plan's allowance": (lambda r: replace(r, plan=replace(r.plan, allowance_ms=1)), "plan"),
    "the plan's origin": (lambda r: replace(r, plan=replace(r.plan, origin=PlanOrigin.OWN)), "plan"),
    "the plan's id": (lambda r: replace(r, plan=replace(r.plan, id="shoe")), "plan"),
    "an id that nobody knows": (lambda r: replace(r, plan=replace(r.plan, id="mine")), "plan"),
    "times that cannot be": (
        lambda r: with_check(r, "timing.hello", measures=(replace(measures(r)[0], max_ms=-1.0),)),
        "checks",
    ),
}


def measures(report: Report) -> Any:
    (check,) = [each for each in report.checks if each.id == "timing.hello"]
    return check.measures


@pytest.mark.parametrize("trick", TRIMMED)
def test_a_report_that_was_trimmed_is_found_though_it_is_not_signed(signed: Received, trick: str) -> None:
    change, where = TRIMMED[trick]
    found = wrong(altered(unsigned(signed), change(signed.report)))
    assert where in found, found
    assert "\n" not in found[where]


@pytest.mark.parametrize("trick", TRIMMED)
def test_a_report_that_was_trimmed_does_not_fit_its_signature(signed: Received, trick: str) -> None:
    assert "signature" in wrong(altered(signed, TRIMMED[trick][0](signed.report)))


@pytest.mark.parametrize(
    "respell",
    [
        lambda data: data.replace(b'"schema":', b'"schema": ', 1),
        lambda data: json.dumps(json.loads(data), sort_keys=True).encode(),
        lambda data: data[:-1],
        lambda data: data.replace(b'"seed":1,', b'"seed":1,"seed":1,'),
    ],
)
def test_the_same_in_other_bytes_is_found(signed: Received, respell: Callable[[bytes], bytes]) -> None:
    file = signed.path
    file.write_bytes(respell(signed.data))
    assert file.read_bytes() != signed.data
    received = Received(file, *read_report(file), public=signed.public)
    assert wrong(received).keys() == {"form", "signature"}


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"nonsense", b'{"schema":"dealwire.bench/1"}', b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_report_is_said_in_one_line(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(NotAReport) as caught:
        read_report(tmp_path / "x.json")
    assert "\n" not in str(caught.value)


def test_a_key_that_nobody_named_is_no_proof(signed: Received, tmp_path: Path) -> None:
    other = ReportSigner.new(tmp_path / "other.key", tmp_path / "other.pub")
    other.sign(signed.data).write(signed.path)
    assert wrong(signed) == {"signature": f"of key {other.id}, which is not the one of --key"}
    (found,) = [each for each in verify_report(signed._replace(public=None)) if each.what == "signature"]
    assert found.holds is None
    signed.path.with_name("report.json.sig").unlink()
    assert "signature" in wrong(signed)


def test_keys_and_signatures_that_cannot_be_used(signed: Received, tmp_path: Path) -> None:
    key, public, sig = tmp_path / "lab.key", tmp_path / "lab.pub", tmp_path / "report.json.sig"
    assert ReportSigner.load(key).id == ReportSignature.of(signed.path).key_id  # type: ignore[union-attr]
    assert str(key) in repr(ReportSigner.load(key))
    assert key.read_text().split()[2] not in repr(ReportSigner.load(key))
    with pytest.raises(KeyProblem, match="exists; a pair needs two new files"):
        ReportSigner.new(key, tmp_path / "new.pub")
    with pytest.raises(KeyProblem, match="not a key for reports; allowed: one line 'dealwire-report-public ID KEY'"):
        load_public(key)
    public.write_text(public.read_text().replace(" ", " 0", 1)[:-2] + "\n")
    with pytest.raises(KeyProblem):
        load_public(public)
    sig.write_text("dealwire-report-signature 00\n")
    finding = next(each for each in verify_report(signed) if each.what == "signature")
    assert finding.holds is False
    assert "not a signature" in finding.words
    key.chmod(0o644)
    with pytest.raises(KeyUnsafe):
        ReportSigner.load(key)


def test_an_own_plan_is_held_against_the_plan_that_is_given(tmp_path: Path) -> None:
    plan = own_plan(tmp_path, "mine.toml", lambda text: text.replace('id = "shuffler"', 'id = "mine"', 1))
    report = judged(plan=plan)
    assert report.plan.origin is PlanOrigin.OWN
    received = Received(tmp_path / "r.json", report, report.to_bytes())
    (found,) = [each for each in verify_report(received) if each.what == "plan"]
    assert found.holds is None
    assert wrong(received._replace(plan=plan)) == {}
    trimmed = recounted(without(report, "deal.whole"))
    assert wrong(received._replace(report=trimmed, data=trimmed.to_bytes(), plan=plan)).keys() == {"plan"}
    assert wrong(received._replace(plan=load_plan("shoe"))).keys() == {"plan"}


def test_another_plan_with_a_packaged_id_cannot_hide_what_it_leaves_out(tmp_path: Path) -> None:
    plan = own_plan(tmp_path, "shuffler.toml", lambda text: text.replace('include = ["link"]\n', ""))
    report = judged(BenchChoices(("deal.lock",)), plan)
    received = Received(tmp_path / "r.json", report, report.to_bytes())
    assert wrong(received) == {}
    hidden = recounted(replace(report, checks=tuple(c for c in report.checks if c.cause is not NotRunCause.LEFT_OUT)))
    found = wrong(received._replace(report=hidden, data=hidden.to_bytes()))
    assert found.keys() == {"plan"}
    assert "frame.hello is not even listed as left out" in found["plan"]


# ------------------------------------------------------------------ compared


def outcome_of(report: Report, name: str, outcome: BenchOutcome) -> Report:
    cause = NotRunCause.SKIPPED if outcome is BenchOutcome.NOT_RUN else None
    return with_check(report, name, outcome=outcome, why="" if outcome is BenchOutcome.PASSED else "w", cause=cause)


@pytest.mark.parametrize("then", BenchOutcome)
@pytest.mark.parametrize("now", BenchOutcome)
def test_what_became_of_a_check_since_the_last_report(report: Report, then: BenchOutcome, now: BenchOutcome) -> None:
    before, after = (outcome_of(report, "frame.hello", each) for each in (then, now))
    found = compare_reports(after, before, before.to_bytes())
    where = {
        name
        for name in ("newly_failing", "still_failing", "newly_passing", "newly_not_run", "gone")
        if "frame.hello" in getattr(found, name)
    }
    failed, passed, not_run = BenchOutcome.FAILED, BenchOutcome.PASSED, BenchOutcome.NOT_RUN
    expected = {
        (passed, failed): "newly_failing",
        (not_run, failed): "newly_failing",
        (failed, failed): "still_failing",
        (failed, passed): "newly_passing",
        (not_run, passed): "newly_passing",
        (passed, not_run): "newly_not_run",
        (failed, not_run): "newly_not_run",
    }.get((then, now))
    assert where == ({expected} if expected else set())
    assert found.sha256 == hashlib.sha256(before.to_bytes()).hexdigest()


def test_nothing_has_changed(report: Report) -> None:
    found = compare_reports(report, report, report.to_bytes())
    lists = set(found.__struct_fields__) - {"sha256", "began", "summary"}
    assert not any(getattr(found, name) for name in lists)


def test_a_check_that_went_with_its_plan_is_told(report: Report) -> None:
    found = compare_reports(without(report, "deal.whole"), report, report.to_bytes())
    assert found.gone == ("deal.whole",)


@pytest.mark.parametrize(
    ("before_ms", "now_ms", "told"),
    [(10.0, 40.0, True), (10.0, 34.0, False), (98.0, 101.0, True), (120.0, 99.0, True), (101.0, 110.0, False)],
)
def test_times_are_told_that_crossed_their_limit_or_moved_far(
    report: Report, before_ms: float, now_ms: float, told: bool
) -> None:
    def timed(longest: float) -> Report:
        times = replace(measures(report)[0], name="reply", max_ms=longest, limit_ms=100)
        return with_check(report, "timing.hello", measures=(times,))

    before = timed(before_ms)
    found = compare_reports(timed(now_ms), before, before.to_bytes()).times
    assert [(each.check, each.before_ms, each.now_ms) for each in found] == [("timing.hello", before_ms, now_ms)] * told


def test_another_device_plan_or_program_is_told(report: Report) -> None:
    now = replace(
        report,
        device=replace(report.device, serial="SIM-0002", digest="ab" * 32),
        plan=replace(report.plan, sha256="cd" * 32),
        program=replace(report.program, version="9.9.9"),
        options=replace(report.options, seed=2),
        ticket="another each time",
    )
    found = compare_reports(now, report, report.to_bytes())
    assert {each.what for each in found.differences} == {
        "Device", "Firmware digest", "Plan SHA-256", "Program", "Options",
    }  # fmt: skip


def test_a_comparison_is_verified_too(report: Report, tmp_path: Path) -> None:
    before = outcome_of(report, "frame.hello", BenchOutcome.FAILED)
    compared = replace(report, against=compare_reports(report, before, before.to_bytes()))
    received = Received(tmp_path / "r.json", compared, compared.to_bytes(), before=(before, before.to_bytes()))
    assert wrong(received) == {}
    assert compared.against is not None
    hidden = replace(compared, against=replace(compared.against, newly_passing=()))
    assert wrong(received._replace(report=hidden, data=hidden.to_bytes())).keys() == {"comparison"}


def test_a_check_record_says_why_it_was_not_run(report: Report) -> None:
    def reasons(check: CheckRecord) -> bool:
        return (check.outcome is BenchOutcome.NOT_RUN) is (check.cause is not None) is bool(check.why)

    assert all(map(reasons, report.checks))
