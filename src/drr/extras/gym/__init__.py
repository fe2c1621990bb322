"""Connection to Gymnasium: `import drr.extras.gym`, then `gymnasium.make("drr/Retail-v1", shop="shop")`.

Actions and observations are texts. An action is a JSON document as `drr.Environment.step` takes it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
from drr import Environment, Observation
from drr.env.query import Query
from gymnasium import spaces

MOST_CHARS = 400_000
"""Maximum number of characters in an action or an observation."""
NAME = "drr/Retail-v1"
_CUT_SHORT = ("out_of_calls", "out_of_steps", "out_of_time")


class AnyText(spaces.Text):
    """A space of texts with any characters. Gymnasium's own text space allows only listed characters, from which samples are drawn."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class RetailEnv(gymnasium.Env):
    """An environment with a shop's questions, one for each episode; the reward is paid with the report.

    The further data for an agent (tools, form, instructions, limits) is in the `info` of `reset`.
    """

    def __init__(
        self,
        shop: str | Path,
        queries: str | Path | Sequence[Query] | None = None,
        *,
        max_steps: int = 60,
        time_limit_s: float = 900.0,
        sandbox: str | Path | None = None,
    ) -> None:
        self.own = Environment(shop, queries, max_steps=max_steps, time_limit_s=time_limit_s, sandbox=sandbox)
        self.action_space = AnyText(MOST_CHARS)
        self.observation_space = spaces.Dict(
            {
                "question": AnyText(MOST_CHARS),
                "text": AnyText(MOST_CHARS, min_length=0),
                "steps_left": spaces.Discrete(max_steps + 1),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode with the question or id in `options["query"]`, else one by the seed, else the next one."""
        super().reset(seed=seed)
        first = self.own.reset(seed, (options or {}).get("query"))
        return _observe(first), deepcopy(first.to_dict())

    def step(self, action: str) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Take one action. A text that is no JSON is answered with an error, and counts as a step."""
        try:
            asked: object = json.loads(action)
        except (ValueError, RecursionError):
            asked = action
        seen, reward, done, info = self.own.step(asked)
        short = info["ending"] in _CUT_SHORT
        return (
            _observe(seen),
            reward,
            done and not short,
            short,
            {**info, "error": info["error"] or {}},
        )

    def close(self) -> None:
        self.own.close()


def _observe(found: Observation) -> dict[str, Any]:
    return {"question": found.question, "text": found.text, "steps_left": found.steps_left}


if NAME not in gymnasium.registry:
    gymnasium.register(id=NAME, entry_point=f"{__name__}:RetailEnv")
