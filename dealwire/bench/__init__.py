"""The bench: acceptance plans that test a device by its traffic, and faults to inject by button."""
