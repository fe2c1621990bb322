"""Figures by group: a planted weak group is found, chance accuses nobody, and the interval and the test agree."""

from __future__ import annotations

import numpy as np
import pytest
from drr.env.checkable import Checkable, Constraint, ShoppingNeed
from drr.env.errors import Misuse
from drr.env.query import Constraints, Query
from drr.env.question_fields import FIELDS, check_field, order_band
from drr.eval.metrics.groups import group_document
from drr.eval.metrics.rows import GroupRow
from drr.eval.stats.groups import against_rest
from drr.eval.stats.question import AskedQuestion

SIZE = 15
FOUR = "abcd"


def rows(seed: int, first: float, other: float = 0.8, *, whole: bool = False) -> list[GroupRow]:
    """Return the rows of a seeded study of four groups. Scores are 0 or 1 if `whole`, else shares around the mean."""
    chance = np.random.default_rng(seed)
    values, groups = dict[AskedQuestion, list[float | None]](), dict[str, set[str]]()
    for group in FOUR:
        mean = first if group == FOUR[0] else other
        for number in range(SIZE):
            name = f"{group}{number}"
            score = float(chance.random() < mean) if whole else float(chance.beta(2 * mean, 2 - 2 * mean))
            values[AskedQuestion(name, name)] = [score]
            groups.setdefault(group, set()).add(name)
    return group_document("kind", groups, {"fp": {"react": values}})["rows"]


def test_a_planted_weak_group_is_found() -> None:
    found = [[row["group"] for row in rows(seed, 0.4) if row["weak"]] for seed in range(10)]
    assert found.count(["a"]) >= 8


@pytest.mark.parametrize("whole", [False, True])
def test_no_group_is_found_weak_by_chance(whole: bool) -> None:
    accused = [any(row["weak"] for row in rows(1000 + seed, 0.8, whole=whole)) for seed in range(100)]
    assert sum(accused) <= 5


def test_the_interval_leaves_out_zero_where_the_test_rejects() -> None:
    tested = [row["difference"] for seed in range(40) for row in rows(seed, 0.55, whole=True)]
    for row in tested:
        low, high, p = row["ci_low"], row["ci_high"], row["p"]
        assert low is not None and high is not None and p is not None
        assert (low > 0 or high < 0) is (p < 0.05)
    assert any((row["p"] or 1) < 0.05 for row in tested)


def test_small_groups_are_not_judged_and_a_task_is_one_draw() -> None:
    values = {AskedQuestion(f"q{n}", f"t{n % 10}"): [float(n % 10 < 4)] for n in range(20)}
    small = against_rest(values, {f"q{n}" for n in range(20) if n % 10 < 4})
    assert (small.p, small.difference.value, small.difference.n) == (None, None, 8)
    assert against_rest(values, {f"q{n}" for n in range(20) if n % 10 < 5}).difference.clusters == 10


def test_fields_of_a_question() -> None:
    need = ShoppingNeed(category=["Home", "Lamps"], constraints=[Constraint(kind="price_max", value=9.0)])
    asked = Query(
        query="A lamp",
        user_id="u",
        mode="profile",
        language="de",
        checkable=Checkable(needs=[need], budget=9.0, level=2),
    )
    found = {name: list(values(asked)) for name, values in FIELDS.items()}
    assert found == {
        "kind": ["picks"],
        "category": ["Home"],
        "mode": ["profile"],
        "level": ["2"],
        "language": ["de"],
        "constraint": ["price_max", "budget"],
    }
    stated = Query(query="A lamp", user_id="u", intent="plan", constraints=Constraints(total_max=5.0))
    assert [list(FIELDS[name](stated)) for name in ("kind", "constraint", "level")] == [
        ["plan"],
        ["total_max"],
        [],
    ]
    assert [order_band(count) for count in (0, 1, 4, 5, 19, 50, 900)] == [
        "0", "1-4", "1-4", "5-9", "10-19", "50 or more", "50 or more",
    ]  # fmt: skip
    with pytest.raises(Misuse, match="user:orders"):
        check_field("colour")
