"""Citations and addresses: what a report points to, and how it is set right. Used by agents and judges alike; imports nothing of ours."""

if __name__ != "drr.citations":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
