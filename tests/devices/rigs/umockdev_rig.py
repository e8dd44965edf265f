"""Mock devices that the system sees: a umockdev testbed, run by the system's own Python.

    umockdev-wrapper /usr/bin/python3 umockdev_rig.py SOCKET

It connects to the test's SOCKET and obeys it, one JSON object a line (`do` names the order); the devices' input goes
back the same way. The program under test is its child and inherits its standard input and output. A USB device is the
usbfs ioctls of its node, answered here; a serial adapter is a pty with an entry in /sys. The rig only carries bytes:
the test decides what a device sends.
"""

import contextlib
import errno
import json
import os
import shutil
import socket
import struct
import subprocess
import sys

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import GLib, UMockdev  # noqa: E402

BUS = "/devices/pci0000:00/0000:00:14.0/usb1"
SUBMIT, DISCARD, REAP, REAP_NOW, CAPABILITIES, DRIVER, CLEAR_HALT = 10, 11, 12, 13, 26, 8, 21
DONE_AT_ONCE = {4, 5, 15, 16, 20}
"""Set interface, set configuration, claim, release, reset."""
CONTROL, BULK = 2, 3


class Urb:
    """A transfer requested of the system: struct usbdevfs_urb of a 64-bit kernel."""

    def __init__(self, argument, size):
        self.key = bytes(argument.retrieve())  # the program's pointer, before resolving replaces it
        self.memory = argument.resolve(0, size)
        raw = bytes(self.memory.retrieve())
        self.kind, self.endpoint = raw[0], raw[1]
        (self.length,) = struct.unpack_from("<i", raw, 24)
        self.buffer = self.memory.resolve(16, self.length) if self.length else None
        self.data = bytes(self.buffer.retrieve()) if self.buffer else b""

    def finish(self, status, data=b"", actual=None):
        if data:
            self.buffer.update(0, list(data))
        self.memory.update(4, list(struct.pack("<i", status)))
        self.memory.update(28, list(struct.pack("<i", len(data) if actual is None else actual)))


class UsbDevice(UMockdev.IoctlBase):
    """The node of one USB device."""

    def __init__(self, tell, order):
        super().__init__()
        self.tell, self.name = tell, order["id"]
        self.descriptors = {int(value): bytes.fromhex(raw) for value, raw in order["descriptors"].items()}
        self.packet = order["packet"]
        self.to_host, self.waiting, self.done = [], [], []
        self.takes, self.gone = True, False
        self.errors = []
        self.cleared = 0

    def do_handle_ioctl(self, client):
        try:
            self.answer(client, client.get_request() & 0xFF, (client.get_request() >> 16) & 0x3FFF)
        except Exception as error:
            print("rig:", repr(error), file=sys.stderr)
            client.complete(-1, errno.EIO)
        return True

    def do_handle_read(self, client):
        return False

    def do_handle_write(self, client):
        return False

    def answer(self, client, request, size):
        argument = client.get_arg()
        if self.gone and request not in (DISCARD, REAP, REAP_NOW):
            client.complete(-1, errno.ENODEV)
        elif request == CAPABILITIES:
            argument.resolve(0, 4).update(0, list(struct.pack("<I", 0x01 | 0x04 | 0x10)))
            client.complete(0, 0)
        elif request in DONE_AT_ONCE:
            client.complete(0, 0)
        elif request == CLEAR_HALT:
            self.cleared += 1
            client.complete(0, 0)
        elif request == DRIVER:
            client.complete(-1, errno.ENODATA)
        elif request == SUBMIT:
            self.submit(Urb(argument, size))
            client.complete(0, 0)
        elif request == DISCARD:
            key = bytes(argument.retrieve())
            found = next((urb for urb in self.waiting if urb.key == key), None)
            if found is not None:
                self.end(found, -errno.ENOENT)
            client.complete(*((0, 0) if found else (-1, errno.EINVAL)))
        elif request in (REAP, REAP_NOW) and self.done:
            argument.resolve(0, 8).set_ptr(0, self.done.pop(0).memory)
            client.complete(0, 0)
        elif request in (REAP, REAP_NOW):
            client.complete(-1, errno.ENODEV if self.gone else errno.EAGAIN)
        else:
            client.complete(-1, errno.ENOTTY)

    def submit(self, urb):
        self.waiting.append(urb)
        if urb.kind == CONTROL:
            kind, request, value, _, length = struct.unpack_from("<BBHHH", urb.data)
            answer = self.descriptors.get(value) if (kind, request) == (0x80, 6) else None
            if answer is None:
                self.end(urb, -errno.EPIPE)
            else:
                answer = answer[:length]
                self.end(urb, 0, urb.data[:8] + answer, len(answer))
        elif any(endpoint == urb.endpoint for endpoint, _ in self.errors):
            error = next(error for error in self.errors if error[0] == urb.endpoint)
            self.errors.remove(error)
            self.end(urb, error[1])
            self.tell(failed=self.name)
        else:
            self.pump()

    def pump(self):
        for urb in list(self.waiting):
            if urb.endpoint & 0x80 and self.to_host:
                data = b""
                while self.to_host and len(data) + len(self.to_host[0]) <= urb.length:
                    packet = self.to_host.pop(0)
                    data += packet
                    if len(packet) < self.packet:
                        break
                if not data and self.to_host and len(self.to_host[0]) > urb.length:
                    self.to_host.pop(0)
                    self.end(urb, -errno.EOVERFLOW)
                elif len(data) == urb.length or len(data) % self.packet or not data:
                    self.end(urb, 0, data)
            elif not urb.endpoint & 0x80 and self.takes:
                self.end(urb, 0, actual=urb.length)
                self.tell(out=self.name, data=urb.data.hex())

    def end(self, urb, status, data=b"", actual=None):
        self.waiting.remove(urb)
        urb.finish(status, data, actual)
        self.done.append(urb)

    def receive(self, data):
        size = self.packet
        self.to_host += [data[start : start + size] for start in range(0, len(data), size)]
        if len(data) % size == 0:
            self.to_host.append(b"")
        self.pump()

    def vanish(self):
        self.gone = True
        for urb in list(self.waiting):
            self.end(urb, -errno.ESHUTDOWN)


