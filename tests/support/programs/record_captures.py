"""Record `captures/` again: `dealwire sim` deals each scenario on real pseudo-terminals, `dealwire record` listens; the
session on USB is recorded from a rig. Names on the command line record only those.

The expected content of each recording is written here by hand, from the scenario and the clause; the test of the
captures compares. Frames and noise are counted by the independent decoder of the vectors, not by the code under test.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from dealer_flow.procedure.load import load_procedure
from devices.record.capture import Capture
from tests.support.evenings.procedure_rounds import STEPPED
from tests.support.oracles.wire_count import count_wire
from tests.support.programs import record_usb
from tests.support.programs.serve_evening import EVENINGS, HANDS, account_of
from tests.support.programs.serve_procedure import made, two_rounds
from tests.support.rigs.umockdev import missing_for_rigs

ROOT = Path(__file__).parents[3]
CAPTURES = ROOT / "captures"
SPEED = 20


@dataclass(frozen=True)
class Session:
    """One recording: its scenario, its purpose, and each round's outcome with the seats' status."""

    scenario: str
    shows: str
    rounds: list[str]
    seats: list[dict[str, str]] = field(default_factory=list)
    incidents: list[str] = field(default_factory=list)
    procedure: str = ""
    """Procedure that is dealt, if not Flushes Gone Wild."""
    dialect: str = ""
    """Dialect of the shoe, if there is one."""
    finish: list[int] = field(default_factory=list)
    """Number of cards after which each race ends, 0 for a race without a decision."""
    stepped: bool = False
    """True for two rounds of a procedure, made from its file."""
    evening: bool = False
    """True for one evening of a player-banked game, made by a seed."""
    chips: dict[str, int] = field(default_factory=dict)
    """Chips of each seat at the end, where they stay there from hand to hand."""
    terms: str = ""
    """Terms that a house must set before such a game settles, as keys of the index."""
    firmware: bool = False
    """True for a recording of the reference devices in C, which `make firmware` builds."""

    @property
    def stem(self) -> str:
        last = self.dialect or ("firmware" if self.firmware else "evening" if self.evening else "")
        return f"{self.scenario}.{last}" if last else self.scenario

    @property
    def name(self) -> str:
        return f"{self.stem}.pcapng"


THREE = {"1": "live", "3": "folded", "5": "live"}
ALL_LIVE = {"1": "live", "3": "live", "5": "live"}

SESSIONS = [
    Session("clean-1", "a clean round of one player", ["complete"], [{"4": "live"}]),
    Session("clean-3", "a clean round of three players, one of whom folds", ["complete"], [THREE]),
    Session(
        "clean-8",
        "a clean round of eight players: 5 + 8 x 5 + 5 cards leave a remainder of two",
        ["complete"],
        [{str(seat): "folded" if seat in (2, 5, 6, 7, 8) else "live" for seat in range(1, 9)}],
    ),
    Session(
        "player-short",
        "a player's packet of four, noticed by the shuffler: red lamp, dead hand, the table plays on (7)(I)",
        ["complete"],
        [{"1": "folded", "3": "dead", "5": "folded"}],
        ["seat-count-wrong"],
    ),
    Session(
        "player-short-unnoticed",
        "a player's packet of four that the shuffler counts as five: a person's count finds it",
        ["complete"],
        [{"1": "folded", "3": "dead", "5": "folded"}],
        ["counts-differ", "seat-count-wrong"],
    ),
    Session(
        "dealer-long",
        "a dealer's packet of six, nobody plays the progressive: misdeal, every bet comes back (7)(I)",
        ["misdeal"],
        [ALL_LIVE],
        ["dealer-count-wrong"],
    ),
    Session(
        "progressive-only",
        "a dealer's packet of six with a progressive bet on its sensor: hands play for the progressive alone (7)(I)",
        ["progressive-only"],
        [ALL_LIVE],
        ["dealer-count-wrong"],
    ),
    Session(
        "community-short",
        "a community packet of four: treated as the dealer's",
        ["misdeal"],
        [ALL_LIVE],
        ["community-count-wrong"],
    ),
    Session(
        "remainder-short",
        "a remainder one short: defective deck, every bet comes back (47.1-1036)",
        ["defective-deck"],
        [ALL_LIVE],
        ["cards-not-conserved"],
    ),
    Session(
        "noise",
        "line noise, lost bytes and flipped bits in mid-round: everything is read again, nothing is missing",
        ["complete"],
        [{"1": "live", "3": "folded", "5": "folded"}],
    ),
    Session(
        "power-cycle",
        "the shuffler loses power in mid-round: that round is unreliable, the next is dealt",
        ["unreliable", "complete"],
        [ALL_LIVE, THREE],
        ["session-changed", "power-lost"],
    ),
    Session(
        "two-rounds",
        "two full rounds; the second deck shuffles while the first is dealt",
        ["complete", "complete"],
        [THREE, {"1": "folded", "2": "live", "5": "live"}],
    ),
    Session(
        "recognition",
        "a shuffler that reads the faces it dispenses",
        ["complete"],
        [{"1": "live", "3": "folded", "5": "folded"}],
    ),
    Session("jam", "a card jam that the shuffler clears by itself", ["complete"], [THREE], ["jam"]),
    Session(
        "reveal-before-burn",
        "the community is shown before the burn: never settled",
        ["unreliable"],
        [THREE],
        ["reveal-before-burn"],
    ),
    Session(
        "wrong-burn",
        "positions 1, 2 and 4 are burned instead of 1, 2 and 5: never settled",
        ["unreliable"],
        [{"1": "live", "3": "folded", "5": "folded"}],
        ["wrong-burn"],
    ),
]

SESSIONS += [
    Session(
        "demo",
        "the reference devices in C: a clean round, a dead hand, a misdeal",
        ["complete", "complete", "misdeal"],
        [THREE, {"1": "folded", "3": "dead", "5": "live"}, ALL_LIVE],
        ["seat-count-wrong", "dealer-count-wrong"],
        firmware=True,
    ),
    Session(
        "power-cycle",
        "the reference shuffler in C loses power in mid-round: that round is unreliable, the next is dealt",
        ["unreliable", "complete"],
        [ALL_LIVE, THREE],
        ["session-changed", "power-lost"],
        firmware=True,
    ),
    Session(
        "clean-8",
        "the reference devices in C: eight players, a remainder of two",
        ["complete"],
        [{str(seat): "folded" if seat in (2, 5, 6, 7, 8) else "live" for seat in range(1, 9)}],
        firmware=True,
    ),
]

RACE = "race-to-the-flush"
PAIR = {"1": "live", "2": "live"}
EVERY = ("tdp", "angel-eye", "bee-tek")
NAMED = ["device-fault", "card-unread", "card-named"]


def races(
    scenario: str,
    shows: str,
    finish: list[int],
    incidents: list[str] | None = None,
    dialects: tuple[str, ...] = EVERY,
    outcome: str = "complete",
    first: dict[str, str] = PAIR,
) -> list[Session]:
    """Return a scenario at the shoe in some dialects; `outcome` is the first race's, the others are complete."""
    rounds = [outcome, *["complete"] * (len(finish) - 1)]
    seats = [first, *[PAIR] * (len(finish) - 1)]
    return [
        Session(scenario, f"{shows} ({dialect})", rounds, seats, incidents or [], RACE, dialect, finish)
        for dialect in dialects
    ]


