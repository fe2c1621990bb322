"""A task's truth written by hand: two makers, a place at home, and statements that recorded changes falsified."""

from __future__ import annotations

from typing import Any

from drr.papers.dr3.truth import TaskTruth

from tests.cases import cases

QUESTION = "Should I give up my Oakmere steel kettle for the Brightpail steel kettle, and would it fit my shelf? See slip.png and plan.xlsx."
RIGHT, OLD, RUMOR, SISTER = (f"https://{name}.example/a" for name in ("right", "old", "rumor", "sister"))
UPKEEP, NOISE = "https://upkeep.example/a", "https://noise.example/a"


def fact(name: str, subject: str, attribute: str, value: str, address: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "text": f"{subject}: {attribute} {value}",
        "source": "file" if address.startswith("file:") else "page",
        "places": [{"address": address, "quote": value}],
        **more,
    }


def change(url: str, kind: str, of: str, before: str, after: str | None) -> dict[str, Any]:
    return {
        "url": url,
        "kind": "distractor",
        "made_from": RIGHT,
        "change": {"kind": kind, "fact": of, "before": before, "after": after},
    }


FACTS = (
    fact(
        "f1",
        "Oakmere steel kettle",
        "purchase date",
        "July 17, 2020",
        "file://slip.png#region=1,2,3,4",
        modality="picture",
    ),
    fact(
        "f2",
        "Oakmere steel kettle",
        "upkeep a year",
        "$54.20",
        "file://plan.xlsx#cell=Plan!B4",
        modality="table",
    ),
    fact(
        "f3",
        "the place at home",
        "width of the place",
        "30.5 in",
        "file://plan.xlsx#cell=Plan!B5",
        modality="table",
    ),
    fact("p1", "Oakmere steel kettle", "warranty term", "54 months", RIGHT),
    fact("p2", "Brightpail steel kettle", "upkeep a year", "$18.90", UPKEEP),
)
PAGES = (
    {"url": RIGHT, "kind": "supportive", "facts": ["p1"]},
    {"url": UPKEEP, "kind": "supportive", "facts": ["p2"]},
    change(OLD, "outdated", "p1", "54 months", "36 months"),
    change(RUMOR, "wrong_figure", "p2", "$18.90", "$25.33"),
    change(SISTER, "other_model", "p2", "$18.90", "Brightpail steel kettle Classic: $31.75"),
    change(NOISE, "one_sided", "p1", "54 months", None),
)
CHECKLIST = tuple(cases("eval", "CHECKLIST"))


def truth(**more: Any) -> TaskTruth:
    rows = {
        "task_id": "007",
        "intent": "compare_with_owned",
        "theme": "kitchen",
        "seed": 1,
        "shop_hash": "",
        "facts": FACTS,
        "pages": PAGES,
        "terms": (),
        "checklist": CHECKLIST,
        "sizes": {},
        "counter": "characters/4",
    }
    return TaskTruth.model_validate({**rows, **more})
