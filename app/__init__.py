"""User-facing parts of the program: command line, report, viewer, annotation page."""

if __name__ != "drr.app":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
