"""Studies on disk: units of work, the ledger that records them, and the runner. This package imports no agent and no judge."""
