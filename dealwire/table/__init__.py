"""One table: the flow, the rules, and what of it may be published."""
