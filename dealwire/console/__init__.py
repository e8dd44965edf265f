"""The console: the table as a person sees it, in a browser. It reads the hub and asks the owner; it decides nothing.

Importing this loads no web library: `Console` and what it is given come from the modules below.
"""
