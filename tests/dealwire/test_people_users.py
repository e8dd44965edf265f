"""The users file: what will do, what will not, in one line each; passwords; the commands that change it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit, explain
from dealwire.config.private_file import why_unsafe, why_unsafe_facts
from dealwire.people.errors import PeopleFileUnsafe
from dealwire.people.passwords import PasswordWeak, fits, hashed
from dealwire.people.users import UsersUnusable, comes_from, digest_of, may_at, read_users
from tests.support.rigs.people import PASSWORDS, program_entry, user_entry, users_file

DAY_NS = 86_400_000_000_000
WEAK = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21l$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"


def test_what_stands_in_it_is_read(tmp_path: Path) -> None:
    file = users_file(
        tmp_path,
        user_entry("a.smith", oidc="s-1", badge=4711, level="executive", tables=["pit-1"]),
        user_entry("b.jones", oidc="s-2", until="2027-06-30"),
        user_entry("c.gone", oidc="s-3", disabled=True),
        user_entry("d.new"),
        program_entry("grafana", "dw_grafana_x", may=["read"], networks=["10.0.0.0/24"]),
    )
    users = read_users(file)
    now_ns = 1_800_000_000_000_000_000  # 2027-01-15
    smith = users.person("a.smith", now_ns)
    assert smith is not None
    assert (smith.role, smith.badge, smith.level) == ("supervisor", 4711, "executive")
    assert (may_at(smith, "pit-1"), may_at(smith, "pit-2")) == (True, False)
    assert users.person("b.jones", now_ns) is not None
    assert users.person("b.jones", now_ns + 200 * DAY_NS) is None
    assert users.person("c.gone", now_ns) is None
    assert users.person("d.new", now_ns) is not None, "though nothing lets d.new sign in yet"
    assert users.person("nobody", now_ns) is None
    assert users.badge(4711) == smith
    assert users.who_could("supervisor", now_ns) == ["a.smith", "b.jones"]
    program = users.program("dw_grafana_x", now_ns)
    assert program is not None
    assert [comes_from(program, each) for each in ("10.0.0.7", "10.0.1.7", "::1", "unknown")] == [True] + [False] * 3
    assert users.program("dw_grafana_y", now_ns) is None


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([user_entry("a.smith"), user_entry("A.Smith")], r":\d+: user\[2\].name: 'A.Smith' is defined twice"),
        ([user_entry("a", badge=7), user_entry("b", badge=7)], r":\d+: user\[2\].badge: 7 is already a's$"),
        (["[[user]]\nname = 'a'\nrole = 'dealer'\nbadge = 7\n"], "badge and level are given together"),
        ([user_entry("a", role="manager")], "user.*role: must be 'dealer', 'supervisor' or 'technician'"),
        ([user_entry("a", password=WEAK)], "m=64,t=1 is too weak or too costly; allowed: m from 19,456, t from 2"),
        ([user_entry("a", password="plain words")], "an argon2id hash is needed; dealwire users password makes it"),
        ([user_entry("a", until="tomorrow")], "until"),
        ([user_entry("a/b")], "name"),
        ([program_entry("p", "dw_1", may=["approve"])], "may"),
        ([program_entry("p", "dw_1"), program_entry("q", "dw_1")], "token: it is already p's"),
        ([program_entry("p", "dw_1", networks=["10.0.0.1/24"])], "a network such as 10.0.0.0/24 is needed"),
        (["[[user]]\nname = 'a'\nrole = 'dealer'\ncolour = 'red'\n"], "colour: unknown key; allowed: name, title"),
        (["[[user]\n"], "not TOML"),
    ],
)
def test_a_users_file_that_will_not_do_is_one_line(tmp_path: Path, entries: list[str], why: str) -> None:
    file = users_file(tmp_path, *entries)
    with pytest.raises(UsersUnusable) as raised:
        read_users(file)
    code, line = explain(raised.value)
    assert code == Exit.USAGE
    assert "\n" not in line
    assert line.startswith(str(file))
    assert re.search(why, line), line


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o604, 0o666, 0o620])
def test_a_file_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    file = users_file(tmp_path, user_entry("a"), mode=mode)
    with pytest.raises(
        PeopleFileUnsafe, match=rf"others may use it \(mode {mode:04o}\); allowed: 0600, or 0640 of root"
    ) as it:
        read_users(file)
    assert explain(it.value)[0] == Exit.PERMISSION


def facts(mode: int, owner: int, group: int) -> os.stat_result:
    return os.stat_result((0o100000 | mode, 1, 1, 1, owner, group, 0, 0, 0, 0))


def test_root_s_file_may_be_read_by_our_group_and_by_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    monkeypatch.setattr(os, "getegid", lambda: 1001)
    monkeypatch.setattr(os, "getgroups", lambda: [1001, 1005])
    assert why_unsafe_facts(facts(0o640, 0, 1005), "u", group_may_read=True) is None
    assert why_unsafe_facts(facts(0o640, 0, 1005), "u") is not None, "a key file has no readers"
    assert why_unsafe_facts(facts(0o640, 1001, 1005), "u", group_may_read=True) is not None, "the service owns it"
    assert why_unsafe_facts(facts(0o640, 0, 1006), "u", group_may_read=True) == (
        "group 1006 may read it; allowed: a group of user 1001 (chgrp u)"
    )
    assert why_unsafe_facts(facts(0o660, 0, 1005), "u", group_may_read=True) is not None


# ------------------------------------------------------------------ passwords


def test_a_password_is_kept_as_argon2id_with_these_parameters() -> None:
    digest = hashed("correct horse battery", "a.smith")
    assert digest.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert fits("correct horse battery", digest)
    assert not fits("correct horse batter", digest)
    assert not fits("correct horse battery", None), "an unknown name has no password"
    assert not fits("anything", "$argon2id$v=19$broken")


def test_a_hash_of_the_reference_implementation_fits() -> None:
    """A vector of the C library's own tests (test.c, argon2id, t = 2, m = 2^16, p = 1)."""
    published = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    assert fits("password", published)
    assert not fits("passwore", published)


