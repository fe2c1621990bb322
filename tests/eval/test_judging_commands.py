"""The commands of judging as a user types them: exit codes, one document on standard output, clear lines on standard error."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from drr.env.shop import Shop
from drr.eval.judging.read import judgings
from drr.eval.labels import DIMENSIONS
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.foreign_files import lines
from tests.eval.nursery import SONNET, Judge, sentences, system
from tests.eval.test_judging import Paper
from tests.pools import toy_pool  # noqa: F401 - a fixture
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Reply, Request, Say, Wire

CARE = "https://birds.example/care"
QUIET = ("--quiet", "--what")


def line(n: int, system: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{system}-{n}",
        "system": system,
        "query": f"Which feeder, question {n}, under $50?",
        "user_id": ANNA,
        "report_markdown": f"# {system} {n}\n\nClean every feeder once a week [1]. The Panorama feeder costs $19.99 [2].\n\n"
        f"## Sources\n[1] {CARE}\n[2] http://ecommerce.example/{FEEDER}\n",
        "evidence": [{"url": CARE, "type": "web", "text": "Clean every feeder once a week."}],
        **more,
    }


pytestmark = pytest.mark.usefixtures("at_home")


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    return lines(tmp_path / "reports.jsonl", *(line(n, s) for n in range(3) for s in ("alpha", "beta")))


@pytest.fixture
def folder(tmp_path: Path, reports: Path, shop: Shop, drr: Drr) -> Path:
    assert drr("import", tmp_path / "study", reports, "--shop", shop.spec, "--quiet")[0] == 0
    return tmp_path / "study"


def by_model(wire: Wire) -> tuple[str, ...]:
    return ("--judge", SONNET, "--base-url", wire.url)


def test_import_takes_each_report_once_and_pairs_equal_questions(
    folder: Path, reports: Path, drr: Drr
) -> None:
    again = line(0, "gamma", query="  which FEEDER, question 0,   under $50? ")
    told = drr.json("import", folder, lines(reports.with_name("other.jsonl"), again), "--quiet")
    assert (told["reports"], told["added"], told["systems"]) == (1, 1, ["gamma"])
    assert drr.json("import", folder, reports, "--quiet")["added"] == 0
    assert len((folder / "queries.jsonl").read_text().splitlines()) == 3
    met = {("alpha", "beta"): 3, ("alpha", "gamma"): 1}
    for more in ((), ("--pairs", "all")):
        pairs = drr.json("judge", folder, "--judge", "offline", *QUIET, "pairwise", *more)["pairwise"]
        assert {(r["a"], r["b"]): r["n"] for r in pairs} == met
        met |= {("beta", "gamma"): 1}


def test_ids_of_questions_given_by_others_are_kept_and_still_pair(tmp_path: Path, drr: Drr) -> None:
    rows = [
        line(0, "alpha", query_id="their-7"),
        line(0, "beta"),
        line(0, "gamma", user_id=None),
        line(1, "alpha", query_id="their-8", query="another wording"),
        line(1, "beta", query_id="their-8", query="another  wording, but not quite"),
    ]
    path, study = tmp_path / "r.jsonl", tmp_path / "s"
    assert drr.json("import", study, lines(path, *rows), "--quiet")["queries"] == 2
    code, _, err = drr("import", study, lines(path, {**rows[0], "report_markdown": "Other."}), "--quiet")
    assert code == 2 and "already has trial 0" in err


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("{", "line 2: not JSON"),
        ('{"id": "x"}', "line 2: system"),
        (json.dumps(line(0, "alpha")), "line 2: the id alpha-0 of alpha is already on line 1"),
        ("[1, 2]", "line 2: not an object; each line is one report; not taken in"),
        (json.dumps({**line(0, "alpha"), "id": "again"}), "already has trial 0"),
    ],
)
def test_a_broken_report_is_named_and_the_rest_taken_in(
    tmp_path: Path, drr: Drr, bad: str, told: str
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(line(0, "alpha")) + "\n" + bad + "\n")
    code, out, err = drr("import", tmp_path / "s", path, "--quiet")
    assert code == 1 and told in err and out.startswith("1 of 1 reports are new")


def test_a_report_needs_no_id_and_may_have_its_questions(tmp_path: Path, drr: Drr) -> None:
    ours = {"query": "which feeder?", "report_markdown": "# Feeders"}
    named = [{"system": "alpha"}, {"system": "alpha", "trial": 1}, {"system": "beta"}]
    rows = [*({**ours, "id": "q0", **row} for row in named), {**ours, "system": "gamma"}]
    path = lines(tmp_path / "r.jsonl", *rows)
    for added in (4, 0):
        told = drr.json("import", tmp_path / "s", path, "--quiet")
        assert (told["added"], told["systems"], told["refused"]) == (added, ["alpha", "beta", "gamma"], [])


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_a_file_of_no_report_makes_no_study(tmp_path: Path, drr: Drr, text: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    assert f"{path}: holds no report" in drr.err("import", tmp_path / "s", path, "--quiet")
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("text", ["", json.dumps({"sample": 1, "claim": "x", "label": None}) + "\n"])
@pytest.mark.parametrize("words", ["agreement study --human", "report study --out report --labels"])
def test_a_file_of_no_label_is_misuse(folder: Path, tmp_path: Path, drr: Drr, words: str, text: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    code, out, err = drr(*words.split(), path)
    assert code == 2 and f"{path}: holds no label" in err and out == ""
    assert not (tmp_path / "report").exists()


def test_rules_judge_a_study_into_one_document_and_their_verdicts_are_labels_like_any_others(
    folder: Path, tmp_path: Path, drr: Drr
) -> None:
    (_, first, _), (code, again, err) = (
        drr("judge", folder, "--judge", "offline", "--quiet", "--json") for _ in range(2)
    )
    assert (code, again) == (0, first) and "0 done now" in err
    document = json.loads(first)
    assert document["schema"] == 1 and "rules-2" in document["banner"]
    alpha = document["metrics"]["alpha"]
    assert set(alpha["fp"]) - {"all_equal"} == {"value", "ci_low", "ci_high", "n", "n_unscored", "method"}
    assert alpha["fp"]["value"] == 1.0 and alpha["input_tokens"]["n_unscored"] == 3
    assert (alpha["seconds"]["value"], alpha["seconds"]["n_unscored"]) == (None, 3), "imported"
    assert set(alpha) >= set(cases("eval", "test_judge_prints_one_document_twice_the_same"))
    path = tmp_path / "verdicts.jsonl"
    assert drr("agreement", folder, "--export", path)[0] == 0
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    assert {row["judge"] for row in rows} == {"rules-2"}
    told = drr.json("agreement", folder, "--human", lines(path, *({**row, "judge": "anna"} for row in rows)))
    assert told["pairwise"]["pairs"][0]["dimensions"]["all"]["exact"]["value"] == 1.0
    assert told["rating"]["pairs"][0]["dimensions"]["all"]["mard"]["value"] == 0.0
    assert told["support"]["pairs"][0]["exact"]["value"] == 1.0


def test_link_rot_shows_beside_the_frozen_page_and_pages_of_now_may_be_judged_first(
    folder: Path, drr: Drr
) -> None:
    code, out, err = drr("judge", folder, "--judge", "offline", *QUIET, "faithfulness", "--refetch", "--json")
    assert (code, json.loads(out)["run"]["left"]) == (0, 0)
    assert f"`drr judge {folder}` judges that" in err
    frozen = drr.json("judge", folder, "--judge", "offline", *QUIET, "faithfulness")["metrics"]["alpha"]
    now = drr.json("judge", folder, "--judge", "offline", *QUIET, "faithfulness", "--refetch")["metrics"][
        "alpha"
    ]
    assert now["fp_web"] == frozen["fp_web"]
    assert (now["fp_web"]["value"], now["fp_web_now"]["value"]) == (1.0, 0.0)


def test_a_budget_stops_a_judging_and_more_continues_it(folder: Path, drr: Drr) -> None:
    with Wire(Judge()) as wire:
        words = ["judge", folder, *QUIET, "quality", *by_model(wire), "--units", "1", "--budget-tokens"]
        code, _, err = drr(*words, "12000")
        assert code == 1 and "--budget MORE" in err and 0 < len(wire.requests) < 42
        assert drr(*words, "90000000")[0] == 0
        assert len(wire.requests) == 42


def test_dry_run_and_diff_call_nothing(folder: Path, drr: Drr) -> None:
    told = drr.json("judge", folder, "--dry-run", "--judge", SONNET, "--base-url", "http://127.0.0.1:9")
    assert told["tasks"]["rating"]["calls"] == 42 and told["cost_usd"] > 0
    code, _, err = drr("judge", folder, "--diff")
    assert code == 2 and "needs two judgings" in err


@pytest.mark.long
def test_pairs_as_printed_have_a_table_and_a_figure(folder: Path, tmp_path: Path, drr: Drr) -> None:
    with Wire(Paper(claims=sentences)) as wire:
        common = ["judge", folder, *QUIET, "pairwise", *by_model(wire), "--budget", "9"]
        document = drr.json(*common, "--profile", "paper")
    drr.out("report", folder, "--out", tmp_path / "out")
    rows = document["as_printed"]["pairwise"]
    with (tmp_path / "out" / "tables" / "as-printed-pairwise.csv").open(encoding="utf-8", newline="") as file:
        shown = {r["row"]: r["value"] for r in csv.DictReader(file) if r["column"] == "inconsistent"}
    assert list(shown.values()) == [str(float(r["inconsistent"])) for r in rows]
    assert [name.partition(":")[0].replace(" ", "_") for name in shown] == list(DIMENSIONS)
    assert (tmp_path / "out" / "figures" / "as-printed-pairwise.svg").stat().st_size > 0
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert 'id="as-printed-pairwise"' in page and 'id="figure-as-printed-pairwise"' in page
    for path, place in re.findall(r'href="(answers/[^"#]*)#([^"]*)"', page):
        assert f'id="{place}"' in (tmp_path / "out" / path).read_text(encoding="utf-8"), (path, place)


@pytest.mark.long
def test_a_paper_judging_that_mostly_failed_is_unknown_and_told(folder: Path, drr: Drr) -> None:
    def fails(task: str, request: Request) -> Reply | None:
        printed = "backed by the sources" in system(request)
        return Say("no verdict") if task == "support" and printed else None

    judge = Judge(claims=sentences, instead=fails, support=lambda claim, evidence: "no_support")
    with Wire(judge) as wire:
        common = ["judge", folder, *QUIET, "faithfulness", *by_model(wire), "--budget", "9"]
        code, out, err = drr(*common, "--profile", "paper", "--json")
        assert code == 1 and "this judging is invalid" not in err
        assert "the judging as the paper prints it is invalid (support: 100.0% of the units" in err
        document = json.loads(out)
        assert document["coverage"]["invalid"] is False
        printed = document["as_printed"]["metrics"]["alpha"]
        assert printed["fp_web"]["value"] is None and printed["fp"]["value"] is None
        assert "100.0% of support failed" in printed["fp_web"]["reason"]
        assert printed["fr"]["value"] == 1.0
        assert drr(*common)[0] == 0


@pytest.mark.long
def test_a_difference_is_of_one_protocol_unless_two_are_named(folder: Path, drr: Drr) -> None:
    quality, diff = ["judge", folder, "--judge", "offline", *QUIET, "quality"], ["judge", folder, "--diff"]
    assert drr(*quality, "--profile", "paper")[0] == 0
    code, _, err = drr(*diff)
    assert code == 2 and "of one protocol or named as --diff ID ID" in err
    assert drr(*quality, "--repeat", "2")[0] == 0
    assert drr(*quality, "--profile", "paper")[0] == 0
    with Study.open(folder) as study:
        known = judgings(study)
        paper = next(j.id for j in known if j.protocol == "paper")
        ours, repeated = (next(j.id for j in known if j.protocol == "ours" and j.repeat == k) for k in (0, 1))
    told = drr.json(*diff)
    assert {told["old"], told["new"]} == {ours, repeated} and told["warning"] is None
    assert told["tasks"]["rating"]["both"] > 0
    code, out, _ = drr(*diff, paper, ours)
    assert code == 0 and "Warning: the two follow different protocols (as printed; ours)" in out


@pytest.mark.parametrize(("words", "told"), cases("eval", "test_misuse_is_told"))
def test_misuse_is_told(folder: Path, drr: Drr, words: list[str], told: str) -> None:
    code, out, err = drr("judge", folder, "--judge", "offline", *words)
    assert code == 2 and told in err and out == ""


def grade(n: int, label: float) -> dict[str, Any]:
    return {"id": f"r{n}", "query": f"q{n}", "answer": f"grade {n}", "label": label, "judge": "anna"}


def test_calibrate_holds_a_judge_against_the_thresholds(tmp_path: Path, drr: Drr) -> None:
    claims = [("full", "yes"), ("none", "no"), ("partial", "half"), ("full", "yes")] * 5
    rows: list[dict[str, Any]] = []
    for n, (label, word) in enumerate(claims):
        one = {
            "id": f"s{n}",
            "claim": f"claim {chr(97 + n) * 3} {word}",
            "evidence": "evidence",
            "label": label,
        }
        rows += [{**one, "judge": person} for person in ("anna", "ben")]
    texts = ({"query": f"q{n}", "answer_a": f"good {n}", "answer_b": f"poor {n}"} for n in range(6))
    rows += [{"id": f"p{n}", **text, "label": "A", "judge": "anna"} for n, text in enumerate(texts)]
    rows += [grade(n, 1 + n % 5) for n in range(10)]
    said = {"yes": "full_support", "no": "no_support", "half": "partial_support"}
    script = Judge(
        support=lambda claim, text: said[claim.split()[-1]],
        winner=lambda a, b: "A" if "good" in a else "B",
        rating=lambda text: 2 * (1 + int(text.split()[-1]) % 5),
    )
    path = lines(tmp_path / "labels.jsonl", *rows)
    with Wire(script) as wire:
        common = ["calibrate", path, *by_model(wire), "--quiet", "--task"]
        support = drr.json(*common, "support", "--export", "verdicts.jsonl")
        verdicts = [json.loads(line) for line in Path("verdicts.jsonl").read_text().splitlines()]
        assert len(verdicts) == 20 and all(row["agrees"] for row in verdicts)
        assert verdicts[0]["by_person"] == {"anna": "full", "ben": "full"} and verdicts[0]["labels"] == 2
        assert support["classes"]["confusion"]["full"] == {"none": 0, "partial": 0, "full": 10}
        assert support["classes"]["classes"]["none"]["recall"]["n"] == 5
        assert (support["items"], support["metrics"]["exact"]["value"]) == (20, 1.0)
        assert support["metrics"]["weighted_kappa"]["value"] == 1.0
        assert support["thresholds"]["exact"] == {"value": 1.0, "at_least": 0.6, "met": True}
        assert support["among_people"]["alpha"]["value"] == 1.0
        assert [support[name] for name in ("labels", "repeated", "other_labels")] == [40, 0, 16]
        pairwise = drr.json(*common, "pairwise")["metrics"]
        assert (pairwise["exact"]["value"], pairwise["position_consistency"]["value"]) == (1.0, 1.0)
        rating = drr.json(*common, "rating", "--scale", "1", "5")["metrics"]
        assert (rating["spearman"]["value"], rating["mard"]["value"]) == (pytest.approx(1), pytest.approx(1))
        calls = len(wire.requests)
        assert drr.json(*common, "rating")["metrics"]["mard"]["value"] is None
        assert len(wire.requests) == calls == 20 + 12 + 10


def test_calibrate_says_which_threshold_is_missed(tmp_path: Path, drr: Drr) -> None:
    rows = (
        {"id": f"{n}", "claim": f"alpha beta {n}", "evidence": "gamma", "label": "full"} for n in range(4)
    )
    words = ["calibrate", lines(tmp_path / "labels.jsonl", *rows), "--judge", "offline", "--quiet", "--task"]
    code, out, _ = drr(*words, "support")
    assert code == 0 and "not met" in out and "4 labels of 4 items, all counted." in out
    assert "full or partial, in two classes" in out
    assert drr(*words, "rating")[0] == 2


def test_plain_grades_of_0_to_10_need_no_scale(tmp_path: Path, drr: Drr) -> None:
    rows = [grade(n, n) for n in range(10)]
    path = tmp_path / "labels.jsonl"
    with Wire(Judge(rating=lambda text: min(10, int(text.split()[-1]) + 2))) as wire:
        words = ["calibrate", path, *by_model(wire), "--task", "rating", "--quiet"]
        lines(path, *rows)
        metrics = drr.json(*words)["metrics"]
        assert metrics["mard"]["value"] == metrics["bias"]["value"] == pytest.approx(1.9)
        lines(path, *rows, {**rows[5], "label": 12})  # together 8.5, which looks like one of ten
        assert drr.json(*words)["metrics"]["mard"]["value"] is None


def test_imported_evidence_may_say_that_a_page_could_not_be_read(tmp_path: Path, drr: Drr) -> None:
    urls = [f"https://birds.example/{n}" for n in range(4)]
    said = [f"The {bird} feeder is made of brushed steel [{n}]." for n, bird in enumerate("abcd", 1)]
    listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(urls, 1))
    steel = "The {} feeder is made of brushed steel."
    report: dict[str, Any] = {"id": "1", "system": "other", "query": "feeders"}
    report["report_markdown"] = "\n\n".join(said) + f"\n\n## Sources\n{listed}\n"
    pages = ({"text": steel.format("a")}, {"text": None}, {"text": steel.format("c"), "status": "blocked"})
    report["evidence"] = [{"url": url, "type": "web"} | page for url, page in zip(urls, pages, strict=False)]
    path = lines(tmp_path / "reports.jsonl", report)
    drr.json("import", "study", path, "--quiet")
    document = drr.json("judge", "study", "--judge", "offline", *QUIET, "faithfulness")
    coverage, metrics = document["coverage"]["variants"]["other"], document["metrics"]["other"]
    found = {name: n for name, n in coverage["verdicts"]["page"].items() if n}
    assert found == dict.fromkeys(("full", "unreachable", "blocked", "not_frozen"), 1)
    assert metrics["fp_seen"]["value"] is None and metrics["fp_seen"]["n_unscored"] == 1
    assert coverage["reading"]["unknown"] == 2 and sum(coverage["verdicts"]["seen"].values()) == 0
    assert metrics["fp_strict"]["value"] == pytest.approx(1 / 3)
    assert metrics["fp_reachable"]["value"] == 1
    assert drr.json("import", "study", path, "--quiet")["added"] == 0


@pytest.mark.usefixtures("toy_pool")
def test_the_window_once_given_holds_for_every_desk_and_worker(tmp_path: Path, shop: Shop, drr: Drr) -> None:
    """As printed a page is shown whole as far as the window allows; the unit's key promises what was shown."""
    page = f"{'Birds are fond of seeds. ' * 800}Clean every feeder once a week."
    told = line(0, "alpha", evidence=[{"url": CARE, "type": "web", "text": page}])
    found = []
    for place, more in (("alone", ()), ("pooled", ("--pool", "toy"))):
        study, judge = tmp_path / place, ("--profile", "paper", "--judge", "offline", *QUIET)
        drr.out("import", study, lines(tmp_path / f"{place}.jsonl", told), "--shop", shop.spec, "--quiet")
        drr.out("judge", study, *judge, "quality", "--judge-window", "16500")
        drr.out("judge", study, *judge, "faithfulness", *more)
        drr.out("judge", study, *judge, "faithfulness", "--judge-window", "16500")
        with Study.open(study) as opened:
            found.append(
                [
                    int(record.usage["judge"]["input_tokens"]) < 3000
                    for record in opened.records("judgement", current=False)
                    if record.key_fields["task"] == "support"
                    and record.key_fields["protocol"] == "paper"
                    and "-web" in str(record.key_fields["items"])
                ]
            )
    assert found == [[True], [True]], "whole, the page takes 5,300 tokens; in another cut it is another unit"
