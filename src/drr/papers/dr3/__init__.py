"""The DR3-Eval paper (003): tasks with a shopper's files and frozen pages, whose true facts are known by construction."""