@pytest.mark.parametrize("password", ["short", "x" * 257, "my-A.SMITH-password", "line\nbreak and more"])
def test_a_password_that_is_easily_found_is_refused(password: str) -> None:
    with pytest.raises(PasswordWeak):
        hashed(password, "a.smith")


# ------------------------------------------------------------------ commands


def run(*arguments: object, stdin: str = "") -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["users", *map(str, arguments)], input=stdin)
    return done.exit_code, done.stdout, done.stderr


def test_the_commands_make_a_file_that_the_service_reads(tmp_path: Path) -> None:
    file = tmp_path / "users.toml"
    assert run("add", file, "a.smith", "--role", "supervisor", "--badge", 4711)[0] == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert run("password", file, "a.smith", "--stdin", stdin="correct horse battery\n")[0] == 0
    assert run("add", file, "b.jones", "--role", "dealer", "--table", "pit-1", "--passkey-only")[0] == 0
    code, token, _ = run("program", file, "grafana", "--may", "read", "--table", "pit-1", "--until", "2099-01-31")
    assert (code, token[:11]) == (0, "dw_grafana_")
    code, said, _ = run("enrol", file, "b.jones")
    found = re.search(r"[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$", said.strip())
    assert (code, found is not None) == (0, True)
    assert run("disable", file, "a.smith")[0] == 0
    users = read_users(file)
    smith, jones = users.file.user
    assert smith.disabled
    assert smith.password is not None
    assert fits("correct horse battery", smith.password)
    assert found is not None
    assert (jones.passkey, jones.tables, jones.enrol) == ("required", ("pit-1",), digest_of(found[0]))
    assert users.program(token.strip(), 0) == users.file.program[0]
    text = file.read_text()
    assert token.strip() not in text
    assert found[0] not in text
    code, said, _ = run("list", file)
    assert said.splitlines()[0] == "a.smith: supervisor, all tables, badge 4711 (supervisor), password, not in force"
    assert run("check", file)[:2] == (0, f"{file}: 2 users, 1 program, nothing wrong\n")


