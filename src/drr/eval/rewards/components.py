"""Computes the reward of an answer to a checkable question by code.

The reward is the share of points that are right, times the share of statements that are, times `.9 + .1 x cited`. Calls, words and
tokens are in no reward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

from drr.eval.rewards.points import graded_points
from drr.eval.rewards.rewarded import Rewarded

BARE = 0.2
"""The share that is paid for what the form says and the report does not.

If all were paid, an answer with an empty report would keep nine tenths of its reward.
"""


def _share(right: float, of: int) -> float | None:
    return right / of if of else None


def points(answer: Rewarded) -> float | None:
    """Return the share of points that are right. One that stands in the form alone counts for `BARE`."""
    graded = graded_points(answer)
    return _share(sum(1.0 if in_report else BARE for in_report in graded.right.values()), graded.asked)


def truthful(answer: Rewarded) -> float | None:
    """Return the share of right statements, so that a wrong one costs more than none."""
    graded = graded_points(answer)
    return _share(graded.true, graded.stated)


def cited(answer: Rewarded) -> float | None:
    """Return the share of the right points with a source of which a source is cited. `None` where none has a source."""
    sources = graded_points(answer).sources.values()
    return _share(sum(not answer.cited.isdisjoint(one) for one in sources), len(sources))


def solved(answer: Rewarded) -> float:
    """Return 1 if the form gives everything asked for and nothing wrong, and the report says it; else 0."""
    return float(answer.form is not None and points(answer) == 1 and truthful(answer) == 1)


@dataclass(frozen=True)
class RewardComponent:
    """A component of the reward, declared like a metric."""

    name: str
    role: Literal["answer", "beside", "factor"]
    """Role in the sum: `answer` components gate it, `beside` is paid in their proportion, `factor` multiplies the sum."""
    weight: float
    explanation: str
    value: Callable[[Rewarded], float | None]
    version: int = 1


COMPONENTS = (
    RewardComponent(
        "points", "answer", 0.9, "share of points that are right and said in the report", points, 2
    ),
    RewardComponent("cited", "beside", 0.1, "share of right points of which a source is cited", cited),
    RewardComponent(
        "truthful", "factor", 1.0, "share of stated picks, figures and refusals that are right", truthful, 8
    ),
)


class RewardRow(TypedDict):
    """A reward with its components."""

    total: float
    components: dict[str, float | None]
    """Components by name; `None` where the question does not ask for a component."""
    weights: dict[str, float]
    versions: dict[str, int]


def reward(answer: Rewarded) -> RewardRow:
    """Compute the reward, which is 0 without a right answer. `Misuse` for a question that code cannot check."""
    values = {one.name: one.value(answer) for one in COMPONENTS}
    core, core_weight = _weighed("answer", values)
    beside, beside_weight = _weighed("beside", values)
    answered = core / core_weight
    # Where no right point has a source, `cited` is unknown, and the answer is still paid in full.
    total = answered * (core_weight + beside) / (core_weight + beside_weight)
    for one in COMPONENTS:
        # Who states nothing has no share of right statements, and earns nothing.
        total *= (values[one.name] or 0.0) if one.role == "factor" else 1.0
    return {
        "total": round(total, 6),
        "components": values,
        "weights": {one.name: one.weight for one in COMPONENTS},
        "versions": {one.name: one.version for one in COMPONENTS},
    }


def _weighed(role: str, values: Mapping[str, float | None]) -> tuple[float, float]:
    """Return the weighted sum of the known components of a role, and the sum of their weights."""
    known = [
        (one.weight, value)
        for one in COMPONENTS
        if one.role == role and (value := values[one.name]) is not None
    ]
    return sum(weight * value for weight, value in known), sum(weight for weight, _ in known)
