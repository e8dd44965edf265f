"""The program's digest against a script that shares no code, and the signature of a release against OpenSSL."""

import base64
import hashlib
import importlib.util
import json
import marshal
import os
import platform
import py_compile
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dealwire.bytecode import planted
from dealwire.cli import program_findings
from dealwire.config.load import load_configuration
from dealwire.journal import JournalReader
from dealwire.program_digest import PACKAGES, bytecode_digest, program_digest, program_facts, program_files
from dealwire.version import __version__
from tests.support.rigs.serving import opened, write_configuration

ROOT = Path(__file__).parent.parent
SIGN = ROOT / ".ci/sign-release"
PAGES = (ROOT / "SECURITY.md", ROOT / "docs/guides/install.md")
needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl is not installed (apt install openssl)"
)


def by_the_page(folder: Path) -> str:
    """Return the digest by the script in docs/journal.md, run by an interpreter that does not know this program."""
    page = (ROOT / "docs/journal.md").read_text()
    (script,) = re.findall(r"```python\n(import hashlib, os, sys\n.*?)```", page, re.DOTALL)
    done = subprocess.run([sys.executable, "-I", "-c", script, folder], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a folder with the five packages, of two files each."""
    for package in PACKAGES:
        (tmp_path / package / "inner").mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text(f"# {package}\n")
        (tmp_path / package / "inner/café.toml").write_bytes(b"a = 1\n")
    return tmp_path


def test_the_digest_is_that_of_a_script_that_shares_no_code(small: Path) -> None:
    assert program_digest() == by_the_page(ROOT) == program_facts()["digest"]
    assert program_digest(small) == by_the_page(small)
    assert len(program_files(small)) == 10


def added(folder: Path) -> None:
    (folder / "rules/inner/extra.py").touch()


def removed(folder: Path) -> None:
    (folder / "rules/inner/café.toml").unlink()


def altered(folder: Path) -> None:
    (folder / "rules/inner/café.toml").write_bytes(b"a = 2\n")


def renamed(folder: Path) -> None:
    (folder / "rules/inner/café.toml").rename(folder / "rules/inner/cafe.toml")


def moved(folder: Path) -> None:
    (folder / "rules/inner/café.toml").rename(folder / "rules/café.toml")


def compiled_alone(folder: Path) -> None:
    """Python imports such a file if there is no source beside it."""
    (folder / "rules/extra.pyc").write_bytes(b"\0")


def linked(folder: Path) -> None:
    """Python imports a package through a link."""
    (folder / "elsewhere").mkdir()
    (folder / "rules/extra").symlink_to(folder / "elsewhere")


@pytest.mark.parametrize("change", [added, removed, altered, renamed, moved, compiled_alone, linked])
def test_one_file_more_less_or_other_is_another_digest(small: Path, change: Callable[[Path], None]) -> None:
    before = program_digest(small)
    change(small)
    assert program_digest(small) != before


def test_what_the_interpreter_writes_changes_nothing(small: Path) -> None:
    before = program_digest(small)
    (small / "rules/__pycache__").mkdir()
    (small / "rules/__pycache__/x.cpython-311.pyc").write_bytes(b"\0")
    assert program_digest(small) == before == by_the_page(small)


def test_a_package_that_is_reached_by_a_link_is_where_the_link_leads(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).symlink_to(ROOT / package)
    (tmp_path / "other").mkdir()
    script = (
        "from dealwire.program_digest import PACKAGES, folder_of, program_digest; "
        "print(program_digest(), *{folder_of(each) for each in PACKAGES})"
    )
    around = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-B", "-c", script]
    done = subprocess.run(command, cwd=tmp_path / "other", env=around, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [by_the_page(ROOT), str(ROOT)]


def test_a_package_that_runs_from_elsewhere_is_in_the_digest_and_named(tmp_path: Path) -> None:
    """PYTHONPATH names a folder with rules of somebody else's, which decide the money."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules", ignore=shutil.ignore_patterns("__pycache__"))
    source = tmp_path / "rules/__init__.py"
    source.write_text(source.read_text() + "WHOSE = 'mine'\n")
    whole = hashlib.sha256()
    for path in program_files(ROOT):
        place = (tmp_path if path.startswith("rules/") else ROOT) / path
        whole.update(path.encode() + bytes(1) + hashlib.sha256(place.read_bytes()).digest())
    script = (
        "import rules; from dealwire.program_digest import program_digest; "
        "from dealwire.cli.program_findings import of_program; print(rules.WHOSE, program_digest()); "
        "print(*(each.text for each in of_program()), sep='\\n')"
    )
    command = [sys.executable, "-B", "-c", script]
    around = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(command, cwd=tmp_path.parent, env=around, capture_output=True, text=True, check=True)
    first, found, *_ = done.stdout.splitlines()
    assert first == f"mine {whole.hexdigest()}"
    assert whole.hexdigest() != program_digest() == by_the_page(ROOT)
    assert found == f"the package rules is imported from {tmp_path}; this program is in {ROOT}"


# ------------------------------------------------------------------ compiled modules

MODES = [*py_compile.PycInvalidationMode]


def python_runs(folder: Path) -> str:
    """Return what the module `rules` in a folder is, as Python runs it."""
    command = [sys.executable, "-I", "-B", "-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import rules; "]
    command[-1] += "print(rules.WHAT)"
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def compiled(small: Path) -> Path:
    """Return the source of a module whose compiled form is kept beside it."""
    source = small / "rules/__init__.py"
    source.write_text("WHAT = 'source'\n")
    return source


def plant(source: Path, mode: py_compile.PycInvalidationMode, text: str = "WHAT = 'planted'\n") -> Path:
    """Keep the code of another text beside a source, as an attacker would: with the header that Python wants."""
    kept = Path(str(py_compile.compile(str(source), invalidation_mode=mode)))
    code = compile(text, "/where/an/installer/compiled/it.py", "exec")
    kept.write_bytes(kept.read_bytes()[:16] + marshal.dumps(code))
    return kept


@pytest.mark.parametrize("mode", MODES)
def test_a_compiled_module_that_was_planted_is_found(compiled: Path, mode: py_compile.PycInvalidationMode) -> None:
    folder = compiled.parents[1]
    before = program_digest(folder), bytecode_digest(folder)
    kept = plant(compiled, mode)
    assert python_runs(folder) == "planted"
    assert [*planted(folder)] == [kept.relative_to(folder).as_posix()]
    assert program_digest(folder) == before[0]
    assert bytecode_digest(folder) != before[1]


@pytest.mark.parametrize("mode", MODES)
def test_a_compiled_module_that_comes_from_its_source_is_not(
    compiled: Path, mode: py_compile.PycInvalidationMode
) -> None:
    plant(compiled, mode, compiled.read_text())
    assert python_runs(compiled.parents[1]) == "source"
    assert [*planted(compiled.parents[1])] == []


def outdated(kept: Path) -> None:
    kept.write_bytes(kept.read_bytes()[:8] + bytes(4) + kept.read_bytes()[12:])


def of_another_python(kept: Path) -> None:
    kept.write_bytes(bytes(2) + kept.read_bytes()[2:])


def with_unknown_flags(kept: Path) -> None:
    kept.write_bytes(kept.read_bytes()[:4] + b"\4" + kept.read_bytes()[5:])


@pytest.mark.parametrize("spoil", [outdated, of_another_python, with_unknown_flags])
def test_a_compiled_module_that_python_does_not_run_is_not(compiled: Path, spoil: Callable[[Path], None]) -> None:
    kept = plant(compiled, py_compile.PycInvalidationMode.TIMESTAMP)
    assert python_runs(compiled.parents[1]) == "planted"
    spoil(kept)
    assert python_runs(compiled.parents[1]) == "source"
    assert [*planted(compiled.parents[1])] == []


NO_CODE = marshal.dumps(compile("", "", "exec")).replace(b"\xfa\x08<module>", b"\xe9" + bytes(4))
"""A code object that has a number for its name."""


@pytest.mark.parametrize("content", [b"", b"\xe3", b"N", b"\xff" * 20, NO_CODE])
def test_a_compiled_module_of_any_bytes_is_found(compiled: Path, content: bytes) -> None:
    kept = plant(compiled, py_compile.PycInvalidationMode.TIMESTAMP)
    kept.write_bytes(kept.read_bytes()[:16] + content)
    assert len([*planted(compiled.parents[1])]) == 1


@pytest.mark.parametrize("text", [b"def (:\n", b"WHAT = 1\0\n"])
def test_a_module_whose_source_cannot_be_compiled_is_found(compiled: Path, text: bytes) -> None:
    plant(compiled, py_compile.PycInvalidationMode.UNCHECKED_HASH)
    compiled.write_bytes(text)
    assert python_runs(compiled.parents[1]) == "planted"
    assert len([*planted(compiled.parents[1])]) == 1


def test_a_module_that_was_planted_behind_a_link_is_found(compiled: Path, tmp_path: Path) -> None:
    folder = compiled.parents[1]
    kept = plant(compiled, py_compile.PycInvalidationMode.TIMESTAMP)
    before = bytecode_digest(folder)
    there = kept.parent.rename(tmp_path / "elsewhere")
    kept.parent.symlink_to(there)
    assert python_runs(folder) == "planted"
    assert [*planted(folder)] == [kept.relative_to(folder).as_posix()]
    assert bytecode_digest(folder) == before


# ------------------------------------------------------------------ what is installed


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a folder with this program as an installer leaves it: its files and their list."""
    site = tmp_path / "site"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    rows = []
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")
        rows.append(f"{path.relative_to(site)},sha256={digest},{path.stat().st_size}\n")
    made = site / f"dealwire-{__version__}.dist-info"
    made.mkdir()
    (made / "METADATA").write_text(f"Metadata-Version: 2.1\nName: dealwire\nVersion: {__version__}\n")
    (made / "RECORD").write_text("".join(rows))
    return site


def doctor_of(folder: Path, *arguments: str, prefix: Path | None = None) -> tuple[int, list[dict[str, str]]]:
    """Return the exit code of the doctor of the program in `folder`, and its findings about program and release.
    `prefix`: another place for compiled modules."""
    begin = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from dealwire.cli import main; main(prog_name='dealwire')"
    )
    apart = [] if prefix is None else ["-X", f"pycache_prefix={prefix}"]
    command = [sys.executable, "-I", *apart, "-c", begin, "doctor", "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, [each for each in found if each["check"] in ("program", "release")]


@pytest.mark.more
def test_the_doctor_compares_the_program_with_what_was_installed(installed: Path) -> None:
    _, (good,) = doctor_of(installed)
    assert good["verdict"] == "good"
    assert good["text"] == f"dealwire {__version__}, digest {by_the_page(installed)}; every file is as installed"
    changed = installed / "dealwire/journal/check.py"
    changed.write_text(changed.read_text() + "# a line more\n")
    (installed / "rules/extra.py").touch()
    (installed / "dealwire/py.typed").unlink()
    code, found = doctor_of(installed)
    assert code == 1
    assert {each["verdict"] for each in found} == {"bad"}
    assert {
        "dealwire/journal/check.py differs from what was installed",
        "rules/extra.py was not installed with it",
        "dealwire/py.typed was installed and is missing",
    } <= {each["text"] for each in found}


@pytest.mark.more
def test_the_doctor_names_a_planted_module_even_if_it_is_its_own(installed: Path) -> None:
    source = installed / "dealwire/bytecode.py"
    silent = "from dealwire.program_digest import *\ndef planted():\n    return iter(())\n"
    kept = plant(source, py_compile.PycInvalidationMode.UNCHECKED_HASH, silent).relative_to(installed)
    assert [each["verdict"] for each in doctor_of(installed)[1]] == ["good"], "it would not lie"
    code, (found,) = doctor_of(installed, prefix=installed.parent / "empty")
    assert (code, found["verdict"]) == (1, "bad")
    assert found["text"] == f"{kept} would run in place of its source, and does not come from it"


# ------------------------------------------------------------------ the signature


def test_the_release_key_is_one_wherever_it_is_printed() -> None:
    pem = (ROOT / "dealwire/release.pem").read_text()
    der = base64.b64decode("".join(pem.splitlines()[1:-1]))
    grouped = " ".join(re.findall("....", hashlib.sha256(der).hexdigest()))
    for page in PAGES:
        text = page.read_text()
        assert f"```text\n{pem}```" in text, page
        assert f"```text\n{grouped}\n```" in text, page


@pytest.fixture
def releaser(installed: Path) -> Path:
    """Return a checkout with a release key of its own, and a release in `dist` that lists the program's digest."""
    for page in PAGES:
        there = installed / page.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, there)
    (installed / ".ci").mkdir()
    shutil.copy(SIGN, installed / ".ci/sign-release")
    assert signing(installed, "key", str(installed.parent / "release.key")) == (0, "")
    shutil.rmtree(installed / f"dealwire-{__version__}.dist-info")
    listed(installed, f"{program_digest(installed)}\n")
    return installed


