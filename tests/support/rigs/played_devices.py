"""A shoe and a table controller in a process of their own, at which a hand is played line by line, and a service that
may be killed between any two of them.

The lines are those of `hand_table`. What it reports of them is done at the simulated devices: the shoe is stacked with
the cards in their order, and a card that is pushed back comes out again by itself. `Hand.lines` are played one by one
with `PlayedDevices.play`, and the process waits in between for as long as it takes.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import devices.events as e
from dealwire.config.load import load_configuration
from dealwire.hub.hub import Hub
from dealwire.journal import SealingKey
from dealwire.rehearsal.betting_dealer import ACTIONS, MANNERS
from dealwire.service.service import Service
from devices.clock import SystemClock
from devices.line.loop import Member, Owner
from devices.simulator.host import SimulatorHost
from devices.simulator.shoe import ShoeModel
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import Unit, controller_unit, shoe_unit
from protocol.cards import DECK, Card
from protocol.tdp.messages import BadgeLevel, HandButtonMessage
from protocol.tdp.outputs import Timing
from tests.support.dealing.hand_table import HandTable

NAME: Final = "table-1"
SHOE, CONTROLLER = "shoe", "table-controller"
HUNG_S: Final = 120
PATIENT: Final = Timing(lost_ns=120_000_000_000)
"""The devices wait for a host that is started again: how long that takes is not what a test is about."""
CONFIGURATION: Final = """schema = "dealwire.table/1"
[journal]
path = "journal.sqlite"
key-file = "journal.key"
[[table]]
name = "{name}"
procedure = "{procedure}"
[table.options]
{options}
[[table.device]]
name = "shoe"
kind = "shoe"
address = "{shoe}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""


class PlayedHand:
    """A hand as reports of its devices, line by line, and the shoe that it is dealt from."""

    def __init__(self, procedure: str, lines: Sequence[str], options: Mapping[str, str]) -> None:
        self.procedure, self.lines, self.options = procedure, list(lines), dict(options)
        table = HandTable(procedure, **{name.replace("-", "_"): value for name, value in options.items()})
        self.bets = table.spots
        self.bodies: list[list[e.Body]] = []
        self.cards: list[Card] = []
        for line in lines:
            before = len(table.seen)
            table.play(line.split(" / "))
            self.bodies.append([seen.body for seen in table.seen[before:]])
        for body in (body for each in self.bodies for body in each):
            if isinstance(body, e.CardDrawn):
                self.cards.append(body.card)
            elif isinstance(body, e.CardPushedBack):
                self.cards.pop()


class PlayedTable:
    """Two devices without a dealer of their own: `do` carries out what a report says."""

    def __init__(self, hand: PlayedHand, seed: int) -> None:
        self.hand = hand
        self.shoe, self.controller = ShoeModel(Random(seed), boot_ns=1), TableControllerModel(boot_ns=1)
        self.units: dict[str, Unit] = {
            SHOE: shoe_unit(self.shoe, Random(seed + 1), PATIENT),
            CONTROLLER: controller_unit(self.controller, Random(seed + 2), PATIENT),
        }
        self.finished = False

    @property
    def next_deadline_ns(self) -> int | None:
        """Time of the next `tick`."""
        return min((due for unit in self.units.values() if (due := unit.next_deadline_ns) is not None), default=None)

    def power_on(self, now_ns: int) -> None:
        for unit in self.units.values():
            unit.power_on(now_ns)
            unit.tick(now_ns + 1)
        rest = [card for card in DECK if card not in self.hand.cards]
        self.shoe.fill(1, cards=[*self.hand.cards, *rest])
        self.shoe.begin()

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self.units[device].receive(data, now_ns)

    def tick(self, now_ns: int) -> None:
        for unit in self.units.values():
            unit.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        return b"".join(self.units[device].take_output())

    def do(self, body: e.Body, now_ns: int) -> None:
        """Carry out at the devices what this report says."""
        at, shoe = self.controller, self.shoe
        match body:
            case e.StakeShown(number, cents):
                at.show_stake(number, cents)
            case e.WagerPlaced(number, bet, cents):
                at.place_wager(number, bet, cents)
            case e.SpotSelected(number):
                at.select_spot(number)
            case e.GameStarted():
                at.start_game()
            case e.PlayerActed(number, action, cents, manner):
                at.player_acts(number, ACTIONS[e.BettingAction(action)], cents, *_manner(manner))
            case e.BurnStarted(count):
                shoe.burn(count)
            case e.CardDrawn(card=card):
                drawn = shoe.draw()
                assert drawn == card, (drawn, card)
            case e.CardPushedBack():
                shoe.push_back()
                shoe.clear()
            case e.HandRevealed(place, cards):
                at.reveal(place, cards)
            case e.HandButton(number, on):  # the simulated one has its buttons on in a game only
                at.say(HandButtonMessage, hand=number, on=int(on))
            case e.Confirmed():
                at.confirm()
            case e.BadgeSwiped(badge, level):
                at.swipe(badge, BadgeLevel[level.upper()])
            case e.PotTaken(pot, number, cents):
                at.take_pot(pot, number, cents)
            case e.GameEnded():
                at.end_game()
                shoe.end_round()
            case _:
                raise ValueError(f"nothing is done for {body}")
        for unit in self.units.values():
            unit.settle(now_ns)


