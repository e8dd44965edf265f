"""The table service: what `dealwire run` keeps running. One owner thread deals; everything that looks on reads the hub."""
