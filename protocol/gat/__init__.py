"""Game Authentication Terminal (GAT) 3.50 on a serial line, as far as it is known; see `docs/dialects/gat.md`."""