def _manner(manner: str) -> list[Any]:
    return [MANNERS[e.Manner(manner)]] if manner else []


class _Orders(Member):
    """Takes the number of a line to play, or `?`: has the host everything? Answers with `.`, or with `1` or `0`."""

    def __init__(self, bench: SimulatorHost, table: PlayedTable, orders: int, answers: int) -> None:
        self._bench, self._table, self._orders, self._answers = bench, table, orders, answers

    def fileno(self) -> int:
        return self._orders

    def on_readable(self, now_ns: int) -> None:
        data = os.read(self._orders, 4096)
        if not data:
            os._exit(0)
        for word in data.decode().split():
            if word == "?":
                heard = all(unit.all_acknowledged for unit in self._table.units.values())
                os.write(self._answers, b"1" if heard else b"0")
                continue
            for body in self._table.hand.bodies[int(word)]:
                self._table.do(body, now_ns)
            self._bench.pump(now_ns)
            os.write(self._answers, b".")


class PlayedDevices:
    """The devices' process. `addresses` are those of its lines."""

    def __init__(self, hand: PlayedHand, seed: int) -> None:
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._orders)
                os.close(self._answers)
                _serve(hand, seed, orders, answers)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        os.close(orders)
        os.close(answers)
        said = b""
        while not said.endswith(b"\n"):
            said += os.read(self._answers, 4096)
        self.addresses: dict[str, str] = json.loads(said)

    def __enter__(self) -> PlayedDevices:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._orders)
        os.close(self._answers)

    def play(self, line: int) -> None:
        """Play the line with this number at the devices, whether a host listens or not."""
        os.write(self._orders, b"%d\n" % line)
        assert os.read(self._answers, 1) == b".", "the devices ended"

    def heard(self) -> bool:
        """Return True if the host has acknowledged everything."""
        os.write(self._orders, b"?\n")
        return os.read(self._answers, 1) == b"1"


def _serve(hand: PlayedHand, seed: int, orders: int, answers: int) -> None:
    clock, table = SystemClock(), PlayedTable(hand, seed)
    bench, owner = SimulatorHost(table, dict.fromkeys(table.units, "pty")), Owner(clock)
    for member in (bench, *bench.lines.values(), _Orders(bench, table, orders, answers)):
        owner.add(member)
    bench.start(clock.now_ns())
    os.write(answers, json.dumps(bench.addresses).encode() + b"\n")
    owner.run()


# ------------------------------------------------------------------ the service

PASSING: Final[dict[str, Any]] = {
    **dict.fromkeys(("sequence", "at_ns", "reported_ns", "lamp_since_ns", "devices", "log"), True),
    "outcomes": {"__all__": {"at_ns", "incidents"}},
    "settlement": {"at_ns"},
}
"""Of a view: when things were and how the lines are, which a restart changes; a line that was lost is an incident."""


def configured(folder: Path, hand: PlayedHand, addresses: Mapping[str, str]) -> Path:
    """Write the table's configuration."""
    key = folder / "journal.key"
    if not key.exists():
        SealingKey.new(key)
    file = folder / "table.toml"
    options = "\n".join(f'{name} = "{value}"' for name, value in hand.options.items())
    named = {"shoe": addresses[SHOE], "controller": addresses[CONTROLLER]}
    file.write_text(CONFIGURATION.format(name=NAME, procedure=hand.procedure, options=options, **named))
    return file


class KilledService:
    """The whole service, forked from a process that has imported everything. It says what its table shows."""

    def __init__(self, file: Path) -> None:
        self._looks, looks = os.pipe()
        asked, self._asks = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(file, asked, looks)
        os.close(asked)
        os.close(looks)

    def view(self) -> dict[str, Any]:
        """Return what the table shows now, without what passes; wait until the service is open."""
        os.write(self._asks, b"?")
        said = b""
        while not said.endswith(b"\n"):
            more = os.read(self._looks, 1 << 16)
            assert more, "the service ended by itself"
            said += more
        return dict(json.loads(said))

    def kill(self) -> None:
        """Kill it at once, without a signal that it could handle."""
        os.kill(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        os.close(self._looks)
        os.close(self._asks)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, "the service had ended by itself"


def _run(file: Path, asked: int, looks: int) -> None:
    try:
        signal.alarm(HUNG_S)
        out = os.open(file.with_name("said"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        logging.basicConfig(level=logging.WARNING, force=True)
        hub = Hub()
        with Service(load_configuration(file), hub) as service:
            threading.Thread(target=_watch, args=(hub, asked, looks), daemon=True).start()
            service.run()
            print("the service ended:", service.failed, flush=True)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _watch(hub: Hub, asked: int, looks: int) -> None:
    """Write the view of the table each time that somebody asks."""
    while os.read(asked, 1):
        line = hub.views()[NAME].model_dump_json(exclude=PASSING).encode() + b"\n"
        while line:
            line = line[os.write(looks, line) :]
