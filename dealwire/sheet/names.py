"""Title and section of the procedure and game that decided a round, if this program has the files."""

import json
from typing import Any, Final

from dealer_flow.editions import edition_ids, load_edition
from dealer_flow.procedure.load import Procedure, known_procedures, load_procedure
from dealer_flow.record.result import EditionRef, ProcedureRef
from dealwire.journal.records import SNAPSHOT, STARTED
from dealwire.journal.rounds import RoundReader
from dealwire.sheet.model import RulesFile
from protocol.errors import DealwireError
from rules.game.load import game_ids, load_game
from rules.settlement import GameRef

_UNKNOWN: Final = ProcedureRef("", "")


def procedure_of(reader: RoundReader, table: str, up_to: int) -> tuple[str, Procedure | None]:
    """Return the procedure's name in the table's settings, and the procedure, if this program can read it."""
    named = str(_settings(reader, table, up_to).get("procedure", "")) or _of_lines(reader, table)
    try:
        return named, load_procedure(named) if named else None
    except DealwireError:
        return named, None


def procedure_file(reader: RoundReader, table: str, up_to: int, ref: ProcedureRef | None) -> RulesFile:
    """Return the procedure; `ref` is its reference in a result, None for a round without a result."""
    named, loaded = procedure_of(reader, table, up_to)
    if ref is not None and (loaded is None or loaded.id != ref.id) and ref.id in known_procedures():
        loaded = load_procedure(ref.id)
    if loaded is None:
        return RulesFile((ref or _UNKNOWN).id or named, "", "", (ref or _UNKNOWN).sha256, None)
    own = loaded.ref()
    sha256 = ref.sha256 if ref is not None else own.sha256
    return RulesFile(own.id, loaded.title, loaded.clause, sha256, own.sha256 == sha256)


def game_file(ref: GameRef, section: str) -> RulesFile:
    """Return the game that settled; its section is that of its procedure."""
    if ref.id not in game_ids():
        return RulesFile(ref.id, "", section, ref.sha256, None)
    game = load_game(ref.id)
    return RulesFile(
        ref.id, f"{game.spec.name}, {game.spec.jurisdiction}", section, ref.sha256, game.sha256 == ref.sha256
    )


def edition_file(ref: EditionRef) -> RulesFile:
    """Return the edition under which a round was dealt; its section is the days it is in force."""
    if ref.id not in edition_ids():
        return RulesFile(ref.id, "", "", ref.sha256, None)
    own = load_edition(ref.id)
    return RulesFile(ref.id, own.part.title, own.days(), ref.sha256, own.ref == ref)


def _settings(reader: RoundReader, table: str, up_to: int) -> dict[str, Any]:
    """Return a table's settings at its last start, from its record or, if that was pruned, from a snapshot."""
    started, kept = reader.mark(STARTED, table, up_to), reader.mark(SNAPSHOT, table, up_to)
    try:
        if started is not None:
            return dict(json.loads(json.loads(started.payload)["configuration"]))
        if kept is not None:
            return dict(json.loads(reader.snapshot_of(kept, state=False).start.configuration))
    except (ValueError, KeyError, TypeError):  # a table of another program has other settings
        pass
    return {}


def _of_lines(reader: RoundReader, table: str) -> str:
    """Return the procedure for which the table's lines were registered."""
    return next((line.procedure for line in reader.lines().values() if line.table == table), "")
