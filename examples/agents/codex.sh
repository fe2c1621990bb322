#!/bin/sh
# Codex: `--variant "cmd:examples/agents/codex.sh $PWD/node_modules/.bin/codex" --agent-sees $PWD/node_modules`; without a path, the one that is installed.
question=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')
export CODEX_HOME="$HOME/.codex" && mkdir -p "$CODEX_HOME"
exec "${1:-codex}" exec --skip-git-repo-check --ephemeral -m any -c 'model_provider="drr"' \
  -c "model_providers.drr={name=\"drr\",base_url=\"$OPENAI_BASE_URL\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}" \
  -c "mcp_servers.shop={url=\"$DRR_MCP_URL\",bearer_token_env_var=\"DRR_MCP_TOKEN\"}" "$question"
