"""Judges reports: citations, claims, quality, pairs and rules, with the metrics, agreement and statistics of the verdicts.

From the ground up: `asking`, `evidence`, `stats`; `checks` (rules without a model), `foreign`,
`report_lists`, `rewards`; `tasks`; `judging`; `metrics`; `agreement`; `canaries`. Nothing imports from a
floor above its own.
No agent is imported: judging reads what a study kept, so it can be repeated without paying for answers again.
Code decides first, and a judge is asked the rest. Rules in a model's place are in `offline`, and only handed
in.
Begin with `judging/run.py`, then `tasks/support.py`; for rules with `checks/__init__.py`.
"""

if __name__ != "drr.eval":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
