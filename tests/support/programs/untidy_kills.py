"""A table service killed in the middle of an untidy hand, at every line of it.

    python -m tests.support.programs.untidy_kills HANDS [--seed N]

The hand has all that a restart could lose: a seat that sits out, a post, an action out of turn that stands open, one
that the floor takes back, a burn laid back on top, an all-in that cuts the pots, and a side pot that is won without a
showdown. The devices are processes of their own (`played_devices`), so that they go on while no service runs.

A service that is not killed deals it first: what its table shows after each line is what must be shown then, whoever
was killed before. Around each line, or each from one on, a service is killed: before it, so that the line is played
while nobody listens; at a random instant after it; or once the host has heard everything, and then the next one must
show the very same.

One thing differs by design. Once a line was silent, a card that seems to be burned too early is set aside, for the act
that it waits for may still come: until the betting is over, the shoe of the table that was not killed is ahead.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.support.rigs.patience import wait_until
from tests.support.rigs.played_devices import KilledService, PlayedDevices, PlayedHand, configured
from tests.support.rigs.serving import compared, published

READINGS: Final = ("taken-back", "stands", "binds")
MANNERS: Final = ("before", "at once", "heard")
"""Moment of a kill, by the line that is played."""
HAND: Final = """
stakes 1: 20000, 2: 20000, 3: 3000, 4: 20000, 5: 20000
acts 5: sit-out 0
bets 1: small-blind 100 / bets 2: big-blind 200
bets 4: post 200
start at 4
draw seat 1 9D 8D | seat 2 7C 2D | seat 3 AS AD | seat 4 KS KC
{first}
draw community 3H 4D 8H
acts 1: bet 2000
acts 4: call 2000
burn-card 5C / draw community JC
acts 1: check 0
acts 4: bet 5000
acts 1: fold 0
burn-card 6C
draw community QH
show community: 3H 4D 8H JC QH
show seat 3: AS AD
show seat 4: KS KC
takes 3: {main} / takes 4: 4000 of 2
end
"""
FIRST: Final = """acts 4: raise 600
acts 3: call 200
acts 4: raise 600
acts 1: raise 1500
acts 1: withdraw 0
acts 1: call 600
acts 2: call 600
burn-card 2C
push-back
acts 3: all-in 3000
burn-card 2C
acts 4: call 3000
acts 1: call 3000
acts 2: fold 600"""
"""Seat 3 is all-in with 3000, which seats 1 and 4 call; seat 2 gives up 600: 9600. Seats 1 and 4 bet 2000 more: 4000,
which seat 4 has once seat 1 does not call the next bet."""
FIRST_STANDS: Final = """acts 4: raise 600
burn-card 2C
push-back
acts 3: all-in 3000
acts 4: call 3000
acts 1: raise 6000
acts 1: withdraw 0
acts 1: call 3000
burn-card 2C
acts 2: fold 200"""
"""The same where the first raise stands: seat 2 gives up its blind alone."""
AHEAD: Final = ("community", "shoe")
"""Fields of a view that a burn which is set aside changes."""
SLOW_S: Final = 60.0
"""Longest time in which a service must show what is there; a busy machine is slow, not wrong."""


def untidy(reading: str) -> PlayedHand:
    """Return the hand where the house has this reading of an action out of turn."""
    lines = HAND.format(first=FIRST_STANDS if reading == "stands" else FIRST, main=main_pot(reading))
    return PlayedHand("holdem.co", [line for line in lines.splitlines() if line], {"out-of-turn": reading})


def main_pot(reading: str) -> int:
    """Return the cents of the main pot: three times 3000, and what seat 2 gives up."""
    return 9000 + given_up(reading)


def given_up(reading: str) -> int:
    return 200 if reading == "stands" else 600


@dataclass
class Figures:
    """Figures of a run, and everything that was wrong."""

    hands: int = 0
    kills: int = 0
    unheard: int = 0
    """Kills before the host had acknowledged the line."""
    alone: int = 0
    """Lines played while no service ran."""
    views: int = 0
    """Views compared."""
    wrong: list[str] = field(default_factory=list)


def views_of(folder: Path, hand: PlayedHand, seed: int) -> list[dict[str, Any]]:
    """Return what the table shows after each line to a service that is not killed."""
    found = list[dict[str, Any]]()
    with PlayedDevices(hand, seed) as devices:
        service = KilledService(configured(folder, hand, devices.addresses))
        try:
            for line in range(len(hand.lines)):
                devices.play(line)
                wait_until(devices.heard, "an acknowledgment")
                found.append(shown(service))
        finally:
            service.kill()
    return found


def shown(service: KilledService) -> dict[str, Any]:
    """Return what the table shows once it knows its devices: one that is up counts as unknown until its first status,
    which may be a second later."""
    end_s = time.monotonic() + SLOW_S
    while (view := service.view())["unknown"] is not None and time.monotonic() < end_s:
        time.sleep(0.005)
    return view


def killed_at(
    folder: Path,
    hand: PlayedHand,
    seed: int,
    wanted: Sequence[dict[str, Any]],
    found: Figures,
    *,
    first: int = 0,
    manners: Sequence[str] = MANNERS,
) -> None:
    """Deal the hand, and kill a service around each line from the `first` on."""
    random, silent = Random(seed), False
    with PlayedDevices(hand, seed) as devices:
        file = configured(folder, hand, devices.addresses)
        service: KilledService | None = KilledService(file)
        try:
            for line, words in enumerate(hand.lines):
                manner = random.choice(manners) if line >= first else "none"
                silent = silent or manner in ("before", "at once")
                if manner == "before":
                    service.kill()
                    service = None
                devices.play(line)
                at = _of(hand, line, wanted, silent=silent)
                if service is not None and manner in ("heard", "none"):
                    _compare(service, devices, words, at, found)
                    at = shown(service)
                elif service is not None:
                    time.sleep(random.uniform(0, 0.02))
                if manner != "none":
                    if service is not None:
                        found.unheard += not devices.heard()
                        service.kill()
                    found.kills, found.alone, silent = found.kills + 1, found.alone + (manner == "before"), True
                    service = KilledService(file)
                    _compare(service, devices, words, at, found)
                if found.wrong:
                    return
        finally:
            if service is not None:
                service.kill()
    found.hands += 1
    found.wrong += at_the_end(folder, hand.options["out-of-turn"])


def _of(hand: PlayedHand, line: int, wanted: Sequence[dict[str, Any]], *, silent: bool) -> dict[str, Any]:
    """Return what must be shown after a line. If a line of the table was silent before, that is nothing of the shoe
    from the first burn to the end of the betting."""
    burned = burn_of(hand)
    over = next(number for number, words in enumerate(hand.lines) if words.startswith("acts 2: fold"))
    aside = silent and burned <= line < over
    return {key: each for key, each in wanted[line].items() if not (aside and key in AHEAD)}


def burn_of(hand: PlayedHand) -> int:
    """Return the number of the line that burns a card too early."""
    return hand.lines.index("burn-card 2C")


def _compare(
    service: KilledService, devices: PlayedDevices, words: str, wanted: dict[str, Any], found: Figures
) -> None:
    """Wait until the host has heard everything, and the table shows what it must show after this line."""
    end_s = time.monotonic() + SLOW_S
    while not (devices.heard() and not (wrong := _unlike(service.view(), wanted))):
        if time.monotonic() > end_s:
            found.wrong.append(f"after {words!r}: {wrong}")
            break
        time.sleep(0.005)
    found.views += 1


def _unlike(view: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not as wanted: what they should be, and what they are."""
    return {key: (each, view[key]) for key, each in wanted.items() if each != view[key]}


