"""`drr report`: every number with its n, three forms that agree, the banner everywhere, hostile names harmless."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.app.commands.compare import _difference
from drr.app.report.contrasts import headline_tables
from drr.app.report.grids import section
from drr.app.report.latex import latex
from drr.app.report.metric_tables import winners
from drr.app.report.page import all_tables
from drr.app.report.tables import Cell, Heading, Table, as_csv, headings, markdown
from drr.eval.metrics import metrics
from drr.eval.metrics.document import study_document
from drr.eval.metrics.rows import CompareDocument
from drr.eval.stats.intervals import drawn
from drr.eval.stats.question import AskedQuestion
from drr.study.study import Study

from tests.app.conftest import material_of
from tests.commands import Drr

VARIANTS = ["plan-to-function+ws", "react", "react+ws"]


def cells(report: Path, name: str) -> dict[tuple[str, str], dict[str, str]]:
    with (report / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {(row["row"], row["column"]): row for row in csv.DictReader(file)}


def made(folder: Path, name: str) -> dict[tuple[str, str], Cell]:
    """The cells of a table of the page, which has no file."""
    with Study.open(folder) as study:
        (table,) = (one for one in all_tables(material_of(study)) if one.name == name)
    heads = [column.key or column.label for column in table.columns]
    return {(row, head): cell for row, own in table.lines for head, cell in zip(heads, own, strict=True)}


def table_of(report: Path, name: str) -> str:
    return (report / "tables" / name).read_text(encoding="utf-8")


@pytest.mark.long
def test_the_tables_hold_the_figures_of_the_document(judged_study: Path, report: Path) -> None:
    with Study.open(judged_study) as study:
        metrics = study_document(study)["metrics"]
        record = next(r for r in study.records("answer") if r.spec["variant"] == "react+ws")
        seconds = [r.making_seconds for r in study.records("answer") if r.spec["variant"] == "react"]
    table = cells(report, "faithfulness")
    for variant in VARIANTS:
        for name in ("fp", "fp_web", "fp_product", "fp_user", "fr", "n_cited"):
            v, row = metrics[variant][name], table[variant, name]
            expected = ["" if value is None else repr(value) for value in (v["value"], v["ci_low"])]
            assert [row["value"], row["ci_low"], row["n"]] == [*expected, str(drawn(v))]
    assert not [row for row in table.values() if row["best"] != "0"], "the noise could have made it"
    effort = cells(report, "effort")
    words = effort["react", "words"]
    assert float(words["ci_low"]) <= float(words["value"]) <= float(words["ci_high"])
    assert float(words["sd"]) >= 0 and words["n"] == "2"
    assert "After ± stands the standard deviation over answers." in table_of(report, "effort.md")
    assert None not in seconds and float(effort["react", "seconds"]["value"]) == pytest.approx(
        sum(one or 0.0 for one in seconds) / len(seconds)
    ), "as many trials of each question"
    assert record.usage["summariser"]["input_tokens"] > 0
    assert float(effort["react+ws", "input_tokens"]["value"]) > record.usage["agent"]["input_tokens"] / 10
    floor = made(judged_study, "noise")["words", "react"]
    assert (floor.n, floor.value) == (2, 0.0), "rules repeat themselves exactly"


def test_every_form_of_every_table_carries_the_banner(report: Path) -> None:
    for name in ("faithfulness", "quality", "effort", "pairwise"):
        for form in ("md", "tex", "csv"):
            assert "not by a language model" in table_of(report, f"{name}.{form}")
    for figure in (report / "figures").glob("*.svg"):
        assert "by rules" in re.sub(r"<!--|-->", "", figure.read_text(encoding="utf-8"))


def test_a_note_says_what_so_many_pairs_can_show(judged_study: Path, report: Path) -> None:
    assert {row["n"] for row in cells(report, "pairwise").values() if row["column"] == "win rate"} == {"2"}
    assert "With 4 comparisons no result is significant." in table_of(report, "pairwise.md")


def test_figure_4_keeps_page_reads_and_control_calls_apart(judged_study: Path, report: Path) -> None:
    table = cells(report, "tool-calls")
    with Study.open(judged_study) as study:
        answers = [r for r in study.records("answer") if r.spec["variant"] == "react+ws"]

    def mean(counts: list[int]) -> Any:
        return pytest.approx(sum(counts) / len(counts))

    def of_kind(control: bool) -> list[int]:
        return [sum((c["kind"] == "control") is control for c in r.result["tool_calls"]) for r in answers]

    read = [len({s["url"] for s in r.result["sources"] if s["page_status"] is not None}) for r in answers]
    own = {tool: float(row["value"]) for (variant, tool), row in table.items() if variant == "react+ws"}
    assert (own.pop("page reads"), own.pop("control calls")) == (mean(read), mean(of_kind(control=True)))
    assert float(table["react", "page reads"]["value"]) == 0
    own.pop("unknown tools", None)
    assert (len(own), sum(own.values())) == (9, mean(of_kind(control=False)))


def test_cost_stands_beside_quality_and_the_front_is_marked(judged_study: Path) -> None:
    table = made(judged_study, "cost-quality")
    names = ("tokens per answer", "overall quality")
    places = {v: [float(table[v, name].value or 0) for name in names] for v in VARIANTS}
    front = [v for v in VARIANTS if table[v, "undominated"].value == "yes"]
    assert front
    for variant, (cost, grade) in places.items():
        others = [place for place in places.values() if place != [cost, grade]]
        assert any(c <= cost and g >= grade for c, g in others) == (variant not in front)


@pytest.mark.long
def test_the_same_study_draws_the_same_bytes(judged_study: Path, tmp_path: Path) -> None:
    report = tmp_path / "out"
    for folder in (report, tmp_path / "again"):
        assert main(["report", str(judged_study), "--out", str(folder)]) == 0
    first, again = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (report, tmp_path / "again")
    )
    assert first.keys() == again.keys()
    assert [file for file in first if first[file] != again[file]] == []


def test_files_are_written_for_the_tables_that_a_paper_numbers(report: Path) -> None:
    names = {path.name for path in (report / "tables").iterdir()}
    assert {f"{name}.{form}" for name in ("faithfulness", "effort") for form in ("md", "tex", "csv")} <= names
    page = (report / "index.html").read_text("utf-8")
    for name in ("differences", "cost-quality", "noise", "rules"):
        assert f'id="{name}"' in page and f"{name}.csv" not in {
            *names,
            *re.findall(r'href="tables/([^"]*)', page),
        }
    assert names >= set(re.findall(r'href="tables/([^"]*)', page))


def test_misuse_leaves_a_folder_of_others_alone(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    document = drr.json("report", judged_study)
    assert {"schema", "metrics", "pairwise", "coverage"} <= set(document)
    v = document["metrics"]["react"]["fp"]
    assert set(v) - {"all_equal", "questions"} == {"value", "ci_low", "ci_high", "n", "n_unscored", "method"}
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "name a new folder" in drr.err("report", judged_study, "--out", tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    drr.err("report", tmp_path / "nowhere", "--json")
    drr.err("report", judged_study)


def test_bold_needs_a_difference_beyond_the_noise_and_not_a_rank() -> None:
    def per_query(*values: float) -> dict[AskedQuestion, list[float | None]]:
        return {AskedQuestion(f"q{n}", f"q{n}"): [value] for n, value in enumerate(values)}

    clear = {"one": per_query(*[0.9 + n / 1000 for n in range(12)]), "two": per_query(*[0.5] * 12)}
    close = {"one": per_query(*[0.9, 0.1] * 6), "two": per_query(*[0.1, 0.8] * 6)}

    def won(values: dict[str, dict[str, dict[AskedQuestion, list[float | None]]]]) -> dict[str, str]:
        known = [metrics().get(name) or replace(metrics()["fp"], name=name) for name in values]
        return winners(values.__getitem__, known)

    assert won({"fp": clear}) == {"fp": "one"}
    assert won({"fp": close}) == {}
    assert won({"unreadable_rate": clear}) == {"unreadable_rate": "two"}
    assert won({"unreadable_rate": close}) == {}
    # One lucky metric among many is luck: the same p-value no longer holds when it is one of twelve.
    slight = {"one": per_query(*[0.6] * 7), "two": per_query(*[0.5] * 7)}
    assert won({"fp": slight}) == {"fp": "one"}
    assert won({"fp": slight, **{f"m{n}": close for n in range(11)}}) == {}


def test_a_label_that_nobody_can_tell_of_says_why(judged_study: Path, report: Path) -> None:
    drawn = table_of(report, "failure-labels.md")
    with Study.open(judged_study) as study:
        found = study_document(study)["failures"]
    assert found is not None
    for name in found["labels"]:
        line = next(line for line in drawn.splitlines() if line.startswith(f"| {name.replace('_', ' ')} |"))
        if name != "budget_break" and not any(row[name]["share"]["n"] for row in found["variants"].values()):
            assert line.count("unknown") == len(VARIANTS)
            told = next(line for line in drawn.splitlines() if line.startswith("Unknown: "))
            assert name.replace("_", " ") in told and "--what failures" in told
            assert cells(report, "failure-labels")[name.replace("_", " "), "react"]["value"] == ""
    assert "weak synthesis | unknown" in drawn


def test_words_in_a_table_stay_words() -> None:
    evil = '=HYPERLINK("http://x")|</td><script>alert(1)</script>\\input{x}$&%'
    table = Table("t", evil, [Heading(evil, explanation=evil)], [(evil, [Cell(evil)])], [evil], evil)
    assert "<script>" not in section(table, {})
    assert "<script>" not in markdown(table)
    assert r"\input" not in latex(table).replace(r"\textbackslash{}input", "")
    assert next(csv.reader([as_csv(table).splitlines()[1]]))[1].startswith("'=")
    table = Table("t", "T", headings("a", "b"), [("r", [Cell("word " * 20), Cell(1.0)])])
    assert section(table, {}).count('<td class="words">') == 1


def test_leading_figures_lead_to_their_answers_and_a_difference_to_both_values(
    judged_study: Path, report: Path
) -> None:
    page = (report / "index.html").read_text("utf-8")
    loose, led = {}, set()
    for name, body in re.findall(r'<section id="([\w-]+)" class="table">.*?<tbody>(.*?)</tbody>', page, re.S):
        for row in re.findall(r"<tr.*?</tr>", body, re.S):
            for cell in re.findall(r"<td.*?</td>", row, re.S):
                found = re.search(r'href="([^"#]*)#([\w-]+)"', cell)
                is_number = re.search(r">[^<]*\d", cell) and 'class="floor"' not in row
                if found is None and is_number and name in {"board", *headline_tables()}:
                    loose.setdefault(name, cell)
                elif found is not None:
                    led.add((found[1], found[2]))
    assert loose == {}
    assert ("answers/plan-to-function+ws-minus-react+ws.html", "differences") in led
    for file, place in led:
        assert f'id="{place}"' in (report / file).read_text("utf-8"), (file, place)
    assert {place for _, place in led} <= headline_tables()
    overall = made(judged_study, "differences")["plan-to-function+ws minus react+ws", "overall"]
    page = report / "answers" / "plan-to-function+ws-minus-react+ws.html"
    body = page.read_text("utf-8").partition('id="differences"')[2].partition("</section>")[0]
    place = re.findall(r'<th scope="col"[^>]*>([^<]*)', body).index("overall")
    rows = [re.findall(r"<td>([^<]*)", row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)[1:]]
    told = [re.fullmatch(r"([+-]\S+) \((\S+) − (\S+)\)", row[place]) for row in rows]
    shown = [tuple(map(float, one.groups())) for one in told if one is not None]
    assert len(shown) == overall.n == 2
    assert all(a - b == pytest.approx(d) for d, a, b in shown)
    assert sum(d for d, _, _ in shown) / 2 == pytest.approx(overall.value)


def test_compare_has_the_noise_floor_of_the_report(judged_study: Path, drr: Drr) -> None:
    document: CompareDocument = drr.json("compare", judged_study, "react", "react+ws")
    floor = document["noise"]["fp"]
    shown = made(judged_study, "differences")["noise floor", "fp"]
    assert (floor["by"], floor["value"], floor["n"]) == ("trials", shown.value, shown.n)
    row = document["metrics"]["fp"]
    assert row["value"] is not None and not _difference(row, floor).startswith("≈")
    assert _difference(row, {**floor, "value": abs(row["value"]) + 0.01}).startswith("≈ ")
