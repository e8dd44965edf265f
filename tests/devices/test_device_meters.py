"""Meters of simulated devices: after a session they equal the sum of the events; handles read them."""

from pathlib import Path
from random import Random

import pytest

from devices.drive.driving import open_device
from devices.drive.replay import play
from devices.record.capture import Capture
from devices.simulator.deck import Bay, Cards
from devices.simulator.device_meters import HOUR_NS, SHUFFLER_METERS, DeviceMeters
from devices.simulator.line import SimulatedDevice
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.unit import Unit
from protocol.errors import NotOffered
from protocol.faults import Fault
from protocol.places import REMAINDER
from protocol.tdp import messages as m
from protocol.tdp.instruments import Instruments
from protocol.tdp.messages import DeviceMeter as D
from tests.support.evenings.simulated_table import START_NS, Evening


def shown(meters: DeviceMeters, now_ns: int = START_NS) -> dict[int, int]:
    return {one.meter: one.shown for one in meters.readings(now_ns)}


SCENARIOS = ["clean-3", "two-rounds", "jam", "jam-stuck", "rejected-card", "deck-short", "door", "lifted-early"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_after_an_evening_they_are_what_the_events_add_up_to(scenario: str) -> None:
    evening = Evening(scenario)
    evening.run()
    found = shown(evening.table.shuffler.device_meters, evening.now_ns)
    faults = evening.of(m.FaultRaisedMessage)
    verified = evening.of(m.DeckVerifiedMessage)
    done = [one.counted for one in verified if one.counted == one.expected]
    expected = {
        D.PACKETS: len(evening.of(m.PacketDispensedMessage)),
        D.CARDS: sum(one.counted for one in evening.of(m.PacketDispensedMessage)),
        D.ROUNDS: len(evening.of(m.RemainderLiftedMessage)),
        D.SHUFFLES_DONE: len(done),
        D.CARDS_SHUFFLED: sum(done),
        D.DECKS: len(evening.of(m.DeckLoadedMessage)),
        D.JAMS: sum(one.fault == Fault.EXIT_JAM and one.value == 1 for one in faults),
        D.MISDEALS: len(evening.of(m.MisdealMessage)),
        D.REJECTED_CARDS: len(evening.of(m.CardRejectedMessage)),
        D.DOOR_OPENINGS: sum(one.open for one in evening.of(m.DoorMovedMessage)),
        D.POWER_CYCLES: 1,
    }
    assert {meter: found[meter] for meter in expected} == expected
    under_way = evening.table.shuffler.stage is not None
    started = len(evening.of(m.ShuffleStartedMessage))
    assert found[D.SHUFFLES_DONE] + found[D.SHUFFLES_FAILED] + under_way >= started
    assert found[D.SHUFFLES_DONE] + found[D.SHUFFLES_FAILED] <= started


def test_a_power_cut_leaves_them_alone_and_ends_a_shuffle() -> None:
    cards = Cards(Random(1))
    model = ShufflerModel(cards)
    cards.bring(1, REMAINDER, 0)
    model.power_on(0)
    while model.next_deadline_ns is not None:
        model.tick(model.next_deadline_ns)
    cards.gather(1, Bay.INPUT)
    assert model.load_deck(1, 10**10)
    while model.state is not m.ShufflerState.SHUFFLING:
        assert model.next_deadline_ns is not None
        model.tick(model.next_deadline_ns)
    before = shown(model.device_meters)
    model.power_off()
    after = shown(model.device_meters)
    assert after == before | {D.SHUFFLES_FAILED: 1}
    assert after[D.DECKS] == 1


def test_hours_are_whole_hours_under_power() -> None:
    meters = DeviceMeters(SHUFFLER_METERS)
    meters.power_on(0)
    meters.power_off(HOUR_NS - 1)
    assert shown(meters, 50 * HOUR_NS)[D.HOURS_POWERED] == 0
    meters.power_on(60 * HOUR_NS)
    assert shown(meters, 60 * HOUR_NS + 1)[D.HOURS_POWERED] == 1
    assert shown(meters, 62 * HOUR_NS)[D.POWER_CYCLES] == 2


def test_after_the_largest_number_comes_nought() -> None:
    meters = DeviceMeters(SHUFFLER_METERS)
    meters.count(D.PACKETS, 2**32 - 1)
    assert shown(meters)[D.PACKETS] == 2**32 - 1
    meters.count(D.PACKETS, 2)
    assert shown(meters)[D.PACKETS] == 1


@pytest.mark.parametrize("address", ["sim:shuffler?speed=50", "sim:shoe?speed=50", "sim:table-controller?speed=50"])
def test_every_kind_of_device_is_asked(address: str) -> None:
    with open_device(address) as device:
        readings = device.meters()
        said = device.verify(bytes(range(16)))
    assert {one.meter: one.shown for one in readings}[D.POWER_CYCLES] == 1
    assert (said.nonce, said.region, said.algorithm) == (bytes(range(16)), 0, 1)


def test_refused_commands_are_counted() -> None:
    with open_device("sim:shuffler?speed=50", role="operate", device="shuffler") as shuffler:
        with pytest.raises(Exception, match="refused"):
            shuffler.clear_misdeal(1, resume=True)
        with pytest.raises(Exception, match="bad parameter"):
            shuffler.verify(region=7)
        assert {one.meter: one.shown for one in shuffler.meters()}[D.COMMANDS_REFUSED] == 2


def test_a_device_without_them_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Unit.power_on

    def bare(unit: Unit, now_ns: int) -> None:
        unit.instruments = Instruments()
        make(unit, now_ns)

    monkeypatch.setattr(Unit, "power_on", bare)
    with open_device("sim:shoe?speed=50") as shoe:
        assert not shoe.identity.meters
        assert not shoe.identity.measures
        with pytest.raises(
            NotOffered, match=r"^ReadMeters: not supported by the device \(capability METERS\): it does not claim it$"
        ):
            shoe.meters()
        with pytest.raises(NotOffered, match="VERIFY"):
            shoe.verify()


def test_a_recording_with_them_is_dealt_again(tmp_path: Path) -> None:
    path = tmp_path / "asked.pcapng"
    with open_device("sim:shuffler?speed=50", role="operate", device="shuffler", record=path) as shuffler:
        shuffler.meters()
        shuffler.verify()
        dispensed = shuffler.dispense()
    again: list[object] = []
    play(Capture.read(path), lambda seen: again.append(seen.body))
    assert dispensed in again


def test_the_image_is_measured_as_it_is_given() -> None:
    device = SimulatedDevice("sim:shoe?speed=50")
    device._unit.image = b"damaged"
    assert device._unit.instruments.image is not None
    assert device._unit.instruments.image(0) == b"damaged"
    assert device._unit.instruments.image(1) is None
