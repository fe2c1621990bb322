"""The papers whose benchmarks this program includes, each in its own package. No other package imports one by name."""

if __name__ != "drr.papers":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

ORDER = ("pdr", "reporteval", "dr3")
"""Order of the papers' tables and tasks; a paper whose folder is missing is left out."""
