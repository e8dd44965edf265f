"""Sealing of a service's journal, and who can read the faces in it."""

from collections.abc import Iterator

from dealwire.config.schema import Configuration, JournalPart
from dealwire.journal.auditing import AuditorKey
from dealwire.journal.sealing import SealingKey, SealsWith
from dealwire.journal.signing import SigningPair


def load_seal(part: JournalPart) -> SealsWith | None:
    """Return the key that seals; None for an unsealed journal. KeyProblem if its file cannot be used."""
    if part.auditor_key_file is not None:
        return AuditorKey.load(part.auditor_key_file)
    return SealingKey.load(part.key_file) if part.key_file is not None else None


def reading_key(part: JournalPart) -> SealingKey | None:
    """Return the key that opens older rounds at the table: the key file, if there is one. With an auditor nothing is
    opened here."""
    return SealingKey.load(part.key_file) if part.key_file is not None else None


def load_signer(part: JournalPart) -> SigningPair | None:
    """Return the key that signs checkpoints, if one is named. KeyProblem if its file cannot be used."""
    return SigningPair.load(part.signing_key_file) if part.signing_key_file is not None else None


def seal_in_words(part: JournalPart) -> str:
    """Return which of the three kinds of sealing is used, as text."""
    if part.auditor_key_file is not None:
        return f"raw bytes are sealed to the auditor of {part.auditor_key_file.name}: no one at the table can read them"
    if part.key_file is not None:
        return (
            f"raw bytes are sealed with {part.key_file.name}: anyone with that file can read them, card faces included"
        )
    return "raw bytes are not sealed: anyone with the journal can read them"


def faces_in_clear(configuration: Configuration) -> Iterator[str]:
    """Yield a warning for each device that reads faces while nothing seals its bytes."""
    part = configuration.journal
    if part.key_file is not None or part.auditor_key_file is not None:
        return
    for table in configuration.table:
        for device in table.device:
            if device.kind == "shoe":
                yield clear_warning(table.name, device.name)


def clear_warning(table: str, device: str) -> str:
    """Return the warning about unsealed faces."""
    return (
        f"{table}: {device} reads card faces, and the journal stores them unsealed: "
        "set auditor-key-file or key-file in [journal]"
    )


def leave_no_core() -> None:
    """Disable core files, which would contain keys and faces."""
    import resource  # not on every system, and only `run` needs it

    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
