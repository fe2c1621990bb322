"""The shop as it exists: entities, the store and catalogue behind them, the web, settings. Imports nothing of ours."""
