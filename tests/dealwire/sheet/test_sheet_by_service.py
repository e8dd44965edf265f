"""A sheet as people meet it: of the journal of a real service on simulated devices, on the command line and in the
console."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shutil
import sqlite3
import stat
from io import StringIO
from pathlib import Path

import jsonschema
import pypdf
import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.console.server import Console
from dealwire.journal import SealingKey
from devices.extras import install_command
from tests.dealwire.test_console_layout import SMALL
from tests.support.dealing.round_journals import exported
from tests.support.rigs.browser import TEST_S, at_most, chromium, needs_browser
from tests.support.rigs.consoles import client
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "schema" / "sheet-1.json").read_text())
ROUNDS = 4
Evening = tuple[Path, dict[str, tuple[int, str, bytes]]]


pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """The folder of a journal, sealed with a key, and what a console answered while in use."""
    folder, answers = tmp_path_factory.mktemp("evening"), {}
    with simulators_here(scenario="demo") as addresses:
        service, _ = opened(write_configuration(folder, addresses))
        with service:
            table = service.tables["table-1"]
            run_until(service, lambda: table.rounds >= ROUNDS)
            run_until(service, lambda: table.table.flow.state.value == "deciding")
            live = table.table.flow.snapshot().number
            console = Console(service.hub, journal=service.journal.path)
            console.start()
            try:
                with client(console) as browser:
                    browser.timeout = PATIENCE_S
                    for name, path in {
                        "list": "rounds",
                        "of-seat": "rounds?seat=3",
                        "of-no-seat": "rounds?seat=31",
                        "of-now": "rounds?at=2000-01-01&to=2100-01-01&outcome=complete",
                        "of-incident": "rounds?incident=any",
                        "strange-time": "rounds?at=25:99",
                        "strange-seat": "rounds?seat=x",
                        "strange-amount": "rounds?amount=much",
                        "strange-outcome": "rounds?outcome=%3Cb%3E",
                        "backwards": "rounds?at=2026-11-02&to=2026-11-01",
                        "csv": "rounds.csv",
                        "csv-of-seat": "rounds.csv?seat=3",
                        "strange-csv": "rounds.csv?seat=x",
                        "page": "round/2",
                        "pdf": "round/2.pdf",
                        "json": "round/2.json",
                        "live": f"round/{live}.json",
                        "typed": "round?number=2",
                        "nonsense": "round?number=2x",
                        "huge": f"round/{10**30}",
                        "unknown": "round/4000000000",
                        "record": "round/2?record=0",
                        "style": "../../static/sheet.css",
                    }.items():
                        answer = browser.get(f"/table/table-1/{path}")
                        answers[name] = answer.status_code, answer.headers.get("location", ""), answer.content
                    answer = browser.get("/table/nobody/rounds")
                    answers["nobody"] = answer.status_code, "", answer.content
            finally:
                console.stop()
    return folder, answers


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["journal", "round", *map(str, arguments)], catch_exceptions=False)


def complaint(result: Result) -> str:
    (line,) = result.stderr.splitlines()
    return str(line)


def test_the_console_lists_the_rounds_with_their_money(evening: Evening) -> None:
    folder, answers = evening
    status, _, content = answers["list"]
    assert status == 200
    page = " ".join(content.decode().split())
    for settled in exported(folder / "journal.sqlite", "settlement")[:ROUNDS]:
        assert f'href="/table/table-1/round/{settled["round"]}"' in page
        assert f"${sum(each['staked'] for each in settled['seats']) / 100:,.2f}" in page
    assert 'action="/table/table-1/round"' in page


def _numbers(content: bytes) -> list[int]:
    """The rounds that a list links to, in its order."""
    return [int(number) for number in re.findall(r'href="/table/table-1/round/(\d+)', content.decode())]


def test_a_round_is_found_by_seat_time_outcome_and_incident(evening: Evening) -> None:
    folder, answers = evening
    rounds = {each["round"]: each for each in exported(folder / "journal.sqlite", "round")}
    ended = [number for number in _numbers(answers["list"][2]) if number in rounds]
    assert ended == sorted(rounds, reverse=True)
    seated = [number for number in ended if any(seat["seat"] == 3 for seat in rounds[number]["seats"])]
    assert [number for number in _numbers(answers["of-seat"][2]) if number in rounds] == seated
    assert seated
    assert _numbers(answers["of-no-seat"][2]) == []
    assert "No round matches" in answers["of-no-seat"][2].decode()
    of_now = [number for number in _numbers(answers["of-now"][2]) if number in rounds]
    assert of_now == [number for number in ended if rounds[number]["outcome"] == "complete"]
    with_incident = [number for number in ended if rounds[number]["incidents"]]
    assert [number for number in _numbers(answers["of-incident"][2]) if number in rounds] == with_incident
    assert 'value="3"' in answers["of-seat"][2].decode(), "the form keeps what was filled in"
    assert re.search(r">\d{1,2} \w{3} \d{4}, \d\d:\d\d:\d\d</time>", answers["list"][2].decode())


def test_what_is_asked_for_wrongly_is_said_in_one_line_on_the_page(evening: Evening) -> None:
    _, answers = evening
    for name, words in {
        "strange-time": "is not a time; allowed: 21:05",
        "strange-seat": "Seat: &#39;x&#39; is not valid; allowed: a number from 1 to 32.",
        "strange-amount": "allowed: an amount such as 15 or 2.50",
        "strange-outcome": "&lt;b&gt;",
        "backwards": "allowed: a time at or after 2026-11-02",
    }.items():
        status, _, content = answers[name]
        assert (status, words in content.decode()) == (400, True), (name, content.decode()[-900:])
    assert answers["strange-csv"][0] == 400


def test_the_list_is_kept_as_a_file(evening: Evening) -> None:
    folder, answers = evening
    status, _, content = answers["csv"]
    rows = list(csv.DictReader(StringIO(content.decode())))
    rounds = {each["round"]: each for each in exported(folder / "journal.sqlite", "round")}
    paid = {each["round"]: each for each in exported(folder / "journal.sqlite", "settlement")}
    assert status == 200
    kept = {int(row["round"]): row for row in rows if row["outcome"]}
    assert set(kept) == set(rounds)
    for number, row in kept.items():
        assert row["outcome"] == rounds[number]["outcome"]
        assert int(row["staked_cents"]) == sum(seat["staked"] for seat in paid[number]["seats"])
        assert row["incidents"].split() == [each["code"] for each in rounds[number]["incidents"]]
    of_seat = list(csv.DictReader(StringIO(answers["csv-of-seat"][2].decode())))
    assert all("3" in row["seats"].split() for row in of_seat if row["outcome"])


@needs_browser
def test_a_sheet_and_the_list_are_read_on_a_phone_and_by_a_screen_reader(evening: Evening, tmp_path: Path) -> None:
    """A checker of accessibility finds nothing, and no text is smaller than 14 pixels."""
    from axe_playwright_python.sync_playwright import Axe

    _, answers = evening
    (tmp_path / "sheet.html").write_bytes(answers["page"][2].replace(b"/static/sheet.css", b"sheet.css"))
    (tmp_path / "sheet.css").write_bytes(answers["style"][2])
    with at_most(TEST_S), chromium() as browser:
        for width, height in ((390, 844), (1400, 900)):
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto((tmp_path / "sheet.html").as_uri())
            found = Axe().run(page).response["violations"]
            assert not found, [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]
            assert page.evaluate(SMALL) == [], width


def test_the_consoles_sheet_is_the_command_lines(evening: Evening) -> None:
    folder, answers = evening
    said = json.loads(answers["json"][2])
    jsonschema.validate(said, SCHEMA)
    printed = json.loads(run(2, folder / "journal.sqlite", "--json").stdout)
    for made in (said, printed):
        del made["made"], made["made_ns"]
    assert said == printed
    assert "faces" not in said
    page = answers["page"][2].decode()
    assert said["places"][-1]["hash"] in page
    assert 'href="/static/sheet.css' in page
    assert "<style" not in page, "the console's pages allow no style of their own"
    assert answers["pdf"][2].startswith(b"%PDF-")
    assert answers["style"][0] == 200


def test_a_live_round_says_so_and_what_was_asked_wrong_is_answered(
    evening: Evening,
) -> None:
    _, answers = evening
    live = json.loads(answers["live"][2])
    jsonschema.validate(live, SCHEMA)
    assert (live["state"], live["versions"]) == ("under-way", [])
    assert (answers["typed"][0], answers["typed"][1]) == (303, "/table/table-1/round/2")
    statuses = {name: answers[name][0] for name in ("nonsense", "huge", "unknown", "record", "nobody")}
    assert statuses == {"nonsense": 400, "huge": 404, "unknown": 404, "record": 400, "nobody": 404}
    assert b"there are rounds 1 to" in answers["unknown"][2]


def test_with_the_key_the_faces_under_the_seals_are_there(evening: Evening) -> None:
    folder, _ = evening
    journal, key = folder / "journal.sqlite", folder / "journal.key"
    said = json.loads(run(1, journal, "--json", "--key", key).stdout)
    jsonschema.validate(said, SCHEMA)
    shown = {" ".join(each["cards"]) for each in said["faces"]}
    (seat, *_) = [each for each in said["versions"][0]["result"]["seats"] if each["status"] == "live"]
    assert " ".join(seat["cards"]) in shown
    assert said["checked"]["opened"] == said["checked"]["sealed"] > 5
    other = folder / "other.key"
    SealingKey.new(other)
    result = run(1, journal, "--key", other)
    assert (result.exit_code, "give the key file that holds it" in complaint(result)) == (2, True)


def test_files_are_written_for_their_owner_and_not_over_others(evening: Evening, tmp_path: Path) -> None:
    journal = evening[0] / "journal.sqlite"
    html, pdf = tmp_path / "round.html", tmp_path / "round.pdf"
    result = run(2, journal, "--html", html, "--pdf", pdf)
    assert (result.exit_code, result.stdout) == (0, "")
    assert stat.S_IMODE(html.stat().st_mode) == stat.S_IMODE(pdf.stat().st_mode) == 0o600
    assert "<style>" in html.read_text()
    assert pdf.read_bytes().startswith(b"%PDF-")
    again = run(2, journal, "--html", html)
    assert (again.exit_code, "--overwrite" in complaint(again)) == (2, True)
    assert run(2, journal, "--html", html, "--overwrite").exit_code == 0
    assert run(2, journal, "--pdf", journal, "--overwrite").exit_code == 2
    assert run(2, journal, "--pdf", tmp_path / "no" / "x.pdf").exit_code == 2


def test_bad_input_is_one_line_and_an_exit_code(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = evening[0] / "journal.sqlite"
    for arguments, code, says in (
        ((4000000000, journal), 2, "there are rounds 1 to"),
        ((1, journal, "--table", "t9"), 2, "table 't9' is not in this journal; there are table-1"),
        ((1, journal, "--record", 5), 2, "is not at that record; it is at"),
        ((1, tmp_path / "nowhere"), 2, "No such file"),
    ):
        result = run(*map(str, arguments))
        assert (result.exit_code, says in complaint(result)) == (code, True), complaint(result)
    missing = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "reportlab" else missing(name))
    result = run(1, journal, "--pdf", tmp_path / "x.pdf")
    assert (result.exit_code, install_command("sheet") in complaint(result)) == (2, True)


def test_a_chain_that_does_not_hold_in_the_round_is_6(evening: Evening, tmp_path: Path) -> None:
    folder, _ = evening
    path = tmp_path / "j"
    shutil.copyfile(folder / "journal.sqlite", path)
    with sqlite3.connect(path) as file:
        first = "(SELECT min(sequence) FROM record WHERE kind = 'settlement')"
        change = f"UPDATE record SET payload = CAST(replace(payload, ?, ?) AS BLOB) WHERE sequence = {first}"
        file.execute(change, (b'"status":"settled"', b'"status":"SETTLED"'))
    number = exported(folder / "journal.sqlite", "settlement")[0]["round"]
    result = run(number, path)
    assert (result.exit_code, "its hash does not match" in complaint(result)) == (6, True)


@needs_browser
def test_the_page_prints_with_its_head_on_every_sheet_of_paper(evening: Evening, tmp_path: Path) -> None:
    page, paper = tmp_path / "round.html", tmp_path / "paper.pdf"
    assert run(2, evening[0] / "journal.sqlite", "--html", page).exit_code == 0
    with chromium() as browser, at_most(TEST_S):
        shown = browser.new_page()
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shown.pdf(path=paper, format="A4", prefer_css_page_size=True)
    pages = [each.extract_text() for each in pypdf.PdfReader(paper).pages]
    assert len(pages) > 1
    for number, text in enumerate(pages, 1):
        assert "Dispute sheet: table table-1, round 2" in text
        assert f"page {number} of {len(pages)}" in " ".join(text.split())
