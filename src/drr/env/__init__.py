"""The shop's entities, the store and catalogue that hold them, the web, and settings. The package imports only `citations` and `wording`."""

if __name__ != "drr.env":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
