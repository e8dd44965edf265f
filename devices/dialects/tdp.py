"""The project's own dialect: all kinds of devices, sessions, numbered events."""

from typing import Final

from devices.dialects.dialect import Dialect
from devices.dialects.drivers import DRIVERS, kind_of
from protocol.errors import BadPayload
from protocol.link import Link
from protocol.tdp.codec import decode, describe, describe_sealed
from protocol.tdp.extensions import describe_extension
from protocol.tdp.framing import Frame, Framer
from protocol.tdp.host_link import HostLink
from protocol.tdp.messages import FrameFlag, Role
from protocol.tdp.misframed import examine
from protocol.tdp.packets import VERSION_TEXT


def _link(kind: str, role: Role, listen: bool) -> Link:
    """Return a link. Without a kind it accepts any device."""
    expects = kind_of(kind, where="link").device_class if kind else None
    return HostLink(expects=expects, role=role, listen=listen)


def _explain(frame: Frame) -> dict[str, object]:
    """Return the content of a frame's body. A valid frame whose payload does not fit its layout has the kind `bad
    payload`. Of a sealed frame anyone sees the header and the length."""
    if frame.body[1] & FrameFlag.SEALED:
        return describe_sealed(frame.body)
    try:
        envelope = decode(frame.body)
        known = [describe_extension(envelope.message, *each) for each in envelope.extensions]
        return describe(envelope) | {"extensions": known}
    except BadPayload as error:
        return {"kind": "bad payload", "message_id": error.message_id, "why": error.why, "data": frame.body.hex()}


DIALECT: Final = Dialect(
    name="tdp",
    about=f"Table Device Protocol {VERSION_TEXT}, this project's own",
    baud=115200,
    drivers={name: kind.make for name, kind in DRIVERS.items()},
    make_link=_link,
    make_framer=Framer,
    explain=_explain,
    why_barren=lambda data: examine(data).mistake,
)
