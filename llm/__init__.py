"""Chat models by name and role: calls, retries, limits, usage, prices, prompts and the offline model. Imports no other package of this project."""

if __name__ != "drr.llm":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
