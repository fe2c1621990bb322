"""Plan-to-Function, ReAct and Hybrid-ReAct as LangGraph graphs."""

if __name__ != "drr.agents":
    raise ImportError(
        "this folder is the package drr.agents; a second copy of it would be another shop: import drr.agents"
    )
