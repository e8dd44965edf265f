"""The bench: acceptance plans that judge a device by what it says on its line, and faults to inject by button."""
