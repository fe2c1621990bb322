"""Doors to other people's software, each in a folder of its own and loaded where it is asked for."""

if __name__ != "drr.extras":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

ORDER = ("ray", "ucp", "inspect", "otel")
"""Those that register something; one whose folder is not here is left out."""
