"""Judges reports: citations, claims, quality, pairs and rules, with the metrics, agreement and statistics of the verdicts."""

if __name__ != "drr.eval":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
