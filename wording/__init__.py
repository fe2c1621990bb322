"""Reads numbers, units, money and tolerances as people write them. The package imports no other package of `drr`."""

if __name__ != "drr.wording":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
