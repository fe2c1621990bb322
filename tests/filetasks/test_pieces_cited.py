"""A piece of a page as a source: its address leads to the page, is told by a wide search, and counts as the page once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from drr.agents.evidence import EvidenceLedger
from drr.citations.addresses import canonical_url
from drr.citations.files import KnownPlaces, page_of_piece, piece_address
from drr.env.source import Source
from drr.eval.evidence.answers import Book, read_answers
from drr.papers.dr3.agent.sub_agents import with_context
from drr.papers.dr3.corpus_web import CorpusWeb
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.judging.rows import document_rows
from drr.papers.dr3.truth import KnownPage
from drr.study.study import Study
from drr.tools.base import ToolAnswer, ToolContext
from drr.tools.utility import web_search

from tests.eval.nursery import answer, put, web

LONG, SHORT = "https://long.example/kettles", "https://short.example/lamps"
PARTS = ("limescale", "warranty", "whistle")
PAGES = [
    CorpusPage(
        url=LONG,
        title="Kettles",
        text="\n\n".join(
            " ".join(f"The {part} of kettle {n} is plain." for n in range(56)) for part in PARTS
        ),
        date="2024-01-02",
    ),
    CorpusPage(url=SHORT, title="Lamps", text="Lamps have a switch and no limescale."),
]


@pytest.fixture(scope="module")
def corpus() -> CorpusWeb:
    return CorpusWeb(PAGES)


async def test_a_wide_search_tells_the_piece_and_other_searches_the_page(corpus: CorpusWeb) -> None:
    async def called(name: str, arguments: Any, context: ToolContext) -> ToolAnswer:
        return await web_search(context, **arguments)

    context = ToolContext(SimpleNamespace(web=corpus))  # type: ignore[arg-type]
    wide = with_context(called, 8000)
    found = await wide("get_context", {"query": "whistle switch"}, context)
    assert f"\n   {LONG}#piece=3\n" in found.text and f"\n   {SHORT}\n" in found.text
    assert {source.url for source in found.sources} == {LONG, SHORT}
    first = await wide("get_context", {"query": "limescale of kettle 3"}, context)
    assert f"\n   {LONG}#piece=1\n" in first.text
    plain = await wide("web_search", {"query": "whistle"}, context)
    assert "#piece" not in plain.text
    assert corpus.piece_of("https://other.example/", "whistle") is None


async def test_a_piece_shares_its_page_and_a_run_freezes_that(corpus: CorpusWeb) -> None:
    known = KnownPlaces([LONG, "file://a.csv"])
    assert known.meeting(piece_address(LONG, 2)) == known.around(piece_address(LONG, 2)) == [LONG]
    for other in (LONG, f"{LONG}#top", f"{LONG}#piece=0", f"{LONG}#piece=x", piece_address(SHORT, 1)):
        assert known.meeting(other) == []
    assert canonical_url(piece_address(LONG, 2)) == piece_address(LONG, 2)
    assert page_of_piece(piece_address(LONG, 2)) == LONG
    ledger = EvidenceLedger()
    ledger.add("a", [Source(url=LONG, type="web", title="Kettles", seen="plain")])
    assert ledger.knows(f"{LONG}#piece=2") and not ledger.knows(f"{SHORT}#piece=1")
    await ledger.freeze([f"{LONG}#piece=2"], corpus, None)
    (source,) = ledger.sources(lambda actor: 0)
    assert source.page_status == "ok" and "whistle" in (source.page or "")


async def test_a_cited_piece_is_judged_on_its_page_and_counts_as_it_once(tmp_path: Path) -> None:
    report = f"Kettles whistle ({LONG}#piece=3). Their warranty is plain ({LONG}#piece=2), as said ({LONG})."
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        await put(study, answer("kettle", "dr3", report, [web(LONG, "Kettles whistle.")]))
        (told,) = read_answers(study)
        book = Book(told, None)
        assert book.resolves(f"{LONG}#piece=3") and book.page(f"{LONG}#piece=3").text == "Kettles whistle."
        assert not book.resolves(f"{SHORT}#piece=1")
    known = KnownPage(url=LONG, kind="supportive")
    (row,) = document_rows(report, (), (), [known])
    assert row == {"id": LONG, "role": "page", "cited": True}
