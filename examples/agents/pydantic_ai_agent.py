"""Pydantic AI over MCP: `--variant 'cmd:python examples/agents/pydantic_ai_agent.py'`."""

import json
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

key = {"Authorization": f"Bearer {os.environ['DRR_MCP_TOKEN']}"}
shop = MCPToolset(os.environ["DRR_MCP_URL"], headers=key)
print(Agent("openai-chat:any", toolsets=[shop]).run_sync(json.load(sys.stdin)["text"]).output)
