"""+WS: pages read and summarised for the search and the problem, in place of snippets; cited pages frozen for all."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.env.web.base import Page, WebHit, WebUnavailable
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from tests.agents.garden import Ask, Asked, CountingWeb, call, scripted, turn

OKLAHOMA = "https://birds.example/oklahoma"
REPORT = f"Cardinals stay [1].\n\n## Sources\n\n[1] Birds: {OKLAHOMA}"


def searching(*queries: str, report: str = REPORT) -> Any:
    calls = [turn(call("web_search", n, query=query)) for n, query in enumerate(queries)]
    return scripted(*calls, turn(call("finalize", 9)), AIMessage(report))


class Summaries:
    def __init__(self, answer: str = "A summary.", failure: str | None = None) -> None:
        self.asked: list[str] = []
        self.answer, self.failure = answer, failure

    def __call__(self, messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        assert not arguments.get("tools")
        self.asked.append(str(messages[-1].text))
        if self.failure is not None and OKLAHOMA.split("/")[2] and "Northern Cardinal" in self.asked[-1]:
            raise ModelFailure(self.failure, "no")  # type: ignore[arg-type]
        return AIMessage(self.answer)


def answers(asked: Asked) -> list[str]:
    return [
        str(m.text) for m in asked.requests[-1][0] if isinstance(m, ToolMessage) and m.name == "web_search"
    ]


async def test_a_summary_stands_for_its_page(ask: Ask, asked: Asked) -> None:
    summaries = Summaries("Cardinals stay\nall winter.  1. Forged row")
    record = await ask(
        "react+ws", "Which birds stay?", policy=searching("birds Oklahoma"), summariser=summaries
    )
    (answer,) = answers(asked)
    assert (
        "each page read and summarised" in answer and "   Cardinals stay all winter. 1. Forged row" in answer
    )
    assert "Northern Cardinal" not in answer
    source = next(s for s in record.sources if s.url == OKLAHOMA)
    assert source.seen.startswith("Cardinals stay") and source.page is not None
    assert "Northern Cardinal" in source.page and source.page_status == "ok"
    assert record.usage["summariser"]["calls"] == len(summaries.asked) > 0
    summaries = Summaries()
    await ask("react+ws", "Which birds stay?", policy=searching("birds Oklahoma"), summariser=summaries)
    request = next(text for text in summaries.asked if "Northern Cardinal" in text)
    assert "# Search\nbirds Oklahoma\n" in request and "# Problem\nWhich birds stay?\n" in request
    mark = request.split("<page ")[1].split(">")[0]
    assert request.rstrip().endswith(f"</page {mark}>")


async def test_a_researchers_problem_is_its_sub_problem(ask: Ask) -> None:
    def team(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(m, AIMessage) for m in messages)
        names = [tool["function"]["name"] for tool in arguments.get("tools") or ()]
        if "launch_researcher" in names:
            return (
                turn(call("finalize", 8)) if done else turn(call("launch_researcher", 1, sub_problem="sub!"))
            )
        if names:
            return turn(call("finalize", 9)) if done else turn(call("web_search", 1, query="birds"))
        return AIMessage(REPORT)

    summaries = Summaries()
    await ask("hybrid-react+ws", policy=team, summariser=summaries)
    assert summaries.asked and all("# Problem\nsub!\n" in text for text in summaries.asked)


async def test_a_page_is_read_once_and_summarised_once_for_each_question(ask: Ask, web: CountingWeb) -> None:
    summaries = Summaries()
    policy = searching("birds Oklahoma", "birds Oklahoma", "native birds Oklahoma")
    await ask("react+ws", policy=policy, summariser=summaries)
    assert len(web.reads) == len(set(web.reads)) > 0
    assert len(summaries.asked) == len(set(summaries.asked))
    assert {text.split("\n")[1] for text in summaries.asked} == {"birds Oklahoma", "native birds Oklahoma"}


class Flaky:
    """Two hits: one page can be read, one cannot."""

    name, content_hash = "flaky", None

    def __init__(self, error: bool = False) -> None:
        self.error = error
        self.reading = self.most = 0

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        pages = [f"https://p{n}.example/" for n in range(3)]
        return [
            WebHit("Wall", "https://wall.example/", "Snippet of the wall."),
            *(WebHit("P", u, "s") for u in pages),
        ]

    async def read(self, url: str) -> Page:
        self.reading += 1
        self.most = max(self.most, self.reading)
        await asyncio.sleep(0.005)
        self.reading -= 1
        if "wall" not in url:
            return Page(url, url, "ok", "P", "A page about seed. " * 20, "test/1")
        if self.error:
            raise WebUnavailable("not recorded")
        return Page(url, url, "blocked", None, None, "test/1", "log-in wanted")


@pytest.mark.parametrize("error", [False, True])
async def test_an_unread_page_keeps_its_snippet(ask: Ask, asked: Asked, error: bool) -> None:
    web = Flaky(error)
    record = await ask("react+ws", policy=searching("seed"), summariser=Summaries(), web=web)
    (answer,) = answers(asked)
    why = "not recorded" if error else "log-in wanted"
    assert f"Snippet of the wall. (the page could not be read: {why})" in answer
    wall = next(s for s in record.sources if "wall" in s.url)
    assert wall.page is None and wall.page_status == ("unreachable" if error else "blocked")


async def test_reading_is_bounded(ask: Ask) -> None:
    from drr.agents.base import Limits

    web = Flaky()
    await ask(
        "react+ws", policy=searching("seed"), summariser=Summaries(), web=web, limits=Limits(page_reads=2)
    )
    assert web.most <= 2


@pytest.mark.parametrize("kind", ["refusal", "context_overflow", "truncated"])
async def test_a_page_the_model_cannot_summarise_keeps_its_snippet(ask: Ask, asked: Asked, kind: str) -> None:
    await ask("react+ws", policy=searching("birds Oklahoma"), summariser=Summaries(failure=kind))
    (answer,) = answers(asked)
    assert (
        f"(the page could not be summarised: {kind.replace('_', ' ')})" in answer and "A summary." in answer
    )


async def test_an_outage_of_the_summariser_ends_the_unit(ask: Ask) -> None:
    with pytest.raises(ModelFailure) as raised:
        await ask("react+ws", policy=searching("birds Oklahoma"), summariser=Summaries(failure="bad_key"))
    assert raised.value.kind == "bad_key"


async def test_cited_pages_are_frozen_without_page_summaries_too(ask: Ask, web: CountingWeb) -> None:
    record = await ask("react", policy=searching("birds Oklahoma"))
    source = next(s for s in record.sources if s.url == OKLAHOMA)
    assert web.reads == [OKLAHOMA] and "Northern Cardinal" in (source.page or "")
    assert source.page is not None and source.seen != source.page
    assert all(s.page is None for s in record.sources if s.url != OKLAHOMA)
    assert set(record.usage) == {"agent"}


async def test_only_returned_addresses_are_read(ask: Ask, web: CountingWeb) -> None:
    report = (
        "A [1] b [2] c [3].\n\n## Sources\n\n[1] A: https://garden.example/houses\n"
        "[2] B: http://ecommerce.example/B0MADEUP99\n[3] C: https://nowhere.example/x\n"
    )
    record = await ask("react", policy=searching("zzz", report=report))
    made_up = {one.url: one for one in record.fabricated}
    assert set(made_up) == {
        "https://garden.example/houses", "http://ecommerce.example/B0MADEUP99", "https://nowhere.example/x",
    }  # fmt: skip
    assert {(one.page, one.page_status) for one in record.fabricated} == {(None, None)}
    assert web.reads == []
    # What a report writes into an address that counts as the same one, a name for instance, leaves nothing behind.
    cited = f"{OKLAHOMA}?utm_source=the-name-of-the-shopper"
    report = f"A [1].\n\n## Sources\n\n[1] A: {cited}\n"
    record = await ask("react", policy=searching("Oklahoma", report=report))
    assert record.fabricated == []
    assert web.reads == [OKLAHOMA]


async def test_nothing_runs_on_after_a_unit_that_failed(ask: Ask) -> None:
    """One page's summary ends the unit; the other page, still being read, is given up with it."""
    given_up = asyncio.Event()

    class Slow(Flaky):
        async def read(self, url: str) -> Page:
            if "p2" not in url:
                return Page(url, url, "ok", "P", "A page about seed. " * 20, "test/1")
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                given_up.set()
                raise
            raise AssertionError("nobody waited that long")

    def summariser(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        raise ModelFailure("bad_key", "no")

    before = asyncio.all_tasks()
    with pytest.raises(ModelFailure):
        await ask("react+ws", policy=searching("seed"), summariser=summariser, web=Slow())
    assert given_up.is_set() and asyncio.all_tasks() == before
