"""Studies on disk: units of work, the ledger that records them, and the runner.

Here are the unit and its key, the ledger, the driver with its pools and workers, export, and `bundle`. A key
holds all that decides a result, so a study goes on where it stopped and pays for no call twice. Only the
driver writes the ledger.
The package imports `env` and `llm`, but no agent and no judge: each is a function that does a unit's work,
and one ledger holds what all of them did. Answers are kept before anything judges them.
Begin with `unit.py`, then `run.py`; `study.py` opens a folder.
"""
