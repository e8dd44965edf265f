"""A board in QEMU: the reference device on a Cortex-M3, its line on a pseudo-terminal, and its hands."""