def listed(folder: Path, program: str) -> None:
    (folder / "dist").mkdir(exist_ok=True)
    (folder / f"dist/dealwire-{__version__}.program").write_text(program)
    digest = hashlib.sha256(program.encode()).hexdigest()
    (folder / "dist/SHA256SUMS").write_text(f"{digest}  dealwire-{__version__}.program\n")


def signing(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, folder / ".ci/sign-release", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stderr


def signed(folder: Path) -> tuple[int, str]:
    return signing(folder, "sign", str(folder.parent / "release.key"), "dist")


def openssl_says(folder: Path) -> bool:
    command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "dealwire-release.pem"]
    command += ["-in", "SHA256SUMS", "-sigfile", "SHA256SUMS.sig"]
    return subprocess.run(command, capture_output=True, cwd=folder / "dist").returncode == 0


@needs_openssl
def test_openssl_checks_a_signed_release(releaser: Path) -> None:
    assert signed(releaser) == (0, "")
    assert openssl_says(releaser)
    assert subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=releaser / "dist").returncode == 0
    sums = releaser / "dist/SHA256SUMS"
    sums.write_bytes(sums.read_bytes() + b"\n")
    assert not openssl_says(releaser)


@needs_openssl
def test_a_new_key_is_signed_by_the_one_before(releaser: Path) -> None:
    old, new = releaser.parent / "release.key", releaser.parent / "new.key"
    before = releaser.parent / "before.pem"
    shutil.copy(releaser / "dealwire/release.pem", before)
    assert signing(releaser, "key", str(new)) == (0, "")
    assert signing(releaser, "sign", str(new), "dist", "--old-key", str(old)) == (0, "")
    command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", before]
    command += ["-in", "dealwire-release.pem", "-sigfile", "dealwire-release.pem.sig"]
    assert subprocess.run(command, capture_output=True, cwd=releaser / "dist").returncode == 0