SESSIONS += [
    *races("race-5", "five of a suit in five cards, RTF 4", [5], dialects=("tdp", "bee-tek")),
    *races(
        "race-5",
        "five of a suit in five cards, RTF 4; nobody acknowledges, so each report comes three times",
        [5],
        dialects=("angel-eye",),
    ),
    *races("race-11", "a race that ends at its eleventh card, RTF 4", [11]),
    *races("race-17", "no flush in sixteen cards, money is moved and the seventeenth is drawn, RTF 5-6", [17]),
    *races("race-unread", "the third card is not read: a supervisor names it and the race goes on", [11], NAMED),
    *races(
        "race-unnamed",
        "the third card is not read and nobody names it: never settled; the next race is",
        [0, 8],
        ["device-fault", "card-unread", "out-of-turn"],
        outcome="unreliable",
        first={"1": "live"},
    ),
    *races("race-overdraw", "a card drawn after the race is decided: noted", [11], ["card-overdrawn"]),
    *races(
        "race-cut-card",
        "the cut card in mid-race; the next race is dealt from another shoe",
        [11, 7],
        ["cut-card"],
        dialects=("tdp", "angel-eye"),
    ),
    *races(
        "race-error",
        "the reader's error mode and back",
        [11],
        ["device-fault"],
        dialects=("tdp", "angel-eye"),
    ),
    *races(
        "race-error",
        "an alarm whose code nobody knows in mid-race: never settled",
        [11],
        ["device-fault"],
        dialects=("bee-tek",),
        outcome="unreliable",
    ),
    *races(
        "race-noise",
        "noise and lost bytes in mid-race: what is said again is read again",
        [11],
        dialects=("tdp", "angel-eye"),
    ),
    *races(
        "race-noise",
        "noise and lost bytes in mid-race: said once, so a card is missing and nothing is settled",
        [0],
        ["events-lost"],
        dialects=("bee-tek",),
        outcome="unreliable",
    ),
]


