"""Acts that need two people: who may approve, what is checked again, and that a request outlives the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit, explain
from dealwire.config.load import load_configuration
from dealwire.config.schema import SecondAct
from dealwire.hub.hub import Hub, Request
from dealwire.hub.lines import StatusLine
from dealwire.hub.view import HeldView, TableView
from dealwire.journal import JournalReader
from dealwire.journal.rounds import RoundReader
from dealwire.people.errors import NotApproved
from dealwire.people.users import read_users
from dealwire.service.actions import KINDS, POST, RELEASE, START_OVER, ActionRefused, of_two_people
from dealwire.service.offline import needs_two
from dealwire.service.pending import policy_in
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.service import Service
from protocol.errors import DealwireError
from protocol.tomlfile import TomlFileError
from tests.support.rigs.people import PASSWORDS, person_entry, program_entry, user_entry, users_file
from tests.support.rigs.serving import compared, opened, published, run_until, simulators, write_configuration

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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(faults=1.0, seed=5) as addresses:
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
    with simulators(seed=5) as addresses:
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
    with simulators(seed=5) as addresses:
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


@pytest.mark.parametrize(
    ("people", "stranger"),
    [
        ((person_entry("ghost.one", badge=1), person_entry("ghost.two", badge=2)), "ghost.one"),
        ((person_entry("b.jones", badge=1), person_entry("ghost.one", badge=2)), "ghost.one"),
        ((person_entry("b.jones", badge=1), person_entry("e.dealer", badge=2)), "e.dealer"),
        ((person_entry("b.jones", badge=1), person_entry("f.past", badge=2)), "f.past"),
    ],
)
def test_an_approval_by_another_users_file_is_none(tmp_path: Path, people: tuple[str, ...], stranger: str) -> None:
    """A person who may write the journal names a users file of his own, with invented people."""
    file = configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    journal, folder = tmp_path / "journal.sqlite", tmp_path / "mine"
    folder.mkdir()
    mine = users_file(folder, *people)
    started(file, anew=True)
    first, second = (user.name for user in read_users(mine).file.user)
    who = ("--users", mine, "--stdin", "--who")
    one, two = PASSWORDS[first][0], PASSWORDS[second][0]
    code, said = command("request", "start-over", journal, *who, first, "--why", "because", password=one)
    assert code == 0, said
    number = int(said.split("request ")[1].split(":")[0])
    code, said = command("approve", journal, number, *who, second, password=two)
    assert code == 0, said
    with pytest.raises(NotApproved) as raised:
        started(file, anew=True)
    assert explain(raised.value) == (
        Exit.CHECK_FAILED,
        f"table.journal: --start-over needs the approval of a second person: request {number} does not count: by the"
        f" service's users file {stranger} may not do this; dealwire journal request start-over {journal}",
    )
    assert [each[0] for each in steps(tmp_path, number)] == ["requested", "approved"]


@pytest.mark.more
def test_a_release_without_a_service_needs_two_as_well(tmp_path: Path) -> None:
    with simulators(faults=1.0, seed=5) as addresses:
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
    lines = [json.loads(item.line) for item in published(tmp_path, "status")]
    assert [line["text"] for line in lines if line["kind"] == "request"] == [
        "from here on two people are needed for: release-held, start-over, clear-misdeal",
        "from here on two people are needed for: nothing",
    ]


def test_the_policy_is_on_record_in_each_gaming_day(tmp_path: Path) -> None:
    """Days that are over leave the journal; without a service nothing else says that an act needs two people."""
    file = configuration(tmp_path, [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}])
    with Service(load_configuration(file), Hub()) as service:
        run_until(service, lambda: service.journal.days.current is not None)
        service.journal.begin_day("2099-01-01", service.clock.now_ns())
        first = service.journal.days.first
        run_until(service, lambda: len(policies(tmp_path)) == 2)
    (_, whole), (again, text) = policies(tmp_path)
    assert whole == "from here on two people are needed for: release-held, start-over, clear-misdeal"
    assert (again > first, text) == (True, "two people are still needed for: release-held, start-over, clear-misdeal")
    with RoundReader(tmp_path / "journal.sqlite") as reader:
        assert policy_in(reader).record == again


def test_a_removed_table_does_not_say_which_policy_holds(tmp_path: Path) -> None:
    """Its newest record says that nothing needs two people; that of the other table is newer."""
    one, two = (
        {"shuffler": f"tcp://127.0.0.1:{port}", "table-controller": f"tcp://127.0.0.1:{port + 1}"} for port in (1, 3)
    )
    for top in (TOP, '[people]\nusers-file = "users.toml"\n'):
        started(configuration(tmp_path, [one, two], top), anew=False)
    file = configuration(tmp_path, [two])
    file.write_text(file.read_text().replace("table-1", "table-2"))
    started(file, anew=False)
    assert needs_two(tmp_path / "journal.sqlite", RELEASE)


def policies(folder: Path) -> list[tuple[int, str]]:
    """Return number and text of each record of a policy."""
    lines = [(item.sequence, json.loads(item.line)) for item in published(folder, "status")]
    return [(at, line["text"]) for at, line in lines if line.get("request", {}).get("step") == "policy"]
