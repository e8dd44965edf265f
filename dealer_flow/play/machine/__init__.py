"""The state machine: states, guards, and the engine behind them."""
