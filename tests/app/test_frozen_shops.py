"""Every open part of the sets that come with the program is made again of its seed, and the shop, web and questions are the very same."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from drr.app.study.fresh_shops import make_shop
from drr.app.study.frozen_sets import SET, SetPart, read_set
from drr.env.progress import Quiet
from drr.env.query import read_queries
from drr.env.settings import resolve
from drr.querygen.builtin import FILE

SETS = {place.parent: read_set(place.parent) for place in sorted(FILE.parent.glob(f"*/{SET}"))}
MADE = [(place, part) for place, one in SETS.items() for part in one.parts if part.made]


def _hash(questions: Path) -> str:
    return sha256(questions.read_bytes()).hexdigest()


def test_every_set_has_a_part_that_anybody_can_make_again() -> None:
    assert SETS and {place for place, _ in MADE} == SETS.keys()


@pytest.mark.parametrize(
    ("place", "part"), [pytest.param(*one, id=f"{one[0].name}-{one[1].name}") for one in MADE]
)
@pytest.mark.long
def test_a_frozen_shop_is_made_again_of_its_seed(place: Path, part: SetPart, tmp_path: Path) -> None:
    """Of worded questions only the published file is held to the hash: no code writes them again."""
    assert part.made and _hash(place / part.name / "queries.jsonl") == part.published
    made = make_shop(
        part.made.seed, part.made.axes, tmp_path / "made", resolve({}, environ={}).settings, Quiet()
    )
    found = {"shop": made["shop"], "web": made["web"]}
    if all(query.rule_written for query in read_queries(place / part.name / "queries.jsonl")):
        found["questions"] = made["questions"]
    assert found == part.model_dump(include={*found})
