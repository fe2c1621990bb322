"""Connection to OpenEnv: `python -m drr.extras.openenv.server --shop shop` serves a shop with `/ws` and `/mcp`.

OpenEnv requires MCP 1 and this project MCP 2, so OpenEnv is installed separately: no extra of this project names both.
"""
