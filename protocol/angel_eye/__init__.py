"""Dialect of Angel Eye II-EX style baccarat shoes, as public programs use it; see `docs/dialects/angel-eye.md`."""
