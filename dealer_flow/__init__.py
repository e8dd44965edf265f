"""The dealing procedure of a game as a state machine: device events in, `RoundResult` out."""

from typing import TYPE_CHECKING

from protocol.lazy import lazy_exports

if TYPE_CHECKING:
    from dealer_flow.play.flow import DealerFlow as DealerFlow
    from dealer_flow.play.seen.legal import Legal as Legal
    from dealer_flow.play.seen.snapshot import Snapshot as Snapshot
    from dealer_flow.procedure.load import Procedure as Procedure
    from dealer_flow.procedure.load import check_procedure as check_procedure
    from dealer_flow.procedure.load import known_procedures as known_procedures
    from dealer_flow.procedure.load import load_procedure as load_procedure
    from dealer_flow.record.incidents import Incident as Incident
    from dealer_flow.record.result import RoundResult as RoundResult

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "dealer_flow.play.seen.legal": "Legal",
        "dealer_flow.play.flow": "DealerFlow",
        "dealer_flow.play.seen.snapshot": "Snapshot",
        "dealer_flow.procedure.load": "Procedure check_procedure known_procedures load_procedure",
        "dealer_flow.record.incidents": "Incident",
        "dealer_flow.record.result": "RoundResult",
    },
)
