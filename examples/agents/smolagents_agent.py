"""smolagents over MCP (with `mcp` below 2): `--variant 'cmd:python examples/agents/smolagents_agent.py'`."""

import json
import os
import sys

from smolagents import MCPClient, OpenAIServerModel, ToolCallingAgent

key = {"Authorization": f"Bearer {os.environ['DRR_MCP_TOKEN']}"}
with MCPClient({"url": os.environ["DRR_MCP_URL"], "transport": "streamable-http", "headers": key}) as tools:
    for part in (part for tool in tools for part in tool.inputs.values()):
        part["nullable"] = True  # smolagents takes every argument for required; the shop says what is missing
    model = OpenAIServerModel(
        "any", api_base=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"]
    )
    print(ToolCallingAgent(tools, model, verbosity_level=-1).run(json.load(sys.stdin)["text"]))
