"""The papers whose benchmarks stand here, each in a folder of its own: nothing outside leans on one by name."""

if __name__ != "drr.papers":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

ORDER = ("pdr", "reporteval", "dr3")
"""As their tables and tasks follow each other; one whose folder is not here is left out."""
