"""Eyes: a dissector for Wireshark, printed from the protocols, and interfaces for it to capture from."""
