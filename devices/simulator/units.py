"""The three devices as units: a model behind its own end of the protocol."""

from random import Random

from devices.simulator import shuffler_commands
from devices.simulator.shoe import ShoeModel
from devices.simulator.shoe_tdp import TdpShoe
from devices.simulator.shuffler import ShufflerModel
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import Unit
from protocol.tdp.messages import Capability, DeviceClass
from protocol.tdp.outputs import Timing


def shuffler_unit(model: ShufflerModel, rng: Random, timing: Timing | None = None) -> Unit:
    """A packet shuffler on its line."""
    reads = Capability.CARD_RECOGNITION if model.recognition else Capability(0)
    return Unit(
        "shuffler",
        model,
        lambda request, command, now_ns: shuffler_commands.answer(model, request, command, now_ns),
        device_class=DeviceClass.SHUFFLER,
        capabilities=Capability.TWO_DECKS | Capability.COUNTS_PACKETS | Capability.HOST_LAMP | reads,
        rng=rng,
        timing=timing,
    )


def shoe_unit(model: ShoeModel, rng: Random) -> Unit:
    """A card-reading shoe that speaks TDP, on its line."""
    shoe = TdpShoe(model)
    reads = Capability.CARD_RECOGNITION
    return Unit("shoe", shoe, shoe.answer, device_class=DeviceClass.SHOE, capabilities=reads, rng=rng)


def controller_unit(model: TableControllerModel, rng: Random, timing: Timing | None = None) -> Unit:
    """A table controller on its line."""
    return Unit(
        "table-controller",
        model,
        model.answer,
        device_class=DeviceClass.TABLE_CONTROLLER,
        capabilities=Capability.LAYOUT_READER | Capability.BET_SENSORS,
        rng=rng,
        timing=timing,
    )
