"""The tool server of one rollout: an episode over MCP whose actions are all recorded."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import verifiers.v1 as vf
from drr import Environment
from drr.env.json_object import JsonObject
from drr.plugin import action_of, given_tools
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as McpTool
from pydantic import Field


class RetailToolsConfig(vf.ToolsetConfig):
    shop: str = ""
    """Folder of the shop, or `servers:NAME`."""
    queries: str | None = None
    """JSONL of checkable questions. Without it they are made, by seed."""
    sandbox: str | None = None
    """Folder of the web. Without it what was made with the shop, else the web in the box."""
    kind: str = "retail"
    """The task of questions made by seed: `retail`, or `service`."""
    max_steps: int = 60
    time_limit_s: float = 900.0


class RetailData(vf.TaskData):
    """The choice of a question by seed or id; its truth stays in the shop."""

    seed: int | None = None
    query_id: str | None = None


class RolloutState(vf.State):
    """The actions of a rollout, from which the reward is computed."""

    actions: list[JsonObject] = Field(default_factory=list)
    ending: str | None = None


class RetailTools(vf.Toolset[RetailToolsConfig, RolloutState]):
    """The shop's tools under their own names, and `submit_report`."""

    TOOL_PREFIX = None

    async def setup_task(self, task: RetailData) -> None:
        """Begin the episode of this rollout's question."""
        self.own = opened(self.config)
        self._order = asyncio.Lock()
        self._actions: list[JsonObject] = []
        await self.own.areset(task.seed, task.query_id)

    def register(self, mcp: MCPServer) -> None:
        """Register own handlers for listing and calling tools, because the schemas are not derived from signatures."""
        server, stated = cast(Any, mcp), self._with_state(self._call)

        async def call_tool(name: str, arguments: JsonObject, context: Context | None = None) -> Any:
            async with self._order:  # a call returns the whole state, so calls run one by one
                return await stated(name, arguments)

        server.list_tools, server.call_tool = self.list_tools, call_tool

    async def list_tools(self) -> list[McpTool]:
        return [
            McpTool(name=one.name, description=one.description, input_schema=one.schema)
            for one in given_tools(self.own.task)
        ]

    async def _call(self, name: str, arguments: JsonObject) -> CallToolResult:
        action = action_of(name, arguments)
        seen, _, done, info = await self.own.astep(action)
        self._actions.append(action)
        self.state.actions, self.state.ending = self._actions, info["ending"]
        text = "The work has ended." if done and not seen.text else seen.text
        return CallToolResult(
            content=[TextContent(type="text", text=text)], is_error=info["error"] is not None
        )


def opened(config: RetailToolsConfig) -> Environment:
    return Environment(
        config.shop,
        config.queries,
        task=cast(Any, config.kind),
        max_steps=config.max_steps,
        time_limit_s=config.time_limit_s,
        sandbox=config.sandbox,
    )


if __name__ == "__main__":
    RetailTools.run()
