"""Right answers as lists of actions, with what the environment itself pays for them."""

from __future__ import annotations

from typing import Any, NamedTuple

from drr.app.training.environment import Environment
from drr.app.training.episode import Step
from drr.app.training.proving import oracle
from drr.app.training.tricks import Play


class Trajectory(NamedTuple):
    seed: int
    actions: list[Any]
    reward: float
    components: dict[str, float | None]


class Recorded(Environment):
    """An environment that remembers what it was asked."""

    def step(self, action: object) -> Step:
        self.actions.append(action)
        self.last = super().step(action)
        return self.last

    def paid(self, seed: int, actions: list[Any] | None = None) -> Trajectory:
        """Play these actions, or the oracle's."""
        self.actions: list[Any] = []
        first = self.reset(seed=seed)
        if actions is None:
            oracle(self.episode.query, Play(self, first))
        for action in actions or ():
            self.step(action)
        _, reward, done, info = self.last
        assert done
        return Trajectory(seed, self.actions, reward, info["components"])
