"""The papers whose benchmarks this program includes, each in its own package. No other package imports one by name."""

ORDER = ("pdr", "reporteval", "dr3")
"""Order of the papers' tables and tasks; a paper whose folder is missing is left out."""
