"""Pay tables: rows, what a row asks of a hand, and what it pays."""
