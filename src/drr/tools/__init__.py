"""The nine tools: one function each, one registry, adapters for LangChain and MCP."""

if __name__ != "drr.tools":
    from drr.beside import step_aside

    step_aside(__name__, __path__[0])
