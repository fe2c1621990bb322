"""`drr judges annotate` and `drr papers reproduce` from the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from drr.app.annotate.plan import load
from drr.app.cli import main
from drr.study.study import Study

from tests.entering import entered


@pytest.mark.long
def test_annotation_goes_round_by_bundles_and_feeds_agreement(
    judged_study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = str(judged_study)
    assert (
        main(["annotate", study, "--annotators", "ann,bob", "--pairs", "3", "--bundle", str(tmp_path / "b")])
        == 0
    )
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["ann.html", "bob.html"]
    plan = load(judged_study / "annotation")
    assert plan is not None
    assert {name for pair in plan.pairs for name in (pair.system_a, pair.system_b)} == {
        "react+ws",
        "plan-to-function+ws",
    }
    saved = []
    for person in plan.annotators:
        marks = [
            {
                "pair": turn.pair,
                "dimension": name,
                "choice": "left" if turn.shown_first == "a" else "right",
                "seconds": 2.0,
            }
            for turn in person.turns
            for name in plan.dimensions
        ]
        path = tmp_path / f"{person.name}.json"
        path.write_text(
            json.dumps({"annotator": person.name, "plan": person.sheet, "marks": marks}), encoding="utf-8"
        )
        saved.append(str(path))
    labels = tmp_path / "labels.jsonl"
    assert main(["annotate", study, "--import", *saved, "--export", str(labels)]) == 0
    assert len(labels.read_text(encoding="utf-8").splitlines()) == 2 * 3 * 7
    capsys.readouterr()
    assert main(["agreement", study, "--human", str(labels), "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["pairwise"]["pairs"]
    people = next(pair for pair in pairs if set(pair["judges"]) == {"ann", "bob"})
    assert people["dimensions"]["depth"]["exact"]["value"] == 1.0
    assert main(["report", study, "--out", str(tmp_path / "report")]) == 0
    table = (tmp_path / "report" / "tables" / "agreement-pairwise.md").read_text(encoding="utf-8")
    assert "| depth: ann and bob | 1.00" in table
    rankings = (tmp_path / "report" / "tables" / "agreement-rankings.csv").read_text(encoding="utf-8")
    assert "overall: rules-2 and ann" in rankings
    assert "react+ws" in rankings
    assert main(["annotate", study, "--annotators", "ann,bob,cleo", "--export", str(labels)]) == 2
    assert "drawn with --annotators ann, bob" in capsys.readouterr().err
    against = next(pair for pair in pairs if set(pair["judges"]) == {"ann", "rules-2"})
    assert against["dimensions"]["depth"]["exact"]["n"] == len(plan.pairs)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--annotators", "a,a"], "different names"),
        (["--annotators", "../x"], "different names"),
        (["--variants", "nobody"], "nobody"),
    ],
)
def test_a_plan_that_makes_no_sense_is_misuse(
    judged_study: Path, tmp_path: Path, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    copy = tmp_path / "study"
    shutil.copytree(judged_study, copy, ignore=shutil.ignore_patterns("annotation"))
    assert main(["annotate", str(copy), *words, "--bundle", str(tmp_path / "b")]) == 2
    assert expected in capsys.readouterr().err
    assert not (copy / "annotation").exists()


def test_the_page_is_served_to_who_has_the_address_and_labels_outlive_a_kill(judged_study: Path) -> None:
    command = [
        sys.executable,
        "-u",
        "-m",
        "drr.app.cli",
        "annotate",
        str(judged_study),
        "--annotators",
        "ann,bob",
        "--pairs",
        "3",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"ann: (http://127\.0\.0\.1:\d+/)\?token=(\S+)", process.stdout.readline())
        assert address is not None
        with httpx.Client(base_url=address[1], follow_redirects=True, timeout=30) as client:
            page = entered(client, address[2])
            assert page.status_code == 200
            plan = load(judged_study / "annotation")
            assert plan is not None
            mark = {
                "pair": plan.annotators[0].turns[0].pair,
                "dimension": "depth",
                "choice": "tie",
                "seconds": 1.0,
            }
            assert client.post(f"/mark?sheet={plan.annotators[0].sheet}", json=mark).json() == {"saved": True}
        os.kill(process.pid, signal.SIGKILL)
    assert '"choice":"tie"' in (judged_study / "annotation" / "marks-ann.jsonl").read_text(encoding="utf-8")


@pytest.mark.long
def test_view_serves_until_it_is_interrupted(judged_study: Path) -> None:
    command = [sys.executable, "-u", "-m", "drr.app.cli", "view", str(judged_study)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        with httpx.Client(follow_redirects=True, timeout=60) as client:
            assert "12 of 12 answers" in client.get(address).text
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        process.wait(timeout=60)
        assert time.monotonic() - start < 60
    assert process.returncode in (0, 130)


@pytest.mark.long
def test_reproduce_runs_everything_and_a_second_call_computes_nothing(
    judged_study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop, queries = judged_study.parent / "shop", tmp_path / "one.jsonl"
    first = (judged_study.parent / "queries.jsonl").read_text(encoding="utf-8").splitlines()[0]
    queries.write_text(first + "\n", encoding="utf-8")
    out = tmp_path / "all"
    words = [
        "reproduce",
        "--shop",
        str(shop),
        "--queries",
        str(queries),
        "--variants",
        "react,react+ws",
        "--out",
        str(out),
    ]
    assert main([*words, "--quiet"]) == 0
    assert (out / "report" / "index.html").is_file()
    assert (out / "viewer" / "index.html").is_file()
    printed = capsys.readouterr().out
    fp = json.loads((out / "report" / "metrics.json").read_text(encoding="utf-8"))["metrics"]["react"]["fp"][
        "value"
    ]
    assert re.search(rf"^react +1 +{fp:.2f}", printed, re.MULTILINE)
    assert "not by a language model" in printed
    assert printed.endswith(
        f"report: {out / 'report' / 'index.html'}\nviewer: {out / 'viewer' / 'index.html'}\n"
    )
    with Study.open(out / "study") as study:
        before = {record.key: record.finished_at for record in study.records(status=None)}
    table = (out / "report" / "tables" / "faithfulness.csv").read_bytes()
    assert main([*words, "--quiet"]) == 0
    with Study.open(out / "study") as study:
        assert {record.key: record.finished_at for record in study.records(status=None)} == before
    assert (out / "report" / "tables" / "faithfulness.csv").read_bytes() == table


def test_reproduce_stops_at_the_first_step_that_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.jsonl").write_text('{"query": "x", "user_id": "A"}\n', encoding="utf-8")
    words = [
        "reproduce",
        "--shop",
        str(tmp_path / "none"),
        "--queries",
        str(tmp_path / "q.jsonl"),
        "--out",
        str(tmp_path / "o"),
    ]
    assert main(words) == 2
    err = capsys.readouterr().err
    assert "there is no such shop" in err
    assert "drr: `drr run` ended with 2; give the same command again to continue" in err
    assert not (tmp_path / "o" / "report").exists()
