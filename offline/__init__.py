"""Stand-ins for language models: rules that play agents, the judge and the query writer. `app` passes them to the other packages."""

if __name__ != "drr.offline":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
