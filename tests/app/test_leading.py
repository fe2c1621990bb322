"""The first screen of a report and of the answers' index: who is best, whether that is sure, what it cost; no more than one banner."""

from __future__ import annotations

import csv
import gzip
import json
import re
import shutil
from cProfile import Profile
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from drr.app.cli import main
from drr.app.report.contrasts import Contrast, contrasts
from drr.app.report.failing import FoundError
from drr.app.report.grids import forest, grid
from drr.app.report.headline import facts, sum_of_dollars
from drr.app.report.material import ReportData
from drr.app.report.page import index_page
from drr.app.report.report_plan import ReportPlan
from drr.app.report.standing import (
    Standings,
    _against,
    _elsewhere,
    share_of,
    standings,
    study_standings,
    verdict,
    wrong_facts,
)
from drr.app.report.study_report import _made
from drr.app.report.system_table import system_table
from drr.app.report.tables import Cell, Table, headings
from drr.app.viewer.model import ShownEntry
from drr.app.viewer.render import StudyPages
from drr.eval.metrics import metrics
from drr.eval.stats.differences import DifferenceRow
from drr.eval.stats.question import AskedQuestion
from drr.llm.meter import UsageRow
from drr.study.study import Study

from tests.app.conftest import material_of
from tests.commands import Drr
from tests.tampering import tampered

ROW = re.compile(r'<tr[^>]*><th scope="row">(.*?)</th>(.*?)</tr>', re.S)
LIMIT = 60_000


def ranks_of(material: ReportData, *, by_rules: bool = False) -> Standings:
    """The standings as a model's verdicts would give them, or those of the rules that judged."""
    found = contrasts(material.per_report)
    return standings(material.per_report, found, material.failed, {}, by_rules=by_rules)


@pytest.mark.slow
def test_a_report_tests_its_differences_once(judged_study: Path, tmp_path: Path) -> None:
    seen = Profile()
    with Study.open(judged_study) as study:
        seen.runcall(_made, study, ReportPlan(out=tmp_path / "report"))
    assert (tmp_path / "report" / "index.html").is_file()
    made = [row.callcount for row in seen.getstats() if row.code is contrasts.__code__]
    assert made == [1]


