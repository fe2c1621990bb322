"""Studies on disk: units of work, the ledger that records them, and the runner. This package imports no agent and no judge."""

if __name__ != "drr.study":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
