"""Pages printed from what stands beside the program: the vectors, which readers of the text wrote, the devices that are
broken on purpose, the faults of a line, and the numbers of the protocol for C."""

from docs._print import DOCS
from firmware import print_header
from tests.support.broken import devices
from tests.support.oracles import dialects_by_hand, vectors_by_hand
from tests.support.programs import fault_matrix


def pages() -> dict[str, str]:
    """Every file: path under `docs` -> text. The page of the bench is printed in part, after `docs._print.bench`."""
    return {
        "protocol-vectors.json": vectors_by_hand.render(),
        "dialects/angel-eye-vectors.json": dialects_by_hand.render(dialects_by_hand.angel_eye()),
        "dialects/bee-tek-vectors.json": dialects_by_hand.render(dialects_by_hand.bee_tek()),
        "bench.md": devices.published_page((DOCS / "bench.md").read_text(encoding="utf-8")),
        "reliability.md": fault_matrix.published((DOCS / "reliability.md").read_text(encoding="utf-8")),
        "../firmware/include/tdp_numbers.h": "\n".join([*print_header.lines(), ""]),
    }
