"""Movement of the cards when one of the shuffler's motions ends, or a hand interrupts it."""

from devices.simulator.deck import Bay
from devices.simulator.shuffler_core import ShufflerCore
from devices.simulator.shuffler_parts import RECOVERY_TRIES, MachineMishap, Motion, Preparation, RoundCounts
from devices.simulator.shuffler_states import ShufflerCause
from protocol.cards import NONE, UNREAD
from protocol.faults import Fault
from protocol.places import SHUFFLER, Place
from protocol.tdp import messages as m
from protocol.tdp.messages import DeviceMeter


def end_motion(model: ShufflerCore, now_ns: int) -> None:
    """End the current motion."""
    motion, model.motion = model.motion, None
    if motion is Motion.BOOT:
        model.begin(Motion.TEST, now_ns)
        model.settle(ShufflerCause.BOOTED, now_ns)
    elif motion is Motion.TEST:
        _tested(model, now_ns)
    elif motion is Motion.DISPENSE:
        _dispensed(model, now_ns)
    elif motion is Motion.RECOVER:
        _recovered(model, now_ns)
    elif motion is Motion.DUMP:
        _dumped(model, now_ns)


def _tested(model: ShufflerCore, now_ns: int) -> None:
    request, model.request = model.request, 0
    model.device_meters.count(DeviceMeter.SELF_TESTS)
    was_failed, model.sensor_failed = model.sensor_failed, not model.sensor_works
    if model.sensor_failed and not was_failed:
        model.say(m.FaultRaisedMessage, fault=Fault.SENSOR_FAILED, place=SHUFFLER, value=0)
    elif was_failed and not model.sensor_failed:
        model.say(m.FaultClearedMessage, fault=Fault.SENSOR_FAILED)
    if model.round and Fault.POWER_LOST_MID_ROUND not in model.latched:
        model.alarm(Fault.POWER_LOST_MID_ROUND)
    model.settle(ShufflerCause.TESTED, now_ns, request)


# ------------------------------------------------------------------ preparing a deck


def prepare(model: ShufflerCore, now_ns: int) -> None:
    """Start with the next deck if the chamber is free of the last one."""
    if model.round and model.round.remainder is None:
        return
    if model.cards.count(Bay.CHAMBER):
        _shuffle(model, now_ns)
    elif model.cards.count(Bay.INPUT):
        model.stage, model.stage_due_ns = Preparation.FEED, now_ns + model.durations.feed


def end_stage(model: ShufflerCore, now_ns: int) -> None:
    """End one stage of the preparation."""
    if model.stage is Preparation.FEED:
        model.cards.lift(Bay.INPUT, Bay.CHAMBER)
        _shuffle(model, now_ns)
        model.settle(ShufflerCause.FED, now_ns)
    elif model.stage is Preparation.SHUFFLE:
        model.cards.shuffle(Bay.CHAMBER)
        model.stage, model.stage_due_ns = Preparation.VERIFY, now_ns + model.durations.verify
        model.settle(ShufflerCause.SHUFFLED, now_ns)
    else:
        _verified(model, now_ns)


def _shuffle(model: ShufflerCore, now_ns: int) -> None:
    model.say(m.ShuffleStartedMessage, deck=_deck_in(model, Bay.CHAMBER))
    model.stage, model.stage_due_ns = Preparation.SHUFFLE, now_ns + model.durations.shuffle


def _verified(model: ShufflerCore, now_ns: int) -> None:
    model.stage = None
    counted, expected = model.cards.count(Bay.CHAMBER), model.game.cards
    model.verified = RoundCounts(deck=_deck_in(model, Bay.CHAMBER), loaded=counted)
    model.say(m.DeckVerifiedMessage, deck=model.verified.deck, expected=expected, counted=counted)
    complete = counted == expected
    model.device_meters.count(DeviceMeter.SHUFFLES_DONE if complete else DeviceMeter.SHUFFLES_FAILED)
    model.device_meters.count(DeviceMeter.CARDS_SHUFFLED, counted if complete else 0)
    if not complete:
        model.alarm(Fault.TOO_FEW_CARDS if counted < expected else Fault.TOO_MANY_CARDS, counted)
    model.settle(ShufflerCause.VERIFIED, now_ns)


# ------------------------------------------------------------------ packets


def _dispensed(model: ShufflerCore, now_ns: int) -> None:
    counts = _round(model)
    mishap = _mishap(model, len(counts.packets) + 1)
    if mishap.jam_tries > model.jam_tries:
        if not model.jam_tries:
            model.say(m.FaultRaisedMessage, fault=Fault.EXIT_JAM, place=SHUFFLER, value=1)
        model.begin(Motion.RECOVER, now_ns)
        model.progress(50)
        model.settle(ShufflerCause.JAMMED, now_ns)
        return
    model.jam_tries = 0
    size = _size(model)
    _go_astray(model, mishap)
    actual = model.cards.deal(Bay.CHAMBER, Bay.TRAY, max(size + mishap.by, 0))
    counted = actual if mishap.noticed else size
    _report_packet(model, size, counted)
    if counted != size:
        model.alarm(Fault.PACKET_SHORT if counted < size else Fault.PACKET_LONG, counted)
    if mishap.lost:
        model.alarm(Fault.CARD_LOST, mishap.lost)
    model.settle(ShufflerCause.OUT, now_ns)


