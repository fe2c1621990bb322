"""Tasks with files: a drawer of a shopper's files, frozen pages in nested sizes, a question, and the truth of all three."""

if __name__ != "drr.filetasks":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
