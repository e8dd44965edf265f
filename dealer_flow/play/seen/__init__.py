"""The outside view of a round: what may happen next, snapshots, and the result."""
