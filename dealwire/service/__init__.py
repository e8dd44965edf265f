"""The table service: what `dealwire run` keeps running. One owner thread deals; what looks on reads the hub."""
