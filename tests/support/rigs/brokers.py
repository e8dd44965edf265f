"""A real mosquitto of the test's own, and a reader that shares no code with ours."""

import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.support.rigs.patience import PATIENCE_S, wait_until
from tests.support.rigs.ports import free_port

MOSQUITTO = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed (apt install mosquitto)")


def eventually(holds: Callable[[], object], what: str) -> None:
    """Wait until `holds()`; fail with `what` if it never does."""
    wait_until(holds, what)


class Mosquitto:
    """A broker that may be killed and started again on the same port and the same memory."""

    KEEPS = ("persistence true", "autosave_interval 1", "max_queued_messages 0")

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder, self.port = folder, free_port()
        folder.mkdir(exist_ok=True)
        self._config = folder / "mosquitto.conf"
        self.configure(*settings)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def configure(self, *settings: str) -> None:
        lines = ["user root", f"listener {self.port} 127.0.0.1", f"persistence_location {self.folder}/"]
        if not any(line.startswith("allow_anonymous") for line in settings):
            lines.append("allow_anonymous true")
        self._config.write_text("\n".join([*lines, *settings]) + "\n")

    def start(self) -> None:
        assert MOSQUITTO is not None
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stdout=log, stderr=log)
        eventually(self._answers, "mosquitto does not start")

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()[-500:]
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Kill the broker; it has no time to save anything."""
        self.end(signal.SIGKILL)

    def restart(self) -> None:
        """Restart the broker in an orderly way: it saves."""
        self.end(signal.SIGTERM)
        self.start()

    def reload(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)

    def save(self) -> None:
        """Make the broker save its memory now."""
        assert self._process is not None
        before = self._saved_ns()
        self._process.send_signal(signal.SIGUSR1)
        eventually(lambda: self._saved_ns() > before, "mosquitto does not save")

    def _saved_ns(self) -> int:
        file = self.folder / "mosquitto.db"
        return file.stat().st_mtime_ns if file.exists() else 0


@contextmanager
def running_broker(folder: Path, *settings: str) -> Iterator[Mosquitto]:
    broker = Mosquitto(folder, *settings)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


def hang_up(client: paho.Client) -> None:
    """Disconnect, and close all its sockets.

    paho leaves the two by which its loop is woken to the garbage collector, which may meet them before the client.
    """
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()


class Reader:
    """Subscriber with a persistent session and all that it receives: paho alone, which reconnects automatically."""

    def __init__(self, port: int, topic: str, name: str = "reader", username: str = "") -> None:
        self.lines: dict[tuple[str, str, int], str] = {}
        """Lines by table, journal and sequence."""
        self.properties: dict[tuple[str, str, int], dict[str, str]] = {}
        """MQTT properties of each line."""
        self.doubles = 0
        self.doubles_before: dict[tuple[str, str, int], int] = {}
        """Number of lines that had been repeated by the time this one first arrived."""
        self.changed: list[tuple[str, str, int]] = []
        """Lines that came again with another content: there must be none."""
        self.others: list[tuple[str, str, bool]] = []
        """Messages that are no lines: topic, text, retained."""
        self._lock = threading.Lock()
        self._subscribed = threading.Event()
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=paho.MQTTv5)
        self._client.reconnect_delay_set(1, 1)
        if username:
            self._client.username_pw_set(username, username)
        self._client.on_connect = lambda client, *_: client.subscribe(topic, qos=1)
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = lambda _, __, message: self._take(message)
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 3600
        self._client.connect("127.0.0.1", port, keepalive=10, clean_start=False, properties=properties)
        self._client.loop_start()
        assert self._subscribed.wait(PATIENCE_S)

    def _take(self, message: paho.MQTTMessage) -> None:
        told = dict(getattr(message.properties, "UserProperty", ()))
        text = message.payload.decode("utf-8", "replace")
        with self._lock:
            if "sequence" not in told:
                self.others.append((message.topic, text, message.retain))
                return
            key = (told["table"], told["journal"], int(told["sequence"]))
            self.doubles += key in self.lines
            self.doubles_before.setdefault(key, self.doubles)
            self.properties[key] = told
            if self.lines.setdefault(key, text) != text:
                self.changed.append(key)

    def ask(self, topic: str, text: str | bytes) -> None:
        self._client.publish(topic, text, qos=1).wait_for_publish(PATIENCE_S)

    def keep(self, topic: str, text: str | bytes) -> None:
        self._client.publish(topic, text, qos=1, retain=True).wait_for_publish(PATIENCE_S)

    def copy(self) -> dict[tuple[str, str, int], str]:
        with self._lock:
            return dict(self.lines)

    def close(self) -> None:
        hang_up(self._client)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
