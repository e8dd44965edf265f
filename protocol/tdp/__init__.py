"""The Table Device Protocol: framing, packets, messages, codec, link. `docs/protocol.md` is its specification."""
