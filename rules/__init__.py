"""Hands, bets, pay tables: a `RoundResult` in, a `Settlement` out, every line with its clause."""
