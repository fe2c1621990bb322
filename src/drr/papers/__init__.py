"""The papers whose benchmarks this program includes, each in its own package. No other package imports one by name.

A paper has all that only it needs: tasks of judging, worlds, persons, prompts, figures, tables, pages and
commands. Its `plugin.py` declares them by name, and each part is loaded when it is asked for. A folder can go
without another edit.
A paper may import any package but `app`, extras and other papers; of `app` it has what `drr.plugin` offers.
Begin with `drr/contract.py`, which types what a paper can bring, then `reporteval/plugin.py`.
"""

ORDER = ("pdr", "reporteval", "dr3")
"""Order of the papers' tables and tasks; a paper whose folder is missing is left out."""
