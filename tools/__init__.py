"""The nine tools: one function each, one registry, adapters for LangChain and MCP."""
