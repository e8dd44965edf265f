"""The table service that `dealwire run` runs. One owner thread deals; observers read the hub."""
