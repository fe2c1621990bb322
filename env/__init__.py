"""The shop as it exists: entities, the store and catalogue behind them, the web, settings. Imports nothing of ours."""

if __name__ != "drr.env":
    raise ImportError(
        "this folder is the package drr.env; a second copy of it would be another shop: import drr.env"
    )