@pytest.mark.more
def test_the_doctor_compares_the_program_with_a_release(releaser: Path) -> None:
    sums = str(releaser / "dist/SHA256SUMS")
    code, (unsigned,) = doctor_of(releaser, "--release", sums)
    assert (code, unsigned["verdict"]) == (1, "bad")
    assert unsigned["text"] == f"{sums}: its signature SHA256SUMS.sig cannot be read: No such file or directory"
    signed(releaser)
    assert [doctor_of(releaser, "--release", sums)[0], doctor_of(ROOT, "--release", sums)[0]] == [0, 1]
    listed(releaser, "0" * 64 + "\n")
    _, (spoiled,) = doctor_of(releaser, "--release", sums)
    assert spoiled["text"] == f"{sums}: SHA256SUMS.sig is not its signature by the release key"
    signed(releaser)
    code, (another,) = doctor_of(releaser, "--release", sums)
    assert (code, another["text"]) == (1, f"{sums}: it is signed, but has another digest than this program")


def no_key(folder: Path) -> list[str]:
    return ["sign", "", "dist"]


def key_for_all(folder: Path) -> list[str]:
    (folder.parent / "release.key").chmod(0o644)
    return ["sign", str(folder.parent / "release.key"), "dist"]


def another_key(folder: Path) -> list[str]:
    path = folder.parent / "another.key"
    path.write_text("dealwire-release-key 00000000 " + "11" * 32 + "\n")
    path.chmod(0o600)
    return ["sign", str(path), "dist"]


