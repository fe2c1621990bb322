#!/bin/sh
# opencode: `--variant "cmd:examples/agents/opencode.sh $PWD/node_modules/.bin/opencode" --agent-sees $PWD/node_modules`; without a path, the one that is installed.
question=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')
model="{\"npm\":\"@ai-sdk/openai-compatible\",\"options\":{\"baseURL\":\"$OPENAI_BASE_URL\",\"apiKey\":\"$OPENAI_API_KEY\"},\"models\":{\"any\":{}}}"
shop="{\"type\":\"remote\",\"url\":\"$DRR_MCP_URL\",\"headers\":{\"Authorization\":\"Bearer $DRR_MCP_TOKEN\"}}"
export OPENCODE_CONFIG_CONTENT="{\"provider\":{\"drr\":$model},\"mcp\":{\"shop\":$shop}}"
exec "${1:-opencode}" run -m drr/any "$question"