def _report_packet(model: ShufflerCore, size: int, counted: int) -> None:
    """Report one more packet of its group. The last one closes the group."""
    counts = _round(model)
    counts.packets.append((size, counted))
    counts.in_group += 1
    counts.closed = counts.closed or counts.in_group == model.game.group(counts.group).count
    request, model.request = model.request, 0
    model.say(
        m.PacketDispensedMessage,
        request,
        deck=counts.deck,
        ordinal=len(counts.packets),
        expected=size,
        counted=counted,
        cards=_read(model, counted) if model.recognition else b"",
    )


def _read(model: ShufflerCore, counted: int) -> bytes:
    """Return the faces in the tray, as many as were counted."""
    faces = bytes(model.cards.faces(Bay.TRAY))[:counted]
    return faces + bytes([UNREAD]) * (counted - len(faces))


def _go_astray(model: ShufflerCore, mishap: MachineMishap) -> None:
    counts = _round(model)
    rejected = model.cards.deal(Bay.CHAMBER, Bay.REJECT, mishap.rejected)
    for face in reversed(model.cards.faces(Bay.REJECT)[:rejected]):
        counts.rejected += 1
        model.say(
            m.CardRejectedMessage, deck=counts.deck, card=face if model.recognition else NONE, fault=Fault.FLIPPED_CARD
        )
    model.cards.deal(Bay.CHAMBER, Bay.STUCK, mishap.slipped + mishap.lost)


def _recovered(model: ShufflerCore, now_ns: int) -> None:
    model.jam_tries += 1
    mishap = _mishap(model, len(_round(model).packets) + 1)
    if model.jam_tries >= mishap.jam_tries:
        model.say(m.FaultClearedMessage, fault=Fault.EXIT_JAM)
        model.begin(Motion.DISPENSE, now_ns)
    elif model.jam_tries < RECOVERY_TRIES:
        model.begin(Motion.RECOVER, now_ns)
    else:
        # the person who acknowledges the lamp has freed the cards, so the next try succeeds
        model.jam_tries = mishap.jam_tries
        model.owed = model.owed or Motion.DISPENSE
        model.alarm(Fault.EXIT_JAM, RECOVERY_TRIES)
    model.settle(ShufflerCause.RECOVERED, now_ns)


def lift_early(model: ShufflerCore, to: Place, now_ns: int) -> int:
    """Let a hand take the cards that came out so far. The packet ends there."""
    whole = model.motion_due_ns - model.motion_began_ns
    size = _size(model)
    share = (now_ns - model.motion_began_ns) * size // max(whole, 1)
    taken = model.cards.deal(Bay.CHAMBER, Bay.TRAY, min(share, size - 1))
    if not taken:
        return 0
    model.motion = None
    _report_packet(model, size, taken)
    model.say(m.PacketLiftedMessage, ordinal=len(_round(model).packets))
    model.cards.lift(Bay.TRAY, to)
    model.alarm(Fault.PACKET_LIFTED_EARLY, taken)
    _expect_next_packet(model)
    model.settle(ShufflerCause.LIFTED, now_ns)
    return taken


def tray_emptied(model: ShufflerCore, now_ns: int) -> None:
    """Report that a packet or the remainder was taken: the next packet comes, or the round is over for the device."""
    counts = _round(model)
    if counts.remainder is None:
        model.say(m.PacketLiftedMessage, ordinal=len(counts.packets))
        _expect_next_packet(model)
    else:
        model.say(m.RemainderLiftedMessage, deck=counts.deck)
        model.round = None
        model.device_meters.count(DeviceMeter.ROUNDS)
    model.settle(ShufflerCause.LIFTED, now_ns)


def _expect_next_packet(model: ShufflerCore) -> None:
    counts = _round(model)
    if not model.owed and not counts.closed and counts.left >= _size(model):
        model.owed = Motion.DISPENSE


def _size(model: ShufflerCore) -> int:
    return model.game.group(_round(model).group).cards


# ------------------------------------------------------------------ remainder


def _dumped(model: ShufflerCore, now_ns: int) -> None:
    counts = _round(model)
    stays = model.cards.count(Bay.TRAY) if model.packet_stays else 0
    if model.cards.count(Bay.TRAY) and not stays:
        counts.packets.pop()
    _go_astray(model, _mishap(model, 0))
    expected = counts.left
    model.cards.deal(Bay.CHAMBER, Bay.TRAY, model.cards.count(Bay.CHAMBER))
    counts.remainder = counted = model.cards.count(Bay.TRAY) - stays
    request, model.request = model.request, 0
    model.say(m.RemainderDumpedMessage, request, deck=counts.deck, expected=expected, counted=counted)
    if counted != expected:
        model.alarm(Fault.REMAINDER_COUNT_WRONG, counted)
    elif not model.cards.count(Bay.TRAY):
        model.round = None
        model.device_meters.count(DeviceMeter.ROUNDS)
    model.settle(ShufflerCause.DUMPED, now_ns)


def _mishap(model: ShufflerCore, ordinal: int) -> MachineMishap:
    return next((mishap for mishap in model.mishaps if mishap.ordinal == ordinal), MachineMishap(ordinal))


def _round(model: ShufflerCore) -> RoundCounts:
    if model.round is None:
        raise AssertionError("a deal moves cards only in a round")
    return model.round


def _deck_in(model: ShufflerCore, bay: Bay) -> int:
    return model.cards.backs([bay])[0]
