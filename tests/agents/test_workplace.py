"""Units of answers are the same wherever they are computed: another process opens shop, web and models from plain data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.app.answers import AnswerConfig, open_answering
from drr.app.cli import main
from drr.env.query import read_queries
from drr.env.settings import Settings, resolve
from drr.study.pools import InProcessPool
from drr.study.processes import ProcessPool
from drr.study.run import run
from drr.study.study import Study
from drr.study.worker import Opening

from tests.agents.garden import ANNA, BEN, DOCUMENTS, write_shop

AGENT = """
from langchain_core.messages import HumanMessage


async def quick(query, tools, model, budget):
    return (await model.reply([HumanMessage(str(query))])).text
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Asked for and not begun."""
    monkeypatch.chdir(tmp_path)
    write_shop("shop", Settings())
    Path("web").mkdir()
    Path("web/documents.jsonl").write_text("".join(d.model_dump_json() + "\n" for d in DOCUMENTS))
    Path("mine.py").write_text(AGENT)
    asked = [
        {"id": "q-house", "query": "Which bird house?", "user_id": ANNA},
        {"id": "q-feeder", "query": "Which feeder is best under $30?", "user_id": BEN},
    ]
    Path("queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in asked))
    words = ["--shop", "shop", "--queries", "queries.jsonl", "--sandbox", "web", "--quiet"]
    assert main(["run", "study", *words, "--variants", "mine.py:quick,react+ws", "--limit", "1"]) == 0
    return Study.open(Path("study"))


@pytest.mark.long
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_worker_opens_its_own_shop_web_and_models_from_plain_data(
    study: Study, elsewhere: bool
) -> None:
    document = json.loads(json.dumps({**study.config, "pages": "study/pages"}))
    opening = Opening("drr.app.answers:open_workplace", document)
    pool = ProcessPool(opening, workers=1) if elsewhere else InProcessPool.of_opening(opening)
    with study:
        settings = resolve(study.config["settings"]).settings
        with open_answering(AnswerConfig.of(study.config["run"], settings, None)) as answering:
            units = answering.units(read_queries(Path("queries.jsonl")))
        summary = await run(study, units, pool)
        assert (summary.done, summary.stopped, summary.left) == (3, None, 0)
        reports = {record.label: str(study.text(record, "report")) for record in study.records("answer")}
    assert sorted(reports) == [
        f"q-{q}/{v}/0" for q in ("feeder", "house") for v in ("mine.py:quick", "react+ws")
    ]
    assert "Cedar bird house" in reports["q-house/react+ws/0"]
