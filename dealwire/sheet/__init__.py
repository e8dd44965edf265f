"""A dispute sheet: everything that the journal holds about one round, as a value, and on paper."""
