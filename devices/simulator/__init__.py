"""Device-side models of a packet shuffler, a card shoe and a table controller; whoever uses them is above.

The models are pure: time is an argument, cards are objects that move between places, and what a device says goes
through its own end of the protocol. Nothing here knows a driver.
"""
