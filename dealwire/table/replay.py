"""Replay of a recording in one call."""

from collections.abc import Iterator
from pathlib import Path

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealwire.table.table import Table, TableOutcome, TableTerms
from devices.drive.replay import CaptureUnplayable, PlayStats, reports
from devices.events import Seen
from devices.record.capture import Capture, CaptureError
from rules.game.load import game_id_of, load_game
from rules.game.pairing import check_fit


def usual_table(procedure: str, *, name: str = "table-1") -> Table:
    """Return a table that follows a procedure (id or file) and settles if a game exists, with all defaults."""
    loaded = load_procedure(procedure)
    game_id = game_id_of(loaded.id)
    if game_id is None:
        return Table(loaded, None, name=name)
    game = load_game(game_id, {loaded.id: procedure})
    check_fit(game, procedure)
    return Table(loaded, TableTerms(game), name=name)


def replay(path: str | Path, table: Table | None = None) -> Iterator[TableOutcome]:
    """Replay the capture file `path` and yield each `Incident`, `RoundResult` and `Settlement`.

    Without a `table`, use one that follows the procedure named in the recording, with every default. CaptureError at
    once if the file cannot be played; CaptureCorrupt after everything before the damage.
    """
    capture = Capture.read(path)
    if table is None:
        if capture.procedure not in known_procedures():  # an id, never a path: a recording must not select files
            named = f"{capture.procedure[:64]!r}, no procedure known here" if capture.procedure else "no procedure"
            raise CaptureUnplayable(capture.path, "", f"it names {named}; give a table that follows one")
        table = usual_table(capture.procedure)
    return _outcomes(reports(capture, PlayStats()), table)


def _outcomes(heard: Iterator[Seen], table: Table) -> Iterator[TableOutcome]:
    try:
        for seen in heard:
            yield from table.handle(seen)
    except CaptureError:
        yield from table.finish()
        raise
    yield from table.finish()