def part(page: str, name: str) -> str:
    return page.partition(f'id="{name}"')[2].partition("</section>")[0]


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_board_has_the_documents_figures_best_first(report: Path) -> None:
    document = json.loads((report / "metrics.json").read_text("utf-8"))["metrics"]
    page = (report / "index.html").read_text("utf-8")
    board = part(page, "board")
    heads = [words(one) for one in re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", board)]
    equal = words(board.partition("The same for all: ")[2].partition("</p>")[0])
    assert "faithfulness 0-1" in heads and ("overall 0-10" in heads) != ("overall " in equal)
    assert {*re.findall(r'data-of="(.*?)"', board)} == {one.split(" 0-")[0] for one in heads}
    heads = [one.split(" 0-")[0] for one in heads]
    rows = {
        name: dict(zip(heads, re.findall(r"<td.*?</td>", cells, re.S), strict=True))
        for name, cells in ROW.findall(board)
    }
    assert rows.keys() == document.keys()
    assert list(rows) == sorted(document), "verdicts by rules lead nothing"
    for name, own in document.items():
        for head, metric in {"faithfulness": "fp", "cited share": "fr", "overall": "overall"}.items():
            shown = words(rows[name][head]) if head in heads else equal.partition(f"{head} ")[2]
            assert shown.startswith(f"{own[metric]['value']:.2f}"), (name, head)
        tokens = own["input_tokens"]["value"] + own["output_tokens"]["value"]
        assert words(rows[name]["tokens"]).startswith(f"{tokens:,.0f}")
    with (report / "errors.csv").open(encoding="utf-8", newline="") as file:
        wrong = {row["system"] for row in csv.DictReader(file) if row["rule"] != "no error found"}
    failed = {
        name for name, row in rows.items() if "rules failed" in heads and words(row["rules failed"])[0] != "0"
    }
    assert failed == wrong


def test_rules_are_a_heat_map(report: Path) -> None:
    page = (report / "index.html").read_text("utf-8")
    cells = re.findall(r'<td class="[^"]*\b([fu]\d?)\b[^"]*">(.*?)</td>', part(page, "rules"), re.S)
    shown = {(kind, words(text)) for kind, text in cells}
    assert cells and all(re.fullmatch(r"\d+/\d+|\?", text) for _, text in shown)
    assert all((kind == "f0") == text.startswith("0/") for kind, text in shown if kind.startswith("f"))
    assert 'title="0 fail' in part(page, "rules")


def test_empty_tables_are_not_on_the_page(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        material = material_of(study)
        empty = Table("nothing-here", "Nothing here", headings("one"), [("react", [Cell(None, n=0)])])
        page = index_page(material, [empty], [])
        told = index_page(material, [replace(empty, rows=[("react", [Cell(0.0)])])], [])
    assert "Nothing here" not in page and "Nothing here" in told


def test_all_but_the_first_screen_is_folded(report: Path) -> None:
    page = (report / "index.html").read_text("utf-8")
    folds = "".join(re.findall(r"<details class=\"topic\".*?</details>\n", page, re.S))
    for name in re.findall(r'<section id="([\w-]+)"', page):
        assert (f'<section id="{name}"' in folds) == (
            name not in ("headline", "board", "differences", "failing", "spread")
        ), name
    assert "<details open" not in page


def test_a_banner_is_one_line_on_every_page(report: Path, judged_study: Path, tmp_path: Path) -> None:
    assert main(["view", str(judged_study), "--static", str(tmp_path / "viewer")]) == 0
    said = set()
    pages = [*report.rglob("*.html"), *(tmp_path / "viewer").rglob("*.html")]
    for file in pages:
        text = file.read_text("utf-8")
        lines = re.findall(r'<p class="banner"[^>]*>(.*?)</p>', text, re.S)
        if file.parent.name != "p":
            assert len(lines) == 1 and text.count("not a model") == 0, file
        for line in lines:
            link = re.search(r'<a href="([^"#]+)#limits">', line)
            assert link and 'id="limits"' in (file.parent / link[1]).read_text("utf-8"), file
            said.add(words(line))
    assert all(len(line) < 120 for line in said) and len(said) <= 2


def contrast(a: str, b: str, value: float, low: float, high: float, p: float) -> Contrast:
    row: DifferenceRow = {
        "value": value, "ci_low": low, "ci_high": high, "n": 12, "n_unscored": 0, "method": "", "a": None, "b": None,
        "p": p, "p_holm": p,
    }  # fmt: skip
    return Contrast(a, b, metrics()["fp"], row)


def test_a_mark_of_the_first_stands_only_where_it_tells_systems_apart() -> None:
    fp, names = metrics()["fp"], ["one", "two", "three"]
    means = dict(zip(names, (0.9, 0.9, 0.5), strict=True))
    tied = contrast("one", "two", 0.0, -0.1, 0.1, 1.0)
    for value, low, p, marked in ((0.4, 0.3, 0.001, {"one", "two"}), (0.4, -0.1, 0.5, set())):
        cells = _against(fp, means, names, [tied, contrast("one", "three", value, low, 0.9, p)])
        assert {name for name, cell in cells.items() if cell.shade} == marked


def test_a_difference_says_where_its_questions_are_not_those_of_the_means() -> None:
    one = contrast("one", "two", 0.02, -0.1, 0.1, 0.9)
    fewer = replace(one, row={**one.row, "n_unscored": 1})
    means = {"one": 0.97, "two": 0.94}
    assert "+0.02 one against two on 12 questions, 95 %" in verdict(one.metric, means, [one]).text
    assert "on 12 questions that both have a figure for" in verdict(one.metric, means, [fewer]).text


def test_the_corrected_test_alone_decides_the_sentence() -> None:
    means, fp = {"one": 0.9, "two": 0.8, "three": 0.5}, metrics()["fp"]
    sure, far = contrast("one", "two", 0.1, 0.05, 0.15, 0.01), contrast("one", "three", 0.4, 0.3, 0.5, 0.001)
    found = verdict(fp, means, [sure, far])
    assert (found.chip, found.head) == ("better", "one is best of 3 by faithfulness: 0.90")
    assert found.leads == "one" and found.document()["by"] == "fp"
    assert found.figure == "+0.10" and "95 % interval 0.05 to 0.15" in found.detail
    unsure = contrast("one", "two", 0.1, 0.05, 0.15, 0.2)
    found = verdict(fp, means, [unsure, far])
    assert found.chip == "no clear best" and found.head.startswith("one and two may each be the best")
    nowhere = contrast("one", "three", 0.4, -0.1, 0.9, 0.3)
    found = verdict(fp, means, [unsure, nowhere])
    assert (found.chip, found.head[:4]) == ("no difference shown", "None")
    few = [replace(one, row={**one.row, "n": 4}) for one in (unsure, nowhere)]
    assert verdict(fp, means, few).chip == "too few questions", "no test of four questions gives p < .05"
    assert verdict(fp, {"one": 0.9}, []).text == "Only one has a value of faithfulness: 0.90."
    assert share_of(4, 0, 6) == " (from 4 of its 10 answers, as 6 failed)" and share_of(4, 0) == ""
    for others in ([sure, far], [unsure, far], [unsure, nowhere]):
        found = verdict(fp, means, others, shares={"one": share_of(3, 5)})
        assert found.text.count("one (from 3 of its 8 answers)") == 1, "half of its answers are in no mean"


def test_a_difference_in_another_figure_is_told_with_its_doubt() -> None:
    level = contrast("one", "two", 0.0, -0.3, 0.3, 1.0)
    known = {"value": -2.17, "ci_low": -3.7, "ci_high": -0.8, "a": 0.0, "b": 2.17}
    for p_holm, told in ((0.28, "p = 0.031, or 0.28 corrected for 2 tests."), (0.03, "")):
        row = cast("DifferenceRow", {**level.row, **known, "p": 0.031, "p_holm": p_holm})
        text = _elsewhere(level.metric, [level, Contrast("one", "two", metrics()["mistakes"], row)])
        state = "may be" if told else "is"
        assert text.startswith(f"By mistakes, one (0.00) {state} ahead of two (2.17)") and text.endswith(told)
    assert _elsewhere(level.metric, [level, replace(level, metric=metrics()["overall"])]) == ""


def test_a_figure_is_open_where_a_difference_is_sure() -> None:
    def drawn(bold: bool) -> str:
        rows = [("a minus b", [Cell(0.17, 0.1, 0.39, 8), Cell(0.2, n=8, bold=bold, signed=True, equal=True)])]
        return forest(Table("differences", "d", headings("faithfulness", "mistakes"), rows), {})

    assert "<details" not in drawn(True) and "<details" in drawn(False)
    assert "on each of 8" in drawn(True) and "all equal" not in drawn(True)


def test_the_sentence_of_a_study_is_undecided_where_nothing_is_settled(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        material = material_of(study)
        found = contrasts(material.per_report)
        row, by_rules = ranks_of(material).row, ranks_of(material, by_rules=True).row
        settled = [one for one in found if one.metric.name == "fp" and one.is_ahead]
        assert (row.leads is None) == (
            len(settled) < 2
        ) and f"Holm's correction for {len(found)} tests" in row.test
    assert (by_rules.chip, by_rules.leads, by_rules.metric) == ("not judged", None, None)


def test_without_a_judge_the_wrong_facts_that_code_found_are_told_with_the_systems_name(
    judged_study: Path,
) -> None:
    with Study.open(judged_study) as study:
        material = material_of(study)
        errors = {"careless": [6, 6, 6, 6, 6, 4], "react": [0, 0, 0, 1], "still": [0, 0]}
        row = standings(material.per_report, [], {}, errors, by_rules=True).row
    assert row.head == "careless: 34 wrong facts in 6 of 6 reports; react: 1 wrong fact in 1 of 4 reports"
    assert row.leads is None and "no judge says who is better" in row.text


def test_a_sure_difference_in_wrong_facts_stands_beside_the_leading_figure() -> None:
    """395 errors against none were hidden behind "no difference shown ... by share solved"."""
    asked = [AskedQuestion(f"q{n}", f"q{n}") for n in range(12)]
    counts = {name: {one: [n] for one in asked} for name, n in (("honest", 0), ("liar", 3), ("twin", 0))}
    told = wrong_facts(counts)
    assert told.startswith("Rules found 3.00 wrong facts in a report of liar, and 0.00 in one of")
    assert "on average of 12 questions that both answered" in told
    assert "correction for 3 tests" in told
    few = {name: dict(list(own.items())[:4]) for name, own in counts.items()}
    assert wrong_facts(few) == wrong_facts({"liar": counts["liar"]}) == wrong_facts({}) == ""


def test_the_figures_beside_a_sure_difference_are_of_the_questions_that_it_compares() -> None:
    """`10 in 10 reports of x, and 90 in 20 of y: surely more`, because `y` also answered ten hard questions alone."""
    asked = [AskedQuestion(f"q{n}", f"q{n}") for n in range(20)]
    counts = {"x": {one: [1] for one in asked[:10]}, "y": {one: [9 * (n > 9)] for n, one in enumerate(asked)}}
    told = wrong_facts(counts)
    assert told.startswith(
        "Rules found 1.00 wrong facts in a report of x, and 0.00 in one of y, on average of 10"
    )


def changed_judgements(judged_study: Path, folder: Path, change: str) -> Path:
    """Copy a study, with another record of each judgement."""
    copy = Path(shutil.copytree(judged_study, folder / "study"))
    with tampered(copy / "ledger.sqlite") as db:
        db.execute(f"{change} WHERE key IN (SELECT key FROM units WHERE kind = 'judgement')")
    return copy


def test_where_no_rule_checked_nobody_says_that_nothing_is_wrong(judged_study: Path, tmp_path: Path) -> None:
    with Study.read(changed_judgements(judged_study, tmp_path, "DELETE FROM records")) as study:
        row = study_standings(study, material_of(study).judged).row
    assert "neither a model nor a rule has checked them" in row.text and "no wrong fact" not in row.text


@pytest.mark.parametrize(("sizes", "chip"), [(1, "better"), (2, "too few questions")])
def test_too_few_are_the_draws_that_no_test_can_settle(sizes: int, chip: str) -> None:
    """Eight questions of four tasks are four draws."""

    def per_report(metric: str) -> dict[str, dict[AskedQuestion, list[float | None]]]:
        known = {"fp": (0.9, 0.5)}.get(metric, ())
        asked = [AskedQuestion(f"q{n}", f"t{n // sizes}") for n in range(8)]
        return {name: {one: [value] for one in asked} for name, value in zip("ab", known, strict=False)}

    assert standings(per_report, contrasts(per_report), {}, {}).row.chip == chip


def test_mistakes_stand_in_the_line_of_faithfulness_where_a_judge_sought_them() -> None:
    def per_report(metric: str) -> dict[str, dict[AskedQuestion, list[float | None]]]:
        known = {"fp": (0.9, 0.5), "mistakes": (0.0, 2.0)}.get(metric)
        asked = [AskedQuestion(f"q{n}", f"q{n}") for n in range(12)]
        return {
            name: {one: [known[place]] for one in asked} if known else {} for place, name in enumerate("ab")
        }

    row = standings(per_report, contrasts(per_report), {}, {}).row
    assert row.metric == metrics()["fp"] and "Mistakes a report: b 2.00, a 0.00." in row.text


@pytest.mark.parametrize(("absent", "leads"), [(0.1, "fp"), (0.11, "overall")])
def test_faithfulness_leads_nothing_where_too_much_of_it_rests_on_absence(absent: float, leads: str) -> None:
    def per_report(metric: str) -> dict[str, dict[AskedQuestion, list[float | None]]]:
        values = {"fp": (0.9, 0.5), "overall": (5.0, 8.0), "fp_absent": (0.0, absent)}.get(metric)
        asked = [AskedQuestion(f"q{n}", f"q{n}") for n in range(8)]
        rows = zip(("one", "two"), values or (), strict=False)
        return {name: {one: [value] for one in asked} for name, value in rows}

    found = standings(per_report, contrasts(per_report), {}, {})
    assert found.metric == metrics()[leads] and (found.systems[0] == "one") == (leads == "fp")


@pytest.mark.slow
def test_every_page_and_command_prints_the_same_row(
    judged_study: Path, report: Path, tmp_path: Path, drr: Drr
) -> None:
    with Study.open(judged_study) as study:
        material = material_of(study)
        row = study_standings(study, material.judged).row
    document = row.document()
    assert json.loads((report / "metrics.json").read_text("utf-8"))["standing"] == document
    assert drr.json("study", "compare", judged_study, "react", "react+ws")["standing"] == document
    gate = ("study", "gate", judged_study, "--require", "cited share>=0")
    assert drr.json(*gate)["standing"] == document
    assert drr("view", str(judged_study), "--static", str(tmp_path / "viewer"), "--quiet")[0] == 0
    pages = [report / "index.html", tmp_path / "viewer" / "index.html"]
    for page in pages:
        assert words(row.head) in words(page.read_text("utf-8")), page
    for line in (drr.out("report", judged_study, "--out", tmp_path / "again"), drr.out(*gate[:3], *gate[3:])):
        assert words(row.text)[:60] in words(line)


def test_who_answered_nothing_stands_last_and_says_why(judged_study: Path, tmp_path: Path) -> None:
    home = judged_study.parent
    (tmp_path / "broken.py").write_text("async def broken(*given):\n    raise RuntimeError\n")
    shutil.copytree(judged_study, tmp_path / "study")
    variant = f"{tmp_path}/broken.py:broken"
    what = ["--shop", str(home / "shop"), "--variants", variant, "--only", "--quiet"]
    assert main(["run", str(tmp_path / "study"), *what]) == 1
    with Study.open(tmp_path / "study") as study:
        material = material_of(study)
        rows = system_table(material, ranks_of(material)).rows
        assert ("run", "4 systems, 2 questions, 12 answers, 4 failed") in facts(material)
    assert [name for name, _ in rows[:-1]] == [name for name, _ in rows if name in material.variants]
    name, cells = rows[-1]
    assert name == "broken.py:broken"
    assert [cell.text() for cell in cells if cell.value is not None] == ["4 failed (bug)"]


@pytest.mark.parametrize(
    ("a", "b", "told"), [(0.9375, 0.8333, "+0.10"), (0.1249, 0.0951, "+0.03"), (0.5, 0.501, "+0.00")]
)
def test_a_difference_is_rounded_once(a: float, b: float, told: str) -> None:
    row = {**contrast("one", "two", a - b, 0.0, 1.0, 0.5).row, "a": a, "b": b}
    assert Cell.tested(cast("DifferenceRow", row), 2).text().startswith(f"{told} [")


def test_bars_of_a_board_stand_under_each_other() -> None:
    cells = [Cell(0.3, 0.2, 0.4, 12, 0), Cell(0.5, 0.4, 0.6, 11, 1)]
    rows = [("a", cells[:1]), ("b", cells[1:])]
    drawn = grid(Table("board", "b", headings("fp"), rows), {}, "board")
    assert drawn.count("<small>") == 2 and drawn.count("1 unscored</small>") == 1
    without = grid(Table("board", "b", headings("fp"), rows[:1]), {}, "board")
    assert "<small>" not in without


def test_where_no_two_questions_differ_the_interval_is_that_of_the_terminal() -> None:
    """It is what so few questions can have missed, on a page as beside a figure in a line."""
    cells = [Cell(1.0, 0.4, 1.0, 4, equal=True), Cell(0.5, 0.4, 0.6, 4)]
    rows = [("a", cells[:1]), ("b", cells[1:])]
    drawn = dict(ROW.findall(grid(Table("board", "b", headings("fp"), rows), {}, "board")))
    assert "<circle" in drawn["a"] and 'd="M0 6H60"' in drawn["a"] and "6H" in drawn["b"]
    assert "0.40 to 1.00; all equal" in grid(Table("differences", "d", headings("fp"), rows), {}, "forest")


def test_all_that_may_be_first_are_marked(judged_study: Path) -> None:
    """Who leads by the figure alone wears no crown."""
    with Study.open(judged_study) as study:
        material = material_of(study)
        found = contrasts(material.per_report)
        table = system_table(material, ranks_of(material))
        at = [one.label for one in table.columns].index("against the first")
        said = {name: cells[at] for name, cells in table.rows}
        behind = {one.b for one in found if one.metric == metrics()["fp"] and one.is_ahead}
        marked = {name for name, cell in said.items() if cell.shade == "lead"}
        assert marked == (set(said) - behind if behind else set())
        first, *others = said.values()
        assert (first.value == "first") == ("shared first" not in {cell.value for cell in others})


def entries(questions: int, variants: int) -> list[ShownEntry]:
    scores = {name: 0.5 + n / 100 for n, name in enumerate(metrics())}
    return [
        ShownEntry(
            f"{question:04d}{variant:02d}" + "9f3c5a71d2" * 2, f"q{question}",
            f"Question {question}? " + "Some words of what is needed. " * 8, f"plan-to-function+ws-{variant}", 0,
            "done", None, 300 + question, True, {**scores, "fp": question % 7 / 7},
            verdicts=("full", "partial"), types=("product", "web"), cost=0.01 * question,
        )
        for question in range(questions) for variant in range(variants)
    ]  # fmt: skip


def test_what_nobody_knows_has_no_column(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        material = material_of(study)
        known = [one.label for one in system_table(material, ranks_of(material)).columns]
        assert {"faithfulness", "overall", "rules failed", "tokens"} <= {*known}
        material.judged.rules.clear()
        assert "rules failed" not in [one.label for one in system_table(material, ranks_of(material)).columns]


def test_an_unknown_figure_keeps_the_name_of_its_column_on_a_phone() -> None:
    row = [Cell(0.5), Cell(None, missing="unknown"), Cell("behind")]
    drawn = grid(Table("board", "b", headings("fp", "tokens", "said"), [("a", row)]), {}, "board")
    assert '<td class="short missing" data-of="tokens">unknown' in drawn
    assert '<td class="short" data-of="said">behind' in drawn


def test_a_forest_plot_has_its_zero_where_every_difference_is_beyond_it() -> None:
    cells = [Cell(0.3, 0.2, 0.4, 12, signed=True), Cell(0.5, 0.4, 0.6, 12, signed=True)]
    drawn = grid(Table("x", "d", headings("fp"), [("a", cells[:1]), ("b", cells[1:])]), {}, "forest")
    assert drawn.count('class="zero" d="M0 0V12"') == 2 and 'd="M160 6H240"' in drawn


@pytest.mark.slow
def test_pages_are_small_before_they_are_read(report: Path, judged_study: Path, tmp_path: Path) -> None:
    assert main(["view", str(judged_study), "--static", str(tmp_path / "viewer"), "--quiet"]) == 0
    for page in (*report.rglob("*.html"), *(tmp_path / "viewer").rglob("*.html")):
        assert len(gzip.compress(page.read_bytes())) < LIMIT, page
    drawn = StudyPages("s", served=False).index(entries(100, 8), None, 0)
    assert len(gzip.compress(drawn.encode())) < LIMIT


@pytest.mark.slow
def test_the_index_says_what_the_report_says(judged_study: Path, report: Path, tmp_path: Path) -> None:
    assert main(["view", str(judged_study), "--static", str(tmp_path / "viewer")]) == 0
    page = (tmp_path / "viewer" / "index.html").read_text("utf-8")
    standing = page.partition('id="standing"')[2].partition("</table>")[0].replace("<wbr>", "")
    shown = {
        name: dict(re.findall(r'data-of="([^"]*)".*?>(.*?)</td>', own)) for name, own in ROW.findall(standing)
    }
    ends_of = re.findall(r'data-ends="([^";]*)', standing)
    document = json.loads((report / "metrics.json").read_text("utf-8"))["metrics"]
    with Study.open(judged_study) as study:
        material = material_of(study)
        ranks = study_standings(study, material.judged)
        table = system_table(material, ranks)
    first = words(page.partition("<h1")[2].partition(">")[2].partition('<p class="note">')[0])
    lead = ranks.row
    assert first == words(f"{lead.chip} {lead.head} {lead.figure} {lead.detail}")
    labels = [one.label for one in table.columns]
    for (head, cells), ends, (name, row) in zip(shown.items(), ends_of, table.rows, strict=True):
        figure = dict(zip(labels, row, strict=True))
        fp = document[name]["fp"]
        assert (head, words(cells["mean"])) == (name, f"{fp['value']:.2f}")
        assert ends.split() == [f"{fp[end]:.4g}" for end in ("ci_low", "ci_high")]
        for one in ("tokens", "dollars"):
            assert cells[one] == figure[one].text().split()[0]
        assert "against the first" not in figure, "rules lead nothing"


def test_the_index_offers_what_is_known_of_an_answer_and_says_what_is_not() -> None:
    known = [replace(one, scores={"fp": 0.5, "depth": None}, cost=None) for one in entries(2, 2)]
    failed = replace(known[0], key="0", variant="a-broken", status="failed", reason="timeout", scores={})
    page = StudyPages("s", served=False).index([*known, failed], None, 0)
    shown = re.findall(r"<option[^>]*>(.*?)</option>", page)
    assert shown == ["faithfulness"]
    assert "4 of 5 answers, 1 failed (timeout). Their cost: unknown" in words(page)
    standing = page.partition('id="standing"')[2].partition("</table>")[0]
    name, last = ROW.findall(standing)[-1]
    assert (name, words(last)) == ("a-broken", "1 failed (timeout) – – –")
    matrix = page.partition('id="units"')[2]
    assert matrix.count("data-failing") == 1 and "failing only" in page


def test_without_a_model_the_errors_come_first_and_a_cell_names_them() -> None:
    wrong = [
        FoundError(rule, "$2; record: $1", [(0, 2)], "It costs $2.") for rule in ("price", "total", "budget")
    ]
    first, *others = entries(2, 1)
    first, *others = (replace(one, scores={"fp": 0.5}) for one in (first, *others))
    known = [replace(first, start="Buy the feeder."), *(replace(one, errors=wrong) for one in others)]
    page = StudyPages("s", served=False).index(known, None, 0)
    assert re.findall(r"<option[^>]*>(.*?)</option>", page)[0] == "errors a report"
    body = page.partition('id="units"')[2].partition("</tbody>")[0].partition("<tbody>")[2]
    rows = [words(one.partition("</th>")[2]) for one in body.split("<tr>")[1:]]
    assert rows == ["3 price, total +1", "0 Buy the feeder."], "errors first"
    assert "3 in 1 of 2" in page and '<a href="errors.html#price">price 1</a>' in page


def test_an_unknown_cost_names_its_reason() -> None:
    why = "no price is known for a-model"
    assert sum_of_dollars([(None, why), (None, why)]) == f"unknown ({why})"
    assert sum_of_dollars([(0.5, ""), (None, why)]) == f"$0.50 for 1 of 2, the others unknown ({why})"
    assert sum_of_dollars([(0.5, "")]) == "$0.50"


def test_an_unknown_cost_of_judging_names_its_reason(judged_study: Path, tmp_path: Path) -> None:
    use = dict.fromkeys(UsageRow.__annotations__, 1) | {"model": "a-model", "unmetered": 0, "cost_usd": None}
    change = f"UPDATE records SET cost = NULL, usage = '{json.dumps({'judge': use})}'"
    with Study.read(changed_judgements(judged_study, tmp_path, change)) as study:
        cost = dict(facts(material_of(study)))["cost"]
    assert cost.endswith("judging unknown (no price is known for a-model)")