def key_in_the_checkout(folder: Path) -> list[str]:
    return ["key", str(folder / "my.key")]


def key_that_is_there(folder: Path) -> list[str]:
    return ["key", str(folder.parent / "release.key")]


def no_release(folder: Path) -> list[str]:
    (folder / "dist/SHA256SUMS").unlink()
    return ["sign", str(folder.parent / "release.key"), "dist"]


def test_what_prevents_signing_is_one_line(releaser: Path) -> None:
    for wrong in (no_key, key_in_the_checkout, key_that_is_there, another_key, no_release, key_for_all):
        code, said = signing(releaser, *wrong(releaser))
        assert (code, said.count("\n")) == (2, 1), wrong.__name__
        assert said.startswith("sign-release: ")


def test_sigstore_without_a_network_is_one_line(releaser: Path) -> None:
    apart = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], capture_output=True).returncode != 0:
        pytest.skip("not here: a process without a network (unshare)")
    key = str(releaser.parent / "release.key")
    command = [*apart, sys.executable, releaser / ".ci/sign-release", "sign", key, "dist", "--sigstore"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=releaser, env={**os.environ, "LC_ALL": "C"})
    expected = "sigstore needs a network" if importlib.util.find_spec("sigstore") else "sigstore is not installed here"
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"sign-release: {expected}")


