"""The play of a round: states and guards, handlers of reports, verdicts, and the legal next steps."""
