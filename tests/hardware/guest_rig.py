"""Devices made by the guest's own kernel: gadgets on the device side of dummy_hcd, whose other side is ordinary USB.

It takes the orders of `umockdev_rig.py` (`do` names the order, one JSON object a line) from the virtio port `rig` and
answers there. The program under test has the port `program` as its standard input and output. A vendor device is
FunctionFS, its endpoints files of this program; a serial adapter is the kernel's CDC-ACM function. The rig only carries
bytes: the test, outside the guest, decides what a device sends.
"""

import contextlib
import errno
import faulthandler
import json
import os
import queue
import struct
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path

CONFIG = Path("/sys/kernel/config/usb_gadget")
READ_SIZE = 16384
PACKET = {"full": 64, "high": 512}
NOT_NOW = {errno.EAGAIN, errno.ESHUTDOWN, errno.EINTR, errno.EIO}
"""Errors of a pipe of a device that is not configured yet, or no longer."""
PAUSE_S = 0.01
SHOW_AFTER_S = 30
"""Seconds after which an order in progress is shown on the console."""
HALT = None
"""Entry in a queue of bytes that stalls the pipe."""


def port(name):
    """Open the virtio port of that name, which can be opened once."""
    for entry in Path("/sys/class/virtio-ports").iterdir():
        if (entry / "name").read_text().strip() == name:
            return os.open(f"/dev/{entry.name}", os.O_RDWR)
    raise SystemExit(f"no virtio port {name}")


class Gadget:
    """A device as configfs describes it, with one function, on its own controller."""

    def __init__(self, number, function, vendor, product, maker, model, serial):
        self.folder = CONFIG / f"g{number}"
        self.controller = f"dummy_udc.{number}"
        strings = "strings/0x409"
        for folder in (strings, f"configs/c.1/{strings}", f"functions/{function}"):
            (self.folder / folder).mkdir(parents=True)
        texts = {"idVendor": f"0x{vendor}", "idProduct": f"0x{product}", f"{strings}/manufacturer": maker}
        texts |= {f"{strings}/product": model, f"{strings}/serialnumber": serial}
        for name, text in texts.items():
            (self.folder / name).write_text(text)
        (self.folder / f"configs/c.1/{function}").symlink_to(self.folder / f"functions/{function}")

    def plug(self):
        (self.folder / "UDC").write_text(self.controller)

    def unplug(self):
        (self.folder / "UDC").write_text("\n")


def describe_pipes():
    """Return FunctionFS's descriptors: one vendor interface, bulk OUT first and bulk IN second, for both speeds."""
    interface = struct.pack("<9B", 9, 4, 0, 0, 2, 0xFF, 0, 0, 0)
    body = struct.pack("<II", 3, 3)
    for packet in PACKET.values():
        body += interface + b"".join(struct.pack("<BBBBHB", 7, 5, address, 2, packet, 0) for address in (0x01, 0x82))
    return struct.pack("<III", 3, 12 + len(body), 0x1 | 0x2) + body


class VendorDevice:
    """A device with a vendor interface, one thread for each pipe. It lasts as long as the guest, plugged in or not."""

    def __init__(self, tell, number, order):
        self.tell, self.name = tell, order["id"]
        maker, model, serial = (text_in(order["descriptors"][str(0x0301 + index)]) for index in range(3))
        name = f"pipes{number}"
        self.gadget = Gadget(number, f"ffs.{name}", order["vendor"], order["product"], maker, model, serial)
        folder = Path("/run") / name
        folder.mkdir()
        subprocess.run(["mount", "-t", "functionfs", name, str(folder)], check=True)
        self.control = os.open(folder / "ep0", os.O_RDWR)
        os.write(self.control, describe_pipes())
        os.write(self.control, struct.pack("<IIII", 2, 16, 0, 0))
        # Not to wait for a host: transfers themselves are waited for all the same.
        self.pipe_out = os.open(folder / "ep1", os.O_RDWR | os.O_NONBLOCK)
        self.pipe_in = os.open(folder / "ep2", os.O_RDWR | os.O_NONBLOCK)
        self.to_host = queue.Queue()
        self.takes, self.halts = True, False
        for work in (self.obey_host, self.listen, self.speak):
            threading.Thread(target=work, daemon=True).start()

    def plug(self):
        while not self.to_host.empty():
            self.to_host.get()
        self.takes = True
        self.gadget.plug()

    def unplug(self):
        self.gadget.unplug()

    def says(self, data):
        self.to_host.put(data)
        if len(data) % PACKET["high"] == 0:
            self.to_host.put(b"")

    def fails(self, endpoint):
        """Stall the next transfer to the host, or the one after it, because one is already pending."""
        if endpoint & 0x80:
            self.to_host.put(HALT)
        else:
            self.halts = True

    def obey_host(self):
        """Refuse requests that the kernel does not answer itself."""
        while True:
            event = os.read(self.control, 12)
            if event[8] == 4:
                with contextlib.suppress(OSError):  # that is how one refuses: to move data in the other direction
                    os.read(self.control, 0) if event[0] & 0x80 else os.write(self.control, b"")

    def listen(self):
        while True:
            if not self.takes:
                time.sleep(PAUSE_S)
                continue
            try:
                data = os.read(self.pipe_out, READ_SIZE)
            except OSError as error:
                if error.errno not in NOT_NOW:
                    raise
                time.sleep(PAUSE_S)
                continue
            self.tell(out=self.name, data=data.hex())
            if self.halts:
                self.halts = False
                self.halt(lambda: os.write(self.pipe_out, b"x"))

    def speak(self):
        while True:
            data = self.to_host.get()
            if data is HALT:
                self.halt(lambda: os.read(self.pipe_in, 1))
                continue
            try:
                os.write(self.pipe_in, data)
            except OSError as error:  # a device that is not plugged in says it to nobody
                if error.errno not in NOT_NOW:
                    raise

    def halt(self, wrong_way):
        """Stall a pipe by using it in the wrong direction, which is FunctionFS's way."""
        while True:
            try:
                wrong_way()
            except OSError as error:
                if error.errno == errno.EAGAIN:  # the controller has not ended the last transfer
                    time.sleep(PAUSE_S)
                    continue
                if error.errno != errno.EBADMSG:
                    raise
            self.tell(failed=self.name)
            return


