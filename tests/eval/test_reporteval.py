"""ReportEval's judgements: which passages are held against each other, whose words bear a score, and the figures made of them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from drr.eval.judging.read import choose_judging, read_judged
from drr.eval.judging.run import JudgeOptions
from drr.eval.metrics import shown_name
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.registry import task_stages, tasks
from drr.papers.reporteval import metrics as metrics
from drr.papers.reporteval import support
from drr.papers.reporteval.judging.grades import REPETITION, SIDES, repetition_of
from drr.papers.reporteval.judging.passages import SHORTEST, passages_of
from drr.papers.reporteval.judging.repetition import MOST, drawn_pairs, repetition_score
from drr.papers.reporteval.sums import support_score
from drr.study.study import Study

from tests.cases import cases
from tests.commands import Drr
from tests.eval.foreign_files import lines
from tests.eval.nursery import (
    ScriptedJudge,
    answer,
    judged_by_wire,
    message,
    put,
    sections_of,
)
from tests.eval.written_reports import HEADINGS, with_copy, write_report
from tests.wire import Request

LONG = "The steel feeder keeps seed dry in heavy rain and its perches fold away in winter, which owners in cold regions like. "
LONG = LONG * 2
MIXED = cases("eval", "MIXED", globals())


class PairJudge(ScriptedJudge):
    """On the wire: `score` is asked with both passages; `quote` says which words it gives as repeated."""

    def __init__(
        self,
        score: Callable[[str, str], int],
        quote: Callable[[str, str], list[tuple[str, str]]] = lambda a, b: [
            (a[-40:].strip(), b[-40:].strip())
        ],
    ) -> None:
        super().__init__()
        self.score, self.quote = score, quote

    def task(self, system: str, message: str) -> str:
        if not system.startswith("You compare two passages"):
            return "grades"
        return "again" if any(section.label == "quoted" for section in sections_of(message)) else "pair"

    def _grades(self, request: Request) -> dict[str, Any]:
        return {side: {"reason": "as told", "grade": 3} for side in SIDES}

    def _pair(self, request: Request) -> dict[str, Any]:
        a, b = (section.text for section in sections_of(message(request)) if section.label == "passage")
        score = self.score(a, b)
        shown = [{"first": x, "second": y} for x, y in self.quote(a, b)] if score < 4 else []
        return {"explanation": "as told", "repetitions": shown, "score": score}

    _again = _pair


async def judged_by(
    study: Study, script: PairJudge, what: Sequence[str] = ("grades", REPETITION), **more: Any
) -> Judged:
    options = JudgeOptions(["reporteval"], **more)
    options.stages = task_stages({name: tasks()[name] for name in what})
    return await judged_by_wire(study, script, options)


def values(judged: Judged, variant: str) -> dict[str, float | None]:
    (found,) = (one for one in judged.answers if one.variant == variant)
    return dict(metrics.per_report(judged, found))


def test_passages_are_paragraphs_with_their_heading_and_lists_and_tables_are_whole() -> None:
    found = passages_of(MIXED)
    assert [one.heading for one in found] == cases(
        "eval", "test_passages_are_paragraphs_with_their_heading_and_lists_and_tables_are_whole"
    )
    listed, tabled = found[1:3]
    assert listed.text.startswith("Two models stand out:\n\n- **Panorama**") and "taken apart" in listed.text
    assert "ecommerce.example" in listed.text, "a link drops nothing"
    assert tabled.text.startswith("| Model | Price |") and tabled.text.count("\n") == 2
    assert [one.summary for one in found] == [False, False, False, False, True]
    assert all(one.text == MIXED[one.start : one.end].strip("\n") for one in found)
    assert not any("birds.example" in one.text or "short remark" in one.text for one in found)
    assert all(len(one.text) >= SHORTEST for one in found)


@pytest.mark.parametrize("language", HEADINGS)
def test_a_summary_is_known_in_five_languages(language: str) -> None:
    found = passages_of(write_report(random.Random(1), 600, language).text)
    assert [one.summary for one in found] == [True, *([False] * (len(found) - 2)), True]


def test_all_pairs_are_judged_up_to_thirty_and_of_more_the_same_seed_draws_the_same() -> None:
    few, many = (write_report(random.Random(2), words).text for words in (450, 3000))
    n = len(passages_of(few))
    assert 3 < n <= 8 and len(drawn_pairs(few, "paragraphs", 0)) == n * (n - 1) / 2
    drawn = drawn_pairs(many, "paragraphs", 7)
    drawn_pairs.cache_clear()
    assert drawn == drawn_pairs(many, "paragraphs", 7) != drawn_pairs(many, "paragraphs", 8)
    n = len(passages_of(many))
    assert len(drawn) == len({pair[:2] for pair in drawn}) == MOST
    assert sum(pair.stands_for for pair in drawn) == pytest.approx(n * (n - 1) / 2)
    far = [pair.second - pair.first for pair in drawn if pair.stands_for > 1]
    bands = [n * (1 - (1 - k / 5) ** 0.5) for k in range(1, 5)]
    by_band = [sum(one <= bound for one in far) for bound in bands]
    assert all(abs(count - 4 * k) <= 1 for k, count in enumerate(by_band, 1)), "as many from each band"


@pytest.mark.long
def test_a_copied_paragraph_lowers_the_figure_in_twenty_of_twenty() -> None:
    def mean(text: str) -> float:
        passages = passages_of(text)
        pairs = drawn_pairs(text, "paragraphs", 0)
        return sum(repetition_score(passages[i].shown, passages[j].shown).score for i, j, _ in pairs) / len(
            pairs
        )

    lower = 0
    for number in range(20):
        rng = random.Random(number)
        report = write_report(rng, 500 + number * 237, list(HEADINGS)[number % 5])
        lower += mean(with_copy(report, rng)) < mean(report.text)
    assert lower == 20


def reworded(said: str) -> str:
    """The same words the other way round, one in four left out."""
    turned = [word for sentence in reversed(said.split(". ")) for word in sentence.split()[::-1]]
    return " ".join(["Put otherwise,", *(word for place, word in enumerate(turned) if place % 4)])


def is_rewording(a: str, b: str) -> bool:
    return any(one.partition("\n\n")[2].startswith("Put otherwise") for one in (a, b))


def test_a_reworded_paragraph_is_among_the_pairs_in_twenty_of_twenty() -> None:
    met = 0
    for number in range(20):
        rng = random.Random(number)
        report = write_report(rng, 500 + 120 * number, list(HEADINGS)[number % 5])
        copied = report.paragraphs[number % len(report.paragraphs)]
        text = with_copy(report, rng, reworded(copied))
        passages = passages_of(text)
        meets = [(passages[i].text, passages[j].text) for i, j, _ in drawn_pairs(text, "paragraphs", 0)]
        met += any({copied, reworded(copied)} == {*pair} for pair in meets)
    assert met == 20


async def test_a_reworded_paragraph_lowers_the_figure_on_the_wire(study: Study) -> None:
    """The judge knows both by nothing that rules look at."""
    rng = random.Random(4)
    report = write_report(rng, 900)
    said = report.paragraphs[2]
    texts = {"clean": report.text, "changed": with_copy(report, rng, reworded(said))}
    await put(study, *(answer("a", name, text) for name, text in texts.items()))
    script = PairJudge(lambda a, b: 0 if is_rewording(a, b) and said[:60] in f"{a} {b}" else 4)
    judged = await judged_by(study, script)
    clean, changed = (values(judged, name) for name in ("clean", "changed"))
    assert clean["re_non_redundancy"] == 4
    assert changed["re_non_redundancy"] == pytest.approx(4 * (MOST - 1) / MOST)
    assert changed["re_worst_pair"] == 0 and changed["re_repeated_pairs"] == pytest.approx(1 / MOST)
    of_all = changed["re_non_redundancy_all"]
    assert of_all is not None and 3.9 < of_all < 4, "of all pairs it is one"


async def test_a_score_that_no_quotation_bears_is_asked_for_again_and_then_is_none(study: Study) -> None:
    await put(study, answer("a", "x", MIXED))
    lying = PairJudge(lambda a, b: 1, lambda a, b: [("words that stand nowhere", "nor do these")])
    judged = await judged_by(study, lying)
    pairs = repetition_of(judged, judged.answers[0].key)
    assert pairs is not None and len(pairs) == 10
    assert {row["score"] for row in pairs} == {None}
    assert pairs[0].get("reason") == "no quotation shows what is repeated, also when asked for it once more"
    assert pairs[0]["unfounded"] == ["words that stand nowhere", "nor do these"]
    assert (lying.asked.count("pair"), lying.asked.count("again")) == (10, 10)
    assert judged.failed[REPETITION] == 10
    v = metrics.corpus(judged, judged.answers)["re_non_redundancy"]
    assert (v.value, v.n, v.n_unscored) == (None, 0, 1), "unknown, not 0 and not 4"


async def test_words_found_the_second_time_count_and_emphasis_and_spaces_are_no_matter(study: Study) -> None:
    await put(study, answer("a", "x", MIXED))
    tries = {"again": False}

    def quote(a: str, b: str) -> list[tuple[str, str]]:
        tries["again"] = not tries["again"]
        if tries["again"]:
            return [("its perches fold ... in winter", "perches")]
        return [("its  **perches** FOLD away\nin winter", "perches"), ("nowhere", "nowhere")]

    judge = PairJudge(lambda a, b: 2 if all("perches" in one for one in (a, b)) else 4, quote)
    with_one = await judged_by(study, judge, [REPETITION], units=1)
    rows = repetition_of(with_one, with_one.answers[0].key) or ()
    repeats = [row for row in rows if row["score"] == 2]
    assert len(repeats) == 10 and all(row["unfounded"] for row in repeats)
    assert all(len(row["repetitions"]) == 1 for row in repeats)


async def test_with_and_without_the_summary_and_the_same_sums_as_aggregate(
    study: Study, tmp_path: Path, drr: Drr
) -> None:
    await put(study, answer("a", "x", MIXED))
    marks = {"Fazit": 0, "Upkeep": 2}
    script = PairJudge(lambda a, b: next((n for head, n in marks.items() if head in b), 3))
    judged = await judged_by(study, script)
    found = values(judged, "x")
    rows = repetition_of(judged, judged.answers[0].key) or ()
    pairs = [row["score"] for row in rows]
    assert pairs.count(0) == 4 and pairs.count(2) == 3 and pairs.count(3) == 3
    line = {"pairs": pairs, "quality": dict.fromkeys(SIDES, 3), "support": [1, 0, None, -1, 1]}
    (tmp_path / "raw.jsonl").write_text(json.dumps(line), encoding="utf-8")
    sums = drr.json("aggregate", "reporteval", str(tmp_path / "raw.jsonl"))["values"]
    assert found["re_non_redundancy"] == sums["non_redundancy"] == pytest.approx(15 / 10)
    assert found["re_worst_pair"] == sums["worst_pair"] == 0
    assert {side: found[f"re_{side}"] for side in SIDES} == sums["quality"]
    scored = support_score(["full", "partial", "unreachable", "none", "full"])
    assert (scored.average, scored.strong) == (sums["average_support"], sums["strong_support"])
    assert found["re_repeated_pairs"] == pytest.approx(7 / 10)
    assert found["re_non_redundancy_body"] == pytest.approx(15 / 6)
    assert (found["re_worst_pair_body"], found["re_repeated_pairs_body"]) == (2, pytest.approx(3 / 6))
    assert found["re_non_redundancy_all"] == found["re_non_redundancy"], "nothing was drawn by lot"


def test_as_printed_are_sections_of_the_second_level_by_the_published_rule() -> None:
    """The lead and `End` go, then what holds https and what is short, then S0 and S6."""
    long = "x " * 110
    sections = (f"## S{n}\n\n{long}\n\n### inner\n\n{long}" for n in range(7))
    text = "\n\n".join(["# T", long, *sections, "## Short\n\nfew", "## End"])
    text = text.replace("## S3\n", "## S3\n\nhttps://a.example\n")
    found = passages_of(text, "sections")
    assert [one.heading for one in found] == ["## S1", "## S2", "## S4", "## S5"]
    assert len(drawn_pairs(text, "sections", 0)) == 6
    assert passages_of("## A\n\nb\n\n## C", "sections") == (), "three paragraphs or fewer are not judged"
    assert passages_of(f"{long}\n\n{long}\n\n{long}\n\n{long}", "sections") == ()


@pytest.mark.long
def test_the_command_judges_imported_reports_and_shows_every_table(tmp_path: Path, drr: Drr) -> None:
    rng = random.Random(3)
    report = write_report(rng, 500)
    texts = {"plain": report.text, "doubled": with_copy(report, rng), "short": "Buy one."}
    rows = [
        {"id": n, "system": n, "query": "Which feeder?", "report_markdown": text} for n, text in texts.items()
    ]
    study, file = tmp_path / "study", lines(tmp_path / "reports.jsonl", *rows)
    drr.out("import", study, file, "--quiet")
    words = ("judge", study, "--judge", "offline", "--quiet", "--what", "reporteval")
    drr.out(*words, "--profile", "paper", "--pair-seed", "5")
    document = drr.json(*words)
    assert document["run"]["planned"] and not document["run"]["left"]
    plain, doubled, short = (document["metrics"][name] for name in ("plain", "doubled", "short"))
    for name in metrics._methods("paragraphs"):
        assert {"value", "ci_low", "ci_high", "n", "n_unscored", "method"} <= plain[name].keys(), name
    assert doubled["re_non_redundancy"]["value"] < plain["re_non_redundancy"]["value"]
    assert doubled["re_worst_pair"]["value"] == 0 and short["re_non_redundancy"]["value"] is None
    printed = document["as_printed"]["metrics"]["plain"]
    assert "level-2 sections by the published code's rule" in printed["re_non_redundancy"]["method"]
    with Study.open(study) as opened:
        records = [r for r in opened.records("judgement") if r.key_fields["task"] == REPETITION]
    seeds = {record.key_fields["seed"] for record in records}
    assert seeds == {5}, "what was asked for once counts until something else is"
    assert shown_name("re_non_redundancy") in drr.out("compare", study, "plain", "doubled")
    drr.out("report", study, "--out", tmp_path / "report")
    for name in ("reporteval", "reporteval-pairs", "as-printed"):
        drawn = (tmp_path / "report" / "tables" / f"{name}.md").read_text("utf-8")
        assert "non-redundancy" in drawn and "rules-2" in drawn
    drr.out("view", study, "--static", tmp_path / "pages", "--quiet")
    pages = "".join(page.read_text("utf-8") for page in (tmp_path / "pages" / "r").glob("*.html"))
    assert "ReportEval: what passages repeat" in pages and "comprehensiveness" in pages


def test_a_study_without_these_judgements_shows_no_such_table(tmp_path: Path, drr: Drr) -> None:
    folder = tmp_path / "study"
    with Study.create(folder, {"schema": 1, "run": {}}) as made:
        asyncio.run(put(made, answer("a", "x", "It is light [1].\n\n[1] https://a.example/x\n")))
    drr.out("judge", folder, "--judge", "offline", "--quiet")
    drr.out("report", folder, "--out", tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert 'id="faithfulness"' in page and 'id="reporteval"' not in page and 'id="pqr"' not in page
    with Study.open(folder) as made:
        judged = read_judged(made, choose_judging(made))
    assert "re_support" in support.per_report(judged, judged.answers[0])
