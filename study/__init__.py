"""The unit of work, the ledger on disk, the runner. Knows no agent and no judge."""
