"""OpenEnv's door: `python -m drr.extras.openenv.server --shop shop` serves a shop with `/ws` and `/mcp`.

OpenEnv asks for MCP 1 and this project for MCP 2, so OpenEnv is installed beside it: no extra of ours names both.
"""
