"""The stand-in agents answer what they can of the demo's questions, and say no to the one that is none of their six things."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.app.commands.demo import ASKED
from drr.offline.agents.asks import read
from drr.offline.agents.report import REFUSED
from drr.querygen.builtin import builtin_queries

from tests.commands import Drr

DEMO = builtin_queries()[:ASKED]
ANSWERS = [
    ["Cabinet Locks Kit on 2023-04-23", "you spent $54.98 in 2 orders", "Oatie Hardware-Mounted Baby Safety Gate**: $46.99"],
    ["Loafwell Adjustable-Loft Memory Foam Pillow**: $36.99", "you spent $11.49 in 1 order", "on 2019-11-06"],
    ["24 orders in all", "you spent $117.95 in 5 orders", "Loamworks Ratchet Pruning Shears is cheaper"],
    [REFUSED],
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("number", range(ASKED))
def test_the_short_answer_is_what_the_records_say(number: int, shop_folder: Path, drr: Drr) -> None:
    query = DEMO[number]
    words = ["ask", query.query, "--shop", shop_folder, "--user", query.user_id, "--variant", "react"]
    answer = drr.json(*words)["report"].split("## The short answer")[1].split("\n## ")[0]
    assert [said for said in ANSWERS[number] if said not in answer] == []


def test_all_but_one_are_of_the_six_kinds_and_leave_something_to_pages() -> None:
    asked = [read(query.query) for query in DEMO]
    assert [len({ask.kind for ask in one.asks}) for one in asked] == [3, 3, 3, 0]
    assert {kind for one in asked for kind in (ask.kind for ask in one.asks)} == {
        "bought",
        "spent",
        "find",
        "which",
    }
    assert all(one.rest for one in asked)