def at_the_end(folder: Path, reading: str) -> list[str]:
    """Return what is wrong with the round and its settlement, which are published once."""
    rounds = [json.loads(item.line) for item in published(folder, "round")]
    settled = [json.loads(item.line) for item in published(folder, "settlement")]
    if [each["outcome"] for each in rounds] != ["complete"] or len(settled) != 1:
        return [f"{len(settled)} settlements of rounds {[(each['outcome'], each['incidents']) for each in rounds]}"]
    wrong, main, gone = list[str](), main_pot(reading), given_up(reading)
    pots = [(pot["cents"], {each["seat"]: each["cents"] for each in pot["winners"]}) for pot in settled[0]["pots"]]
    nets = {seat["seat"]: seat["net"] for seat in settled[0]["seats"]}
    paper = [(main, {3: main}), (4000, {4: 4000})], {1: -5000, 2: -gone, 3: main - 3000, 4: -1000}
    if (settled[0]["status"], pots, nets) != ("settled", *paper):
        wrong.append(f"{settled[0]['status']}: {pots}, {nets}; on paper: {paper}")
    if (differs := compared(folder).difference) is not None:
        wrong.append(f"dealt again: {differs}")
    return wrong


def run(folder: Path, hands: int, seed: int, readings: Sequence[str] = READINGS) -> Figures:
    """Deal so many hands, each reading in turn, and kill a service around every line of each; of every second one,
    from some line on."""
    found, views = Figures(), dict[str, list[dict[str, Any]]]()
    for number in range(hands):
        reading = readings[number % len(readings)]
        hand, at = untidy(reading), folder / str(number)
        if reading not in views:
            (calm := folder / f"calm-{reading}").mkdir()
            views[reading] = views_of(calm, hand, seed)
            found.wrong += at_the_end(calm, reading)
        at.mkdir()
        first = Random(seed + number).randrange(len(hand.lines)) if number % 2 else 0
        killed_at(at, hand, seed + number, views[reading], found, first=first)
        if found.wrong:
            break
        shutil.rmtree(at)
    return found


def main(arguments: Sequence[str]) -> int:
    options = argparse.ArgumentParser(prog="untidy_kills", description="A service killed in an untidy hand.")
    options.add_argument("hands", type=int)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="untidy-kills-") as folder:
        found = run(Path(folder), chosen.hands, chosen.seed)
    for line in found.wrong:
        print(line, file=sys.stderr)
    print(json.dumps(vars(found) | {"wrong": len(found.wrong)}))
    return 1 if found.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