def block(path, node, names, facts, extra=()):
    """Return one device in umockdev's description format."""
    lines = [f"P: {path}", *([f"N: {node}"] if node else []), *extra]
    lines += [f"E: {name}={value}" for name, value in names.items()]
    lines += [f"A: {name}={value}\\n" for name, value in facts.items()]
    return "\n".join(lines) + "\n\n"


class Rig:
    """The testbed, the devices plugged into it, and the socket for the orders."""

    def __init__(self, path):
        self.bed = UMockdev.Testbed.new()
        self.loop = GLib.MainLoop()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.heard = b""
        self.usb, self.tty = {}, {}
        self.child = None
        GLib.io_add_watch(self.socket.fileno(), GLib.IO_IN | GLib.IO_HUP, self.on_orders)
        self.tell(ready=self.bed.get_root_dir())

    def tell(self, **fact):
        with contextlib.suppress(ConnectionError):  # a test that is gone; `on_orders` ends the rig
            self.socket.sendall(json.dumps(fact).encode() + b"\n")

    def on_orders(self, *_):
        try:
            data = self.socket.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self.stop()
            return False
        *lines, self.heard = (self.heard + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            getattr(self, order["do"])(order)
            self.tell(did=order["do"])
        return True

    def stop(self):
        if self.child is not None and self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        self.loop.quit()

    def run(self, order):
        self.child = subprocess.Popen(order["argv"])
        GLib.child_watch_add(self.child.pid, lambda _, status: self.tell(exit=os.waitstatus_to_exitcode(status)))

    # -------------------------------------------------------------- USB

    def plug_usb(self, order):
        bus_path, number = f"{BUS}/1-{order['port']}", order["address"]
        node = f"bus/usb/001/{number:03}"
        raw = order["raw"].upper()
        names = {"BUSNUM": "001", "DEVNUM": f"{number:03}", "DEVNAME": f"/dev/{node}", "DEVTYPE": "usb_device"}
        names |= {"MAJOR": 189, "MINOR": number - 1, "SUBSYSTEM": "usb"}
        facts = {"busnum": 1, "devnum": number, "bConfigurationValue": 1, "speed": 12}
        facts |= {"idVendor": order["vendor"], "idProduct": order["product"]}
        self.bed.add_from_string(block(bus_path, f"{node}={raw}", names, facts, [f"H: descriptors={raw}"]))
        device = self.usb[order["id"]] = UsbDevice(self.tell, order)
        device.path = "/sys" + bus_path
        self.bed.attach_ioctl(f"/dev/{node}", device)
        self.bed.uevent(device.path, "add")

    def unplug_usb(self, order):
        device = self.usb.pop(order["id"])
        device.vanish()
        self.bed.uevent(device.path, "remove")
        self.bed.remove_device(device.path)

    def usb_says(self, order):
        self.usb[order["id"]].receive(bytes.fromhex(order["data"]))

    def usb_packet(self, order):
        device = self.usb[order["id"]]
        device.to_host.append(bytes.fromhex(order["data"]))
        device.pump()

    def usb_takes(self, order):
        device = self.usb[order["id"]]
        device.takes = order["takes"]
        device.pump()

    def usb_fails(self, order):
        """End the next transfer on an endpoint, or the one that waits, with a status of the kernel."""
        device = self.usb[order["id"]]
        waiting = next((urb for urb in device.waiting if urb.endpoint == order["endpoint"]), None)
        if waiting is not None:
            device.end(waiting, order["status"])
            self.tell(failed=device.name)
        else:
            device.errors.append((order["endpoint"], order["status"]))

    # -------------------------------------------------------------- serial adapters

    def plug_tty(self, order):
        name, serial, number = order["tty"], order["serial"], order["address"]
        adapter = f"{BUS}/1-{order['port']}"
        link = f"serial/by-id/usb-Test_Works_Adapter_{serial}-if00-port0"
        who = {"ID_VENDOR_ID": "0403", "ID_MODEL_ID": "6001", "ID_SERIAL_SHORT": serial}
        node = f"bus/usb/001/{number:03}"
        names = {"SUBSYSTEM": "usb", "DEVTYPE": "usb_device", "DEVNAME": f"/dev/{node}", "BUSNUM": "001"}
        names |= {"DEVNUM": f"{number:03}", "MAJOR": 189, "MINOR": number - 1} | who
        facts = {"idVendor": "0403", "idProduct": "6001", "serial": serial, "manufacturer": "Test Works"}
        facts |= {"product": "Adapter", "busnum": 1, "devnum": number, "bNumInterfaces": " 1", "speed": 12}
        interface = f"{adapter}/1-{order['port']}:1.0"
        tty = f"{interface}/{name}/tty/{name}"
        port = {"SUBSYSTEM": "tty", "DEVNAME": f"/dev/{name}", "MAJOR": 188, "MINOR": order["minor"]} | who
        text = block(adapter, node, names, facts)
        text += block(interface, "", {"SUBSYSTEM": "usb", "DEVTYPE": "usb_interface"}, {"bInterfaceNumber": "00"})
        text += block(f"{interface}/{name}", "", {"SUBSYSTEM": "usb-serial"}, {})
        text += block(tty, name, port | {"DEVLINKS": f"/dev/{link}"}, {}, [f"S: {link}", f"L: device=../../../{name}"])
        self.bed.add_from_string(text)
        descriptor = self.bed.get_dev_fd(f"/dev/{name}")
        os.set_blocking(descriptor, False)
        watch = GLib.io_add_watch(descriptor, GLib.IO_IN, self.on_tty, order["id"])
        paths = [f"/sys{path}" for path in (tty, f"{interface}/{name}", interface, adapter)]
        root = self.bed.get_root_dir()
        self.tty[order["id"]] = (descriptor, watch, paths, [f"{root}/dev/{link}", f"{root}/dev/{name}"])
        for path in reversed(paths):
            self.bed.uevent(path, "add")

    def unplug_tty(self, order):
        descriptor, watch, paths, files = self.tty.pop(order["id"])
        GLib.source_remove(watch)
        for path in paths:
            self.bed.uevent(path, "remove")
            self.bed.remove_device(path)
        for file in files:  # umockdev leaves them; a device that is gone has no name
            if os.path.lexists(file):
                os.unlink(file)
        os.close(descriptor)

    def tty_says(self, order):
        os.write(self.tty[order["id"]][0], bytes.fromhex(order["data"]))

    def on_tty(self, descriptor, condition, name):
        try:
            self.tell(out=name, data=os.read(descriptor, 65536).hex())
        except OSError:  # nobody has the port open
            GLib.usleep(1000)
        return True


if __name__ == "__main__":
    if "umockdev-preload" not in os.environ.get("LD_PRELOAD", ""):
        sys.exit("run it under umockdev-wrapper")
    rig = Rig(sys.argv[1])
    try:
        rig.loop.run()
    finally:
        shutil.rmtree(rig.bed.get_root_dir(), ignore_errors=True)  # Python ends without telling the testbed
