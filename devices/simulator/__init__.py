"""Device-side models of a packet shuffler, a card shoe and a table controller.

The models are pure: time is an argument, cards are objects that move between places, and a device's reports go through
its own end of the protocol. Nothing here knows a driver.
"""
