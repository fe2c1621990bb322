"""The unit of work, the ledger on disk, the runner. Knows no agent and no judge."""

if __name__ != "drr.study":
    raise ImportError(
        "this folder is the package drr.study; a second copy of it would be another shop: import drr.study"
    )
