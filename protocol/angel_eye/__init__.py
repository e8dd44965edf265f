"""The Angel Eye II-EX style of baccarat shoe, as public programs speak to it; see `docs/dialects/angel-eye.md`."""
