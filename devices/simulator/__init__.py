"""Device-side models of a packet shuffler and a table controller, and the people who use them.

The models are pure: time is an argument, cards are objects that move between places, and what a device says goes
through its own end of the protocol. Nothing here knows a driver.
"""
