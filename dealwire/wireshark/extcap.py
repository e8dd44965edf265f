#!/usr/bin/env python3
"""Capture interfaces for Wireshark: a serial line, a network serial server, a growing recording.

Wireshark starts this file and asks for its interfaces (extcap, see its manual). The file is self-contained and imports
little, because Wireshark waits for the answer. It only listens: no byte goes to a device, and listing interfaces opens
no port. Opening a serial port makes the system raise DTR and RTS, which no program can prevent.
"""

import os
import sys

VERSION = "1.0"
LINK_TYPE = 250
DIALECTS = ("tdp", "angel-eye", "bee-tek")
BAUD = {"tdp": 115200, "angel-eye": 4800, "bee-tek": 9600}
LINE, SERVER, RECORDING = "dealwire-line", "dealwire-server", "dealwire-recording"
AGAIN_S, AGAIN_MOST_S = 0.25, 4.0
"""Seconds between two looks at a recording that does not grow, and before a lost line is reopened. The latter doubles
after each attempt that did not hold."""
HELD_S = 5.0
"""Seconds after which a reopened line counts as stable without a byte; with a byte it is stable at once."""
GUIDE = "docs/guides/wireshark.md of dealwire"


def ports() -> list[str]:
    """Return the serial adapters, by their stable names or else those of the system. No port is opened."""
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
    """Print the interfaces."""
    print(f"extcap {{version={VERSION}}}{{help=https://www.wireshark.org/docs/man-pages/extcap.html}}")
    for path in ports():
        print(f"interface {{value={LINE}:{path}}}{{display=Card device on {path}}}")
    print(f"interface {{value={LINE}}}{{display=Card device on a serial line}}")
    print(f"interface {{value={SERVER}}}{{display=Card device behind a serial server}}")
    print(f"interface {{value={RECORDING}}}{{display=Recording of a table, as it grows}}")


def config(name: str) -> None:
    """Print the options of an interface."""
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
    """Parse `--name value` and `--name=value`. An option without a value is empty; unknown options are ignored."""
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
    """Write all bytes. Raise Gone if the pipe is closed."""
    while data:
        try:
            data = data[os.write(out, data) :]
        except OSError as error:
            raise Gone from error


def block(kind: int, body: bytes) -> bytes:
    """Return a pcapng block."""
    size = (len(body) + 12).to_bytes(4, "little")
    return kind.to_bytes(4, "little") + size + body + size


def option(code: int, value: bytes) -> bytes:
    """Return a pcapng option."""
    return code.to_bytes(2, "little") + len(value).to_bytes(2, "little") + value + bytes(-len(value) % 4)


def packet(data: bytes, comment: str = "") -> bytes:
    """Return data that was just read as an enhanced packet with the serial header. A note has no bytes."""
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
    """Return the head of a file with one line."""
    words = f"dialect={dialect} line={os.path.basename(address)} baud={baud} format=8N1".replace("'", "")
    start = (0x1A2B3C4D).to_bytes(4, "little") + (1).to_bytes(2, "little") + bytes(2) + b"\xff" * 8
    about = option(2, name.encode()) + option(3, words.encode()) + option(9, b"\x09") + option(0, b"")
    link = LINK_TYPE.to_bytes(2, "little") + bytes(6)
    return block(0x0A0D0D0A, start + option(4, b"dealwire extcap") + option(0, b"")) + block(1, link + about)


def open_port(path: str, baud: int) -> int:
    """Open a serial port for reading only. Its echo is switched off first, since an echo would send bytes."""
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
    """Open a connection that is only read."""
    import socket

    host, _, number = address.removeprefix("tcp://").rpartition(":")
    try:
        line = socket.create_connection((host.strip("[]"), int(number)), 5)
    except ValueError as error:
        raise OSError(22, "an address is HOST:PORT") from error
    line.setblocking(False)
    return line.detach()


def watch(line: int, out: int, news: str) -> tuple[str, bool]:
    """Write packets from a line until it is lost. Return the reason, and True if it was stable; `news` is noted once it
    is. Raise Gone if Wireshark closed the pipe."""
    import select
    import time

    poll = select.poll()
    poll.register(line, select.POLLIN)
    poll.register(out, select.POLLERR)
    held, until = False, time.monotonic() + HELD_S
    while True:
        ready = poll.poll(None if held else max(0, int((until - time.monotonic()) * 1000)))
        why, data = "", b""
        for number, what in ready:
            if number == out and what & (select.POLLERR | select.POLLHUP):
                raise Gone
            if number == line:
                data, why = receive(line)
        if not held and (data or (not why and time.monotonic() >= until)):
            held = True
            if news:
                put(out, packet(b"", news))
        if data:
            put(out, packet(data))
        if why:
            return why, held


