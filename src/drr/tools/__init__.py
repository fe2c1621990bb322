"""The nine tools: one function each, one registry, adapters for LangChain and MCP.

Here are the functions of a shop, those for the files of a question, and tools of the user's own (`own.py`). A
tool's name, description and schema come from its function's signature and docstring, so that no second text
can differ from it.
The package imports `citations`, `wording`, `env` and `llm`, and no agent: every client, ours or a stranger's
over MCP, gets the same text and the same data. A tool reads through `env` and knows no backend.
Begin with `registry.py`, then `catalog.py`; `spec.py` makes a tool of a function.
"""

if __name__ != "drr.tools":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
