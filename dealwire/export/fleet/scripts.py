"""SQL of the fleet's tables. Printing it needs no database."""

from importlib.resources import files
from typing import Final

BASE: Final = """CREATE SCHEMA IF NOT EXISTS dealwire;
CREATE TABLE IF NOT EXISTS dealwire.version (
    version integer PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT now()
);"""
"""SQL that creates the table of versions."""


def scripts() -> list[tuple[int, str]]:
    """Return every version of the tables with the SQL that leads to it from the version before."""
    found = [entry for entry in files("dealwire.export.fleet").iterdir() if entry.name.endswith(".sql")]
    return sorted((int(entry.name.removesuffix(".sql")), entry.read_text(encoding="utf-8")) for entry in found)


def all_sql() -> str:
    """Return the SQL that creates the tables in an empty database, as one transaction for `psql`."""
    parts = ["BEGIN;", BASE]
    for version, text in scripts():
        parts += [f"-- version {version}", text, f"INSERT INTO dealwire.version VALUES ({version});"]
    return "\n".join([*parts, "COMMIT;"])
