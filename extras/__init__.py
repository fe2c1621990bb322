"""Connections to other software, each in a folder of its own and loaded when it is used."""

if __name__ != "drr.extras":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])

ORDER = ("ray", "ucp", "inspect", "otel")
"""Extras that register something, in order; an extra whose folder is missing is left out."""
