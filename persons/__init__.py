"""Persons of a shop: what is known of them and on what basis, contexts, memories, and tasks without a person."""

if __name__ != "drr.persons":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
