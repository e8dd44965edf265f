"""A real Prometheus of the test's own, which reads the metrics at an address."""

import json
import shutil
import signal
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.rigs.brokers import eventually
from tests.support.rigs.ports import free_port

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
needs_prometheus = pytest.mark.skipif(
    PROMETHEUS is None or PROMTOOL is None, reason="prometheus is not installed (apt install prometheus)"
)

SETTINGS = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:
  - job_name: dealwire
    static_configs: [{{targets: ["{target}"]}}]
"""


class Prometheus:
    """Data of a Prometheus server, read through its HTTP interface."""

    def __init__(self, port: int) -> None:
        self._root = f"http://127.0.0.1:{port}"

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._root}/-/ready", timeout=2) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series that an expression gives now; raise AssertionError with Prometheus's error."""
        address = f"{self._root}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
        try:
            with urllib.request.urlopen(address, timeout=300) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from None
        result: list[dict[str, Any]] = found["data"]["result"]
        return result

    def alerts(self) -> set[str]:
        """Return the names of alerts that fire or are pending."""
        with urllib.request.urlopen(f"{self._root}/api/v1/alerts", timeout=300) as answer:
            return {each["labels"]["alertname"] for each in json.load(answer)["data"]["alerts"]}


@contextmanager
def reading_metrics(folder: Path, target: str, rules: str) -> Iterator[Prometheus]:
    """Run a Prometheus that reads `target` (host:port) once a second and evaluates `rules`, the text of a rule file."""
    assert PROMETHEUS is not None
    folder.mkdir()
    (folder / "rules.yml").write_text(rules)
    (folder / "prometheus.yml").write_text(SETTINGS.format(rules=folder / "rules.yml", target=target))
    port = free_port()
    command = [
        *(PROMETHEUS, f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"),
        *(f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"),
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            found = Prometheus(port)
            eventually(found.is_ready, "prometheus does not start")
            yield found
        finally:
            process.send_signal(signal.SIGKILL)
