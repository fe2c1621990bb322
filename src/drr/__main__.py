"""Runs the command `drr` for `python -m drr`."""

from drr.app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
