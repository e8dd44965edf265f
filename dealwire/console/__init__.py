"""The console: tables in a browser. It reads the hub and sends requests to the owner; it decides nothing.

Importing this package loads no web library. `Console` and the objects it takes come from the modules below.
"""
