"""Parses citations and addresses in a report, and repairs them. Agents and judges use the package, which imports no other package of `drr`."""

if __name__ != "drr.citations":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
