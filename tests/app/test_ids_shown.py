"""A list of sources that names products by their ids alone leads to these sources on the pages of a report, as it led the judge there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drr.app.viewer.model import ReportView
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import StudyPages
from drr.env.source import Source
from drr.eval.judging.run import JudgeOptions, judge
from drr.study.study import Study

from tests.eval.nursery import answer, desk, offline, put

FEEDER, SEED, UNSEEN = "B0FEEDER01", "B0SEED0001", "B0UNSEEN01"
BODY = "The tube feeder holds two pounds of seed [1]. The sunflower seed comes in a ten pound bag [2]. The suet cage is green [3].\n\n"
ONE_LINE = "Sources: [1] {} \u00b7 [2] {} \u00b7 [3] {}\n"
LINES = "## Sources\n\n[1] {}\n[2] {}\n[3] {}\n"
HOMES = ("http://ecommerce.example", "https://shop.other.example/dp/")


def listing(home: str, product_id: str, title: str) -> Source:
    record = {"product_id": product_id, "title": title}
    return Source(
        url=f"{home.rstrip('/')}/{product_id}", type="product", title=title, seen=title, record=record
    )


async def view_of(folder: Path, home: str, form: str) -> ReportView:
    """Of a report about a shop at this address, judged, of which two of the three products were returned."""
    sources = [
        listing(home, SEED, "Sunflower seed in a ten pound bag"),
        listing(home, FEEDER, "Tube feeder that holds two pounds of seed"),
    ]
    with Study.create(folder / "study", {"schema": 1, "run": {}, "settings": {"shop_url": home}}) as study:
        await put(study, answer("a", "plain", BODY + form.format(FEEDER, SEED, UNSEEN), sources))
        models = offline()
        judging = desk(study, models)
        judging.shop_url = home
        await judge(study, judging, models, JudgeOptions(["faithfulness"]))
    with Study.open(folder / "study") as study:
        reader = Reader(study)
        (entry,) = reader.entries()
        view = reader.report(entry.key)
        assert view is not None
        return view


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("form", [ONE_LINE, LINES])
async def test_marks_lead_to_the_sources_of_the_judge(tmp_path: Path, home: str, form: str) -> None:
    view = await view_of(tmp_path, home, form)
    judged = {url for claim in view.verdicts.claims for url in claim.urls}
    assert {one.url for one in view.citations.sources} == judged
    place = {source.url.rpartition("/")[2]: source.number for source in view.sources}
    page = StudyPages("study", served=False).report(view)
    report = page.partition('id="report"')[2].partition("<aside")[0]
    led = re.findall(r'<a href="#source-(\d+)">([^<]+)</a>', report)
    feeder, seed = (str(place[one]) for one in (FEEDER, SEED))
    assert led == [(feeder, "[1]"), (seed, "[2]"), (feeder, FEEDER), (seed, SEED)]
    for number, product_id in ((1, FEEDER), (2, SEED)):
        assert f'id="source-{place[product_id]}"><details><summary>[{number}] ' in page
    assert "that tools returned and the report does not cite" not in page


async def test_an_address_in_the_list_stays_the_link_that_it_is(tmp_path: Path) -> None:
    home = HOMES[0]
    form = LINES.replace("{}", home + "/{}")
    view = await view_of(tmp_path, home, form)
    report = StudyPages("study", served=False).report(view).partition('id="report"')[2].partition("<aside")[0]
    assert re.findall(r'<a href="#source-\d+">([^<]+)</a>', report) == ["[1]", "[2]"]
    assert [f'href="{home}/{one}"' in report for one in (FEEDER, SEED, UNSEEN)] == [True] * 3
