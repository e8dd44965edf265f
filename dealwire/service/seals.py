"""What seals the journal of a table service, and who can read the faces in it."""

from collections.abc import Iterator

from dealwire.config.schema import Configuration, JournalPart
from dealwire.journal.auditing import AuditorKey
from dealwire.journal.sealing import SealingKey, SealsWith


def load_seal(part: JournalPart) -> SealsWith | None:
    """The key that seals; None for a journal in the clear. KeyProblem when its file cannot be used."""
    if part.auditor_key_file is not None:
        return AuditorKey.load(part.auditor_key_file)
    return SealingKey.load(part.key_file) if part.key_file is not None else None


def reading_key(part: JournalPart) -> SealingKey | None:
    """What opens older rounds at the table: the key file, if it has one. To an auditor nothing is opened here."""
    return SealingKey.load(part.key_file) if part.key_file is not None else None


def seal_in_words(part: JournalPart) -> str:
    """Which of the three kinds it is, for a person."""
    if part.auditor_key_file is not None:
        return f"raw bytes are sealed to the auditor of {part.auditor_key_file.name}: nobody at the table reads them"
    if part.key_file is not None:
        return f"raw bytes are sealed with {part.key_file.name}: whoever has that file reads them, faces included"
    return "raw bytes lie in the clear: whoever has the journal reads them"


def faces_in_clear(configuration: Configuration) -> Iterator[str]:
    """A warning for each device that is known to read faces and whose bytes nothing seals."""
    part = configuration.journal
    if part.key_file is not None or part.auditor_key_file is not None:
        return
    for table in configuration.table:
        for device in table.device:
            if device.kind == "shoe":
                yield clear_warning(table.name, device.name)


def clear_warning(table: str, device: str) -> str:
    """What to do about faces in the clear."""
    return (
        f"{table}: {device} reads faces, and the journal keeps them in the clear: "
        "name auditor-key-file or key-file in [journal]"
    )


def leave_no_core() -> None:
    """A crash of this process writes no core file, in which keys and faces would be."""
    import resource  # not on every system, and `run` alone needs it

    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