def receive(line: int) -> tuple[bytes, str]:
    """Return new bytes, or the reason that the line is lost, or neither."""
    try:
        data = os.read(line, 65536)
    except BlockingIOError:
        return b"", ""
    except OSError as error:
        return b"", error.strerror or str(error)
    return data, "" if data else "the other end closed it"


def closed(out: int, seconds: float) -> None:
    """Wait. Raise Gone if Wireshark closes the pipe in the meantime."""
    import select

    poll = select.poll()
    poll.register(out, select.POLLERR)
    if any(what & (select.POLLERR | select.POLLHUP) for _, what in poll.poll(int(seconds * 1000))):
        raise Gone


def listen(kind: str, out: int, given: dict[str, str]) -> None:
    """Write a line as packets. A lost line is reopened, at longer intervals while it is not stable. It is an error if
    the line cannot be opened at first; an outage is noted once at its start and once at its end."""
    wanted = given.get("dialect", "")
    dialect = wanted if wanted in DIALECTS else "tdp"
    baud = int(given.get("baud") or 0) or BAUD[dialect]
    address, began, lost, pause = given["address"], False, False, AGAIN_S
    while True:
        why, held = "", False
        try:
            line = open_port(address, baud) if kind == LINE else open_server(address)
        except OSError:
            if not began:
                raise
        else:
            if not began:
                put(out, header(kind, address, dialect, baud))
            began = True
            try:
                why, held = watch(line, out, "line opened again" if lost else "")
            finally:
                os.close(line)
        if held:
            lost, pause = False, AGAIN_S
        if why and not lost:
            put(out, packet(b"", f"line lost: {why}"))
            lost = True
        closed(out, pause)
        pause = min(2 * pause, AGAIN_MOST_S)


def follow(path: str, out: int) -> None:
    """Write the blocks of a recording, each as soon as it is complete, until Wireshark closes the pipe."""
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


def refusal(name: str, given: dict[str, str]) -> str:
    """Return the reason that this cannot be captured, empty if it can."""
    if not given.get("fifo"):
        return "--fifo names the pipe that Wireshark reads"
    if not given["address"]:
        return f"{name}: no address; it is set in the interface's options, or with --address"
    baud = given.get("baud") or "0"
    if not (baud.isascii() and baud.isdigit()):
        return f"--baud {baud}: not a number"
    return ""


def capture(name: str, given: dict[str, str]) -> int:
    """Write to Wireshark's pipe until it is closed, and return the exit code."""
    kind, _, path = name.partition(":")
    given["address"] = given.get("address") or path
    why = refusal(name, given)
    if why:
        sys.stderr.write(f"{why}\n")
        return 2
    try:
        out = os.open(given["fifo"], os.O_WRONLY)
    except OSError as error:
        sys.stderr.write(f"{given['fifo']}: {error.strerror or error}\n")
        return 1
    try:
        if kind == RECORDING:
            follow(given["address"], out)
        listen(kind, out, given)
    except Gone:
        pass
    except OSError as error:
        sys.stderr.write(f"{given['address']}: {error.strerror or error}\n")
        return 1
    finally:
        os.close(out)
    return 0


def main(words: list[str]) -> int:
    """Answer Wireshark's request."""
    given = options(words)
    name = given.get("extcap-interface", "")
    if "extcap-interfaces" in given:
        interfaces()
        return 0
    if "extcap-dlts" not in given and "extcap-config" not in given and "capture" not in given:
        print(f"dealwire extcap {VERSION}: Wireshark starts it by itself, see {GUIDE}")
        return 0
    if name.partition(":")[0] not in (LINE, SERVER, RECORDING):
        sys.stderr.write(f"no such interface: {name or '(none named)'}\n")
        return 2
    if "extcap-dlts" in given:
        print(f"dlt {{number={LINK_TYPE}}}{{name=RTAC_SERIAL}}{{display=Serial line with direction}}")
    elif "extcap-config" in given:
        config(name)
    else:
        import signal

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: os._exit(0))
        return capture(name, given)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
