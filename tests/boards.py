"""Systems of a board as they are read from bundles, made up: `python -m benchmarks.board` and the tests of its pages draw them."""

from __future__ import annotations

import random
from hashlib import sha256

from drr.app.board.entries import ListedBundle, ListedSystem, SetVersion
from drr.app.bundles.findings import BundleFindings
from drr.eval.metrics.rows import JudgeRow
from drr.eval.stats.intervals import VRow
from drr.eval.stats.question import AskedQuestion
from drr.study.units import AnswerTally

JUDGE: JudgeRow = {
    "name": "anthropic:claude-sonnet-5-5",
    "claims_by": "anthropic:claude-sonnet-5-5",
    "id": "4aa30b00",
    "protocol": "ours",
    "prompts": {},
    "rule_written": False,
}
MODELS = tuple(f"provider{number % 7}:model-{number}" for number in range(20))
AGENTS = ("react", "react+ws", "plan-to-function", "plan-to-function+ws", "hybrid-react", "dr3")


def figure(value: float, reach: float, answers: int, top: float | None = 1.0) -> VRow:
    high = value + reach if top is None else min(value + reach, top)
    return VRow(
        value=value, ci_low=max(value - reach, 0.0), ci_high=high, n=answers, n_unscored=0, method="made up"
    )


def bundle(name: str, *, failed: str = "", skipped: str = "") -> ListedBundle:
    found = BundleFindings(root=sha256(name.encode()).hexdigest())
    found.signed.append(
        {"key": sha256(f"key of {name}".encode()).hexdigest(), "role": "maker", "known": True}
    )
    if failed:
        found.fail("costs", failed, failed)
    if skipped:
        found.skip("tools", skipped, skipped)
    return ListedBundle(key=sha256(name.encode()).hexdigest()[:12], name=name, found=found)


def system(
    own: ListedBundle, value: float, *, variant: str = "react", model: str = MODELS[0], answers: int = 1000,
    questions: str = "a" * 64, label: str = "mine-v1", reach: float = 0.02, usd: float = 0.1, judge: JudgeRow | None = JUDGE,
) -> ListedSystem:  # fmt: skip
    return ListedSystem(
        key=f"{own.key}-0-0",
        bundle=own,
        variant=variant,
        models=[model],
        set=SetVersion(label, questions, answers, ("b" * 64,)),
        judge=judge,
        written_by_rules=False,
        figures={
            "fp": figure(value, reach, answers),
            "fr": figure(value * 0.9, reach, answers),
            "overall": figure(10 * value, 10 * reach, answers, 10.0),
            "kp_vital_strict": figure(value * 0.8, reach, answers),
            "input_tokens": figure(40_000 * value, 900.0, answers, None),
            "output_tokens": figure(3_000 * value, 90.0, answers, None),
        },
        values={
            name: _values(one, answers, own.key) for name, one in (("fp", value), ("overall", 10 * value))
        },
        dollars=figure(usd, usd / 20, answers, None),
        answers=AnswerTally(variant, answers, answers - 3, 3, {"empty": 3}),
        made_by="deepresearch-retail 0.2.0",
        code="c" * 64,
        ended=1_795_000_000.0,
        contained=True,
        truth_is_public=False,
        standing=f"Only {variant} has a value of faithfulness.",
    )


def _values(mean: float, answers: int, key: str) -> dict[AskedQuestion, list[float | None]]:
    """Values of as many questions around a mean, some of them harder for every system."""
    chance = random.Random(key)
    return {
        AskedQuestion(f"q{n}", f"q{n}"): [mean * (0.97 + 0.03 * (n % 3)) + chance.gauss(0, 0.02) * mean]
        for n in range(min(answers, 200))
    }


def crowd(count: int, answers: int) -> list[ListedSystem]:
    """Systems of bundles of their own, alike in nothing but set and judge."""
    chance = random.Random(7)
    return [
        system(
            bundle(f"team-{number:03}.bundle", skipped="1,204 calls of tools, which --shop makes again" if number % 3 else ""),
            chance.uniform(0.4, 0.97),
            variant=AGENTS[number % len(AGENTS)],
            model=MODELS[number * 7 % len(MODELS)],
            answers=answers,
            reach=1.2 / answers**0.5,
            usd=10 ** chance.uniform(-3, 0.7),
        )
        for number in range(count)
    ]  # fmt: skip
