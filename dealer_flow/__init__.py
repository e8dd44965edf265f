"""The dealing procedure of a game as a state machine: device events in, `RoundResult` out."""
