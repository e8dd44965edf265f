"""Lines. `open_transport` turns an address into one."""
