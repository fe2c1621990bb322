"""The shop's entities, the store and catalogue that hold them, the web, and settings.

Here are entities, stores and catalogues with two backends (`embedded`, `servers`), search, the web, files of
questions, the world that an agent is given, settings, sessions and queries. Only `records` sets a record into
text, and no such text is read back: code decides on the record.
The package imports only `citations` and `wording`. No model is called here, and no agent or judge is known:
both work on the same shop. `tests/contract` holds all backends to the same answers.
Begin with `shop.py`, then `world.py`.
"""

if __name__ != "drr.env":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
