#!/usr/bin/env python3
"""Interfaces for Wireshark: a serial line, a serial server in the network, a recording as it grows.

Wireshark starts this file by itself and asks it what there is (extcap, see its manual). It stands alone and imports
little, because Wireshark waits for the answer. It listens: no byte goes to a device, and a list is given without
opening a port. Opening a serial port lets the system raise DTR and RTS, which no program can prevent.
"""

import os
import sys

VERSION = "1.0"
LINK_TYPE = 250
DIALECTS = ("tdp", "angel-eye", "bee-tek")
BAUD = {"tdp": 115200, "angel-eye": 4800, "bee-tek": 9600}
LINE, SERVER, RECORDING = "dealwire-line", "dealwire-server", "dealwire-recording"
AGAIN_S = 0.25
"""Between two looks at a recording that does not grow, or at a line that is gone."""


def ports() -> list[str]:
    """Serial adapters by the names that stay, else by those that the system gave; none is opened."""
    found: list[str] = []
    seen: set[str] = set()
    for folder, starts in (("/dev/serial/by-id", ("",)), ("/dev", ("ttyUSB", "ttyACM", "cu.usb"))):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, name)
            if name.startswith(starts) and os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                found.append(path)
    return found


def interfaces() -> None:
    """What there is to choose from."""
    print(f"extcap {{version={VERSION}}}{{help=https://www.wireshark.org/docs/man-pages/extcap.html}}")
    for path in ports():
        print(f"interface {{value={LINE}:{path}}}{{display=Card device on {path}}}")
    print(f"interface {{value={LINE}}}{{display=Card device on a serial line}}")
    print(f"interface {{value={SERVER}}}{{display=Card device behind a serial server}}")
    print(f"interface {{value={RECORDING}}}{{display=Recording of a table, as it grows}}")


def config(name: str) -> None:
    """What can be set before a capture."""
    kind, _, path = name.partition(":")
    arguments = []
    if kind == LINE:
        arguments.append(("address", "Serial port", "string", path or "/dev/ttyUSB0", "{required=true}"))
        arguments.append(("baud", "Speed, bits a second; 0 for the dialect's own", "unsigned", "0", ""))
    elif kind == SERVER:
        arguments.append(("address", "HOST:PORT of the serial server", "string", "", "{required=true}"))
    else:
        arguments.append(("address", "Recording (pcapng)", "fileselect", "", "{required=true}{mustexist=true}"))
    if kind != RECORDING:
        arguments.append(("dialect", "What is spoken", "selector", "tdp", ""))
    for number, (call, display, form, default, more) in enumerate(arguments):
        preset = f"{{default={default}}}" if default else ""
        print(f"arg {{number={number}}}{{call=--{call}}}{{display={display}}}{{type={form}}}{preset}{more}")
        for dialect in DIALECTS if form == "selector" else ():
            chosen = "true" if dialect == default else "false"
            print(f"value {{arg={number}}}{{value={dialect}}}{{display={dialect}}}{{default={chosen}}}")


def options(words: list[str]) -> dict[str, str]:
    """`--name value` and `--name=value`; a word that stands alone is true. What is not known is kept and not used."""
    found: dict[str, str] = {}
    at = 0
    while at < len(words):
        name, mark, value = words[at].partition("=")
        at += 1
        if not name.startswith("--"):
            continue
        if not mark and at < len(words) and not words[at].startswith("--"):
            value, at = words[at], at + 1
        found[name[2:]] = value
    return found


class Gone(Exception):
    """Wireshark closed the pipe: the capture ends."""


def put(out: int, data: bytes) -> None:
    """All of it, or Gone."""
    while data:
        try:
            data = data[os.write(out, data) :]
        except OSError as error:
            raise Gone from error


def block(kind: int, body: bytes) -> bytes:
    """One pcapng block."""
    size = (len(body) + 12).to_bytes(4, "little")
    return kind.to_bytes(4, "little") + size + body + size


def option(code: int, value: bytes) -> bytes:
    """One pcapng option."""
    return code.to_bytes(2, "little") + len(value).to_bytes(2, "little") + value + bytes(-len(value) % 4)


