"""The files of `dealwire bench`: reports written, read again, held against each other; keys that sign them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import replace

from dealwire.bench.plan.plan import BenchPlan
from dealwire.bench.report.report import NotAReport, Report, read_report
from dealwire.bench.report.signing import ReportSignature, ReportSigner, beside
from dealwire.cli.exits import BY_ERRNO, Exit, Stop
from dealwire.cli.terminal import echo
from dealwire.journal.errors import KeyProblem
from devices.files import may
from rules.errors import ExtraMissing

Earlier = tuple[Report, bytes]


class ReportFiles(NamedTuple):
    """Where a report is written to, in which forms."""

    report: Path | None
    junit: Path | None
    html: Path | None
    pdf: Path | None
    sign: Path | None

    overwrite: bool

    def signer(self) -> ReportSigner | None:
        """Whoever signs, once it is sure that everything can be written: better known before an hour's run than after
        it."""
        if self.sign is not None and self.report is None:
            raise click.UsageError("--sign signs the report as JSON: give --report FILE, too")
        forms = {"--report": self.report, "--junit": self.junit, "--html": self.html, "--pdf": self.pdf}
        need_to_draw(self.pdf)
        if self.report is not None:
            forms["the signature of --report"] = beside(self.report)
        refuse(forms, {"--sign": self.sign}, overwrite=self.overwrite)
        return ReportSigner.load(self.sign) if self.sign is not None else None

    def write(self, report: Report, signer: ReportSigner | None) -> None:
        """Write what was asked for. A signature of what the report's file held before goes."""
        data, signature = report.to_bytes(), None
        if self.report is not None:
            _put(self.report, data)
            echo(f"wrote {self.report}, SHA-256 {report.sha256}", err=True)
            if signer is not None:
                signature = signer.sign(data)
                echo(f"wrote {_sign(self.report, signature)}, signed with key {signer.id}", err=True)
            else:
                beside(self.report).unlink(missing_ok=True)
        write_forms(report, signature, self.junit, self.html, self.pdf)


def refuse(forms: dict[str, Path | None], read: dict[str, Path | None], *, overwrite: bool) -> None:
    """Stop where a file cannot be written, would be written twice, or is there already and not to be overwritten; both
    by what names them, `read` are files that must stay."""
    seen = {which: name for name, file in read.items() if file is not None for which in _which(file)}
    for name, file in forms.items():
        if file is None:
            continue
        for which in _which(file):
            if (other := seen.setdefault(which, name)) != name:
                raise click.UsageError(f"{file}: {other} and {name} must be different files")
        if not file.parent.is_dir():
            raise click.UsageError(f"{file}: no such folder: {file.parent}")
        if file.is_dir():
            raise click.UsageError(f"{file}: is a folder")
        if file.is_file() and not overwrite:
            raise click.UsageError(f"{file}: exists; --overwrite replaces it")
        if not may(*((file, os.W_OK) if file.exists() else (file.parent, os.W_OK | os.X_OK))):
            raise Stop(Exit.PERMISSION, f"{file}: may not be written")


def _which(file: Path) -> list[object]:
    """By what a file is known: its path, and, where it is there, what a hard link to it shares. A device takes any
    number of reports."""
    if not file.is_file():
        return [file.resolve()]
    found = file.stat()
    return [file.resolve(), (found.st_dev, found.st_ino)]


def need_to_draw(pdf: Path | None) -> None:
    """ExtraMissing when a PDF is wanted and what draws it is not installed: better known before the run."""
    from dealwire.sheet.pdf import can_draw

    if pdf is not None and not can_draw():
        raise ExtraMissing("reportlab", "bench")


def write_forms(
    report: Report, signature: ReportSignature | None, junit: Path | None, html: Path | None, pdf: Path | None
) -> None:
    """The forms that are made from the report."""
    from dealwire.bench.report.html import to_html
    from dealwire.bench.report.pdf import to_pdf
    from dealwire.bench.report.text import to_junit

    forms: list[tuple[Path | None, Callable[[Report, ReportSignature | None], str | bytes]]] = [
        (junit, to_junit),
        (html, to_html),
        (pdf, to_pdf),
    ]
    for file, render in forms:
        if file is not None:
            made = render(report, signature)
            _put(file, made.encode() if isinstance(made, str) else made)
            echo(f"wrote {file}", err=True)


def _put(file: Path, data: bytes) -> None:
    """Write a file. Where it may be written was looked at before: what hinders now is the disk."""
    try:
        file.write_bytes(data)
    except OSError as error:
        code = BY_ERRNO.get(error.errno or 0, Exit.CHECK_FAILED)
        raise Stop(code, f"{file}: cannot be written: {error.strerror}") from None


def _sign(file: Path, signature: ReportSignature) -> Path:
    try:
        return signature.write(file)
    except KeyProblem as error:
        raise Stop(Exit.CHECK_FAILED, str(error)) from None


def read_earlier(file: Path) -> Earlier:
    """A report that was written before; Stop when it cannot be read or is none."""
    try:
        return read_report(file)
    except OSError as error:
        code = BY_ERRNO.get(error.errno or 0, Exit.USAGE)
        raise Stop(code, f"{file}: cannot be read: {error.strerror}") from None
    except NotAReport as error:
        raise Stop(Exit.PROTOCOL, f"{file}: {error}") from None


def doubt(file: Path, report: Report) -> None:
    """Say of a report that others are held against when its counts are not those of its checks."""
    from dealwire.bench.run.verifying import wrong_counts

    if wrong := list(wrong_counts(report)):
        echo(f"dealwire: {file}: its counts do not hold: {'; '.join(wrong)}", err=True)


def verify(file: Path, plan: BenchPlan | None, key: Path | None, against: Path | None) -> tuple[Report, bool]:
    """Say what holds of a report and what does not; the report, and whether nothing speaks against it."""
    from dealwire.bench.report.comparing import compare_reports
    from dealwire.bench.report.signing import load_public
    from dealwire.bench.report.text import summary_lines
    from dealwire.bench.run.verifying import Received, verify_report

    report, data = read_earlier(file)
    before = read_earlier(against) if against else None
    found = verify_report(Received(file, report, data, plan, before, load_public(key) if key else None))
    shown = report
    if before is not None and report.against is None:
        shown = replace(report, against=compare_reports(report, *before))
    for line in summary_lines(shown):
        echo(line)
    if against is not None and before is not None:
        doubt(against, before[0])
    echo("")
    for finding in found:
        mark = {True: "good", False: "BAD ", None: " -- "}[finding.holds]
        echo(f"{mark}  {finding.what.ljust(10)}  {finding.words}", fg="red" if finding.holds is False else None)
    holds = all(finding.holds is not False for finding in found)
    unsure = any(finding.holds is None for finding in found)
    verdict = "nothing speaks against it" + (", as far as it could be looked at" if unsure else "")
    echo(f"{file}: {verdict if holds else 'this is not what the bench wrote'}")
    return report, holds


def new_key(private_file: Path, public_file: Path) -> None:
    """Make a pair of keys and say what each half is for."""
    signer = ReportSigner.new(private_file, public_file)
    echo(f"{private_file}: private key {signer.id}; it signs reports, whoever has it signs in its owner's name")
    echo(f"{public_file}: public key {signer.id}; give it to whoever is to verify them")
