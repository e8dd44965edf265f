"""The record of a round: its result, its incidents as facts, and their sentences."""
