"""smolagents over MCP (with `mcp` below 2): `--variant 'cmd:python examples/agents/smolagents_agent.py'`."""

import json
import os
import sys

from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent

key = {"Authorization": f"Bearer {os.environ['DRR_MCP_TOKEN']}"}
with MCPClient({"url": os.environ["DRR_MCP_URL"], "transport": "streamable-http", "headers": key}) as tools:
    for part in (part for tool in tools for part in tool.inputs.values()):
        part["nullable"] = True  # smolagents takes every argument for required; the shop says what is missing
    agent = ToolCallingAgent(tools, OpenAIServerModel("any"), verbosity_level=-1)
    print(agent.run(json.load(sys.stdin)["text"]))
