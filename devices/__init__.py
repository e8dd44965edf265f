"""Lines, sessions, drivers and simulators: everything between bytes and `devices.events`."""
