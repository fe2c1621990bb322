"""The unit of work, the ledger on disk, the runner. Knows no agent and no judge."""

if __name__ != "drr.study":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
