"""A run ends with how many answers can solve nothing, as they have no form or one that nobody can read."""

from __future__ import annotations

from pathlib import Path

from tests.commands import Drr

AGENTS = """
async def bare(query, tools, model, budget):
    return await found(query, tools)

async def torn(query, tools, model, budget):
    return await found(query, tools) + "\\n```form\\n{\\"picks\\": [\\n```\\n"

async def found(query, tools):
    by_name = {tool.name: tool for tool in tools}
    seen = await by_name["product_catalog_search"].ainvoke({"query": "feeder", "limit": 1})
    return f"# Answer\\n\\nThe shop has this to say about it: {seen}"

bare.version = torn.version = "1"
"""


def test_a_run_ends_with_the_answers_that_have_no_readable_form(
    drr: Drr, sample_home: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(AGENTS, "utf-8")
    shop, asked = sample_home / "shop", tmp_path / "q.jsonl"
    words = ("--shop", shop, "--checkable", "--count", 2, "--seed", 7, "--out", asked)
    drr.out("queries", "generate", *words)
    agents = ",".join(f"{tmp_path / 'mine.py'}:{name}" for name in ("bare", "torn"))
    run = ("run", tmp_path / "study", "--shop", shop, "--queries", asked, "--variants", agents)
    code, _, said = drr(*run, "--model", "offline", "--quiet")
    assert code == 0
    assert "2 forms cannot be read" in said and "2 answers of 4 handed in no form" in said
