"""A procedure that stands on others, written out as one file from top to bottom, with its layers' own comments."""

from typing import Final

from dealer_flow import written_out as layers_written_out
from dealer_flow.procedure.layers import compose
from dealer_flow.procedure.schema import Procedure

_ORDER: Final = (
    *("schema", "id", "title", "jurisdiction", "clause", "device"),
    *(field.alias or name for name, field in Procedure.model_fields.items()),
)


def written_out(text: str, file: str) -> str:
    """The procedure with this text upon all that it stands on, as TOML that says the same and stands on nothing.
    ProcedureError as of `compose`."""
    whole = compose(text, file)
    return text if len(whole.layers) == 1 else layers_written_out.written_out(whole, _ORDER)