TERMS = {"trips.co": 'readings = { high-hand-share = "50" }\nmeters = { pot = 0 }'}


def stepped(name: str) -> Session:
    """Return two rounds of a procedure; the expected results are read from its rows."""
    cases = made(name)
    rounds = two_rounds(cases)
    live = {str(seat): "live" for seat in cases.seats}
    seats = [live | {place.removeprefix("seat "): "dead" for place in case.dead if "seat" in place} for case in rounds]
    shows = f"{cases.procedure.title}: a clean round, and one with a wrong count: {rounds[1].name}"
    outcomes = [case.outcome for case in rounds]
    found, terms = cases.count_codes(rounds[1]), TERMS.get(name, "")
    return Session(name, shows, outcomes, seats, found, name, stepped=True, terms=terms)


def sessions() -> list[Session]:
    """Return the sessions above, two rounds of every other procedure, and the evenings of the player-banked games."""
    recorded = {session.procedure or "flushes-gone-wild.co" for session in SESSIONS}
    others = [stepped(name) for name in STEPPED if name not in recorded]
    return [*SESSIONS, *others, *map(evening, EVENINGS)]


def evening(name: str) -> Session:
    """Return an evening of a player-banked game; the expected result is its dealer's own account."""
    account, title = account_of(name), load_procedure(name).title
    shows = f"{title}: an evening of {HANDS} hands, players of three styles"
    shows += ", with what goes wrong when players bet" if account.chips else ", the last one misdealt"
    session = Session(name, shows, account.outcomes, account.seats, account.incidents, name, evening=True)
    return replace(session, chips=account.chips, terms=TERMS.get(name, ""))


