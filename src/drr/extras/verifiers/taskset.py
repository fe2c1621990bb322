"""A shop's questions as tasks of verifiers; the reward is computed by replaying the actions of a rollout."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, cast

import verifiers.v1 as vf
from drr import Environment
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.query import read_queries
from drr.plugin import StepInfo, action_of, briefing, given_tools, instructions_of
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
        self.own = open_environment(self.config)
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


def open_environment(config: RetailToolsConfig) -> Environment:
    return Environment(
        config.shop,
        config.queries,
        max_steps=config.max_steps,
        time_limit_s=config.time_limit_s,
        sandbox=config.sandbox,
    )


class RetailTaskConfig(vf.TaskConfig):
    tools: RetailToolsConfig = RetailToolsConfig()


class RetailConfig(vf.TasksetConfig):
    """Settings of the questions, which the tools are given too."""

    shop: str = ""
    """Folder of the shop, or `servers:NAME`."""
    queries: str | None = None
    """JSONL of checkable questions. Without it they are made, by seed, without end."""
    sandbox: str | None = None
    """Folder of the web. Without it what was made with the shop, else the web in the box."""
    seed: int = 0
    """The first seed."""
    max_steps: int = 60
    task: RetailTaskConfig = RetailTaskConfig()

    def placed(self) -> RetailTaskConfig:
        """Return the settings of a task, or raise `Misuse` where no shop is named."""
        if not self.shop:
            raise Misuse("--env.taskset.shop: name the folder of a shop")
        own = {name: getattr(self, name) for name in ("shop", "queries", "sandbox", "max_steps")}
        return RetailTaskConfig(**{**dict(self.task), "tools": self.task.tools.model_copy(update=own)})


class RetailTask(vf.Task[RetailData, RolloutState, RetailTaskConfig]):
    """A question. Its answer is what `submit_report` was given, else the last message."""

    @classmethod
    def toolsets(cls, config: RetailTaskConfig) -> list[vf.Toolset]:
        return [RetailTools(config.tools)]

    @vf.stop
    def ended(self, trace: vf.Trace) -> bool:
        return trace.state.ending is not None

    @vf.reward
    async def retail(self, trace: vf.Trace) -> float:
        """Replay the actions and return the reward. Its components are recorded as metrics."""
        state = trace.state
        actions = [*state.actions, {"report": trace.last_reply}]
        if state.ending == "out_of_time":  # the replay has no time limit
            actions = [*state.actions[:-1], {"report": ""}]
        info, reward = await asyncio.to_thread(self._last_reward, actions)
        trace.info["drr"] = {**info, "ending": state.ending or info["ending"]}
        known = {name: value for name, value in info["components"].items() if value is not None}
        trace.record_metrics(known)
        return reward

    def _last_reward(self, actions: list[JsonObject]) -> tuple[StepInfo, float]:
        with open_environment(self.config.tools) as env:
            env.reset(self.data.seed, self.data.query_id)
            return next((info, paid) for _, paid, done, info in map(env.step, actions) if done)


@lru_cache(8)
def _open_environment_once(config: str) -> Environment:
    """Return an environment whose shop stays open while this process runs, because each reward needs it."""
    return open_environment(RetailToolsConfig.model_validate_json(config))


class RetailTaskset(vf.Taskset[RetailTask, RetailConfig]):
    """A set of tasks from the questions of a file, or an endless one made by seed."""

    def __init__(self, config: RetailConfig) -> None:
        super().__init__(config)
        self.INFINITE = config.queries is None

    def load(self) -> Iterator[RetailTask]:
        config = self.config.placed()
        env = _open_environment_once(config.tools.model_dump_json())
        chosen: Iterator[tuple[int | None, str | None]]
        if config.tools.queries is None:
            chosen = ((seed, None) for seed in count(self.config.seed))
        else:
            chosen = ((None, query.id) for query in read_queries(Path(config.tools.queries)))
        for seed, query_id in chosen:
            first = env.reset(seed, query_id)
            data = RetailData(
                id=env.state["query_id"],
                seed=seed,
                query_id=query_id,
                prompt=briefing(first),
                system_prompt=instructions_of(env.task),
            )
            yield RetailTask(data, config)


if __name__ == "__main__":
    RetailTools.run()
