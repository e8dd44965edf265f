"""The console's parts by themselves: tokens, sessions, words, what is rendered when."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_flow.play.seen.snapshot import PacketNow
from dealwire.console import board, journals, rendering, replays, server, sign_in, words
from dealwire.console.guard import HEADERS_MAX
from dealwire.console.rendering import ASSETS, SECTIONS, PageSections, render_sections
from dealwire.console.tokens import Tokens, TokensUnusable
from dealwire.hub.actions import ROLES
from dealwire.hub.view import (
    DeviceView,
    HandView,
    HeldView,
    LegalView,
    Link,
    LogLine,
    OutcomeView,
    PendingView,
    SeatView,
    TableView,
    TroubleView,
)
from dealwire.listening import host_name, is_loopback
from dealwire.table.viewer import LOG_MAX
from protocol.cards import CARDS
from rules.settlement import amount
from tests.support.reading.each import of_each

GOOD = 'dealer = "dealer-token-0123"\nsupervisor = "supervisor-token-0"\n'


def tokens_file(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "tokens.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_tokens_are_read_from_a_file_that_nobody_else_may_read(tmp_path: Path) -> None:
    tokens = Tokens.read(tokens_file(tmp_path, GOOD))
    assert tokens.role_of("dealer-token-0123") == "dealer"
    assert tokens.role_of("supervisor-token-0") == "supervisor"
    assert tokens.role_of("dealer-token-012") is None
    assert tokens.role_of("") is None


@pytest.mark.parametrize(
    ("text", "mode", "why"),
    [
        (GOOD, 0o640, "others may use it (mode 0640); allowed: 0600"),
        (GOOD, 0o604, "mode 0604"),
        ('boss = "x"', 0o600, "key 1 is not a role; allowed: dealer, supervisor, technician"),
        ('dealer = "short"', 0o600, "dealer: a token has 16 to 256 characters"),
        ("dealer = 1234567890123456", 0o600, "dealer: a token has"),
        ('dealer = "sixteen-letters-"\nsupervisor = "sixteen-letters-"', 0o600, "supervisor: two roles have"),
        ("", 0o600, "holds no token"),
        ("dealer = ", 0o600, "is not TOML"),
        ("\xff", 0o600, "no role|is not TOML"),
    ],
)
def test_a_tokens_file_that_will_not_do_is_named_in_one_line(tmp_path: Path, text: str, mode: int, why: str) -> None:
    path = tokens_file(tmp_path, text, mode)
    with pytest.raises(TokensUnusable) as raised:
        Tokens.read(path)
    line = str(raised.value)
    assert line.startswith(str(path))
    assert "\n" not in line
    assert any(part in line for part in why.split("|")), line


def test_a_tokens_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TokensUnusable, match=r"nowhere\.toml: cannot be read: No such file"):
        Tokens.read(tmp_path / "nowhere.toml")


def test_fresh_tokens_differ_by_role_and_by_run() -> None:
    tokens, texts = Tokens.new()
    assert {role: tokens.role_of(text) for role, text in texts.items()} == {role: role for role in ROLES}
    assert not set(texts.values()) & set(Tokens.new()[1].values())


@pytest.mark.parametrize(
    ("header", "name"),
    [("a.b:80", "a.b"), ("a.b", "a.b"), ("[::1]:80", "::1"), ("[::1]", "::1"), ("::1", "::1"), ("", ""), (":80", "")],
)
def test_a_host_header_names_one_host(header: str, name: str) -> None:
    assert host_name(header) == name


def test_which_addresses_stay_on_this_machine() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "example.com", "")))


# ------------------------------------------------------------------ words


def test_a_device_is_told_by_kind_state_and_address_each_once() -> None:
    def about(link: Link, state: str, address: str = "/dev/ttyUSB0", kind: str = "shuffler") -> str:
        return words.about_device(DeviceView(name="a", kind=kind, address=address, link=link, state=state))

    assert about("up", "IN_GAME") == "shuffler · in game · /dev/ttyUSB0"
    assert about("waiting", "IN_GAME") == "shuffler · was in game · /dev/ttyUSB0"
    assert about("waiting", "") == "shuffler · /dev/ttyUSB0"
    assert about("up", "", address="") == "shuffler"
    assert about("up", "SHUFFLER", address="Shuffler") == "shuffler"


def test_a_device_s_line_is_sealed_or_in_clear() -> None:
    since_ns = 1_796_055_831_000_000_000
    sealed = DeviceView(
        name="a", kind="shoe", address="b", link="up", seal="sealed", sealed_with="46f5326f3ad1260a", sealed_ns=since_ns
    )
    shown = words.seal_words(sealed, since_ns)
    assert re.fullmatch(r"sealed since \d\d:\d\d:51 · key 46f5326f", shown)
    assert words.about_device(sealed) == "shoe · b"
    assert words.about_device(sealed.model_copy(update={"seal": "clear"})) == "shoe · in clear · b"
    assert words.about_device(sealed.model_copy(update={"seal": "clear", "link": "waiting"})) == "shoe · b"


def test_every_card_has_a_face_and_a_name() -> None:
    faces = {card.text: words.face(card.text) for card in CARDS}
    assert faces["AS"] == ("spades", "A", "ace of spades")
    assert faces["TD"] == ("diamonds", "10", "ten of diamonds")
    assert faces["??"] == ("back", "", "one not shown")
    assert faces["X1"].words == "joker"
    assert faces["||"].words == "cut card"
    assert faces["0xF7"].words == "unknown card 0xF7"
    assert len({faces[card.text].words for card in CARDS if card.is_playing}) == 52


def test_a_hand_is_said_in_one_sentence() -> None:
    assert words.hand_words(("AS", "??", "2H", "??")) == "4 cards: ace of spades, two of hearts, 2 not shown"
    assert words.hand_words(("??",)) == "1 card: 1 not shown"
    assert words.hand_words(()) == "no cards"


def test_money_is_said_to_the_cent() -> None:
    assert [amount(cents, "USD") for cents in (0, 5, 125_000, -250)] == ["$0.00", "$0.05", "$1,250.00", "-$2.50"]
    assert [words.figure(cents, "USD") for cents in (2500, 250, 100_000)] == ["$25", "$2.50", "$1,000"]


@given(st.integers(-(10**12), 10**12))
def test_no_cent_is_lost_in_words(cents: int) -> None:
    assert int(re.sub(r"[$,.]", "", amount(cents, "USD"))) == cents


def test_what_may_happen_next_is_grouped_by_who() -> None:
    def legal(actor: str, what: str, place: str = "") -> LegalView:
        return LegalView(actor=actor, what=what, place=place)

    told = [
        legal("dealer", "show seat 8", "seat 8"),
        legal("dealer", "show seat 6", "seat 6"),
        legal("player at seat 1", "bet ante", "seat 1"),
        legal("player at seat 1", "bet blind", "seat 1"),
        legal("player at seat 3", "bet ante", "seat 3"),
        legal("player at seat 3", "bet blind", "seat 3"),
        legal("dealer", "END GAME"),
    ]
    assert words.by_actor(told) == [
        ("dealer", ["show seat 8, seat 6", "END GAME"]),
        ("player at seats 1, 3", ["bet ante, blind"]),
    ]


# ------------------------------------------------------------------ rendering


def view(**changes: object) -> TableView:
    facts: dict[str, object] = {
        "sequence": 1,
        "at_ns": 1_790_000_000_123_456_789,
        "table": "pit-1",
        "procedure": "flushes-gone-wild.co",
        "title": "Flushes Gone Wild",
        "clause": "47.1-1017.60",
        "round": 7,
        "state": "dealing",
    }
    return TableView(**{**facts, **changes})


def test_a_section_is_rendered_anew_only_when_what_it_shows_has_changed() -> None:
    page = PageSections()
    page.show(view())
    sent = {name: version for name, (version, _) in page.changes({}).items()}
    assert sent.keys() == SECTIONS.keys()
    page.show(view(sequence=2))
    assert not page.changes(sent)
    page.show(view(sequence=3, lamp="lit", red_lamp=301, red_lamp_text="packet short (301)"))
    changed = page.changes(sent)
    assert changed.keys() == {"lamp"}
    assert "packet short (301)" in changed["lamp"][1]
    assert page.changes({}).keys() == SECTIONS.keys()


def test_a_list_gets_a_row_and_keeps_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        LogLine(sequence=number, at_ns=number, code="round", text=f"round {number}", round=number)
        for number in range(9)
    ]
    rounds = [OutcomeView(round=number, at_ns=number, outcome="complete", players=100) for number in range(9)]
    made: list[tuple[str, object]] = []
    row = rendering.row
    monkeypatch.setattr(
        rendering, "row", lambda name, line, *more: (made.append((name, line)), row(name, line, *more))[1]
    )
    page, seen = PageSections(), 0
    for many in (7, 8, 9):
        shown = view(sequence=many, log=tuple(lines[:many]), outcomes=tuple(rounds[:many]))
        page.show(shown)
        fresh = PageSections()
        added = made[seen:]
        fresh.show(shown)
        assert page.html == fresh.html, "as a page that is made anew"
        seen = len(made)
        if many > 7:  # the round that was the newest before is one no more
            assert added == [("outcome", rounds[many - 1]), ("outcome", rounds[many - 2]), ("log", lines[many - 1])]


def test_whatever_a_view_holds_is_written_as_text() -> None:
    bad = "<img src=x onerror=alert(1)>\"'&"
    shown = render_sections(
        view(
            title=bad,
            procedure=bad,
            clause=bad,
            state=bad,
            lamp="lit",
            red_lamp=1,
            red_lamp_text=bad,
            safe_stop=bad,
            seats=(SeatView(seat=1, status="live", wagers={bad: 5}, cards=(bad, "??"), decision=bad, counted=1),),
            dealer=HandView(name=bad, cards=(bad,), counted=3, expected=2),
            community=(HandView(name=bad, cards=(bad,), burned=(bad,)),),
            columns=(HandView(name=bad, cards=(bad,)),),
            packets=(PacketNow(ordinal=1, to=bad, expected=5, counted=4, lifted=False),),
            shuffler=bad,
            meters={bad: 5},
            devices=(DeviceView(name=bad, kind=bad, address=bad, link="closed", state=bad, problem=bad),),
            next=(LegalView(actor=bad, what=bad, place=bad),),
            log=(LogLine(sequence=1, at_ns=1, code=bad, text=bad, clause=bad, place=bad),),
            trouble=(TroubleView(kind="device", title=bad, cause=bad, clause=bad, advice=bad, who=bad, place=bad),),
            outcomes=(OutcomeView(round=6, at_ns=1, outcome="complete", players=5, won=bad),),
            held=(HeldView(round=6, at_ns=1, cents=5, why=bad, clause=bad),),
            pending=(PendingView(request=6, text=bad, who=bad, until_ns=1, approved_by=bad),),
        )
    )
    for name, html in shown.items():
        assert "<img" not in html, name
        assert "&lt;img" in html or name in {"heard", "calls", "acts", "faults"}, name


def test_every_section_is_more_than_its_frame_when_there_is_nothing_to_show() -> None:
    empty = render_sections(view(round=0, state="betting"))
    for name, html in empty.items():
        assert re.sub(r"<[^>]*>|\s", "", html), name


# ------------------------------------------------------------------ the style sheet


def colours(scheme: str) -> dict[str, str]:
    """The named colours of one of the two schemes; what has one value has it in both."""
    text, at = ASSETS["console.css"].decode(), ("light", "dark").index(scheme)
    one = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", text))
    return one | {
        name: both[at] for name, *both in re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", text)
    }


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@of_each("scheme", ["light", "dark"])
@of_each(
    "text, ground",
    [
        *((text, ground) for text in ("ink", "soft", "gold", "red-ink", "green") for ground in ("ground", "panel")),
        *((text, "panel") for text in ("win", "lose", "push", "held")),
        *((f"plate-{text}", "plate") for text in ("ink", "soft", "gold")),
        *((text, "plate") for text in ("win", "lose", "push", "held")),
        *((name + "-ink", name) for name in ("alarm", "warn", "blank", "button", "danger")),
        ("felt-ink", "felt-mid"),  # the lightest part of the felt
        ("red-ink", "red-ground"),
        ("ink", "field"),
        ("ink", "hover"),
    ],
)
def test_text_stands_out_from_what_it_stands_on(text: str, ground: str, scheme: str) -> None:
    named = colours(scheme)
    dark, light = sorted(luminance(named[name]) for name in (text, ground))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_what_pages_load_names_no_other_place() -> None:
    for name, content in ASSETS.items():
        text = content.decode().replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, name
        assert "//" not in re.sub(r"^\s*// .*$|; // .*$", "", text, flags=re.MULTILINE), name
        assert not re.search(r"\beval\b|innerHTML\s*\+=|document\.write", text), name


def test_what_an_owner_needs_of_the_console_loads_no_web_library() -> None:
    code = "import dealwire.hub.actions, dealwire.console.tokens, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"starlette", "uvicorn", "websockets", "jinja2", "asyncio"} & set(loaded)


PAGE = Path(__file__).parent.parent.parent / "docs" / "console.md"


@pytest.mark.more
def test_the_example_in_the_manual_runs() -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found
    done = subprocess.run([sys.executable, "-c", found[1]], capture_output=True, text=True, cwd=PAGE.parent.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:")


def test_the_manual_gives_the_bounds_and_a_tokens_file_that_works(tmp_path: Path) -> None:
    text = PAGE.read_text()
    found = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert found
    assert Tokens.read(tokens_file(tmp_path, found[1])).role_of("at least sixteen characters") == "dealer"
    for bound in (
        f"{board.WATCHERS_MAX} pages at once",
        f"{server.CONNECTIONS_MAX} connections",
        f"{HEADERS_MAX // 1024} KiB of headers",
        f"{sign_in.BODY_MAX // 1024} KiB of a form",
        f"{board.MESSAGE_MAX // 1024} KiB from a page's live connection",
        f"The first {replays.STEPS_MAX:,} steps",
        f"{replays.BYTES_MAX // 2**20} MiB",
        f"last {LOG_MAX} lines",
        f"newest {journals.ROUNDS_SHOWN} rounds",
    ):
        assert bound in " ".join(text.split()), bound
    for status, sign in words.SEAT_SIGNS.items():
        assert not sign or f"{sign} *{status}*" in text or f"{sign} *{status.upper()}*" in text
