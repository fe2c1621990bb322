#!/bin/sh
# Claude Code: `--variant "cmd:examples/agents/claude_code.sh $PWD/node_modules/.bin/claude" --agent-sees $PWD/node_modules`; without a path, the one that is installed.
question=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')
shop="{\"type\":\"http\",\"url\":\"$DRR_MCP_URL\",\"headers\":{\"Authorization\":\"Bearer $DRR_MCP_TOKEN\"}}"
exec "${1:-claude}" -p "$question" --model any --strict-mcp-config \
  --mcp-config "{\"mcpServers\":{\"shop\":$shop}}" --allowedTools mcp__shop
