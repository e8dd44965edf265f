"""Pages printed from sources outside the program: test vectors written by readers of the text, deliberately broken
devices, line faults, and the numbers of the protocol for C."""

from docs._print import DOCS
from firmware import print_header
from tests.support.broken import devices
from tests.support.oracles import dialects_by_hand, gat_by_hand, seal_by_dissononce, vectors_by_hand
from tests.support.programs import fault_matrix


def pages() -> dict[str, str]:
    """Return every file by its path under `docs`. The bench's page is printed in part, after `docs._print.bench`."""
    return {
        "protocol-vectors.json": vectors_by_hand.render(),
        "protocol-seal-vectors.json": seal_by_dissononce.render(),
        "dialects/angel-eye-vectors.json": dialects_by_hand.render(dialects_by_hand.angel_eye()),
        "dialects/bee-tek-vectors.json": dialects_by_hand.render(dialects_by_hand.bee_tek()),
        "dialects/gat-vectors.json": gat_by_hand.written(),
        "bench.md": devices.published_page((DOCS / "bench.md").read_text(encoding="utf-8")),
        "reliability.md": fault_matrix.published((DOCS / "reliability.md").read_text(encoding="utf-8")),
        "../firmware/include/tdp_numbers.h": "\n".join([*print_header.lines(), ""]),
    }
