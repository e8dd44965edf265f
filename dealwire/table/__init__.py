"""One table: the flow, the rules, and which of its data may be published."""
