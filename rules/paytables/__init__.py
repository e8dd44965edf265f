"""Pay tables: rows, their conditions on a hand, and their pays."""
