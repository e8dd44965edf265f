"""Descriptors of an emulated USB device, byte for byte in the layout of USB 2.0, chapter 9."""

import struct
from dataclasses import dataclass

BULK = 2
INTERRUPT = 3
LANGUAGES = b"\x04\x03\x09\x04"


@dataclass(frozen=True)
class Description:
    """A device with one configuration and one interface. `endpoints` are address, transfer type, packet size."""

    vendor: int = 0x1209
    product: int = 0x0005
    serial: str = "SIM-0001"
    maker: str = "Test Works"
    model: str = "Bulk shuffler"
    interface_class: int = 0xFF
    endpoints: tuple[tuple[int, int, int], ...] = ((0x01, BULK, 64), (0x81, BULK, 64))

    @property
    def device(self) -> bytes:
        return struct.pack("<BBHBBBBHHHBBBB", 18, 1, 0x0200, 0, 0, 0, 64, self.vendor, self.product, 0x0100, 1, 2, 3, 1)

    @property
    def configuration(self) -> bytes:
        body = struct.pack("<9B", 9, 4, 0, 0, len(self.endpoints), self.interface_class, 0, 0, 0)
        for address, kind, packet in self.endpoints:
            body += struct.pack("<BBBBHB", 7, 5, address, kind, packet, 0)
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 1, 1, 0, 0x80, 50) + body

    @property
    def texts(self) -> tuple[str, str, str]:
        return (self.maker, self.model, self.serial)

    def descriptor(self, value: int) -> bytes | None:
        """Return the answer to GET_DESCRIPTOR for `wValue`; None for a stall."""
        kind, index = value >> 8, value & 0xFF
        if kind == 1:
            return self.device
        if kind == 2 and index == 0:
            return self.configuration
        if kind == 3 and index == 0:
            return LANGUAGES
        if kind == 3 and index <= 3:
            text = self.texts[index - 1].encode("utf-16-le")
            return bytes((2 + len(text), 3)) + text
        return None