def record(session: Session, folder: Path) -> Path:
    """Deal and record one scenario; return the file."""
    output = folder / session.name
    spoken = ["--shoe-dialect", session.dialect] if session.dialect else []
    sim = [sys.executable, "-m", "dealwire", "sim", "--scenario", session.scenario, "--speed", str(SPEED), "--json"]
    sim += spoken
    if session.stepped:
        sim = [sys.executable, "-m", "tests.support.programs.serve_procedure", session.procedure, str(SPEED)]
    if session.evening:
        sim = [sys.executable, "-m", "tests.support.programs.serve_evening", session.procedure, str(3 * SPEED)]
    if session.firmware:
        sim = [sys.executable, "-m", "tests.support.programs.serve_reference", session.scenario, str(SPEED)]
    with subprocess.Popen(sim, stdout=subprocess.PIPE, text=True, cwd=ROOT) as devices:
        assert devices.stdout is not None
        begun = devices.stdout.readline()
        if not begun:
            raise SystemExit(f"{session.stem}: the devices ended before they had a line")
        lines = json.loads(begun)["lines"]
        command = [sys.executable, "-m", "dealwire", "record", "--overwrite", "-o", str(output), "--timeout", "120"]
        command += ["--no-reconnect"]  # a recording ends where the devices left
        command += ["--controller", lines.pop("table-controller"), *spoken]
        command += [word for name, address in lines.items() for word in (f"--{name}", address)]
        command += ["--procedure", session.procedure] if session.procedure else []
        command += ["--no-settle"] if session.stepped or session.evening else []
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"{session.stem}: dealwire record gave {done.returncode}: {done.stderr}")
    return output


def received_by_line(capture: Capture) -> list[tuple[str, bytes]]:
    """Return dialect and received bytes of each recorded line that carried any."""
    received: dict[int, bytes] = {}
    for chunk in capture.chunks:
        if not chunk.sent:
            received[chunk.interface] = received.get(chunk.interface, b"") + chunk.data
    return [(capture.interfaces[line].dialect, data) for line, data in received.items()]


def describe(session: Session, path: Path) -> Iterator[str]:
    """Yield one entry of `index.toml`."""
    counts = [count_wire(data, dialect) for dialect, data in received_by_line(Capture.read(path))]
    yield "[[capture]]"
    yield f'file = "{session.name}"'
    yield f'shows = "{session.shows}"'
    if session.procedure:
        yield f'procedure = "{session.procedure}"'
    if session.finish:
        yield f"finish = {json.dumps(session.finish)}"
    yield f"frames = {sum(frames for frames, _ in counts)}"
    yield f"noise_bytes = {sum(noise for _, noise in counts)}"
    yield f"outcomes = {json.dumps(session.rounds)}"
    seats = [
        "{ " + ", ".join(f'"{seat}" = "{status}"' for seat, status in each.items()) + " }" for each in session.seats
    ]
    yield f"seats = [{', '.join(seats)}]"
    yield f"incidents = {json.dumps(session.incidents)}"
    if session.chips:
        chips = ", ".join(f'"{seat}" = {cents}' for seat, cents in session.chips.items())
        yield f"chips = {{ {chips} }}"
    if session.terms:
        yield session.terms
    yield f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"'
    yield ""


def main(only: list[str]) -> None:
    """Record every session, or those named, and write the index."""
    CAPTURES.mkdir(exist_ok=True)
    entries = [
        "# Written by `make captures`. What each recording must give is in tests/support/programs/record_captures.py.",
        "",
    ]
    for session in sessions():
        path = CAPTURES / session.name
        if not only or {session.scenario, session.stem} & set(only):
            record(session, CAPTURES)
            print(f"{session.name:<32} {path.stat().st_size:>7} bytes", flush=True)
        entries += describe(session, path)
    entries += usb_entry(only)
    (CAPTURES / "index.toml").write_text("\n".join(entries))


def usb_entry(only: list[str]) -> Iterator[str]:
    """Yield the entry of the session on USB, recorded again unless others were requested or the rig is unavailable."""
    path = CAPTURES / record_usb.NAME
    if missing_for_rigs() or (only and path.stem not in only):
        if missing_for_rigs():
            print(f"{path.name} stays as it is; system package missing: {missing_for_rigs()}", flush=True)
        index = tomllib.loads((CAPTURES / "index.toml").read_text())["capture"]
        seen = next(entry["seen"] for entry in index if entry["file"] == path.name)
    else:
        seen = record_usb.record_into(CAPTURES)
        print(f"{path.name:<32} {path.stat().st_size:>7} bytes", flush=True)
    return record_usb.describe(path, seen)


if __name__ == "__main__":
    main(sys.argv[1:])
