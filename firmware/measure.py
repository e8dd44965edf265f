"""Size of the images for the bare boards: flash of core and class, RAM, and the deepest stack along the call graph.

    python firmware/measure.py build/firmware/mps2-an385 shoe shuffler …

There is no recursion, and there are no function pointers except those of the class table, so the depth can be computed:
the stack frame and the calls of each function are read from its machine code. Exit code 1 above the budget.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FLASH_MAX: Final = 12 * 1024
"""Maximum flash in bytes of core and class of a device together."""
SEAL_FLASH_MAX: Final = 20 * 1024
"""Maximum flash in bytes of the sealed line and the signed measurement besides, with what they use of Monocypher."""
GAT_MAX: Final = 13 * 256
"""Maximum flash in bytes of the GAT line: its device's end and SHA-1."""
GAT: Final = ("gat", "sha1")
RAM_MAX: Final = 20 * 1024
"""Maximum RAM in bytes of a whole image: events, everything else, and the deepest stack."""
CORE: Final = ("frame", "store", "link", "commands", "events", "meters", "verify", "sha256")
SEAL: Final = ("seal", "pairing", "keys", "attest", "noise", "curve", "ed25519", "sha512")
EXCEPTION_FRAME: Final = 36
"""Bytes that the processor pushes at an interrupt, including the word that keeps the stack aligned."""

READS: Final = ("tdp_ram_read", "fram_read")
WRITES: Final = ("tdp_ram_write", "tdp_ram_barrier", "fram_write", "fram_barrier")
INDIRECT: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (r"fetch_head|take_head|ring_read|size_at|drop_oldest|store_(skip|at|read)", frozenset({*READS})),
    (r"store_(load|save|append|keep|begin)|ring_write|tdp_save|take_kept", frozenset({"mid_round", *READS, *WRITES})),
    (r"keys_(load|save)|load|fetch", frozenset({*READS, *WRITES})),
    (r"pairing_is_on|tdp_pair|tdp_forget", frozenset({"opened"})),
    (r"send_stuffed|link_send", frozenset({"put_to_host"})),
    (r"send_status|link_state|status_is_stale|tdp_progress|make_reply", frozenset({"status", "put_to_host"})),
    (r"device_hear|hear|listen_to_hands", frozenset({"act"})),
    (r"heard|tdp_start", frozenset({"host", "start", "status", "put_to_host"})),
    (r"tdp_tick", frozenset({"host", "tick", "status", "put_to_host"})),
    (r"shuffler_.*|end_.*", frozenset({"status", "put_to_host"})),
    (
        r"tdp_byte|take_frame|commands_take|follow_up|judge",
        frozenset({"obey", "shuffler_obey", "host", "status", "put_to_host"}),
    ),
    (r"main", frozenset({"switch_on", "act", "host", "obey", "shuffler_obey", "tick", "status", "put_to_host"})),
)
"""Functions that a function may call through a pointer, by the names in the source. Any other indirect call is refused.
"""


@dataclass
class Function:
    """One function: its stack frame in bytes, the addresses it calls, and whether it calls through a pointer."""

    name: str
    frame: int = 0
    calls: set[int] = field(default_factory=set)
    indirect: bool = False


def flash_of(path: Path) -> int:
    """Return the size of code and constants of an object file."""
    from elftools.elf.constants import SH_FLAGS
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        wanted = [
            section["sh_size"]
            for section in ELFFile(file).iter_sections()
            if section["sh_type"] == "SHT_PROGBITS"
            and section["sh_flags"] & SH_FLAGS.SHF_ALLOC
            and not section.name.startswith((".ARM", ".store"))
        ]
    return sum(wanted)


def flash_in(path: Path, image: Path) -> int:
    """Return the size of those sections of an object file that are in the image: the linker drops a section whose
    functions and constants nothing uses."""
    from elftools.elf.elffile import ELFFile

    if not path.exists():
        return 0
    with path.open("rb") as file, image.open("rb") as linked:
        used = {symbol.name for symbol in ELFFile(linked).get_section_by_name(".symtab").iter_symbols()}
        elf = ELFFile(file)
        sections = list(elf.iter_sections())
        kept = {
            symbol["st_shndx"]
            for symbol in elf.get_section_by_name(".symtab").iter_symbols()
            if symbol["st_info"]["type"] in ("STT_FUNC", "STT_OBJECT") and symbol.name in used
        }
        unnamed = {at for at, section in enumerate(sections) if section.name.startswith((".rodata.cst", ".rodata.str"))}
        wanted = [sections[at] for at in kept | unnamed if isinstance(at, int)]
    return sum(s["sh_size"] for s in wanted if s["sh_type"] == "SHT_PROGBITS" and s.name.startswith((".text", ".ro")))


def ram_of(path: Path) -> dict[str, int]:
    """Return the RAM in bytes by section, without the stack."""
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        return {s.name: s["sh_size"] for s in ELFFile(file).iter_sections() if s.name in (".store", ".data", ".bss")}


