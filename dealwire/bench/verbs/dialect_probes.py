"""Probes by dialect."""

from typing import Final

from dealwire.bench.verbs.dialect_probe import AngelEyeProbe, BeeTekProbe
from dealwire.bench.verbs.gat_probe import GatProbe

PROBES: Final[dict[str, type[AngelEyeProbe] | type[BeeTekProbe] | type[GatProbe]]] = {
    "angel-eye": AngelEyeProbe,
    "bee-tek": BeeTekProbe,
    "gat": GatProbe,
}
