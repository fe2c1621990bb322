"""Pages of a task as sources: pieces that leave nothing out, the best of them, and a piece that counts as its page once."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from drr.agents.evidence import EvidenceLedger
from drr.citations.addresses import canonical_url
from drr.citations.files import KnownPlaces, page_of_piece, piece_address
from drr.env.settings import resolve
from drr.env.source import Source
from drr.env.text import tokens
from drr.eval.evidence.answers import AnswerEvidence, read_answers
from drr.papers.dr3.agent.sub_agents import with_context
from drr.papers.dr3.corpus_web import OVERLAP, PIECE_CHARS, CorpusWeb, OpenCorpora, best_positions, cut
from drr.papers.dr3.form import CorpusPage
from drr.papers.dr3.judging.rows import document_rows
from drr.papers.dr3.truth import KnownPage
from drr.study.study import Study
from drr.tools.base import ToolAnswer, ToolContext, ToolError
from drr.tools.utility import web_search
from hypothesis import given
from hypothesis import strategies as st

from tests.eval.nursery import answer, put, web
from tests.filetasks.made import write_task
from tests.sizes import examples

WORDS = [
    f"{first}{second}"
    for first in ("ket", "lim", "war", "tea", "lid", "cup")
    for second in ("tle", "esc", "ran", "pot", "s")
]


def pages(count: int, words: int = 700) -> list[CorpusPage]:
    drawn = random.Random(7)
    return [
        CorpusPage(url=f"https://p{number:03}.example/x", title=" ".join(drawn.choices(WORDS, k=3)), text=" ".join(drawn.choices(WORDS, k=words)))
        for number in range(count)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> list[CorpusPage]:
    return pages(40)


def test_the_best_dense_pieces_are_those_of_brute_force(corpus: list[CorpusPage]) -> None:
    web = CorpusWeb(corpus, dense=True)
    index = web.index
    for query in ("kettle limesc", "warran of a teapot", "cups", "lidran kettle"):
        asked = index.embedder.embed([query])[0]
        by_hand = [float(np.dot(row, asked)) for row in index.vectors]
        expected = sorted(range(len(by_hand)), key=lambda place: (-by_hand[place], place))[:10]
        found = best_positions(index.scores(query), 10)
        assert [by_hand[place] for place in found] == pytest.approx(
            [by_hand[place] for place in expected], abs=1e-6
        )
        first: dict[int, None] = {}
        for place in best_positions(index.scores(query), 200):
            first.setdefault(web.pieces[place].page)
        assert [piece.page for piece in web.find(query, 5)] == list(first)[:5]


@given(st.lists(st.floats(-1, 1, width=32), max_size=40), st.integers(0, 50))
def test_the_best_are_in_order_ties_by_place_and_none_without_merit(scores: list[float], count: int) -> None:
    expected = [
        place
        for place in sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        if scores[place] > 0
    ]
    assert best_positions(np.array(scores, np.float32), count) == expected[:count]


@given(st.text(st.sampled_from("ab \n"), min_size=1, max_size=9_000).filter(str.strip))
@examples(60)
def test_pieces_leave_no_word_out_and_keep_their_size(text: str) -> None:
    found = cut(text)
    assert all(0 < len(piece) <= PIECE_CHARS for piece in found)
    at = 0
    for piece in found:  # each begins in or right behind the one before
        start = text.find(piece, max(0, at - PIECE_CHARS))
        assert start >= 0 and not text[at:start].strip()
        at = max(at, start + len(piece))
    assert not text[at:].strip()


def test_a_fact_at_the_edge_of_a_piece_stands_whole_in_one() -> None:
    fact = "the warranty of the kettle lasts 36 months"
    for before in range(PIECE_CHARS - 150, PIECE_CHARS + 20, 7):
        text = ("word " * 1_000)[:before] + f" {fact} " + "more " * 600
        assert any(fact in piece for piece in cut(text)), before
    assert len(fact) < OVERLAP * 4


async def test_words_find_their_page_and_hits_are_whole_pieces(corpus: list[CorpusPage]) -> None:
    asked = CorpusPage(
        url="https://care.example/x",
        title="Care",
        text="Descale with citric acid every 4 weeks. " + "cups " * 900,
        date="2023-01-01",
    )
    web = CorpusWeb(sorted([*corpus, asked], key=lambda page: page.url))
    (hit, *_) = await web.search("how to descale with citric acid", 5)
    assert hit.url == asked.url and hit.snippet.startswith(
        "2023-01-01 - Descale with citric acid every 4 weeks."
    )
    assert len(hit.snippet) > 1_000
    assert await web.search("zebra", 5) == []
    read = await web.read("http://www.care.example/x#part")
    assert read.status == "ok" and read.markdown is not None and asked.text in read.markdown
    assert (await web.read("https://elsewhere.example/")).status == "unreachable"
    assert set(tokens("descale citric")) <= set(tokens(hit.snippet))


def test_corpora_are_shared_and_bounded(tmp_path: Path) -> None:
    folders = [write_task(tmp_path / name, name) for name in ("a", "b", "c")]
    corpora = OpenCorpora(resolve({}).settings, most_chars=5_000)
    first = corpora.of(folders[0], "1k")
    assert corpora.of(folders[0], "1k") is first and corpora.of(folders[0], "2k") is not first
    for folder in folders[1:]:
        corpora.of(folder, "2k")
    assert 1 <= len(corpora) <= 2
    edited = folders[0] / "corpus.jsonl"
    before = corpora.of(folders[0], "1k").content_hash
    edited.write_text(edited.read_text().replace("4 weeks", "40 weeks"))
    assert corpora.of(folders[0], "1k").content_hash != before


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
def kettles() -> CorpusWeb:
    return CorpusWeb(PAGES)


async def test_pieces_are_searched_and_share_their_page(kettles: CorpusWeb) -> None:
    async def called(name: str, arguments: Any, context: ToolContext) -> ToolAnswer:
        return await web_search(context, **arguments)

    context = ToolContext(SimpleNamespace(web=kettles))  # type: ignore[arg-type]
    wide = with_context(called, 8000)
    found = await wide("get_context", {"query": "whistle switch"}, context)
    assert f"\n   {LONG}#piece=3\n" in found.text and f"\n   {SHORT}\n" in found.text
    assert {source.url for source in found.sources} == {LONG, SHORT}
    first = await wide("get_context", {"query": "limescale of kettle 3"}, context)
    assert f"\n   {LONG}#piece=1\n" in first.text
    plain = await wide("web_search", {"query": "whistle"}, context)
    assert "#piece" not in plain.text and "Snippets" not in plain.text
    with pytest.raises(ToolError, match="search by words"):
        await wide("web_search", {"query": LONG}, context)
    assert kettles.piece_of("https://other.example/", "whistle") is None
    known = KnownPlaces([LONG, "file://a.csv"])
    assert known.meeting(piece_address(LONG, 2)) == [LONG]
    for other in (LONG, f"{LONG}#top", f"{LONG}#piece=0", f"{LONG}#piece=x", piece_address(SHORT, 1)):
        assert known.meeting(other) == []
    assert canonical_url(piece_address(LONG, 2)) == piece_address(LONG, 2)
    assert page_of_piece(piece_address(LONG, 2)) == LONG
    ledger = EvidenceLedger()
    ledger.add("a", [Source(url=LONG, type="web", title="Kettles", seen="plain")])
    assert ledger.knows(f"{LONG}#piece=2") and not ledger.knows(f"{SHORT}#piece=1")
    await ledger.freeze([f"{LONG}#piece=2"], kettles, None)
    (source,) = ledger.sources(lambda actor: 0)
    assert source.page_status == "ok" and "whistle" in (source.page or "")


async def test_a_cited_piece_is_judged_on_its_page_and_counts_as_it_once(tmp_path: Path) -> None:
    report = f"Kettles whistle ({LONG}#piece=3). Their warranty is plain ({LONG}#piece=2), as said ({LONG})."
    with Study.create(tmp_path / "study", {"schema": 1, "run": {}}) as study:
        await put(study, answer("kettle", "dr3", report, [web(LONG, "Kettles whistle.")]))
        (told,) = read_answers(study)
        book = AnswerEvidence(told, None)
        assert book.resolves(f"{LONG}#piece=3") and book.page(f"{LONG}#piece=3").text == "Kettles whistle."
        assert not book.resolves(f"{SHORT}#piece=1")
    known = KnownPage(url=LONG, kind="supportive")
    (row,) = document_rows(report, (), (), [known])
    assert row == {"id": LONG, "role": "page", "cited": True}
