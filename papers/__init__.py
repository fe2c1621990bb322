"""The papers whose benchmarks stand here, each in a folder of its own: nothing outside leans on one by name."""

if __name__ != "drr.papers":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

ORDER = ("pdr", "reporteval", "dr3")
"""Order of their tables and tasks; a paper whose folder is missing is left out."""
