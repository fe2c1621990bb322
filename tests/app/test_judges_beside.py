"""Two judges of one study: side by side claim by claim, grade by grade, and over all answers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from drr.app.report.agreement_tables import agreement_tables
from drr.app.viewer.judges import facts_beside, sides_of, verdicts_beside
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.citations.parse import parse
from drr.eval.agreement.study import agreement_document
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
    document = agreement_document(reader.study, [])
    assert document is not None
    parts = list(agreement_tables(document))
    kinds = ("support", "pairwise", "ratings")
    assert [part.name for part in parts[:3]] == [f"agreement-{kind}" for kind in kinds]
    name, (verdicts, *_) = parts[0].rows[0]
    assert name == "claims: rules-2 and second"
    assert re.fullmatch(r"0\.\d\d \[0\.\d\d, \d\.\d\d\] n=\d+", verdicts.text())


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
