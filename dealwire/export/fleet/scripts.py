"""The SQL of the fleet's tables, which who prints it needs no database for."""

from importlib.resources import files
from typing import Final

BASE: Final = """CREATE SCHEMA IF NOT EXISTS dealwire;
CREATE TABLE IF NOT EXISTS dealwire.version (
    version integer PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT now()
);"""
"""What numbers the versions of the tables."""


def scripts() -> list[tuple[int, str]]:
    """Every version of the tables and the SQL that leads to it from the one before."""
    found = [entry for entry in files("dealwire.export.fleet").iterdir() if entry.name.endswith(".sql")]
    return sorted((int(entry.name.removesuffix(".sql")), entry.read_text(encoding="utf-8")) for entry in found)


def all_sql() -> str:
    """What makes the tables in an empty database; given to `psql`, it is one transaction."""
    parts = ["BEGIN;", BASE]
    for version, text in scripts():
        parts += [f"-- version {version}", text, f"INSERT INTO dealwire.version VALUES ({version});"]
    return "\n".join([*parts, "COMMIT;"])
