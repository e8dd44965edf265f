"""Attestation of devices: makers' keys, the signed list of allowed firmware, and what a table trusts."""
