"""Questions for a shop: written from shoppers' profiles, checked by code, reviewed by people."""

if __name__ != "drr.querygen":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
