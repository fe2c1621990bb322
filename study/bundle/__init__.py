"""A study as one file that anybody can check: its form, and reading one of a stranger."""
