"""A fourth kind of source costs one file and one line: it is judged, counted and shown, and nothing in `eval/` changes for it."""

from __future__ import annotations

import pytest
from drr.app.viewer.reader import Reader
from drr.app.viewer.render import Pages
from drr.env.session import Session
from drr.env.shop import Shop
from drr.env.web.sandbox import Sandbox
from drr.env.world import KINDS, World, owner_of
from drr.eval.evidence.answers import Book, read_answers
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.read import choose, read_judged
from drr.eval.judging.run import judge
from drr.eval.metrics import metrics as metrics_by_name
from drr.eval.metrics import tables
from drr.eval.metrics.document import study_document
from drr.eval.metrics.faithfulness import per_report
from drr.study.study import Study
from drr.tools.base import ToolContext, ToolError

from tests.eval.nursery import answer, desk, offline, put
from tests.eval.task_files import TaskWorld, address, read_page
from tests.tools.small_shop import ANNA

MANUAL, RECEIPT = "Manual.pdf", "receipt.pdf"
REPORT = f"""# The kettle

- The kettle holds 1.7 liters of water [1].
- The warranty of the kettle lasts 24 months [2].
- The kettle was bought for $89.00 in a sale [3].
- The kettle weighs 5 pounds [4].

## Sources
[1] {address(MANUAL, 2)}
[2] {address(MANUAL, 3)}
[3] {address(RECEIPT, 1)}
[4] {address(MANUAL, 9)}
"""


@pytest.fixture
def world(study: Study, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setitem(KINDS, "file", "tests.eval.task_files:TaskFiles")
    files = study.folder / "files"
    files.mkdir()
    (files / MANUAL).write_text(
        "Your kettle\fThe kettle holds 1.7 liters of water.\fThe warranty of the kettle lasts 24 months."
    )
    (files / RECEIPT).write_text("The kettle was bought for $49.00 in a sale.")
    return TaskWorld(Session(shop, ANNA), Sandbox([]), study.folder)


async def test_a_fourth_kind_is_judged_counted_and_shown(study: Study, world: World) -> None:
    ctx = ToolContext(world)
    read = [read_page(ctx, name, page) for name, page in ((MANUAL, 2), (MANUAL, 3), (RECEIPT, 1))]
    with pytest.raises(ToolError):
        read_page(ctx, MANUAL, 9)
    await put(study, answer("kettle", "react", REPORT, [source for one in read for source in one.sources]))
    models = offline()
    await judge(study, desk(study, models), models, JudgeOptions(["faithfulness"]))

    document = study_document(study)
    metrics = document["metrics"]["react"]
    assert metrics["n_cited_file"]["value"] == 4
    assert metrics["fp_file"]["value"] == pytest.approx((1 + 1 + 0.5 + 0) / 4)
    assert metrics["n_cited"]["value"] == 0 and metrics["fp"]["value"] is None

    judged = read_judged(study, choose(study, None))
    verdicts = [verdict for one in judged.support.values() for verdict in one.values()]
    assert {verdict["type"] for verdict in verdicts} == {"file"}
    assert sorted(verdict["status"] for verdict in verdicts) == ["full", "full", "partial", "unreachable"]
    found = per_report(judged, judged.answers[0])
    assert found["n_cited_file"] == 4 and found["fr"] == 3 / 4

    table = [metric.name for metric in tables()["faithfulness"]]
    assert table.index("fp_user") + 1 == table.index("fp_file") and "n_cited_file" in table
    assert "the task's files" in metrics_by_name()["fp_file"].explanation

    reader = Reader(study)
    (entry,) = reader.entries()
    report = reader.report(entry.key)
    assert report is not None
    page = Pages(reader.name, served=False).report(report)
    assert '<button data-type="file"' in page
    assert "The warranty of the kettle lasts 24 months." in page


async def test_what_the_agent_read_stands_in_for_a_file_that_is_gone(study: Study, world: World) -> None:
    (source,) = read_page(ToolContext(world), MANUAL, 2).sources
    await put(study, answer("kettle", "react", REPORT, [source]))
    (study.folder / "files" / MANUAL).unlink()
    book = Book(read_answers(study)[0], None)
    assert book.page(source.url).text == source.seen
    assert book.page(address(MANUAL, 3)).status == "unreachable"


def test_a_newcomer_takes_its_own_addresses_from_the_web_and_no_others(world: World) -> None:
    kinds = world.kinds
    assert [kind.name for kind in kinds] == ["web", "product", "user", "file"]
    for where, kind in {
        address(MANUAL, 1): "file",
        "https://example.org/manual.pdf#page=1": "web",
        "http://ecommerce.example/B0": "product",
        f"user://{ANNA}/profile": "user",
    }.items():
        assert owner_of(where, kinds).name == kind


async def test_a_type_that_no_kind_has_is_held_against_what_the_tools_returned(study: Study) -> None:
    """As of a report that another program made: its types are its own."""
    from drr.env.source import Source

    url = "https://atlas.example/sheet/7"
    source = Source(url=url, type="map", title="Sheet 7", seen="The river is 12 km long.")
    await put(study, answer("river", "react", f"The river is 12 km long [1].\n\n[1] {url}\n", [source]))
    models = offline()
    await judge(study, desk(study, models), models, JudgeOptions(["faithfulness"]))
    metrics = study_document(study)["metrics"]["react"]
    assert (metrics["fp_map"]["value"], metrics["n_cited_map"]["value"]) == (1, 1)
