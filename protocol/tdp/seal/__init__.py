"""Sealed line: both ends' handshakes, counters and states, without a cipher of their own."""
