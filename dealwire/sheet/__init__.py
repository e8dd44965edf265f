"""Dispute sheet: everything the journal holds about one round, as a value and on paper."""
