"""Report files of `dealwire bench`: writing, reading, comparing, signing."""

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
    """Output files of a report, one per form."""

    report: Path | None
    junit: Path | None
    html: Path | None
    pdf: Path | None
    sign: Path | None

    overwrite: bool

    def signer(self) -> ReportSigner | None:
        """Return the signer, or None. All files are checked here, before a run of an hour rather than after it."""
        if self.sign is not None and self.report is None:
            raise click.UsageError("--sign signs the JSON report: give --report FILE, too")
        forms = {"--report": self.report, "--junit": self.junit, "--html": self.html, "--pdf": self.pdf}
        need_to_draw(self.pdf)
        if self.report is not None:
            forms["the signature of --report"] = beside(self.report)
        refuse(forms, {"--sign": self.sign}, overwrite=self.overwrite)
        return ReportSigner.load(self.sign) if self.sign is not None else None

    def write(self, report: Report, signer: ReportSigner | None) -> None:
        """Write the requested files. Without a signer an old signature of the report file is removed."""
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
    """Raise an error if a file cannot be written, is named twice, or exists and `overwrite` is False. Keys are the
    options to name in the error; `read` are input files that must stay."""
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
    """Return the identities of a file: its resolved path and, if it exists, its device and inode, which hard links
    share. A character device such as /dev/null may be used for any number of reports."""
    if not file.is_file():
        return [file.resolve()]
    found = file.stat()
    return [file.resolve(), (found.st_dev, found.st_ino)]


def need_to_draw(pdf: Path | None) -> None:
    """Raise ExtraMissing before the run if a PDF is requested and the library that draws it is not installed."""
    from dealwire.sheet.pdf import can_draw

    if pdf is not None and not can_draw():
        raise ExtraMissing("reportlab", "bench")


def write_forms(
    report: Report, signature: ReportSignature | None, junit: Path | None, html: Path | None, pdf: Path | None
) -> None:
    """Write the requested forms of the report."""
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
    """Write a file. Permissions were checked before the run; an error here comes from the disk."""
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
    """Read a report. Raise Stop if it cannot be read or is not a report."""
    try:
        return read_report(file)
    except OSError as error:
        code = BY_ERRNO.get(error.errno or 0, Exit.USAGE)
        raise Stop(code, f"{file}: cannot be read: {error.strerror}") from None
    except NotAReport as error:
        raise Stop(Exit.PROTOCOL, f"{file}: {error}") from None


def doubt(file: Path, report: Report) -> None:
    """Warn if the counts of a report do not match its checks."""
    from dealwire.bench.run.verifying import wrong_counts

    if wrong := list(wrong_counts(report)):
        echo(f"dealwire: {file}: its counts are wrong: {'; '.join(wrong)}", err=True)


def verify(file: Path, plan: BenchPlan | None, key: Path | None, against: Path | None) -> tuple[Report, bool]:
    """Print the findings about a report. Return the report, and False if any finding speaks against it."""
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
    verdict = "no problem found" + (", but not everything could be checked" if unsure else "")
    echo(f"{file}: {verdict if holds else 'this is not a report as the bench wrote it'}")
    return report, holds


def new_key(private_file: Path, public_file: Path) -> None:
    """Make a key pair and print the use of each half."""
    signer = ReportSigner.new(private_file, public_file)
    echo(f"{private_file}: private key {signer.id}; it signs reports, keep it secret")
    echo(f"{public_file}: public key {signer.id}; give it to those who verify reports")