def test_what_a_person_wrote_in_it_stays(tmp_path: Path) -> None:
    file = users_file(tmp_path, "# The night shift\n[[user]]\nname = 'a' # Anna\nrole = 'dealer'\n\n# Bea\n[[user]]\n")
    text = file.read_text() + "name = 'b'\nrole = 'dealer'\n"
    file.write_text(text)
    assert run("password", file, "a", "--stdin", stdin="correct horse battery\n")[0] == 0
    assert run("password", file, "a", "--stdin", stdin="another horse battery\n")[0] == 0
    lines = file.read_text().splitlines()
    assert [line for line in lines if not line.startswith("password")] == text.splitlines()
    (first,) = (line for line in lines if line.startswith("password"))
    assert lines.index(first) == lines.index("role = 'dealer'") + 1
    assert run("password", file, "b", "--stdin", stdin="correct horse battery\n")[0] == 0
    assert all(user.password for user in read_users(file).file.user)


def test_a_change_that_will_not_do_changes_nothing(tmp_path: Path) -> None:
    file = users_file(tmp_path, user_entry("a.smith", badge=4711))
    before = file.read_text()
    for arguments, code in (
        (("add", file, "a.smith", "--role", "dealer"), Exit.USAGE),
        (("add", file, "b", "--role", "dealer", "--badge", 4711), Exit.USAGE),
        (("add", file, "b", "--role", "technician", "--badge", 12), Exit.USAGE),
        (("password", file, "nobody", "--stdin"), Exit.USAGE),
        (("password", file, "a.smith", "--stdin"), Exit.USAGE),
        (("forget", tmp_path / "passkeys", "a.smith"), Exit.CHECK_FAILED),
    ):
        found = run(*arguments, stdin="short\n")
        assert found[0] == code, found
        assert found[2].count("\n") == 1, found
        assert file.read_text() == before


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("add", "c k", "--role", "dealer"),
            "name: must be a name of letters and digits, with single dots, dashes or "
            "underscores between them, not 'c k'",
        ),
        (
            ("add", "A.Smith", "--role", "dealer"),
            "name: 'A.Smith' is defined twice (small and capital letters are the same)",
        ),
        (
            ("add", "b", "--role", "dealer", "--table", "pit 1"),
            "tables[1]: must be a name of letters and digits, with "
            "single dots, dashes or underscores between them, not 'pit 1'",
        ),
        (
            ("add", "b", "--role", "dealer", "--oidc", "é"),
            "oidc: must be 1 to 255 letters, digits, signs and spaces of ASCII, not 'é'",
        ),
        (
            ("program", "g", "--may", "read", "--until", "tomorrow"),
            "until: must be a day such as 2027-01-31, not 'tomorrow'",
        ),
    ],
)
def test_what_is_wrong_with_a_new_entry_is_said_in_words(tmp_path: Path, arguments: tuple[str, ...], why: str) -> None:
    file = users_file(tmp_path, user_entry("a.smith"))
    before = file.read_text()
    assert run(arguments[0], file, *arguments[1:]) == (2, "", f"dealwire: {file}: {why}\n")
    assert file.read_text() == before


def test_a_dated_hash_is_reported(tmp_path: Path) -> None:
    dated = "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21l$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    file = users_file(tmp_path, user_entry("a", password=dated), user_entry("b", password=PASSWORDS["b.jones"][1]))
    code, _, said = run("check", file)
    assert (code, said) == (1, f"dealwire: {file}: set these passwords again, the hash is dated: a\n")
    assert why_unsafe(file) is None


def test_a_password_without_a_terminal_is_one_line(tmp_path: Path) -> None:
    file = users_file(tmp_path, user_entry("a"))
    before = file.read_text()
    command = [sys.executable, "-m", "dealwire", "users", "password", str(file), "a"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
    assert (done.returncode, done.stdout, file.read_text()) == (2, "", before)
    assert done.stderr == "dealwire: no terminal to type the password of a at; use --stdin\n"
