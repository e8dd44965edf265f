"""A board that QEMU plays: the reference device on a Cortex-M3, its line on a pseudo-terminal, and hands at it."""
