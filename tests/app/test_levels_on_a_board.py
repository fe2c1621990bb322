"""A set with levels has its own columns on a board, and the same by level on a system's page; other sets have none of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from drr.app.board.entries import with_tight_runs
from drr.app.board.levels import level_table
from drr.app.board.ranking import Ranking
from drr.eval.stats.question import AskedQuestion

from tests.agents.garden import ANNA, write_box
from tests.boards import bundle, system
from tests.commands import Drr

COLUMNS = {"solved, tight", "calls per solved", "pass^4"}
ASKED = {"What does the house cost?": ["B0HOUSE001"], "What does the baffle cost?": ["B0BAFFLE01"], "What do feeder and seed cost?": ["B0FEEDER01", "B0SEED0001"]}  # fmt: skip
PRICES = {"B0HOUSE001": 24.95, "B0BAFFLE01": 21.0, "B0FEEDER01": 43.99, "B0SEED0001": 12.49}
AGENT = f"""
import json
ASKED, PRICES = {ASKED!r}, {PRICES!r}

async def slow(query, tools, model, budget):
    by_name, wanted = {{tool.name: tool for tool in tools}}, ASKED[str(query).partition("\\n")[0]]

    async def call(name, **arguments):
        return await by_name[name].ainvoke({{"type": "tool_call", "id": "1", "name": name, "args": arguments}})

    for _ in range(3 if len(wanted) > 1 else 0):
        await call("product_catalog_search", query="birds")
    rows, points = [], []
    for n, one in enumerate(wanted, 1):
        found = (await call("get_product_details", product_id=one)).artifact
        if found and found.sources:
            rows.append(f"- {{n}}: {{PRICES[one]}} [it]({{found.sources[0].url}})")
            points.append({{"point": n, "figure": PRICES[one]}})
    report = "# Prices of what you asked for\\n\\n## Figures\\n\\n" + "\\n".join(rows) + "\\n"
    return report + "\\n```form\\n" + json.dumps({{"points": points}}) + "\\n```\\n"
"""


def _question(text: str) -> dict[str, object]:
    products = ASKED[text]
    points = [{"figure": PRICES[one], "sources": [f"http://ecommerce.example/{one}"]} for one in products]
    return {"id": f"q{len(text)}", "query": text, "user_id": ANNA, "checkable": {"points": points, "least": len(points), "level": len(points)}}  # fmt: skip


@pytest.mark.slow
def test_what_is_solved_at_each_level_under_both_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    monkeypatch.chdir(tmp_path)
    write_box(tmp_path, *map(_question, ASKED))
    Path("mine.py").write_text(AGENT, "utf-8")
    words = ("--shop", "shop", "--queries", "queries.jsonl", "--variants", "mine.py:slow", "--quiet")
    for name in ("wide", "tight"):
        drr("run", name, *words, "--trials", "4", "--limits", name)
        drr.out("bundle", "make", name, "--out", f"{name}.bundle")
        drr.out("report", name, "--out", f"report-{name}", "--quiet")
        report = Path(f"report-{name}/index.html").read_text("utf-8")
        assert f"<dt>limits</dt><dd>{name}</dd>" in report
    drr.out("board", "wide.bundle", "tight.bundle", "--out", "site", "--quiet")
    [found] = json.loads(Path("site/index.json").read_text("utf-8"))["sets"]
    [wide], [tight] = (one["systems"] for one in found["judgings"])
    assert (wide["tight"], tight["tight"]) == (False, True)
    assert wide["metrics"]["solved"]["value"] == wide["metrics"]["pass_4"]["value"] == 1
    assert wide["solved_tight"]["value"] == tight["metrics"]["solved"]["value"] == pytest.approx(2 / 3)
    assert wide["calls_per_solved"] == pytest.approx((1 + 1 + 5) / 3)
    page = Path("site/index.html").read_text("utf-8")
    assert all(one in page for one in COLUMNS) and "pass^2" not in page and "limit of calls</b> tight" in page
    of_system = Path(f"site/s/{wide['key']}.html").read_text("utf-8").partition('id="levels"')[2]
    assert "tables/" not in of_system, "a board has no files of tables"
    rows = [of_system.index(one) for one in ("level 1 (2 questions)", "level 2 (1 question)", ">all<")]
    assert rows == sorted(rows)


def test_open_minus_sealed_stands_at_each_level() -> None:
    one = system(bundle("a"), 0.9)
    asked = [AskedQuestion(f"q{n}", f"q{n}") for n in range(12)]
    opened = {q: [0.9 - 0.1 * (n % 3)] for n, q in enumerate(asked[:6])}
    sealed = {q: [0.5 - 0.1 * (n % 3)] for n, q in enumerate(asked[6:])}
    levels = {q: 1 + n % 2 for n, q in enumerate(asked)}
    table = level_table(replace(one, values={"points": opened}, sealed={"points": sealed}, levels=levels))
    assert [heading.label for heading in table.columns] == ["share of points", "open minus sealed"]
    gained = {name: row[1].value for name, row in table.rows}
    assert gained == {name: pytest.approx(0.4) for name in ("level 1 (3 questions)", "level 2 (3 questions)", "all")}  # fmt: skip


def test_a_set_without_levels_has_none_of_the_columns_and_two_tight_runs_are_no_pair() -> None:
    one = system(bundle("a"), 0.9)
    figures, values = {**one.figures, "solved": one.figures["fp"]}, {**one.values, "solved": one.values["fp"]}
    plain = replace(one, figures=figures, values=values)
    assert not COLUMNS & {heading.label for heading in Ranking.of([plain], None).table({}).columns}
    levels = dict.fromkeys(values["solved"], 1)
    wide, tight = replace(plain, levels=levels), replace(plain, key="b", levels=levels, tight=True)
    table = Ranking.of(with_tight_runs([wide, tight])[:1], None).table({})
    assert "solved, tight" in {heading.label for heading in table.columns}
    twice = with_tight_runs([wide, tight, replace(tight, key="c")])
    assert not any(own.tight_solved for own in twice)
