"""The shop as it exists: entities, the store and catalogue behind them, the web, settings. Imports nothing of ours."""

if __name__ != "drr.env":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
