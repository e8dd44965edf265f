"""`python -m dealwire`."""

from dealwire.cli import main

main(prog_name="dealwire")
