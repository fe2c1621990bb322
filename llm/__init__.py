"""Chat models by name and role: calls, retries, limits, usage and price, prompts, the offline model. Imports nothing of ours."""

if __name__ != "drr.llm":
    raise ImportError(
        "this folder is the package drr.llm; a second copy of it would be another shop: import drr.llm"
    )
