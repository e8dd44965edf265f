"""Pages printed from what stands beside the program: the vectors, which readers of the text wrote, the devices that are
broken on purpose, the faults of a line, and the numbers of the protocol for C."""

from docs._print import DOCS
from firmware import print_header
from tests.support.broken import devices as broken_devices
from tests.support.oracles import dialects_by_hand as dialect_oracle
from tests.support.oracles import vectors_by_hand as vectors_oracle
from tests.support.programs import fault_matrix as reliability


def pages() -> dict[str, str]:
    """Every file: path under `docs` -> text. The page of the bench is printed in part, after `docs._print.bench`."""
    return {
        "protocol-vectors.json": vectors_oracle.render(),
        "dialects/angel-eye-vectors.json": dialect_oracle.render(dialect_oracle.angel_eye()),
        "dialects/bee-tek-vectors.json": dialect_oracle.render(dialect_oracle.bee_tek()),
        "bench.md": broken_devices.published((DOCS / "bench.md").read_text(encoding="utf-8")),
        "reliability.md": reliability.published((DOCS / "reliability.md").read_text(encoding="utf-8")),
        "../firmware/include/tdp_numbers.h": "\n".join([*print_header.lines(), ""]),
    }
