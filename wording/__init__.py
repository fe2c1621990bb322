"""Words for numbers, units, money and tolerance, as people write them. Imports nothing of ours."""

if __name__ != "drr.wording":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
