"""A system whose answers all failed counts 0 wherever code pays, and every page and command says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.app.training.environment import Environment
from drr.env.shop import Shop
from drr.querygen.files import line_of

from tests.commands import Drr

AGENTS = """
async def failing(query, tools, model, budget):
    raise RuntimeError("no")


async def bare(query, tools, model, budget):
    search = next(one for one in tools if one.name == "product_catalog_search")
    await search.ainvoke({"query": "gate"})
    return "Buy whatever you like best, as all of them are good and none of them is dear. " * 5
"""


@pytest.mark.long
def test_a_system_that_left_no_answer_stands_with_0_everywhere(
    drr: Drr, sample_home: Path, shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Environment(shop) as env:
        asked = [one for seed in range(9) if (one := env.questions([seed])[0]).checkable][:3]
    Path("asked.jsonl").write_text("".join(line_of(one) + "\n" for one in asked))
    Path("own.py").write_text(AGENTS)
    words = ("--shop", sample_home / "shop", "--queries", "asked.jsonl", "--trust-agent", "--quiet")
    assert drr("run", "study", *words, "--variants", "own.py:failing,own.py:bare")[0] == 1
    row = drr.json("report", "study", "--out", "page")["metrics"]["own.py:failing"]
    (paid,) = (
        one for one in drr.json("judges", "regrade", "study")["agents"] if one["agent"] == "own.py:failing"
    )
    for name in ("solved", "points", "reward"):
        assert (row[name]["value"], row[name]["n"]) == (paid["reward"]["value"], len(asked)) == (0, 3)
    assert row["points"]["value"] == paid["components"]["points"]["value"], "as in report and compare"
    page = Path("page/index.html").read_text("utf-8")
    assert "has a value of share solved" not in page
    assert "failing" in page.partition('id="pass"')[2].partition("</section>")[0]
    drr.out("view", "study", "--static", "pages")
    heads = [one for one in Path("pages/index.html").read_text("utf-8").split("<tr") if "3 failed" in one]
    assert any("own.py:failing" in one and "0.00" in one for one in heads)
    compared = drr.json("study", "compare", "study", "own.py:failing", "own.py:bare")
    assert compared["metrics"]["solved"]["n"] == 3
