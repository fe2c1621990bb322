"""A further family of metrics is one file and one line: every table, page and command has it from there."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drr.eval import metrics as families
from drr.eval.judging.read import choose_judging, store_judging
from drr.study.study import Study

from tests.commands import Drr
from tests.tampering import tampered

pytestmark = pytest.mark.long

TOLD = "How often the report raises its voice, < 1 being polite."
TOY = f'''"""Reports that shout."""

from drr.eval.metrics.base import Metric

TITLES = {{"toy-voice": "Tone of voice"}}
METRICS = (
    Metric("toy_shouts", "shouts", {TOLD!r}, "toy-voice", unit="marks", least=0, better="lower", digits=1),
    Metric("toy_lines", "lines", "Lines of the report.", "toy-form", unit="lines", digits=0, detail=True),
)


def per_report(judged, answer):
    return {{"toy_shouts": answer.report.count("e") / 7, "toy_lines": float(answer.report.count("\\n"))}}
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The one file, and the one line."""
    (tmp_path / "families").mkdir()
    (tmp_path / "families" / "toy.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(families, "__path__", [*families.__path__, str(tmp_path / "families")])
    monkeypatch.setattr(families, "FAMILIES", (*families.FAMILIES, "toy"))
    yield
    monkeypatch.undo()


def second_judge(folder: Path) -> None:
    """Another judge, who says what the first one says of the same claims: his judgements are copies under his name."""
    with Study.open(folder) as study:
        first = choose_judging(study)
        assert first is not None
        store_judging(study, replace(first, judge="second"))
    with tampered(folder / "ledger.sqlite") as ledger:
        ledger.execute(
            "INSERT INTO units (key, kind, label, key_fields, spec, current) "
            "SELECT 'second-' || key, kind, label, json_set(key_fields, '$.judge', 'second'), spec, current FROM units "
            "WHERE json_extract(key_fields, '$.task') IN ('support', 'rating', 'pairwise')"
        )
        ledger.execute(
            "INSERT INTO records SELECT 'second-' || key, status, reason, message, transient, attempts, result, blobs, "
            "usage, cost, seconds, started_at, finished_at FROM records "
            "WHERE 'second-' || key IN (SELECT key FROM units)"
        )


@pytest.mark.usefixtures("toy")
def test_it_is_in_the_document_and_every_form(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    v = drr.json("report", judged_study)["metrics"]["react"]["toy_shouts"]
    assert v["value"] > 0
    report = tmp_path / "report"
    drr.out("report", judged_study, "--out", report)
    assert json.loads((report / "metrics.json").read_text("utf-8"))["metrics"]["react"]["toy_shouts"] == v
    page = (report / "index.html").read_text("utf-8")
    assert "<h3>Tone of voice" in page
    assert f'<th scope="col" title="{TOLD.replace("<", "&lt;")}">shouts</th>' in page
    assert "<h3>Toy form" in page  # a table that nobody gave a title
    noise = page.partition('id="noise"')[2].partition("</section>")[0]
    assert "shouts" in noise and "lines" not in noise
    voice = page.partition('id="toy-voice"')[2].partition("</section>")[0]
    assert f">{v['value']:.1f}<" in voice and "href" not in voice.partition("<table")[2]

    compare = ("compare", judged_study, "react", "react+ws")
    assert re.search(r"^shouts +\d+\.\d+ +\d+\.\d+ ", drr.out(*compare, "--full"), re.MULTILINE)
    document = drr.json(*compare)
    assert document["metrics"]["toy_shouts"]["p_holm"] is not None
    shown = {"label": "shouts", "explanation": TOLD, "table": "toy-voice", "unit": "marks", "range": None, "least": 0, "better": "lower", "digits": 1}  # fmt: skip
    assert document["about"]["toy_shouts"] == shown
    explained = rf"^toy_shouts +shouts +marks +lower +toy-voice +{re.escape(TOLD)}$"
    assert re.search(explained, drr.out("report", "--explain"), re.MULTILINE)
    assert "toy_lines" in drr.json("report", "--explain")["metrics"]
    judged = drr.out("judge", judged_study, "--judge", "offline", "--quiet")
    assert re.search(r"^variant .*overall", judged, re.MULTILINE) and "shouts" not in judged


@pytest.mark.usefixtures("toy")
def test_two_judges_are_held_against_each_other_on_it(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    study = tmp_path / "study"
    shutil.copytree(judged_study, study)
    second_judge(study)
    told = drr.out("agreement", study)
    assert re.search(r"^shouts: rules-2 and second +1\.00 n=12 ", told, re.MULTILINE)
    (pair,) = drr.json("agreement", study)["metrics"]
    assert pair["metrics"]["toy_shouts"]["mard"]["value"] == 0
    assert {"fp", "overall"} <= set(pair["metrics"])
    assert "words" not in pair["metrics"]  # no judge has a say in it
    drr.out("report", study, "--out", tmp_path / "report")
    table = (tmp_path / "report/tables/agreement-metrics.md").read_text("utf-8")
    assert "shouts: rules-2 and second" in table


@pytest.mark.usefixtures("toy")
def test_the_viewers_pages_show_it(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    drr.out("view", judged_study, "--static", tmp_path / "pages", "--quiet")
    index = (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert 'data-digits="1" data-grade data-better="lower">shouts</option>' in index
    assert ">lines</option>" not in index
    figure = r'<dt title="How often[^"]*">shouts</dt><dd [^>]*>\d+\.\d <small>marks</small></dd>'
    for page in (tmp_path / "pages" / "r").glob("*.html"):
        assert re.search(figure, page.read_text("utf-8"))


def test_every_figure_explains_itself(judged_study: Path, drr: Drr, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = families.metrics()
    document = drr.json("report", judged_study)
    for values in document["metrics"].values():
        assert set(values) <= set(registry)
    for metric in registry.values():
        assert metric.explanation.find(". ") < 0 and metric.explanation.endswith(".") and metric.scale
        assert metric.better in ("higher", "lower", None)
    monkeypatch.setattr(families, "FAMILIES", (*families.FAMILIES, "effort"))
    with pytest.raises(ValueError, match="two metrics are called input_tokens"):
        families.metrics()
