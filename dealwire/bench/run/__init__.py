"""The run of a plan against a device."""
