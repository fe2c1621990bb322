"""`python -m drr`: the same as the command `drr`."""

from drr.app.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
