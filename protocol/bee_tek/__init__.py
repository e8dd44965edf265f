"""Dialect of Bee-Tek style shoes, as a public program reads it; see `docs/dialects/bee-tek.md`."""
