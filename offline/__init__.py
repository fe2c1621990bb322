"""Stand-ins without a language model: rules that play agents, judge and query writer. Handed in by `app`."""

if __name__ != "drr.offline":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
