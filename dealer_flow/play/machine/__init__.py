"""The state machine: states, guards, and the engine that runs them."""
