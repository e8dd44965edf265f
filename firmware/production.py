"""Write a page of keys for a board: the keys of one device, from the file of its identity.

    python -m firmware.production IDENTITY PAGE

PAGE is written private, as 1 KiB for the last page of a board's flash, at 3FC00h. The program in the board uses what
lies there; an erased page holds no keys. `dealwire device attest certify` makes IDENTITY.
"""

from __future__ import annotations

import argparse
import struct
import sys
import zlib
from pathlib import Path
from typing import Final

from devices.files import create_file
from devices.simulator.identity import Identity
from protocol.errors import LocalError

PAGE_AT: Final = 0x3FC00
"""Address of the page; the boards' link.ld keep it free."""
PAGE_BYTES: Final = 1024
MARK: Final = b"TDP key1"
ERASED: Final = b"\xff"


def page_of(identity: Identity) -> bytes:
    """Return the page: mark, X25519 key, Ed25519 seed, maker's signature, 1 if certified, CRC-32 of all before it."""
    signature = identity.signature or bytes(64)
    keys = MARK + identity.secret + identity.seed + signature + bytes([identity.signature is not None])
    return (keys + struct.pack("<I", zlib.crc32(keys))).ljust(PAGE_BYTES, ERASED)


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    asked = argparse.ArgumentParser(prog="python -m firmware.production", description=__doc__.partition("\n")[0])
    asked.add_argument("identity", type=Path, help="file with the device's keys, which only its user can read")
    asked.add_argument("page", type=Path, help="file to write, for 3FC00h in the flash")
    options = asked.parse_args(words)
    try:
        page = page_of(Identity.read(options.identity))
        with create_file(options.page) as file:
            file.write(page)
    except LocalError as error:
        print(f"production: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"production: {options.page}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"{options.page}: write it at {PAGE_AT:05X}h, lock the flash against reading, and destroy it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