# ------------------------------------------------------------------ the record


@pytest.mark.more
def test_every_opening_names_the_program_and_the_doctor_compares_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = {name: str(tmp_path / name) for name in ("shuffler", "table-controller")}
    file = write_configuration(tmp_path, [nowhere])
    with opened(file)[0] as service:
        path = service.journal.path
    with JournalReader(path) as reader:
        (record,) = reader.all_of("opened")
    fields = json.loads(record.payload)
    assert (fields["digest"], fields["python"]) == (by_the_page(ROOT), platform.python_version())

    assert verdict_of(file) == ("good", f"{path} was opened last by this program, since ")
    assert re.fullmatch("[0-9a-f]{64}", fields["bytecode"])
    assert verdict_of(file) == ("good", f"{path} was opened last by this program, since ")
    other = "9f" * 32
    monkeypatch.setattr(
        "dealwire.service.service.program_facts", lambda: {"digest": program_digest(), "bytecode": other}
    )
    with opened(file)[0]:
        pass
    for installed, verdicts in ((False, ["good"]), (True, ["good", "warning"])):
        monkeypatch.setattr(program_findings, "_is_installed", lambda installed=installed: installed)
        found = [*program_findings.of_opening(load_configuration(file))]
        assert [each.verdict for each in found] == verdicts
    assert "the compiled modules beside the program are not those with which" in found[-1].text
    monkeypatch.setattr("dealwire.service.service.program_facts", lambda: {"digest": other})
    with opened(file)[0]:
        pass
    another = f"the tables of {path} run another program: dealwire {__version__}, digest {other}, since "
    assert verdict_of(file) == ("warning", another)


def verdict_of(file: Path) -> tuple[str, str]:
    """Return the doctor's finding about the newest opening, without its time."""
    command = [sys.executable, "-m", "dealwire", "doctor", "--json", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    (finding,) = [each for each in found if each["check"] == "program" and " since " in each["text"]]
    return finding["verdict"], re.sub(r"[-0-9: ]+$", " ", finding["text"])