def packet(data: bytes, comment: str = "") -> bytes:
    """What was read just now, as an enhanced packet with the serial header; a note has no bytes."""
    import time

    now = time.time_ns()
    event = 2 if data else 0
    content = (
        (now // 10**9).to_bytes(4, "big") + (now // 1000 % 10**6).to_bytes(4, "big") + bytes((event, 0, 0, 0)) + data
    )
    head = bytes(4) + (now >> 32).to_bytes(4, "little") + (now & 0xFFFFFFFF).to_bytes(4, "little")
    size = len(content).to_bytes(4, "little")
    notes = option(2, (1).to_bytes(4, "little")) if data else option(1, comment.encode())
    return block(6, head + size + size + content + bytes(-len(content) % 4) + notes + option(0, b""))


def header(name: str, address: str, dialect: str, baud: int) -> bytes:
    """What a file of one line begins with."""
    words = f"dialect={dialect} line={os.path.basename(address)} baud={baud} format=8N1".replace("'", "")
    start = (0x1A2B3C4D).to_bytes(4, "little") + (1).to_bytes(2, "little") + bytes(2) + b"\xff" * 8
    about = option(2, name.encode()) + option(3, words.encode()) + option(9, b"\x09") + option(0, b"")
    link = LINK_TYPE.to_bytes(2, "little") + bytes(6)
    return block(0x0A0D0D0A, start + option(4, b"dealwire extcap") + option(0, b"")) + block(1, link + about)


def open_port(path: str, baud: int) -> int:
    """A serial port to read from and nothing else; its echo off before anything else, for an echo would be sent."""
    import termios

    port = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        settings = termios.tcgetattr(port)
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            raise OSError(22, f"the system has no speed of {baud}")
        settings[0] = settings[1] = settings[3] = 0
        settings[2] = termios.CS8 | termios.CREAD | termios.CLOCAL | settings[2] & termios.HUPCL
        settings[4] = settings[5] = speed
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        termios.tcsetattr(port, termios.TCSANOW, settings)
    except termios.error as error:
        os.close(port)
        raise OSError(error.args[0], error.args[1]) from error
    except BaseException:
        os.close(port)
        raise
    return port


def open_server(address: str) -> int:
    """A connection that only listens."""
    import socket

    host, _, number = address.removeprefix("tcp://").rpartition(":")
    try:
        line = socket.create_connection((host.strip("[]"), int(number)), 5)
    except ValueError as error:
        raise OSError(22, "an address is HOST:PORT") from error
    line.setblocking(False)
    return line.detach()


def watch(line: int, out: int) -> str:
    """Packets from a line until it is lost; gives why. Gone when Wireshark closed the pipe."""
    import select

    poll = select.poll()
    poll.register(line, select.POLLIN)
    poll.register(out, select.POLLERR)
    while True:
        for number, what in poll.poll():
            if number == out and what & (select.POLLERR | select.POLLHUP):
                raise Gone
            if number == out:
                continue
            try:
                data = os.read(number, 65536)
            except BlockingIOError:
                continue
            except OSError as error:
                return error.strerror or str(error)
            if not data:
                return "the other end closed it"
            put(out, packet(data))


def closed(out: int, seconds: float) -> None:
    """Wait so long; Gone when Wireshark closes the pipe meanwhile."""
    import select

    poll = select.poll()
    poll.register(out, select.POLLERR)
    if any(what & (select.POLLERR | select.POLLHUP) for _, what in poll.poll(int(seconds * 1000))):
        raise Gone


def listen(kind: str, out: int, given: dict[str, str]) -> None:
    """A line as packets, opened again when it was lost. One that cannot be opened at first is an error."""
    wanted = given.get("dialect", "")
    dialect = wanted if wanted in DIALECTS else "tdp"
    baud = int(given.get("baud") or 0) or BAUD[dialect]
    address, opened = given.get("address", ""), False
    while True:
        try:
            line = open_port(address, baud) if kind == LINE else open_server(address)
        except OSError:
            if not opened:
                raise
            closed(out, AGAIN_S)
            continue
        put(out, packet(b"", "line opened again") if opened else header(kind, address, dialect, baud))
        opened = True
        try:
            why = watch(line, out)
        finally:
            os.close(line)
        put(out, packet(b"", f"line lost: {why}"))


def follow(path: str, out: int) -> None:
    """The blocks of a recording, each as soon as it is whole, until Wireshark closes the pipe."""
    import stat

    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        raise OSError(22, "no file")
    held = b""
    while True:
        data = os.read(file, 1 << 20)
        held += data
        at = 0
        while len(held) - at >= 12:
            size = int.from_bytes(held[at + 4 : at + 8], "little")
            if size < 12 or size & 3 or size > 1 << 24:
                raise OSError(22, "no recording of dealwire, or damaged")
            if len(held) - at < size:
                break
            at += size
        put(out, held[:at])
        held = held[at:]
        if not data:
            closed(out, AGAIN_S)


def capture(name: str, given: dict[str, str]) -> int:
    """Write to Wireshark's pipe until it is closed; gives the exit code."""
    kind, _, path = name.partition(":")
    given.setdefault("address", path)
    out = os.open(given.get("fifo", ""), os.O_WRONLY)
    try:
        if kind == RECORDING:
            follow(given["address"], out)
        elif kind in (LINE, SERVER):
            listen(kind, out, given)
        sys.stderr.write(f"no such interface: {name}\n")
        return 2
    except Gone:
        return 0
    except OSError as error:
        sys.stderr.write(f"{given['address']}: {error.strerror or error}\n")
        return 1
    finally:
        os.close(out)


def main(words: list[str]) -> int:
    """Answer what Wireshark asks."""
    given = options(words)
    name = given.get("extcap-interface", "")
    if "extcap-interfaces" in given:
        interfaces()
    elif "extcap-dlts" in given:
        print(f"dlt {{number={LINK_TYPE}}}{{name=RTAC_SERIAL}}{{display=Serial line with direction}}")
    elif "extcap-config" in given:
        config(name)
    elif "capture" in given:
        import signal

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os._exit(0))
        return capture(name, given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
