"""The stand-in agents say something sensible to the README's question and to those of the demo."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.app.commands.demo import ASKED
from drr.querygen.builtin import builtin_queries

from tests.commands import Drr

README = "What would make my yard better for birds, for under $200?"
DEMO = builtin_queries()[:ASKED]
WANTED = ["Safety Gate", "Foam Pillow", "Pruning Shears", "Proofing Basket"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "user", "wanted"),
    [
        (README, DEMO[0].user_id, "Bird Feeder"),
        (README, DEMO[0].user_id, "Bird Bath"),
        *((query.query, query.user_id, wanted) for query, wanted in zip(DEMO, WANTED, strict=True)),
    ],
    ids=["readme", "readme, bath", *WANTED],
)
def test_the_short_answer_is_what_is_sought(
    text: str, user: str, wanted: str, shop_folder: Path, drr: Drr
) -> None:
    report = drr.json("ask", text, "--shop", shop_folder, "--user", user, "--variant", "react")["report"]
    answer = report.split("## The short answer")[1].split("\n## ")[0]
    assert wanted in answer
    assert "Pillowcase" not in answer
    assert "Nothing in this shop" not in answer
