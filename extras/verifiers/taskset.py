"""A shop's questions as tasks of verifiers; the reward is computed by replaying the actions of a rollout."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path

import verifiers.v1 as vf
from drr import Environment
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.query import read_queries
from drr.extras.verifiers.tools import RetailData, RetailTools, RetailToolsConfig, RolloutState, opened
from drr.plugin import StepInfo, briefing, instructions_of


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
    kind: str = "retail"
    """The task of questions made by seed: `retail`, or `service`."""
    seed: int = 0
    """The first seed."""
    max_steps: int = 60
    task: RetailTaskConfig = RetailTaskConfig()

    def placed(self) -> RetailTaskConfig:
        """Return the settings of a task, or raise `Misuse` where no shop is named."""
        if not self.shop:
            raise Misuse("--env.taskset.shop: name the folder of a shop")
        own = {name: getattr(self, name) for name in ("shop", "queries", "sandbox", "kind", "max_steps")}
        return RetailTaskConfig(**{**dict(self.task), "tools": self.task.tools.model_copy(update=own)})


class RetailTask(vf.Task[RetailData, RolloutState, RetailTaskConfig]):
    """One question. Its answer is what `submit_report` was given, else the last message."""

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
        info, reward = await asyncio.to_thread(self._paid, actions)
        trace.info["drr"] = {**info, "ending": state.ending or info["ending"]}
        known = {name: value for name, value in info["components"].items() if value is not None}
        trace.record_metrics(known)
        return reward

    def _paid(self, actions: list[JsonObject]) -> tuple[StepInfo, float]:
        with opened(self.config.tools) as env:
            env.reset(self.data.seed, self.data.query_id)
            return next((info, paid) for _, paid, done, info in map(env.step, actions) if done)


@lru_cache(8)
def _kept(config: str) -> Environment:
    """Return an environment whose shop stays open while this process runs, because each reward needs it."""
    return opened(RetailToolsConfig.model_validate_json(config))


class RetailTaskset(vf.Taskset[RetailTask, RetailConfig]):
    """A set of tasks from the questions of a file, or an endless one made by seed."""

    def __init__(self, config: RetailConfig) -> None:
        super().__init__(config)
        self.INFINITE = config.queries is None

    def load(self) -> Iterator[RetailTask]:
        config = self.config.placed()
        env = _kept(config.tools.model_dump_json())
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
