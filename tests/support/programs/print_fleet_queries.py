"""`python -m tests.support.programs.print_fleet_queries`: print the answers in docs/fleet-queries.md again."""

import re
from pathlib import Path
from typing import Final

from tests.support.evenings.simulated_fleet import answered, fill_database
from tests.support.rigs.postgres import running_postgres

PAGE: Final = Path(__file__).parents[3] / "docs" / "fleet-queries.md"
PAIR: Final = re.compile(r"```sql\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)
"""A query, and its answer below it."""


def queries() -> list[tuple[str, str, str]]:
    """Return title, query and printed answer of each query, in the order of the page."""
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")[1:]
    return [(part.partition("\n")[0], *pair) for part in parts for pair in PAIR.findall(part)]


def main() -> None:
    """Query a temporary PostgreSQL, and write the page."""
    with running_postgres() as server:
        fill_database(server.dsn)
        text = PAGE.read_text(encoding="utf-8")
        fresh = PAIR.sub(lambda at: f"```sql\n{at[1]}```\n\n```text\n{answered(server.dsn, at[1])}```", text)
        server.forget()
    PAGE.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
