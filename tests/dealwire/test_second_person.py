"""Acts that need two people: who may approve, what is checked again, and that a request outlives the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit, explain
from dealwire.config.load import load_configuration
from dealwire.config.schema import SecondAct
from dealwire.hub.hub import Hub, Request
from dealwire.hub.lines import RequestStep, StatusLine
from dealwire.hub.view import HeldView, TableView
from dealwire.journal import Journal, JournalReader
from dealwire.journal.rounds import RoundReader
from dealwire.people.errors import NotApproved
from dealwire.people.users import read_users
from dealwire.service.actions import KINDS, POST, RELEASE, START_OVER, ActionRefused, of_two_people
from dealwire.service.policy_on_record import policy_in, users_in
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.service import Service
from dealwire.service.timekeeping import DAY_NS
from devices.clock import SystemClock
from protocol.errors import DealwireError
from protocol.tomlfile import TomlFileError
from tests.dealwire.test_service_clock import Wall
from tests.support.rigs.people import PASSWORDS, person_entry, program_entry, user_entry, users_file
from tests.support.rigs.serving import compared, opened, published, run_until, simulators_here, write_configuration

NAME = "table-1"
TOP = """[people]
users-file = "users.toml"
second-person = ["release-held", "start-over", "clear-misdeal"]
"""
PEOPLE = (
    person_entry("a.smith", badge=4711),
    person_entry("b.jones", badge=4712),
    person_entry("c.key", badge=4713, passkey="required"),
    person_entry("d.far", tables=["table-2"]),
    person_entry("e.dealer", "dealer"),
    person_entry("f.past", until="2020-01-31"),
    program_entry("spent", "dw_spent_1", may=["refresh"], until="2020-01-31"),
    program_entry("robot", "dw_robot_1", may=["clear-misdeal", "refresh"]),
)


def configuration(folder: Path, addresses: list[dict[str, str]], top: str = TOP) -> Path:
    users_file(folder, *PEOPLE)
    return write_configuration(folder, addresses, top=top)


def ask(
    service: Service,
    user: str,
    action: str,
    fields: dict[str, object],
    *,
    role: str = "supervisor",
    by: str = "password",
    ago_s: float = 1.0,
) -> str:
    """Request something as a person who signed in `ago_s` seconds ago; return the answer, or raise its error."""
    proven_ns = service.clock.now_ns() - int(ago_s * 1e9)
    request = Request(NAME, action, fields, role, "session 1 from 10.0.0.7", user=user)
    answer: Future[str] = service.hub.ask(replace(request, proven_ns=proven_ns, proven_by=by))
    run_until(service, answer.done)
    return answer.result()


def number_in(text: str) -> int:
    assert text.startswith("Requested as "), text
    assert " within 15 minutes." in text, text
    return int(text.split()[2].rstrip(";"))


def view(service: Service) -> TableView:
    return service.hub.views()[NAME]


def which(held: HeldView, badge: int = 4711) -> dict[str, object]:
    return {
        "entry": held.entry,
        "session": held.session,
        "round": held.round,
        "badge": badge,
        "why": "paid at the cage",
    }


def steps(folder: Path, number: int | None = None) -> list[tuple[str, str, str]]:
    """Return step, requester and second of every request's lines in the journal, or of one request's."""
    lines = [(item.sequence, json.loads(item.line)) for item in published(folder, "status")]
    found = [(at, line["request"]) for at, line in lines if line["kind"] == "request"]
    return [
        (each["step"], each["who"], each.get("second", ""))
        for at, each in found
        if each["step"] != "policy" and number in (None, at, each["of"])
    ]


def releases(folder: Path) -> list[dict[str, Any]]:
    with JournalReader(folder / "journal.sqlite") as reader:
        return [json.loads(each.payload) for each in reader.records() if each.kind == "released"]


def test_the_acts_that_may_need_two_people_are_acts() -> None:
    known = {kind.name for kind in KINDS} | {RELEASE, START_OVER, POST}
    assert set(get_args(SecondAct)) <= known
    assert "call-misdeal" not in get_args(SecondAct), "nobody waits to stop a table"


@pytest.mark.parametrize(
    ("people", "why"),
    [
        (
            [person_entry("a"), user_entry("b")],
            "release-held needs two people with the role supervisor and a way to sign in, in users.toml; there is 1",
        ),
        ([person_entry("a", "dealer"), user_entry("b", "dealer")], "users.toml; there are none"),
        ([person_entry("a"), person_entry("b", disabled=True)], "there is 1"),
    ],
)
def test_a_policy_needs_two_who_could(tmp_path: Path, people: list[str], why: str) -> None:
    file = configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    users_file(tmp_path, *people)
    wrong = [tried for tried in readiness(load_configuration(file), StartOptions()) if tried.error is not None]
    assert [(tried.key, tried.text.endswith(why)) for tried in wrong] == [(("people", "second-person"), True)]
    assert wrong[0].error is not None
    assert explain(wrong[0].error)[0] == Exit.USAGE


NOWHERE = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]
POSTING = TOP.replace("clear-misdeal", "post")


def test_posting_needs_a_list_of_badges(tmp_path: Path) -> None:
    file = configuration(tmp_path, NOWHERE, POSTING)
    with pytest.raises(TomlFileError) as found:
        load_configuration(file)
    assert str(found.value).endswith(
        'people.second-person: post takes the badges of two people, so it needs badges = "listed"'
    )
    assert explain(found.value)[0] == Exit.USAGE


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        (("supervisor", "dealer"), "there is 1"),
        (("dealer", "dealer"), "there are none"),
        (("executive", "supervisor"), ""),
    ],
)
def test_posting_needs_two_whose_badges_authorize(tmp_path: Path, levels: tuple[str, str], why: str) -> None:
    file = configuration(tmp_path, NOWHERE, f'{POSTING}badges = "listed"\n')
    users_file(tmp_path, *(person_entry(f"p{badge}", badge=badge, level=each) for badge, each in enumerate(levels, 1)))
    tried = readiness(load_configuration(file), StartOptions())
    wrong = [each.text for each in tried if each.error is not None]
    words = f"post needs two people with a badge of level supervisor or executive in users.toml; {why}"
    assert [each.endswith(words) for each in wrong] == ([True] if why else [])


def test_where_two_badges_post_no_one_waits_for_a_button() -> None:
    """Posting is no request: a console whose house wants two people for it alone has nothing to approve."""
    assert of_two_people(["post"]) == []
    assert {each.does for each in of_two_people(["post", "lock"])} == {"approve", "refuse", "withdraw"}


def refused(call: Callable[[], object], why: str) -> None:
    with pytest.raises(DealwireError, match=why):
        call()


def test_a_release_waits_for_another_person(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        service, listener = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(view(service).held))
            held = view(service).held[0]
            refused(lambda: ask(service, "robot", RELEASE, which(held), by="program"), "may not do this")
            old = {"device": "shuffler"}
            refused(lambda: ask(service, "spent", "refresh", old, role="dealer"), "spent may not do this")
            refused(lambda: ask(service, "", RELEASE, which(held)), "sign in by name")
            refused(lambda: ask(service, "f.past", RELEASE, which(held)), "f.past may not act at this table")
            refused(lambda: ask(service, "a.smith", RELEASE, {**which(held), "why": "x"}), "why: must be 3")
            number = number_in(ask(service, "a.smith", RELEASE, which(held)))
            assert held in view(service).held, "nothing is done yet"
            (pending,) = view(service).pending
            assert (pending.request, pending.who, pending.approved_by) == (number, "a.smith", "")

            def approve(user: str, **options: Any) -> str:
                return ask(service, user, "approve", {"request": options.pop("number", number)}, **options)

            for user, options, why in (
                ("a.smith", {}, "is your own; another person must approve it"),
                ("A.Smith", {}, "may not act at this table"),
                ("e.dealer", {"role": "dealer"}, "a dealer may not do this"),
                ("e.dealer", {}, "a dealer may not do this"),
                ("d.far", {}, "d.far may not act at this table"),
                ("f.past", {}, "f.past may not act at this table"),
                ("nobody", {}, "nobody may not act at this table"),
                ("robot", {"by": "program"}, "robot may not do this"),
                ("", {}, "sign in by name"),
                ("c.key", {}, "sign in with your passkey first"),
                ("b.jones", {"ago_s": 301}, "an approval needs a sign-in of the last 5 minutes"),
                ("b.jones", {"ago_s": -10}, "an approval needs a sign-in of the last 5 minutes"),
                ("b.jones", {"number": number + 1}, rf"there is no open request {number + 1} at this table"),
                ("b.jones", {"number": "x"}, "must be a whole number"),
            ):
                refused(lambda user=user, options=options: approve(user, **options), why)  # type: ignore[misc]
            assert held in view(service).held
            assert approve("b.jones").startswith("Noted: ")
            assert held not in view(service).held
            assert not view(service).pending
            refused(lambda: approve("b.jones"), rf"request {number} was approved by b.jones at ")
            refused(lambda: approve("c.key", by="passkey"), rf"request {number} was approved by b.jones at ")
        texts = [line["text"] for line in listener.of("status") if line["kind"] == "action"]
    assert steps(tmp_path) == [
        ("requested", "a.smith", ""),
        ("approved", "a.smith", "b.jones"),
        ("done", "a.smith", "b.jones"),
    ]
    (release,) = releases(tmp_path)
    assert release["who"].startswith("a.smith and b.jones (supervisor), session 1 from 10.0.0.7")
    assert texts[0].startswith("a.smith and b.jones (supervisor), session 1 from 10.0.0.7, badge 4711: ")
    assert compared(tmp_path).difference is None


@pytest.mark.more
def test_the_second_of_the_same_badge_is_not_another_person(tmp_path: Path) -> None:
    """The file changed between request and approval: the badge went to another name."""
    with simulators_here(faults=1.0, seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(view(service).held))
            number = number_in(ask(service, "a.smith", RELEASE, which(view(service).held[0])))
            (tmp_path / "newer").mkdir()
            people = person_entry("a.smith"), person_entry("a.smith2", badge=4711)
            service.install_users(read_users(users_file(tmp_path / "newer", *people)))
            refused(
                lambda: ask(service, "a.smith2", "approve", {"request": number}),
                rf"request {number} was made with your badge, 4711",
            )
            service.install_users(read_users(users_file(tmp_path / "newer", person_entry("b.jones"))))
            refused(
                lambda: ask(service, "b.jones", "approve", {"request": number}),
                "a.smith, who requested it, may no longer do this",
            )
            assert len(view(service).pending) == 1
    assert not releases(tmp_path)


@pytest.mark.more
def test_what_was_true_when_requested_is_checked_again(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(view(service).held))
            held = view(service).held[0]
            first = number_in(ask(service, "a.smith", RELEASE, which(held)))
            again = number_in(ask(service, "b.jones", RELEASE, which(held, 4712)))
            ask(service, "b.jones", "approve", {"request": first})
            refused(lambda: ask(service, "a.smith", "approve", {"request": again}), "was already released at")
            refused(lambda: ask(service, "a.smith", "approve", {"request": again}), "was approved, but not done")
    assert [each[0] for each in steps(tmp_path, again)] == ["requested", "approved", "failed"]
    assert len(releases(tmp_path)) == 1


@pytest.mark.more
def test_a_request_is_refused_withdrawn_or_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(view(service).held) >= 3)
            numbers = [number_in(ask(service, "a.smith", RELEASE, which(held))) for held in view(service).held[:3]]
            one, two, three = numbers
            refused(lambda: ask(service, "b.jones", "withdraw", {"request": one}), "only a.smith, who requested it")
            refused(lambda: ask(service, "b.jones", "refuse", {"request": one}), "why: must be 3 to 200")
            ask(service, "a.smith", "withdraw", {"request": one})
            ask(service, "b.jones", "refuse", {"request": two, "why": "the slip is missing"})
            real = service.clock.now_ns
            later_ns = 16 * 60 * 1_000_000_000
            requests = service._requests
            assert requests is not None
            requests.beat(real() + later_ns)
            run_until(service, lambda: not view(service).pending)
            for number, why in ((one, "was withdrawn at"), (two, "was refused by b.jones"), (three, "in time at")):
                refused(lambda number=number: ask(service, "b.jones", "approve", {"request": number}), why)  # type: ignore[misc]
    assert [steps(tmp_path, each)[-1][0] for each in numbers] == ["withdrawn", "refused", "expired"]
    assert not releases(tmp_path)


# ------------------------------------------------------------------ over a restart


@pytest.mark.more
def test_a_pending_request_outlives_the_program_and_counts_once(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        file = configuration(tmp_path, addresses)
        service, _ = opened(file)
        with service:
            run_until(service, lambda: len(view(service).held) >= 2)
            held, other = view(service).held[:2]
            number = number_in(ask(service, "a.smith", RELEASE, which(held)))
            gone = number_in(ask(service, "a.smith", RELEASE, which(other)))
            ask(service, "a.smith", "withdraw", {"request": gone})
        service, _ = opened(file)
        with service:
            assert [each.request for each in view(service).pending] == [number]
            refused(lambda: ask(service, "b.jones", "approve", {"request": gone}), "was withdrawn at")
            ask(service, "b.jones", "approve", {"request": number})
            assert held not in view(service).held
        service, _ = opened(file)
        with service:
            assert not view(service).pending
            refused(lambda: ask(service, "b.jones", "approve", {"request": number}), "was approved by b.jones")
    assert len(releases(tmp_path)) == 1
    assert [each[0] for each in steps(tmp_path, number)] == ["requested", "approved", "done"]


@pytest.mark.more
def test_a_kill_at_any_instant_does_it_once_or_not_at_all(tmp_path: Path) -> None:
    """A child serves, requests and approves, and is killed at the n-th write to the disk; then it is looked at."""
    with simulators_here(faults=1.0, seed=5) as addresses:
        file = configuration(tmp_path, addresses)
        service, _ = opened(file)
        with service:
            run_until(service, lambda: len(view(service).held) >= 20)
        outcomes = set()
        for writes in range(1, 13):
            before = len(releases(tmp_path))
            if (child := os.fork()) == 0:
                with suppress(BaseException):
                    killed_after(file, writes)
                os._exit(0)
            os.waitpid(child, 0)
            done = [each for each in steps(tmp_path) if each[0] == "done"]
            assert len(releases(tmp_path)) == len(done) in (before, before + 1)
            service, _ = opened(file)
            with service:
                assert not [each for each in view(service).pending if each.approved_by]
                for each in view(service).pending:
                    ask(service, "a.smith", "withdraw", {"request": each.request})
            outcomes.add(len(done) - before)
            assert len({entry["entry"] for entry in releases(tmp_path)}) == len(releases(tmp_path))
        assert outcomes == {0, 1}, "some children were killed before, and some after"


def killed_after(file: Path, writes: int) -> None:
    service, _ = opened(file)
    with service:
        real, left = service.journal.commit, [writes]

        def commit() -> Any:
            left[0] -= 1
            if left[0] < 0:
                os._exit(0)
            return real()

        service.journal.commit = commit  # type: ignore[method-assign]
        number = number_in(ask(service, "a.smith", RELEASE, which(view(service).held[0])))
        ask(service, "b.jones", "approve", {"request": number})


def test_an_act_whose_answer_is_not_on_record_is_not_done_again(tmp_path: Path) -> None:
    with simulators_here(seed=5) as addresses:
        file = configuration(tmp_path, addresses)
        service, _ = opened(file)
        with service:
            fields: dict[str, object] = {
                "device": "shuffler",
                "badge": 4711,
                "resolution": "end the deal",
                "why": "two cards stuck",
            }
            number = number_in(ask(service, "a.smith", "clear-misdeal", fields))
            session = service.tables[NAME]
            step = {"of": number, "act": "clear-misdeal", "step": "approved", "who": "a.smith", "second": "b.jones"}
            line = {
                "schema": StatusLine.SCHEMA,
                "type": "status",
                "table": NAME,
                "kind": "request",
                "text": "b.jones: x",
            }
            found = StatusLine.from_object({**line, "request": step})
            session.status("request", found.text, service.clock.now_ns(), request=found.request)
        service, _ = opened(file)
        with service:
            assert not view(service).pending
            refused(lambda: ask(service, "b.jones", "approve", {"request": number}), "was approved, but not done")
    assert [each[0] for each in steps(tmp_path, number)] == ["requested", "approved", "failed"]


@pytest.mark.more
def test_a_device_s_act_is_done_under_both_names(tmp_path: Path) -> None:
    with simulators_here(seed=5) as addresses:
        service, listener = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: any(device.state for device in view(service).devices))
            fields: dict[str, object] = {"device": "shuffler", "badge": 4711, "resolution": "end the deal"}
            refused(lambda: ask(service, "a.smith", "clear-misdeal", fields), "why: must be")
            fields["why"] = "two cards stuck"
            number = number_in(ask(service, "a.smith", "clear-misdeal", fields))
            with suppress(ActionRefused):  # no misdeal was called, so the device may refuse; both are on record
                ask(service, "b.jones", "approve", {"request": number})
        (text,) = [line["text"] for line in listener.of("status") if line["kind"] == "action"]
    assert text == (
        "a.smith and b.jones (supervisor), session 1 from 10.0.0.7, at shuffler: clear the misdeal"
        " (badge 4711, resolution end the deal): two cards stuck"
    )
    assert steps(tmp_path, number)[-1][0] in ("done", "failed")


# ------------------------------------------------------------------ without a service


def command(*arguments: object, password: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(main, ["journal", *map(str, arguments)], input=f"{password}\n")
    return done.exit_code, (done.stdout + done.stderr).strip()


def started(file: Path, *, anew: bool) -> None:
    with Service(load_configuration(file), Hub(), anew=anew):
        pass


def test_no_password_is_asked_for_in_vain(tmp_path: Path) -> None:
    """No input is given, so a command that wanted a password would say so."""
    users, nowhere = users_file(tmp_path, person_entry("a.smith")), tmp_path / "nowhere"
    for users_path in (users, nowhere):
        words = ["journal", "request", "start-over", nowhere, "--users", users_path, "--who", "a.smith", "--why", "x"]
        done = CliRunner().invoke(main, [*map(str, words)])
        assert (done.exit_code, str(nowhere) in done.output, "type the password" in done.output) == (2, True, False), (
            done.output
        )


def test_start_over_needs_two_and_an_approval_is_used_once(tmp_path: Path) -> None:
    file = configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    started(file, anew=True)  # a new journal has nothing to lose
    with pytest.raises(NotApproved) as raised:
        started(file, anew=True)
    assert explain(raised.value) == (
        Exit.CHECK_FAILED,
        "table.journal: --start-over needs the approval of a second person:"
        f" dealwire journal request start-over {journal}",
    )
    who = ("--users", users, "--stdin", "--who")
    code, said = command("request", "start-over", journal, *who, "a.smith", "--why", "a new shoe", password="wrong")
    assert (code, said) == (1, f"dealwire: {journal}: unknown name or password; nothing was done")
    smith, jones = PASSWORDS["a.smith"][0], PASSWORDS["b.jones"][0]
    code, said = command("request", "start-over", journal, *who, "a.smith", "--why", "a new shoe", password=smith)
    assert code == 0, said
    number = int(said.split("request ")[1].split(":")[0])
    with pytest.raises(NotApproved):
        started(file, anew=True)
    code, said = command("approve", journal, number, *who, "a.smith", password=smith)
    assert (code, "is your own" in said) == (1, True)
    code, said = command("approve", journal, number, *who, "b.jones", password=smith)
    assert (code, "unknown name or password" in said) == (1, True)
    code, said = command("approve", journal, number, *who, "b.jones", password=jones)
    assert code == 0, said
    started(file, anew=False)  # uses nothing up
    started(file, anew=True)
    with pytest.raises(NotApproved):
        started(file, anew=True)
    assert steps(tmp_path) == [
        ("requested", "a.smith", ""),
        ("approved", "a.smith", "b.jones"),
        ("done", "a.smith", "b.jones"),
    ]


NOWHERE_AT_ALL = (person_entry("ghost.one", badge=1), person_entry("ghost.two", badge=2))
REAL_NAMES = (
    user_entry("a.smith", badge=4711, password=PASSWORDS["mine.one"][1]),
    user_entry("b.jones", badge=4712, password=PASSWORDS["mine.two"][1]),
)


def digest(users: Path) -> str:
    return sha256(users.read_bytes()).hexdigest()


def requested(journal: Path, users: Path, name: str, password: str) -> int:
    """Request a start over without the service; return its number."""
    words = ("request", "start-over", journal, "--users", users, "--stdin", "--who", name, "--why", "because")
    code, said = command(*words, password=password)
    assert code == 0, said
    return int(said.split("request ")[1].split(":")[0])


def approved(journal: Path, users: Path, name: str, password: str, number: int) -> None:
    words = ("approve", journal, number, "--users", users, "--stdin", "--who", name)
    code, said = command(*words, password=password)
    assert code == 0, said


@pytest.mark.parametrize("people", [NOWHERE_AT_ALL, REAL_NAMES], ids=["invented", "real names"])
def test_without_the_service_only_its_own_users_file_counts(tmp_path: Path, people: tuple[str, ...]) -> None:
    """A person who may write the journal names a users file of his own."""
    file = configuration(tmp_path, NOWHERE)
    journal, users, folder = tmp_path / "journal.sqlite", tmp_path / "users.toml", tmp_path / "mine"
    folder.mkdir()
    mine = users_file(folder, *people)
    started(file, anew=True)
    number = requested(journal, users, "a.smith", PASSWORDS["a.smith"][0])
    why = (
        f"dealwire: {journal}: {mine} ({digest(mine)[:16]}) is not the users file on record ({digest(users)[:16]});"
        " name that one, or start its service once with this one; nothing was done"
    )
    who = ("--users", mine, "--stdin", "--who", read_users(mine).file.user[1].name)
    place = ("--entry", 5, "--session", "5a8b3c21", "--round", 1, "--why", "because")
    for words in (
        ("request", "start-over", journal, *who, "--why", "because"),
        ("request", "release-held", journal, *who, *place),
        ("approve", journal, number, *who),
    ):
        assert command(*words, password=PASSWORDS["mine.two"][0]) == (Exit.CHECK_FAILED, why)
    assert [each[0] for each in steps(tmp_path)] == ["requested"]


def not_approved(file: Path) -> str:
    """Return why a start over does not count."""
    with pytest.raises(NotApproved) as raised:
        started(file, anew=True)
    code, text = explain(raised.value)
    journal = file.parent / "journal.sqlite"
    start = "table.journal: --start-over needs the approval of a second person: request "
    assert code == Exit.CHECK_FAILED
    assert text.startswith(start)
    assert text.endswith(f"; dealwire journal request start-over {journal}")
    return text.removeprefix(start).partition(" ")[2].partition(";")[0]


def test_an_approval_by_the_users_file_of_another_service_is_none(tmp_path: Path) -> None:
    """A person who may write the journal starts a service of his own with it, so that his file is on record."""
    file, folder = configuration(tmp_path, NOWHERE), tmp_path / "mine"
    journal = tmp_path / "journal.sqlite"
    started(file, anew=True)
    folder.mkdir()
    mine = users_file(folder, *REAL_NAMES)
    his = tmp_path / "his.toml"
    his.write_text(file.read_text().replace('"users.toml"', '"mine/users.toml"'))
    started(his, anew=False)
    number = requested(journal, mine, "a.smith", PASSWORDS["mine.one"][0])
    approved(journal, mine, "b.jones", PASSWORDS["mine.two"][0], number)
    assert not_approved(file) == "does not count: it was recorded by another users file than the service has now"
    texts = [line["text"] for line in map(json.loads, lines_of(tmp_path)) if line["kind"] == "request"]
    noted = [text.rpartition(" ")[2] for text in texts if "by the users file" in text]
    assert noted == [digest(tmp_path / "users.toml")[:16], digest(mine)[:16]], "what he did is on record"


def lines_of(folder: Path) -> list[str]:
    return [item.line for item in published(folder, "status")]


@pytest.mark.parametrize(
    ("later", "why"),
    [
        (
            (person_entry("b.jones", badge=4712), person_entry("c")),
            "by the service's users file a.smith may not do this",
        ),
        ((person_entry("a.smith"), person_entry("b.jones", disabled=True)), "b.jones may not do this"),
        ((person_entry("a.smith"), person_entry("b.jones", "dealer")), "b.jones may not do this"),
        ((*PEOPLE, person_entry("new")), "it was recorded by another users file than the service has now"),
    ],
)
def test_an_approval_by_a_users_file_of_before_is_none(tmp_path: Path, later: tuple[str, ...], why: str) -> None:
    file = configuration(tmp_path, NOWHERE)
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    started(file, anew=True)
    number = requested(journal, users, "a.smith", PASSWORDS["a.smith"][0])
    approved(journal, users, "b.jones", PASSWORDS["b.jones"][0], number)
    users_file(tmp_path, *later)
    assert not_approved(file).endswith(why)
    assert [each[0] for each in steps(tmp_path, number)] == ["requested", "approved"]


def test_a_start_that_is_refused_puts_a_changed_users_file_on_record(tmp_path: Path) -> None:
    """Otherwise nobody could approve the start over without which a service does not start."""
    file = configuration(tmp_path, NOWHERE)
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    started(file, anew=True)
    users_file(tmp_path, *PEOPLE, person_entry("new"))
    with pytest.raises(NotApproved):
        started(file, anew=True)
    number = requested(journal, users, "a.smith", PASSWORDS["a.smith"][0])
    approved(journal, users, "new", PASSWORDS["new"][0], number)
    started(file, anew=True)
    assert steps(tmp_path)[-1] == ("done", "a.smith", "new")


def test_a_reload_puts_the_users_file_on_record(tmp_path: Path) -> None:
    file = configuration(tmp_path, NOWHERE)
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    service, _ = opened(file)
    with service:
        users_file(tmp_path, *PEOPLE, person_entry("new"))
        service.install_users(read_users(users))
        run_until(service, lambda: any(digest(users)[:16] in line for line in lines_of(tmp_path)))
        service.install_users(read_users(users))
        run_until(service, lambda: not service.hub.requests())
    noted = [line["request"]["users"] for line in map(json.loads, lines_of(tmp_path)) if "request" in line]
    assert len(noted) == len(set(noted)) == 2, "the same file again is no news"
    assert noted[1] == digest(users)
    requested(journal, users, "new", PASSWORDS["new"][0])


def test_a_record_that_names_no_users_file_is_not_enough(tmp_path: Path) -> None:
    """The policy of an earlier version, which named none."""
    file = configuration(tmp_path, NOWHERE, TOP.partition("second-person")[0])
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    with Service(load_configuration(file), Hub()):
        pass
    requested(journal, users, "a.smith", PASSWORDS["a.smith"][0])
    (tmp_path / "old").mkdir()
    old = tmp_path / "old" / "journal.sqlite"
    with Journal(old, key=None, clock=SystemClock()) as made:
        made.line(NAME, "s", device="shuffler", dialect="tdp", address="x", baud=0, procedure="flushes-gone-wild.co")
        step = RequestStep(of=0, act="start-over", step="policy", who="")
        line = StatusLine(table=NAME, kind="request", text="from here on", request=step)
        made.publish(NAME, "status", made.newest_ns, line.to_json())
    words = ("request", "start-over", old, "--users", users, "--stdin", "--who", "a.smith", "--why", "because")
    assert command(*words, password=PASSWORDS["a.smith"][0]) == (
        Exit.CHECK_FAILED,
        f"dealwire: {old}: the record does not name the users file of its service; name that one, or start its service"
        " once with this one; nothing was done",
    )


def test_each_day_has_the_policy_so_that_it_is_not_removed_with_a_day(tmp_path: Path) -> None:
    service, _ = opened(configuration(tmp_path, NOWHERE))
    with service:
        run_until(service, lambda: service.health.beat_ns > 0)
        service.journal.begin_day("2099-12-31", service.clock.now_ns())
        run_until(service, lambda: len([line for line in lines_of(tmp_path) if "from here on" in line]) > 1)
    policies = [json.loads(line) for line in lines_of(tmp_path) if "from here on" in line]
    assert len({line["text"] for line in policies}) == 1


def test_a_service_that_stands_still_at_night_has_the_policy_on_record_each_day(tmp_path: Path) -> None:
    """The gaming day begins at its start, not while it serves."""
    file = configuration(tmp_path, NOWHERE)
    for ahead in (-2, -1, 0):
        service, _ = opened(file, make_clock=Wall(ahead * DAY_NS).makes)
        with service:
            run_until(service, lambda: service.health.beat_ns > 0)  # noqa: B023
    assert len([line for line in lines_of(tmp_path) if "from here on" in line]) == 3


def test_the_newest_policy_of_any_table_counts(tmp_path: Path) -> None:
    """A table that is gone, whose name sorts first, keeps its policy of before."""
    file = configuration(tmp_path, NOWHERE)
    started(file, anew=False)
    configuration(tmp_path, NOWHERE, TOP.replace(', "clear-misdeal"', ""))
    file.write_text(file.read_text().replace('"table-1"', '"table-9"'))
    for _ in range(2):
        started(file, anew=False)
    with RoundReader(tmp_path / "journal.sqlite") as reader:
        assert policy_in(reader).acts == ("release-held", "start-over")
        assert users_in(reader) == digest(tmp_path / "users.toml")
    assert len([line for line in lines_of(tmp_path) if "from here on" in line]) == 2


@pytest.mark.more
def test_a_release_without_a_service_needs_two_as_well(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        service, _ = opened(configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(view(service).held))
            held = view(service).held[0]
    journal, users = tmp_path / "journal.sqlite", tmp_path / "users.toml"
    place = ("--session", held.session, "--round", held.round, "--why", "paid at the cage")
    code, said = command("release", journal, held.entry, *place, "--who", "a.smith", "--badge", 4711)
    assert (code, "release-held needs two people" in said) == (1, True), said
    who = ("--users", users, "--stdin", "--who")
    smith, jones = PASSWORDS["a.smith"][0], PASSWORDS["b.jones"][0]
    code, said = command(
        "request", "release-held", journal, *who, "a.smith", "--entry", held.entry, *place, password=smith
    )
    assert code == 0, said
    number = int(said.split("request ")[1].split(":")[0])
    code, said = command("approve", journal, number, *who, "b.jones", password=jones)
    assert code == 0, said
    (release,) = releases(tmp_path)
    assert (release["who"], release["badge"]) == ("a.smith and b.jones, dealwire journal approve", 4711)
    code, said = command("approve", journal, number, *who, "b.jones", password=jones)
    assert (code, "was approved by b.jones" in said) == (1, True), said


def test_another_policy_is_on_record(tmp_path: Path) -> None:
    file = configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    started(file, anew=False)
    started(file, anew=False)
    configuration(
        tmp_path,
        [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}],
        '[people]\nusers-file = "users.toml"\n',
    )
    started(file, anew=False)
    lines, by = [json.loads(item.line) for item in published(tmp_path, "status")], digest(tmp_path / "users.toml")[:16]
    assert [line["text"] for line in lines if line["kind"] == "request"] == [
        f"from here on two people are needed for: release-held, start-over, clear-misdeal; by the users file {by}",
        "from here on two people are needed for: nothing",
    ]
