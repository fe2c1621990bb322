"""Two judges of one study: side by side claim by claim, grade by grade, and over all answers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drr.app.report.detail_pages import sections_behind
from drr.app.report.judging_tables import coverage
from drr.app.report.study_report import write_beside
from drr.app.viewer.judges import facts_beside, sides_of, verdicts_beside
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.citations.parse import parse
from drr.eval.stats.faithfulness import VerdictRow
from drr.study.study import Study

from tests.app.conftest import shown
from tests.app.test_one_more_family import second_judge
from tests.tampering import tampered


@pytest.fixture(scope="module")
def reader(judged_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """The second judge finds no support in records of products where the first one finds it all, and grades depth with a two."""
    folder = tmp_path_factory.mktemp("two") / "study"
    shutil.copytree(judged_study, folder)
    second_judge(folder)
    with tampered(folder / "ledger.sqlite") as ledger:
        ledger.execute(
            """UPDATE records SET result = replace(result, '"status":"full"', '"status":"none"') WHERE key LIKE 'second-%' AND result LIKE '%"type":"product"%'"""
        )
        ledger.execute(
            "UPDATE records SET result = json_set(result, '$.rating', 2) WHERE key LIKE 'second-%' AND key IN "
            "(SELECT key FROM units WHERE json_extract(key_fields, '$.task') = 'rating' AND json_extract(key_fields, '$.dimension') = 'depth')"
        )
    with Study.open(folder) as study:
        yield Reader(study, judge="rules-2")


@pytest.mark.long
def test_agreement_and_what_was_judged_lead_to_the_answers(reader: Reader, tmp_path: Path) -> None:
    material = write_beside(reader.study, tmp_path / "report", "../viewer", "rules-2")
    page = (tmp_path / "report" / "answers" / "~judges.html").read_text("utf-8")
    sections = dict(re.findall(r'<section id="([\w-]+)" class="table">(.*?)</section>', page, re.S))
    index = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert set(re.findall(r'href="answers/~judges.html#([\w-]+)"', index)) == set(sections)
    assert set(sections) >= {"coverage", "agreement-pairwise", "agreement-ratings", "agreement-metrics"}

    graded = rows_of(sections["agreement-ratings"])
    assert len(graded) == len(reader.entries())
    for entry in reader.entries():
        report = shown(reader, entry)
        (link,) = [one for one in graded if f"../../viewer/r/{entry.key}.html" in one]
        first = report.verdicts.ratings["depth"].value
        assert graded[link]["depth: rules-2 and second"] == f"{first} / 2"

    units = material.document["coverage"]["tasks"]
    judged = rows_of(sections["coverage"]).values()
    for task in ("claims", "rating", "rules", "support"):
        assert sum(int(row[task]) for row in judged) == units[task]["judged"]
    pairs = 2 * units["pairwise"]["judged"]
    assert sum(int(row["pairwise"]) for row in judged) == pairs, "of two answers each"

    # What is judged of questions is no zero in the rows of their answers.
    material.document["coverage"]["tasks"]["points"] = {"judged": 3, "failed": 0, "failed_share": 0.0}
    table = coverage(material)
    assert table is not None
    (behind,) = sections_behind(material, (), [table])
    places = {name: place for place, (name, *_) in enumerate(behind.columns)}
    assert {row.values[places["points"]] for row in behind.rows} == {"–"}
    assert "–" not in {row.values[places["claims"]] for row in behind.rows}


def rows_of(section: str) -> dict[str, dict[str, str]]:
    """By what leads to the answer, then by column."""
    columns = re.findall(r'<th scope="col"[^>]*>([^<]*)', section)
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', section)
    return {name: dict(zip(columns, re.findall(r"<td>([^<]*)", cells), strict=True)) for name, cells in rows}


def as_the_second_says(verdict: VerdictRow) -> VerdictRow:
    turned = verdict["type"] == "product" and verdict["status"] == "full"
    return {**verdict, "status": "none" if turned else verdict["status"]}


def test_every_claim_has_what_the_other_judge_says(reader: Reader) -> None:
    turned = equal = 0
    for entry in reader.entries():
        report = shown(reader, entry)
        beside, apart = verdicts_beside(report), 0
        for claim in report.verdicts.claims:
            ((judge, said),) = beside[claim.id]
            expected = replace(
                claim, verdicts={n: as_the_second_says(v) for n, v in claim.verdicts.items()}
            ).status
            assert (judge, said) == ("second", expected)
            apart += claim.status != expected
            equal += claim.status == expected
        turned += apart
    assert turned and equal


def test_pages_show_both_judges_lead_from_one_to_the_other_and_give_their_agreement(reader: Reader) -> None:
    entry, pages = reader.entries()[0], StudyPages("s", served=False)
    report = shown(reader, entry)
    page = pages.report(report)
    assert 'id="judges"' in page
    place = re.search(r'href="\.\./q/[^"?]*\?left=([^&"]+)&amp;right=([^"]+)"', page)
    assert place is not None
    question = pages.query(reader.query(entry.question_page), [])
    for name in place.groups():
        assert f'<option value="{name}"' in question
    assert f"{entry.variant}, trial {entry.trial}, judged by second" in question
    depth = re.findall(r'<tr data-dimension="depth"><td[^>]*>depth</td><td>([^<]*)</td>', page)
    assert depth == ["rules-2", "second"]
    found = reader.judges_agreement()
    assert found is not None
    names, parts, _ = found
    assert names == ["rules-2", "second"]
    kinds = ("support", "pairwise", "ratings")
    assert [part.name for part in parts] == [f"agreement-{kind}" for kind in kinds]
    verdicts = parts[0].rows[0][1][0].text()
    assert re.fullmatch(r"0\.\d\d \[0\.\d\d, \d\.\d\d\] n=\d+", verdicts)
    page = StudyPages("s", served=False).judges(names, parts, None)
    assert "rules-2 and second" in page


def test_where_one_judged_nothing_stands_beside(judged_study: Path) -> None:
    with Study.open(judged_study) as study:
        reader = Reader(study)
        report = shown(reader, reader.entries()[0])
    page = StudyPages("s", served=False).report(report)
    assert "Other judges" not in page and 'id="judges"' not in page


def test_each_grade_has_a_row_of_its_own_below_what_decides(reader: Reader) -> None:
    first = reader.entries()[0]
    views = [shown(reader, one) for one in reader.entries() if one.query_id == first.query_id]
    facts = dict(facts_beside(sides_of(views)))
    assert [name for name in facts if name in ("faithfulness", "overall", "claims", "prices", "depth")] == [
        "faithfulness", "overall", "claims", "prices", "depth"
    ]  # fmt: skip
    for side, own in zip(sides_of(views), facts["depth"], strict=True):
        rating = side.report.verdicts.ratings.get("depth")
        assert [one.text for one in own] == ([f"{rating.value} of 10"] if rating and rating.value else [])


@pytest.mark.parametrize(
    ("said", "dates"),
    [
        ("Bought on July 21, 2014 and December 2, 2014.", [["2014-07-21", "2014-12-02"], ["2014-12-02"]]),
        ("Bought on December 2 and July 21, 2014.", None),
        ("Bought in 2014: one on December 2, one on July 21.", None),
        ("Nothing is known of it.", [[], ["2014-12-02"]]),
    ],
)
def test_dates_differ_only_where_each_has_its_own_year(
    reader: Reader, said: str, dates: list[list[str]] | None
) -> None:
    first = shown(reader, reader.entries()[0])
    sides = sides_of([first])[:1] * 2
    told = [
        replace(side, report=replace(first, report=text, citations=parse(text)))
        for side, text in zip(sides, (said, "Bought on 2014-12-02."), strict=True)
    ]
    rows = dict(facts_beside(told)).get("dates")
    assert dates == (None if rows is None else [[one.key for one in own] for own in rows])
