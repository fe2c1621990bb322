"""The commands of judging as a user types them: exit codes, one document on standard output, clear lines on standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.shop import Shop
from drr.eval.judging.read import judgings
from drr.study.study import Study

from tests.cases import cases
from tests.eval.nursery import Judge, sentences, system
from tests.tools.small_shop import ANNA, FEEDER
from tests.wire import Reply, Request, Say, Wire

CARE = "https://birds.example/care"


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


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(json.dumps(line(n, s)) + "\n" for n in range(3) for s in ("alpha", "beta")))
    return path


@pytest.fixture
def folder(
    tmp_path: Path,
    reports: Path,
    shop: Shop,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    for name in ("DRR_MODEL", "DRR_MODEL_JUDGE", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    study = tmp_path / "study"
    assert main(["import", str(study), str(reports), "--shop", shop.spec, "--quiet"]) == 0
    capsys.readouterr()
    yield study


def out(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_import_takes_each_report_once_and_pairs_equal_questions(
    folder: Path, reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = reports.with_name("other.jsonl")
    other.write_text(json.dumps(line(0, "gamma", query="  which FEEDER, question 0,   under $50? ")) + "\n")
    assert main(["import", str(folder), str(other), "--json", "--quiet"]) == 0
    told = out(capsys)
    assert (told["reports"], told["added"], told["systems"]) == (1, 1, ["gamma"])
    assert main(["import", str(folder), str(reports), "--json", "--quiet"]) == 0
    assert out(capsys)["added"] == 0
    assert len((folder / "queries.jsonl").read_text().splitlines()) == 3
    assert main(["judge", str(folder), "--what", "pairwise", "--quiet", "--json"]) == 0
    assert {(r["a"], r["b"], r["n"]) for r in out(capsys)["pairwise"]} == {
        ("alpha", "beta", 3),
        ("alpha", "gamma", 1),
        ("beta", "gamma", 1),
    }


def test_ids_of_questions_given_by_others_are_kept_and_still_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    rows = [
        line(0, "alpha", query_id="their-7"),
        line(0, "beta"),
        line(0, "gamma", user_id=None),
        line(1, "alpha", query_id="their-8", query="another wording"),
        line(1, "beta", query_id="their-8", query="another  wording, but not quite"),
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["import", str(tmp_path / "s"), str(path), "--json", "--quiet"]) == 0
    assert out(capsys)["queries"] == 2
    changed = {**rows[0], "report_markdown": "Other words."}
    path.write_text(json.dumps(changed) + "\n")
    assert main(["import", str(tmp_path / "s"), str(path), "--quiet"]) == 2
    assert "already has trial 0" in capsys.readouterr().err


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
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: str, told: str
) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text(json.dumps(line(0, "alpha")) + "\n" + bad + "\n")
    assert main(["import", str(tmp_path / "s"), str(path), "--quiet"]) == 1
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out.startswith("1 of 1 reports are new")


def test_a_report_needs_no_id_and_may_have_its_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.jsonl"
    ours = {"query": "which feeder?", "report_markdown": "# Feeders"}
    rows: list[dict[str, Any]] = [
        {**ours, "id": "q0", "system": "alpha"},
        {**ours, "id": "q0", "system": "alpha", "trial": 1},
        {**ours, "id": "q0", "system": "beta"},
        {**ours, "system": "gamma"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for added in (4, 0):
        assert main(["import", str(tmp_path / "s"), str(path), "--json", "--quiet"]) == 0
        told = out(capsys)
        assert (told["added"], told["systems"], told["refused"]) == (added, ["alpha", "beta", "gamma"], [])


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_a_file_of_no_report_makes_no_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    assert main(["import", str(tmp_path / "s"), str(path), "--quiet"]) == 2
    err = capsys.readouterr().err
    assert f"{path}: holds no report" in err and err.count("\n") == 1
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("text", ["", json.dumps({"sample": 1, "claim": "x", "label": None}) + "\n"])
@pytest.mark.parametrize("words", ["agreement STUDY --human", "report STUDY --out OUT --labels"])
def test_a_file_of_no_label_is_misuse(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, text: str
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    named = words.replace("STUDY", str(folder)).replace("OUT", str(tmp_path / "report"))
    assert main([*named.split(), str(path)]) == 2
    captured = capsys.readouterr()
    assert f"{path}: holds no label" in captured.err and captured.out == ""
    assert not (tmp_path / "report").exists()


def test_judge_prints_one_document_twice_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(folder), "--quiet", "--json"]) == 0
    first = capsys.readouterr().out
    assert main(["judge", str(folder), "--quiet", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.out == first
    assert "0 done now" in captured.err
    document = json.loads(first)
    assert document["schema"] == 1
    assert "rules-2" in document["banner"]
    v = document["metrics"]["alpha"]["fp"]
    assert set(v) - {"all_equal"} == {"value", "ci_low", "ci_high", "n", "n_unscored", "method"}
    assert v["value"] == 1.0
    assert document["metrics"]["alpha"]["input_tokens"]["n_unscored"] == 3
    assert set(document["metrics"]["alpha"]) >= set(
        cases("eval", "test_judge_prints_one_document_twice_the_same")
    )


@pytest.mark.long
def test_judging_with_a_model_behind_an_address_of_ones_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Wire(Judge(rating=lambda text: 9 if "# alpha" in text else 4)) as wire:
        code = main(
            [
                "judge",
                str(folder),
                "--what",
                "quality",
                "--judge",
                "anthropic:claude-sonnet-5-5",
                "--base-url",
                wire.url,
                "--quiet",
                "--json",
            ]
        )
    document = out(capsys)
    assert code == 0
    assert len(wire.requests) == 42
    assert document["judge"]["name"] == "anthropic:claude-sonnet-5-5"
    assert document["banner"] is None
    assert document["metrics"]["alpha"]["overall"]["value"] == 9.0
    assert main(["compare", str(folder), "alpha", "beta", "--json"]) == 0
    assert out(capsys)["metrics"]["overall"]["value"] == 5.0
    assert main(["judge", str(folder), "--what", "quality", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["agreement", str(folder), "--json"]) == 0
    told = out(capsys)
    assert told["rating"]["pairs"][0]["judges"] == ["anthropic:claude-sonnet-5-5", "rules-2"]
    assert told["systems"][0]["dimensions"]["depth"]["spearman"]["n"] == 2


def test_a_judges_verdicts_are_labels_like_any_others(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(folder), "--quiet"]) == 0
    path = tmp_path / "verdicts.jsonl"
    assert main(["agreement", str(folder), "--export", str(path)]) == 0
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    assert {row["judge"] for row in rows} == {"rules-2"}
    path.write_text("".join(json.dumps({**row, "judge": "anna"}) + "\n" for row in rows))
    capsys.readouterr()
    assert main(["agreement", str(folder), "--human", str(path), "--json"]) == 0
    told = out(capsys)
    assert told["pairwise"]["pairs"][0]["dimensions"]["all"]["exact"]["value"] == 1.0
    assert told["rating"]["pairs"][0]["dimensions"]["all"]["mard"]["value"] == 0.0
    assert told["support"]["pairs"][0]["exact"]["value"] == 1.0


def test_link_rot_shows_beside_the_frozen_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(folder), "--what", "faithfulness", "--quiet", "--json"]) == 0
    frozen = out(capsys)["metrics"]["alpha"]
    assert main(["judge", str(folder), "--what", "faithfulness", "--refetch", "--quiet", "--json"]) == 0
    now = out(capsys)["metrics"]["alpha"]
    assert now["fp_web"] == frozen["fp_web"]
    assert (now["fp_web"]["value"], now["fp_web_now"]["value"]) == (1.0, 0.0)


def test_a_budget_stops_a_judging_and_more_continues_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Wire(Judge()) as wire:
        judge = [
            "judge",
            str(folder),
            "--what",
            "quality",
            "--judge",
            "anthropic:claude-sonnet-5-5",
            "--base-url",
            wire.url,
            "--quiet",
            "--units",
            "1",
        ]
        assert main([*judge, "--budget-tokens", "12000"]) == 1
        assert "--budget MORE" in capsys.readouterr().err
        so_far = len(wire.requests)
        assert 0 < so_far < 42
        assert main([*judge, "--budget-tokens", "90000000"]) == 0
        assert len(wire.requests) == 42


def test_dry_run_and_diff_call_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "judge",
                str(folder),
                "--dry-run",
                "--json",
                "--judge",
                "anthropic:claude-sonnet-5-5",
                "--base-url",
                "http://127.0.0.1:9",
            ]
        )
        == 0
    )
    told = out(capsys)
    assert told["tasks"]["rating"]["calls"] == 42
    assert told["cost_usd"] > 0
    assert main(["judge", str(folder), "--diff"]) == 2
    assert "needs two judgings" in capsys.readouterr().err


@pytest.mark.long
def test_the_papers_profile_prints_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", str(folder), "--profile", "paper", "--quiet", "--json"]) == 0
    document = out(capsys)
    assert document["judge"]["protocol"] == "ours"
    assert document["as_printed"]["metrics"]["alpha"]["fp"]["value"] == 1.0


@pytest.mark.long
def test_a_paper_judging_that_mostly_failed_is_unknown_and_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(task: str, request: Request) -> Reply | None:
        printed = "backed by the sources" in system(request)
        return Say("no verdict") if task == "support" and printed else None

    judge = Judge(claims=sentences, instead=fails, support=lambda claim, evidence: "no_support")
    with Wire(judge) as wire:
        words = ["--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--quiet"]
        common = ["judge", str(folder), "--what", "faithfulness", *words, "--budget", "9"]
        assert main([*common, "--profile", "paper", "--json"]) == 1
        captured = capsys.readouterr()
        assert "the judging as the paper prints it is invalid (support: 100.0% of the units" in captured.err
        assert "this judging is invalid" not in captured.err
        document = json.loads(captured.out)
        assert document["coverage"]["invalid"] is False
        printed = document["as_printed"]["metrics"]["alpha"]
        assert printed["fp_web"]["value"] is None and printed["fp"]["value"] is None
        assert "100.0% of support failed" in printed["fp_web"]["reason"]
        assert printed["fr"]["value"] == 1.0
        assert main([*common, "--profile", "paper"]) == 1
        assert (
            "faithfulness (Eq. 2), faithfulness web, faithfulness product of alpha: unknown: 100.0% of support"
            in capsys.readouterr().out
        )
        assert main(common) == 0


@pytest.mark.long
def test_a_difference_is_of_one_protocol_unless_two_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    diff = ["judge", str(folder), "--diff"]
    assert main(["judge", str(folder), "--what", "quality", "--profile", "paper", "--quiet"]) == 0
    capsys.readouterr()
    assert main(diff) == 2
    assert "of one protocol or named as --diff ID ID" in capsys.readouterr().err
    assert main(["judge", str(folder), "--what", "quality", "--repeat", "2", "--quiet"]) == 0
    assert main(["judge", str(folder), "--what", "quality", "--profile", "paper", "--quiet"]) == 0
    with Study.open(folder) as study:
        known = judgings(study)
        printed = next(j.id for j in known if j.protocol == "paper")
        ours, repeated = (next(j.id for j in known if j.protocol == "ours" and j.repeat == k) for k in (0, 1))
    capsys.readouterr()
    assert main([*diff, "--json"]) == 0
    told = out(capsys)
    assert {told["old"], told["new"]} == {ours, repeated} and told["warning"] is None
    assert told["tasks"]["rating"]["both"] > 0
    assert main([*diff, printed, ours]) == 0
    assert "Warning: the two follow different protocols (as printed; ours)" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "told"), cases("eval", "test_misuse_is_told"))
def test_misuse_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["judge", str(folder), *words]) == 2
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_calibrate_holds_a_judge_against_the_thresholds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "labels.jsonl"
    claims = [("full", "yes"), ("none", "no"), ("partial", "half"), ("full", "yes")] * 5
    rows = [
        {
            "id": f"s{n}",
            "claim": f"claim {chr(97 + n) * 3} {word}",
            "evidence": "evidence",
            "label": label,
            "judge": person,
        }
        for n, (label, word) in enumerate(claims)
        for person in ("anna", "ben")
    ]
    rows += [
        {
            "id": f"p{n}",
            "query": f"q{n}",
            "answer_a": f"good {n}",
            "answer_b": f"poor {n}",
            "label": "A",
            "judge": "anna",
        }
        for n in range(6)
    ]
    rows += [
        {"id": f"r{n}", "query": f"q{n}", "answer": f"grade {n}", "label": 1 + n % 5, "judge": "anna"}
        for n in range(10)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = {"yes": "full_support", "no": "no_support", "half": "partial_support"}
    script = Judge(
        support=lambda claim, text: said[claim.split()[-1]],
        winner=lambda a, b: "A" if "good" in a else "B",
        rating=lambda text: 2 * (1 + int(text.split()[-1]) % 5),
    )
    with Wire(script) as wire:
        common = [
            str(path),
            "--judge",
            "anthropic:claude-sonnet-5-5",
            "--base-url",
            wire.url,
            "--quiet",
            "--json",
            "--require",
        ]
        assert main(["calibrate", *common, "--task", "support", "--export", "verdicts.jsonl"]) == 0
        support = out(capsys)
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
        assert main(["calibrate", *common, "--task", "pairwise"]) == 0
        pairwise = out(capsys)["metrics"]
        assert (pairwise["exact"]["value"], pairwise["position_consistency"]["value"]) == (1.0, 1.0)
        assert main(["calibrate", *common, "--task", "rating", "--scale", "1", "5"]) == 0
        rating = out(capsys)["metrics"]
        assert rating["spearman"]["value"] == pytest.approx(1.0)
        assert rating["mard"]["value"] == pytest.approx(1.0)
        calls = len(wire.requests)
        assert main(["calibrate", *common, "--task", "rating"]) == 0
        assert out(capsys)["metrics"]["mard"]["value"] is None
        assert len(wire.requests) == calls == 20 + 12 + 10


def test_calibrate_fails_where_a_required_threshold_is_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "labels.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": str(n), "claim": f"alpha beta {n}", "evidence": "gamma", "label": "full"})
            + "\n"
            for n in range(4)
        )
    )
    assert main(["calibrate", str(path), "--task", "support", "--quiet"]) == 0
    told = capsys.readouterr().out
    assert "not met" in told and "4 labels of 4 items, all counted." in told
    assert "full or partial, in two classes" in told
    assert main(["calibrate", str(path), "--task", "support", "--quiet", "--require"]) == 1
    assert main(["calibrate", str(path), "--task", "rating", "--quiet"]) == 2


def test_plain_grades_of_0_to_10_need_no_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": f"r{n}", "query": f"q{n}", "answer": f"grade {n}", "label": n, "judge": "anna"}
        for n in range(10)
    ]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    script = Judge(rating=lambda text: min(10, int(text.split()[-1]) + 2))
    with Wire(script) as wire:
        told = ["labels.jsonl", "--judge", "anthropic:claude-sonnet-5-5", "--base-url", wire.url]
        assert main(["calibrate", *told, "--task", "rating", "--quiet", "--json"]) == 0
        metrics = out(capsys)["metrics"]
        assert metrics["mard"]["value"] == pytest.approx(1.9)
        with Path("labels.jsonl").open("a") as more:  # together 8.5, which looks like one of ten
            more.write(json.dumps({**rows[5], "label": 12}) + "\n")
        assert main(["calibrate", *told, "--task", "rating", "--quiet", "--json"]) == 0
    assert out(capsys)["metrics"]["mard"]["value"] is None
    assert metrics["bias"]["value"] == pytest.approx(1.9)


def test_imported_evidence_may_say_that_a_page_could_not_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    urls = [f"https://birds.example/{n}" for n in range(4)]
    said = [f"The {bird} feeder is made of brushed steel [{n}]." for n, bird in enumerate("abcd", 1)]
    listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(urls, 1))
    evidence = [
        {"url": urls[0], "type": "web", "text": "The a feeder is made of brushed steel."},
        {"url": urls[1], "type": "web", "text": None},
        {
            "url": urls[2],
            "type": "web",
            "text": "The c feeder is made of brushed steel.",
            "status": "blocked",
        },
    ]
    report = {
        "id": "1",
        "system": "other",
        "query": "feeders",
        "report_markdown": "\n\n".join(said) + f"\n\n## Sources\n{listed}\n",
        "evidence": evidence,
    }
    Path("reports.jsonl").write_text(json.dumps(report) + "\n")
    assert main(["import", "study", "reports.jsonl", "--quiet", "--json"]) == 0
    capsys.readouterr()
    assert main(["judge", "study", "--what", "faithfulness", "--quiet", "--json"]) == 0
    document = out(capsys)
    verdicts = document["coverage"]["variants"]["other"]["verdicts"]["page"]
    assert {name: n for name, n in verdicts.items() if n} == {
        "full": 1,
        "unreachable": 1,
        "blocked": 1,
        "not_frozen": 1,
    }
    metrics = document["metrics"]["other"]
    assert metrics["fp_seen"]["value"] is None and metrics["fp_seen"]["n_unscored"] == 1
    assert document["coverage"]["variants"]["other"]["reading"]["unknown"] == 2
    assert sum(document["coverage"]["variants"]["other"]["verdicts"]["seen"].values()) == 0
    assert metrics["fp_strict"]["value"] == pytest.approx(1 / 3)
    assert metrics["fp_reachable"]["value"] == 1
    assert main(["import", "study", "reports.jsonl", "--quiet", "--json"]) == 0
    assert out(capsys)["added"] == 0


def test_pages_as_they_read_now_may_be_judged_before_all_else(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(folder), "--what", "faithfulness", "--refetch", "--quiet", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["run"]["left"] == 0
    assert f"`drr judge {folder}` judges that" in captured.err
