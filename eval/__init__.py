"""Citations, claims, faithfulness, quality, pairwise, rule checks, agreement, statistics."""

if __name__ != "drr.eval":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
