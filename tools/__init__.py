"""The nine tools: one function each, one registry, adapters for LangChain and MCP."""

if __name__ != "drr.tools":
    raise ImportError(
        "this folder is the package drr.tools; a second copy of it would be another shop: import drr.tools"
    )