def functions_of(path: Path) -> dict[int, Function]:
    """Return every function of an image by its address."""
    import capstone
    from elftools.elf.elffile import ELFFile

    with path.open("rb") as file:
        elf = ELFFile(file)
        text = elf.get_section_by_name(".text")
        base, code = text["sh_addr"], text.data()
        symbols = [s for s in elf.get_section_by_name(".symtab").iter_symbols() if s["st_info"]["type"] == "STT_FUNC"]
    found: dict[int, Function] = {}
    decoder = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
    for symbol in symbols:
        start, size = symbol["st_value"] & ~1, symbol["st_size"]
        function = found.setdefault(start, Function(symbol.name))
        for each in decoder.disasm(code[start - base : start - base + size], start):
            _take(function, each, start, start + size)
    return found


def _take(function: Function, each: Any, start: int, end: int) -> None:
    """Process one instruction: what it pushes, reserves or calls."""
    name, operands = each.mnemonic.removesuffix(".w"), each.op_str
    if name == "push" or (name == "stmdb" and operands.startswith("sp!")):
        function.frame += 4 * _registers(operands)
    elif name in ("sub", "subw") and operands.startswith("sp"):
        function.frame += int(operands.rpartition("#")[2], 0)
    elif name == "str" and operands.endswith("]!") and "[sp, #-" in operands:
        function.frame += int(operands.partition("#-")[2].rstrip("]!"), 0)
    elif name == "blx" or (name == "bx" and operands != "lr"):
        function.indirect = True
    elif name.startswith("b") and operands.startswith("#"):
        target = int(operands[1:], 0)
        if not start <= target < end or name == "bl":
            function.calls.add(target)


def _registers(operands: str) -> int:
    inside = operands[operands.index("{") + 1 : operands.index("}")]
    return len(inside.split(","))


def deepest(functions: dict[int, Function], at: int, path: tuple[int, ...] = ()) -> tuple[int, list[str]]:
    """Return the stack in bytes from a function on, and the path to its deepest point. Raise SystemExit at a
    recursion."""
    if at in path:
        raise SystemExit(f"recursion: {' > '.join(functions[each].name for each in (*path, at))}")
    function = functions[at]
    below = [deepest(functions, each, (*path, at)) for each in _called(functions, function)]
    depth, way = max(below, default=(0, []))
    return function.frame + depth, [function.name, *way]


def _called(functions: dict[int, Function], function: Function) -> Iterator[int]:
    yield from (each for each in function.calls if each in functions)
    if function.indirect:
        names = next((names for pattern, names in INDIRECT if re.fullmatch(pattern, function.name)), None)
        if names is None:
            raise SystemExit(f"{function.name} calls through a pointer; say in measure.py whom")
        yield from (at for at, each in functions.items() if each.name in names)


def report(folder: Path, device: str) -> bool:
    """Print one device's figures. Return True if they are within the budget."""
    core = sum(flash_of(folder / f"{name}.o") for name in CORE)
    own = sum(flash_of(path) for path in (folder / f"{device}.o", *folder.glob(f"{device}_*.o")))
    sealed = sum(flash_in(folder / f"{name}.o", folder / f"{device}.elf") for name in SEAL)
    ram = ram_of(folder / f"{device}.elf")
    functions = functions_of(folder / f"{device}.elf")
    by_name = {function.name: at for at, function in functions.items()}
    depth, way = deepest(functions, by_name["reset_handler"])
    handlers = [at for name, at in by_name.items() if name.endswith("_handler") and name != "reset_handler"]
    interrupt = max(deepest(functions, at)[0] for at in handlers)
    stack = depth + EXCEPTION_FRAME + interrupt
    total = sum(ram.values()) + stack
    image = (folder / f"{device}.bin").stat().st_size
    print(f"{folder.name} {device}: flash {core} core + {own} class = {core + own} of {FLASH_MAX} bytes; image {image}")
    print(f"  sealed line {sealed} of {SEAL_FLASH_MAX} bytes")
    working = ram.get(".data", 0) + ram.get(".bss", 0)
    print(f"  RAM {ram.get('.store', 0)} store + {working} working + {stack} stack = {total} of {RAM_MAX} bytes")
    print(f"  deepest stack {depth} + {EXCEPTION_FRAME + interrupt} interrupt: {' > '.join(way)}")
    return core + own <= FLASH_MAX and sealed <= SEAL_FLASH_MAX and total <= RAM_MAX


def report_gat(folder: Path) -> bool:
    """Print the flash of the GAT line. Return True if it is within the budget."""
    flash = sum(flash_of(folder / f"{name}.o") for name in GAT)
    print(f"{folder.name} GAT line: flash {flash} of {GAT_MAX} bytes")
    return flash <= GAT_MAX


def main(folder: str, *devices: str) -> int:
    """Run the command and return its exit code."""
    within = [report(Path(folder), device) for device in devices] + [report_gat(Path(folder))]
    if not all(within):
        print("above the budget", file=sys.stderr)
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
