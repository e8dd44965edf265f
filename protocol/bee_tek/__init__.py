"""The Bee-Tek style of shoe, as a public program reads it; see `docs/dialects/bee-tek.md`."""
