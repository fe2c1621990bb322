"""No figure of a study is surer than its questions allow, and what nobody read is told beside what was made without it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.eval.stats.intervals import FEWEST, mean
from drr.eval.stats.ratings import davidson, length_coefficient

from tests.commands import Drr
from tests.eval.test_pairwise import make


def estimates(document: object, at: str = "") -> Iterator[tuple[str, dict[str, object]]]:
    """Every figure with an interval, and where it stands."""
    if isinstance(document, dict):
        if "ci_low" in document:
            yield at, document
        for name, own in document.items():
            yield from estimates(own, f"{at}.{name}")
    elif isinstance(document, list):
        for place, own in enumerate(document):
            yield from estimates(own, f"{at}.{place}")


def test_no_figure_of_a_small_study_is_surer_than_its_questions(judged_study: Path, drr: Drr) -> None:
    """Two questions: no interval of one point, and none of a fit over so few."""
    found = dict(estimates(drr.json("report", judged_study)))
    fitted = {v["ci_low"] for at, v in found.items() if ".length." in at}
    points = [at for at, v in found.items() if v["ci_low"] is not None and v["ci_low"] == v["ci_high"]]
    assert not points and fitted == {None}


@pytest.mark.parametrize("questions", [4, FEWEST - 1, FEWEST + 2])
def test_ties_alone_tell_nothing_of_length(questions: int) -> None:
    tied = [replace(one, words_a=100 + 7 * n, words_b=100) for n, one in enumerate(make("t" * questions), 1)]
    found = length_coefficient(tied)
    assert found.value == pytest.approx(0.0) and (found.ci_low, found.ci_high) == (None, None)


def test_a_mean_without_ends_that_never_varies_has_no_interval() -> None:
    same = {f"q{n}": [3.0] for n in range(FEWEST + 5)}
    found = mean(same)
    assert found.value == 3.0 and (found.ci_low, found.ci_high) == (None, None)
    bounded = mean(same, ends=(0.0, 5.0))
    assert (bounded.ci_low or 3.0) < 3.0 < (bounded.ci_high or 3.0)


@pytest.mark.parametrize("questions", [4, FEWEST + 2])
def test_a_rating_of_few_questions_or_of_ties_alone_has_no_interval(questions: int) -> None:
    pairs = (("x", "y"), ("y", "z"), ("x", "z"))
    found = davidson([one for a, b in pairs for one in make("t" * questions, a=a, b=b)])
    assert all((v.ci_low, v.ci_high) == (None, None) for v in found.strengths.values())


NOTES = "\n".join(f"The {bird} feeder is made of brushed steel [{n}].\n" for n, bird in enumerate("abcd", 1))


@pytest.fixture
def imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One page kept, three that nobody kept."""
    monkeypatch.chdir(tmp_path)
    urls = [f"https://birds.example/{n}" for n in range(4)]
    listed = "\n".join(f"[{n}] {url}" for n, url in enumerate(urls, 1))
    report = {
        "id": "1",
        "system": "other",
        "query": "feeders",
        "report_markdown": f"{NOTES}\n\n## Sources\n{listed}\n",
        "evidence": [{"url": urls[0], "type": "web", "text": "The a feeder is made of brushed steel."}],
    }
    Path("reports.jsonl").write_text(json.dumps(report) + "\n", encoding="utf-8")
    assert main(["import", "study", "reports.jsonl", "--quiet"]) == 0
    return Path("study")


def test_a_variant_may_be_named_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr) -> None:
    monkeypatch.chdir(tmp_path)
    systems, typed = ("cmd:my-agent_--flag", "other"), "cmd:./my-agent --flag"
    rows = [{"id": s, "system": s, "query": "feeders", "report_markdown": "Of steel."} for s in systems]
    Path("reports.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    drr.out("import", "study", "reports.jsonl", "--quiet")
    drr.out("judge", "study", "--judge", "offline", "--variants", f"{typed},other", "--quiet")
    drr.out(
        "judge",
        "study",
        "--judge",
        "offline",
        "--what",
        "pairwise",
        "--variants",
        f"{typed},other",
        "--quiet",
        "--json",
    )
    drr.out("compare", "study", typed, "other", "--json")
    code, out, _ = drr(
        "study", "gate", "study", "--require", f"{typed}:clarity>=0", "--against", typed, "--json"
    )
    assert code in (0, 1) and systems[0] in {row["variant"] for row in json.loads(out)["checks"]}
    drr.err("compare", "study", "cmd:./her-agent --flag", "other")


def test_citations_that_nobody_read_are_told_beside_fp(imported: Path, drr: Drr) -> None:
    told = " ".join(drr.out("judge", imported, "--judge", "offline", "--quiet").split())
    assert "other: 3 of 4 citations could not be read (3 not_frozen)." in told
    metrics = drr.json("report", imported, "--out", "report")["metrics"]["other"]
    assert metrics["citations_unread"]["value"] == metrics["unreadable_rate"]["value"] == 0.75
    page = Path("report/index.html").read_text(encoding="utf-8")
    assert "3 of 4 citations could not be read" in page.partition('id="limits"')[2].partition("<details")[0]
    assert page.count("other: 3 of 4 citations could not be read (3 not_frozen).") >= 2
    assert "drr run --trials" not in page and "--repeat 2" in page
    drr.out("report", imported, "--verdicts", "verdicts.jsonl", "--json")
    reasons = [json.loads(line)["reason"] for line in Path("verdicts.jsonl").read_text("utf-8").splitlines()]
    assert sum("`drr judge STUDY --refetch --unknown` reads it now" in reason for reason in reasons) == 3
    drr.out("judge", imported, "--judge", "offline", "--quiet")
    told = drr.out("judges", "plan", imported, "--half-width", "0.05").split("\n\n")
    assert "nobody labelled anything" in told[1] and "drr judges annotate study --sample" in told[1]
