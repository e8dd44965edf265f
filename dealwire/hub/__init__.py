"""Hand-over between the table owner and everything that observes: console, exports, metrics."""
