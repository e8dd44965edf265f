"""Wireshark support: a dissector that is generated from the protocols, and capture interfaces."""