class Adapter:
    """A serial adapter: the kernel's own CDC-ACM function, of which this program has the device's end."""

    def __init__(self, tell, number, order):
        self.tell, self.name = tell, order["id"]
        self.gadget = Gadget(number, f"acm.{number}", "1209", "0001", "Test Works", "Adapter", order["serial"])
        self.end = -1

    def plug(self):
        self.gadget.plug()
        (number,) = [path.read_text().strip() for path in self.gadget.folder.glob("functions/*/port_num")]
        self.end = os.open(f"/dev/ttyGS{number}", os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.end)
        threading.Thread(target=self.listen, args=(self.end, self.name), daemon=True).start()

    def unplug(self):
        self.gadget.unplug()  # which hangs up this end as well, and so ends its thread
        os.close(self.end)

    def says(self, data):
        os.write(self.end, data)

    def listen(self, end, name):
        with contextlib.suppress(OSError):
            while data := os.read(end, READ_SIZE):
                self.tell(out=name, data=data.hex())


def text_in(raw):
    """Return the text of a string descriptor given in hex."""
    return bytes.fromhex(raw)[2:].decode("utf-16-le")


class Rig:
    """The ports, the program under test, and the plugged devices."""

    def __init__(self):
        self.orders, self.program = port("rig"), port("program")
        self.lock = threading.Lock()
        self.made, self.plugged = {}, {}
        self.child = None

    def tell(self, **fact):
        line = json.dumps(fact).encode() + b"\n"
        with self.lock:
            while line:  # the port takes 32 KiB at a time
                line = line[os.write(self.orders, line) :]

    def serve(self):
        """Obey until the other side hangs up."""
        self.tell(ready=Path("/proc/uptime").read_text().split()[0])
        heard = b""
        while data := os.read(self.orders, 65536):
            *lines, heard = (heard + data).split(b"\n")
            for line in lines:
                order = json.loads(line)
                faulthandler.dump_traceback_later(SHOW_AFTER_S)
                getattr(self, order["do"])(order)
                faulthandler.cancel_dump_traceback_later()
                self.tell(did=order["do"])

    def run(self, order):
        self.child = subprocess.Popen(order["argv"], stdin=self.program, stdout=self.program)
        threading.Thread(target=self.wait_for, args=(self.child,), daemon=True).start()

    def wait_for(self, child):
        self.tell(exit=child.wait())

    def await_files(self, order):
        """Wait until udev has created all of these names."""
        while not all(os.path.exists(path) for path in order["paths"]):
            time.sleep(PAUSE_S)

    def reset(self, order):
        """Unplug everything, and end the program if it is still running."""
        for device in self.plugged.values():
            device.unplug()
        self.plugged.clear()
        if self.child is not None and self.child.poll() is None:
            self.child.kill()
            self.child.wait()

    def plug_usb(self, order):
        who = (VendorDevice, order["vendor"], order["product"], order["descriptors"]["771"])
        self.plug(who, order)

    def plug_tty(self, order):
        self.plug((Adapter, order["serial"]), order)

    def plug(self, who, order):
        """Plug in a device that is not in use; a new one is made only if there was none."""
        device = next((made for made in self.made.get(who, []) if made not in self.plugged.values()), None)
        if device is None:
            device = who[0](self.tell, sum(map(len, self.made.values())), order)
            self.made.setdefault(who, []).append(device)
        device.name = order["id"]
        self.plugged[order["id"]] = device
        device.plug()

    def unplug_usb(self, order):
        self.plugged.pop(order["id"]).unplug()

    unplug_tty = unplug_usb

    def usb_says(self, order):
        self.plugged[order["id"]].says(bytes.fromhex(order["data"]))

    tty_says = usb_says

    def usb_packet(self, order):
        self.plugged[order["id"]].to_host.put(bytes.fromhex(order["data"]))

    def usb_takes(self, order):
        self.plugged[order["id"]].takes = order["takes"]

    def usb_fails(self, order):
        assert order["status"] == -errno.EPIPE, "a gadget can only stall"
        self.plugged[order["id"]].fails(order["endpoint"])


if __name__ == "__main__":
    try:
        Rig().serve()
    except Exception as error:
        print("rig:", repr(error), file=sys.stderr)
        raise
