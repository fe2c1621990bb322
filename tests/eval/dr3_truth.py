"""A task's truth written by hand: two makers, a place at home, and statements that recorded changes falsified."""

from __future__ import annotations

from typing import Any

from drr.papers.dr3.truth import TaskTruth

from tests.cases import cases

QUESTION = "Should I give up my Oakmere steel kettle for the Brightpail steel kettle, and would it fit my shelf? See slip.png and plan.xlsx."
RIGHT, OLD, RUMOR, SISTER = (f"https://{name}.example/a" for name in ("right", "old", "rumor", "sister"))
UPKEEP, NOISE = "https://upkeep.example/a", "https://noise.example/a"
FACTS: list[dict[str, Any]] = cases("eval", "FACTS", globals())
PAGES: list[dict[str, Any]] = cases("eval", "PAGES", globals())
TASK = {"task_id": "007", "intent": "compare_with_owned", "theme": "kitchen", "seed": 1, "shop_hash": ""}
LISTS = {"facts": FACTS, "pages": PAGES, "terms": (), "checklist": cases("eval", "CHECKLIST"), "sizes": {}}


def truth(**more: Any) -> TaskTruth:
    return TaskTruth.model_validate({**TASK, **LISTS, "counter": "characters/4", **more})
