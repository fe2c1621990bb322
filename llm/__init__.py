"""Chat models by name and role: calls, retries, limits, usage and price, prompts, the offline model. Imports nothing of ours."""

if __name__ != "drr.llm":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
