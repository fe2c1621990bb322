"""`drr report`: every number with its n, three forms that agree, the banner everywhere, hostile names harmless."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.app.commands.compare import _difference
from drr.app.report.latex import latex
from drr.app.report.material import Material
from drr.app.report.metric_tables import winners
from drr.app.report.page import section
from drr.app.report.tables import Cell, Heading, Table, as_csv, markdown
from drr.app.report.write import all_tables
from drr.eval.judging.read import choose, read_judged
from drr.eval.metrics.document import study_document
from drr.eval.metrics.rows import CompareDocument
from drr.study.study import Study

from tests.commands import Drr

VARIANTS = ["plan-to-function+ws", "react", "react+ws"]


@pytest.fixture(scope="module")
def report(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "out"
    assert main(["report", str(judged_study), "--out", str(folder)]) == 0
    return folder


def cells(report: Path, name: str) -> dict[tuple[str, str], dict[str, str]]:
    with (report / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {(row["row"], row["column"]): row for row in csv.DictReader(file)}


@pytest.mark.long
def test_the_tables_hold_the_figures_of_the_document(judged_study: Path, report: Path) -> None:
    with Study.open(judged_study) as study:
        metrics = study_document(study)["metrics"]
    table = cells(report, "faithfulness")
    for variant in VARIANTS:
        for name in ("fp", "fp_web", "fp_product", "fp_user", "fr", "n_cited"):
            v, row = metrics[variant][name], table[variant, name]
            assert row["value"] == ("" if v["value"] is None else repr(v["value"]))
            assert row["n"] == str(v["n"])
            assert row["ci_low"] == ("" if v["ci_low"] is None else repr(v["ci_low"]))


def test_every_form_of_every_table_carries_the_banner(report: Path) -> None:
    for name in ("faithfulness", "quality", "effort", "pairwise"):
        for form in ("md", "tex", "csv"):
            assert "not by a language model" in (report / "tables" / f"{name}.{form}").read_text(
                encoding="utf-8"
            )
    for figure in (report / "figures").glob("*.svg"):
        assert "by rules" in re.sub(r"<!--|-->", "", figure.read_text(encoding="utf-8"))


def test_effort_has_mean_sd_and_interval(report: Path) -> None:
    row = cells(report, "effort")["react", "words"]
    assert float(row["ci_low"]) <= float(row["value"]) <= float(row["ci_high"])
    assert float(row["sd"]) >= 0
    assert row["n"] == "4"


def test_page_summaries_are_in_the_input_tokens(judged_study: Path, report: Path) -> None:
    table = cells(report, "effort")
    with Study.open(judged_study) as study:
        record = next(r for r in study.records("answer") if r.spec["variant"] == "react+ws")
    assert record.usage["summariser"]["input_tokens"] > 0
    assert float(table["react+ws", "input_tokens"]["value"]) > record.usage["agent"]["input_tokens"] / 10


def test_figure_4_keeps_page_reads_and_control_calls_apart(judged_study: Path, report: Path) -> None:
    table = cells(report, "tool-calls")
    with Study.open(judged_study) as study:
        answers = [r for r in study.records("answer") if r.spec["variant"] == "react+ws"]
    read = [len({s["url"] for s in r.result["sources"] if s["page_status"] is not None}) for r in answers]
    assert float(table["react+ws", "page reads"]["value"]) == pytest.approx(sum(read) / len(read))
    assert float(table["react", "page reads"]["value"]) == 0
    control = [sum(call["kind"] == "control" for call in r.result["tool_calls"]) for r in answers]
    assert float(table["react+ws", "control calls"]["value"]) == pytest.approx(sum(control) / len(control))
    nine = [sum(call["kind"] != "control" for call in r.result["tool_calls"]) for r in answers]
    listed = [
        float(row["value"])
        for (variant, tool), row in table.items()
        if variant == "react+ws" and tool not in ("page reads", "control calls", "unknown tools")
    ]
    assert len(listed) == 9
    assert sum(listed) == pytest.approx(sum(nine) / len(nine))


def test_cost_stands_beside_quality_and_the_front_is_marked(report: Path) -> None:
    table = cells(report, "cost-quality")
    tokens, quality = "tokens per answer", "overall quality"
    front = [variant for variant in VARIANTS if table[variant, "undominated"]["value"] == "yes"]
    assert front
    for variant in VARIANTS:
        cost, grade = float(table[variant, tokens]["value"]), float(table[variant, quality]["value"])
        beaten = any(
            float(table[v, tokens]["value"]) <= cost
            and float(table[v, quality]["value"]) >= grade
            and (float(table[v, tokens]["value"]), float(table[v, quality]["value"])) != (cost, grade)
            for v in VARIANTS
        )
        assert beaten == (variant not in front)


def test_repeated_trials_give_a_noise_floor(report: Path) -> None:
    row = cells(report, "noise")["words", "react"]
    assert row["n"] == "2"
    assert float(row["value"]) == 0.0  # rules repeat themselves exactly


def test_nothing_is_bold_that_the_noise_could_have_made(report: Path) -> None:
    assert all(row["best"] == "0" for row in cells(report, "faithfulness").values())


@pytest.mark.long
def test_the_same_study_draws_the_same_bytes(
    judged_study: Path, report: Path, tmp_path: Path, drr: Drr
) -> None:
    drr.out("report", judged_study, "--out", tmp_path / "again")
    files = sorted(path.relative_to(report) for path in report.rglob("*") if path.is_file())
    assert files == sorted(
        path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*") if path.is_file()
    )
    assert [
        file for file in files if (report / file).read_bytes() != (tmp_path / "again" / file).read_bytes()
    ] == []


@pytest.mark.long
def test_rules_are_never_set_beside_the_papers_figures(
    judged_study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(judged_study), "--out", str(tmp_path / "r"), "--paper-figures"]) == 0
    assert "paper 0.6" not in (tmp_path / "r" / "tables" / "faithfulness.md").read_text(encoding="utf-8")
    assert "left out" in capsys.readouterr().err


@pytest.mark.long
def test_the_papers_figures_stand_beside_a_models_on_request(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        judged = read_judged(study, choose(study))
        document = study_document(study)
        document["banner"] = None
        tables = {
            table.name: table for table in all_tables(Material(study, judged, document, with_paper=True))
        }
    row = dict(tables["faithfulness"].rows)["react+ws"]
    assert row[0].printed == 0.74
    assert any("not comparable" in note for note in tables["faithfulness"].notes)


def test_json_is_the_document_and_nothing_else(judged_study: Path, drr: Drr) -> None:
    document = drr.json("report", judged_study)
    assert {"schema", "metrics", "pairwise", "coverage"} <= set(document)
    v = document["metrics"]["react"]["fp"]
    assert set(v) == {"value", "ci_low", "ci_high", "n", "n_unscored", "method"}


def test_a_folder_that_is_not_ours_is_left_alone(judged_study: Path, tmp_path: Path, drr: Drr) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "name a new folder" in drr.err("report", judged_study, "--out", tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_no_study_and_no_destination_are_misuse(tmp_path: Path, judged_study: Path, drr: Drr) -> None:
    drr.err("report", tmp_path / "nowhere", "--json")
    drr.err("report", judged_study)


def test_bold_needs_a_difference_beyond_the_noise_and_not_a_rank(judged_study: Path) -> None:
    def per_query(*values: float) -> dict[str, list[float | None]]:
        return {f"q{n}": [value] for n, value in enumerate(values)}

    clear = {"one": per_query(*[0.9 + n / 1000 for n in range(12)]), "two": per_query(*[0.5] * 12)}
    close = {"one": per_query(*[0.9, 0.1] * 6), "two": per_query(*[0.1, 0.8] * 6)}
    assert winners({"fp": clear}) == {"fp": "one"}
    assert winners({"fp": close}) == {}
    assert winners({"unreadable_rate": clear}, lower={"unreadable_rate"}) == {"unreadable_rate": "two"}
    assert winners({"unreadable_rate": close}, lower={"unreadable_rate"}) == {}
    # One lucky metric among many is luck: the same p-value no longer holds when it is one of twelve.
    slight = {"one": per_query(*[0.6] * 7), "two": per_query(*[0.5] * 7)}
    assert winners({"fp": slight}) == {"fp": "one"}
    assert winners({"fp": slight, **{f"m{n}": close for n in range(11)}}) == {}


def test_a_label_that_nobody_can_tell_of_says_why(judged_study: Path, report: Path) -> None:
    drawn = (report / "tables" / "failure-labels.md").read_text(encoding="utf-8")
    with Study.open(judged_study) as study:
        found = study_document(study)["failures"]
    assert found is not None
    for name in found["labels"]:
        line = next(line for line in drawn.splitlines() if line.startswith(f"| {name.replace('_', ' ')} |"))
        if not any(row[name]["share"]["n"] for row in found["variants"].values()):
            assert line.count("unknown") == len(VARIANTS)
            told = next(line for line in drawn.splitlines() if line.startswith("Unknown: "))
            assert name.replace("_", " ") in told and "--what failures" in told
            assert cells(report, "failure-labels")[name.replace("_", " "), "react"]["value"] == ""
    assert "weak synthesis | unknown" in drawn and "budget break | 0.00" in drawn


def test_hostile_names_stay_text_in_every_form() -> None:
    evil = '=HYPERLINK("http://x")|</td><script>alert(1)</script>\\input{x}$&%'
    table = Table("t", evil, [Heading(evil, explanation=evil)], [(evil, [Cell(evil)])], [evil], evil)
    assert "<script>" not in section(table, {})
    assert "<script>" not in markdown(table)
    assert r"\input" not in latex(table).replace(r"\textbackslash{}input", "")
    assert next(csv.reader([as_csv(table).splitlines()[1]]))[1].startswith("'=")


def test_every_number_leads_to_a_section_with_its_answers(report: Path) -> None:
    page = (report / "index.html").read_text("utf-8")
    loose, led = {}, set()
    for name, body in re.findall(r'<section id="([\w-]+)" class="table">.*?<tbody>(.*?)</tbody>', page, re.S):
        for row in re.findall(r"<tr.*?</tr>", body, re.S):
            for cell in re.findall(r"<td.*?</td>", row, re.S):
                found = re.search(r'href="([^"#]*)#([\w-]+)"', cell)
                if found is None and re.search(r">[^<]*\d", cell) and 'class="floor"' not in row:
                    loose.setdefault(name, cell)
                elif found is not None:
                    led.add((found[1], found[2]))
    assert loose == {}
    assert ("answers/react+ws-minus-react.html", "differences") in led
    for file, place in led:
        assert f'id="{place}"' in (report / file).read_text("utf-8"), (file, place)


def test_a_difference_leads_to_both_values_of_each_question(report: Path) -> None:
    overall = cells(report, "differences")["react+ws minus react", "overall"]
    page = report / "answers" / "react+ws-minus-react.html"
    body = page.read_text("utf-8").partition('id="differences"')[2].partition("</section>")[0]
    place = re.findall(r'<th scope="col"[^>]*>([^<]*)', body).index("overall")
    rows = [re.findall(r"<td>([^<]*)", row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)[1:]]
    told = [re.fullmatch(r"(\S+) − (\S+) = ([+-]\S+)", row[place]) for row in rows]
    shown = [tuple(map(float, one.groups())) for one in told if one is not None]
    assert len(shown) == int(overall["n"]) == 2
    assert all(a - b == pytest.approx(d) for a, b, d in shown)
    assert sum(d for _, _, d in shown) / 2 == pytest.approx(float(overall["value"]))


def test_compare_has_the_noise_floor_of_the_report_and_greys_what_is_smaller(
    judged_study: Path, report: Path, drr: Drr
) -> None:
    document: CompareDocument = drr.json("compare", judged_study, "react", "react+ws")
    floor = document["noise"]["fp"]
    shown = cells(report, "differences")["noise floor", "fp"]
    assert (floor["by"], repr(floor["value"]), str(floor["n"])) == ("trials", shown["value"], shown["n"])
    row = document["metrics"]["fp"]
    assert row["value"] is not None and not _difference(row, floor).startswith("≈")
    assert _difference(row, {**floor, "value": abs(row["value"]) + 0.01}).startswith("≈ ")
