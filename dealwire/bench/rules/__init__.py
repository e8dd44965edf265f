"""Rules that a device is held to, one file a subject."""
