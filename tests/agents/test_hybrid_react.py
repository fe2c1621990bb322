"""Hybrid-ReAct step by step (right half of Figure 3), and +WS: pages read and summarised for the search and the problem."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from drr.agents.base import Limits
from drr.agents.evidence import actor_rank
from drr.env.web.base import Page, WebHit, WebUnavailable
from drr.llm.failures import ModelFailure
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from tests.agents.garden import ANNA, QUESTION, Ask, Asked, CountingWeb, call, scripted, turn

REPORT = "Both [1].\n\n## Sources\n\n[1] Cedar bird house: http://ecommerce.example/B0HOUSE001"


def kind(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> str:
    tools = [tool["function"]["name"] for tool in arguments.get("tools") or ()]
    if "launch_researcher" in tools:
        return "supervisor"
    if tools:
        return "researcher"
    return "synthesis" if str(messages[-1].text).startswith("# Sub-problem") else "report"


class Team:
    """A scripted supervisor with rounds of sub-problems; its researchers do one sum each."""

    def __init__(self, *rounds: list[str], fails: Mapping[str, ModelFailure] | None = None) -> None:
        self.rounds = rounds
        self.fails = dict(fails or {})

    def __call__(self, messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(m, AIMessage) for m in messages)
        who, task = kind(messages, arguments), str(messages[1].text)
        if who == "supervisor":
            if done >= len(self.rounds):
                return turn(call("finalize", 90))
            launches = [
                call("launch_researcher", 10 * done + n, sub_problem=problem)
                for n, problem in enumerate(self.rounds[done], 1)
            ]
            return turn(call("reason", 10 * done, thought=f"round {done}"), *launches)
        if who == "researcher":
            if task in self.fails:
                raise self.fails[task]
            sum_ = call("calculator", 1, expression=f"{len(task)} + 1")
            return turn(call("finalize", 2) if done else sum_)
        if who == "synthesis":
            return AIMessage("## Findings\n\n" + task.split("\n")[1].upper())
        return AIMessage(REPORT)


def shown(asked: Asked, who: str) -> list[list[BaseMessage]]:
    return [messages for messages, arguments in asked.requests if kind(messages, arguments) == who]


async def test_step_by_step_in_the_order_of_the_calls(ask: Ask, asked: Asked) -> None:
    record = await ask("hybrid-react", policy=Team(["feeders", "the houses"], ["baffles"]))
    kinds = [kind(messages, arguments) for messages, arguments in asked.requests]
    assert kinds[0] == "supervisor" and kinds[-1] == "report"
    assert sorted(kinds[1:7]) == ["researcher"] * 4 + ["synthesis"] * 2
    assert kinds[7:12] == ["supervisor", "researcher", "researcher", "synthesis", "supervisor"]
    assert asked.tools(0) == ["reason", "launch_researcher", "finalize"]
    assert record.stop_reason == "finalized" and record.report == REPORT
    assert [(c.researcher, c.name) for c in record.tool_calls] == [
        (None, "reason"), (None, "launch_researcher"), (None, "launch_researcher"),
        (None, "reason"), (None, "launch_researcher"), (None, "finalize"),
        ("r1", "calculator"), ("r1", "finalize"),
        ("r2", "calculator"), ("r2", "finalize"),
        ("r3", "calculator"), ("r3", "finalize"),
    ]  # fmt: skip
    await ask("hybrid-react", policy=Team(["feeders", "the houses"]))
    answers = [m for m in shown(asked, "supervisor")[-1] if isinstance(m, ToolMessage)]
    assert [m.tool_call_id for m in answers] == ["c0", "c1", "c2"]
    assert "FEEDERS" in answers[1].text and "THE HOUSES" in answers[2].text
    await ask("hybrid-react", policy=Team(["feeders"]))
    first = shown(asked, "researcher")[0]
    told = "\n".join(str(m.text) for m in first)
    assert first[1].text == "feeders" and ANNA in told and "2022-06-20" in told
    assert QUESTION not in told and "Norman" not in told and "sunflower" not in told


def of_supervisor(asked: Asked) -> tuple[str, str]:
    """What the supervisor is told of a researcher's view: by its prompt, and by the tool that launches one."""
    messages, more = next(one for one in asked.requests if kind(*one) == "supervisor")
    tools = json.dumps([one for one in more["tools"] if "launch_researcher" in str(one)])
    return str(messages[0].text), tools


async def test_a_researcher_without_a_profile_sees_the_sub_problem_alone(ask: Ask, asked: Asked) -> None:
    await ask("hybrid-react", policy=Team(["feeders"]))
    prompt, tools = of_supervisor(asked)
    assert "nothing but the text that you give:" in prompt and "sees this text only" in tools


async def test_profile_facts_reach_researchers_where_the_variant_says_so(ask: Ask, asked: Asked) -> None:
    record = await ask("hybrid-react+profile", policy=Team(["feeders"]))
    told = "\n".join(str(m.text) for m in shown(asked, "researcher")[0])
    assert "Norman" in told and "sunflower" in told
    for secret in ("Ortiz", "anna@post.example", "Daniel Plains", "657"):
        assert secret not in told
    assert "Norman" not in "\n".join(str(m.text) for m in shown(asked, "supervisor")[0])
    assert all("and the shopper's profile facts" in text for text in of_supervisor(asked))
    assert [s.url for s in record.sources if s.type == "user"] == [f"user://{ANNA}/profile"]


async def test_synthesis_sees_findings_and_the_report_syntheses(ask: Ask, asked: Asked) -> None:
    await ask("hybrid-react", policy=Team(["feeders", "the houses"]))
    for messages, arguments in asked.requests:
        if kind(messages, arguments) in ("synthesis", "report"):
            assert not arguments.get("tools") and len(messages) == 2
    assert "7 + 1 = 8" in str(shown(asked, "synthesis")[0][-1].text)
    final = str(shown(asked, "report")[0][-1].text)
    for messages in (shown(asked, "synthesis")[0], shown(asked, "report")[0], shown(asked, "supervisor")[0]):
        assert ANNA in str(messages[0].text) and "2022-06-20" in str(messages[0].text)
    assert QUESTION in final and "FEEDERS" in final and "THE HOUSES" in final and "7 + 1" not in final


async def test_researchers_run_side_by_side_and_leave_the_same_record_whoever_is_first(ask: Ask) -> None:
    running = most = 0

    class Web:
        name, content_hash = "slow", None

        async def search(self, query: str, top_k: int) -> list[Any]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.02 if "one" in query else 0.001)
            running -= 1
            return [WebHit(query, f"https://web.example/{query.replace(' ', '-')}", f"About {query}.")]

        async def read(self, url: str) -> Any:
            return Page(url, url, "unreachable", None, None, "test/1", "gone")

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if kind(messages, arguments) == "researcher":
            done = sum(isinstance(m, AIMessage) for m in messages)
            query = str(messages[1].text)
            return turn(call("finalize", 2)) if done else turn(call("web_search", 1, query=query))
        return Team(["one thing", "other thing"])(messages, arguments)

    record = await ask("hybrid-react", policy=policy, web=Web())
    assert most == 2
    assert [s.url[20:] for s in record.sources] == ["one-thing", "other-thing"]
    assert [c.researcher for c in record.tool_calls if c.name == "web_search"] == ["r1", "r2"]


@pytest.mark.parametrize("kind_of_failure", ["refusal", "timeout", "malformed"])
async def test_a_failing_researcher_sinks_no_other(ask: Ask, asked: Asked, kind_of_failure: Any) -> None:
    team = Team(["feeders", "the houses"], fails={"feeders": ModelFailure(kind_of_failure, "no")})
    record = await ask("hybrid-react", policy=team)
    assert record.report == REPORT
    assert [(f.researcher, f.kind, f.problem) for f in record.failures] == [
        ("r1", kind_of_failure, "feeders")
    ]
    answers = [m for m in shown(asked, "supervisor")[-1] if isinstance(m, ToolMessage)]
    assert answers[1].status == "error" and kind_of_failure in answers[1].text
    assert "THE HOUSES" in answers[2].text
    assert "FEEDERS" not in str(shown(asked, "report")[0][-1].text)


@pytest.mark.parametrize(
    ("kind_of_failure", "who"),
    [
        *(("overloaded", "all"), ("connection", "all")),
        *(
            (kind, "one") for kind in ("bad_key", "no_credit", "over_budget")
        ),  # it would fail every other call
    ],
)
async def test_no_report_is_written_where_all_failed_or_would(
    ask: Ask, kind_of_failure: Any, who: str
) -> None:
    failure = ModelFailure(kind_of_failure, "no")
    fails = {"a b": failure} | ({"c d": failure} if who == "all" else {})
    with pytest.raises(ModelFailure) as raised:
        await ask("hybrid-react", policy=Team(["a b", "c d"], fails=fails))
    assert raised.value.kind == kind_of_failure


async def test_where_every_researcher_refused_the_record_says_so(ask: Ask) -> None:
    failure = ModelFailure("refusal", "no")
    record = await ask("hybrid-react", policy=Team(["a b", "c d"], fails={"a b": failure, "c d": failure}))
    assert record.stop_reason == "refused" and [f.kind for f in record.failures] == ["refusal", "refusal"]


async def test_budgets_bugs_and_foreign_calls(ask: Ask, asked: Asked) -> None:
    team = Team(["houses", "seed"], fails={"houses": ModelFailure("over_budget", "no room")})
    with pytest.raises(ModelFailure) as raised:
        await ask("hybrid-react", policy=team)
    assert raised.value.kind == "over_budget"
    assert len(shown(asked, "synthesis")) == 1, "the other researcher came to its end"
    assert shown(asked, "report") == []

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if kind(messages, arguments) == "researcher":
            raise ZeroDivisionError
        return Team(["feeders"])(messages, arguments)

    with pytest.raises(ZeroDivisionError):
        await ask("hybrid-react", policy=policy)
    record = await ask("hybrid-react", policy=Team(["one", "two", "three"]), limits=Limits(researchers=2))
    answers = [m for m in shown(asked, "supervisor")[-1] if isinstance(m, ToolMessage)]
    assert [m.status for m in answers] == ["success", "success", "success", "error"]
    assert "at most 2 researchers" in answers[3].text
    assert {c.researcher for c in record.tool_calls} == {None, "r1", "r2"}

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if kind(messages, arguments) == "supervisor" and not any(isinstance(m, AIMessage) for m in messages):
            return turn(
                call("calculator", 1, expression="1+1"), call("launch_researcher", 2, sub_problem=" ")
            )
        if kind(messages, arguments) == "supervisor":
            return turn(call("finalize", 3))
        return AIMessage(REPORT)

    record = await ask("hybrid-react", policy=policy)
    answers = [m for m in shown(asked, "supervisor")[-1] if isinstance(m, ToolMessage)]
    assert [m.status for m in answers] == ["error", "error"]
    assert record.tool_calls[0].kind == "unknown" and record.report == REPORT


async def test_each_conversation_only_grows(ask: Ask, asked: Asked) -> None:
    await ask("hybrid-react", policy=Team(["feeders", "the houses"], ["baffles"]))
    latest: dict[tuple[str, str], list[BaseMessage]] = {}
    for messages, arguments in asked.requests:
        who = kind(messages, arguments)
        if who in ("supervisor", "researcher"):
            key = (who, str(messages[1].text))
            before = latest.get(key, [])
            assert [m.model_dump() for m in messages[: len(before)]] == [m.model_dump() for m in before]
            assert isinstance(messages[1], HumanMessage)
            latest[key] = messages
    assert len(latest) == 4


async def test_a_full_window_of_the_supervisor_ends_in_the_report(ask: Ask, asked: Asked) -> None:
    team = Team(["feeders", "the houses"], ["baffles"])

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if kind(messages, arguments) == "supervisor" and any(isinstance(m, AIMessage) for m in messages):
            raise ModelFailure("context_overflow", "prompt is too long")
        return team(messages, arguments)

    record = await ask("hybrid-react", policy=policy)
    assert record.stop_reason == "context_limit" and record.report == REPORT
    assert "FEEDERS" in str(shown(asked, "report")[0][-1].text)


class OwnTeam(Team):
    """Asked for its synthesis, a researcher says `own`; `instead` is what it answers in place of that."""

    def __init__(self, *rounds: list[str], instead: AIMessage | ModelFailure | None = None) -> None:
        super().__init__(*rounds)
        self.instead = instead

    def __call__(self, messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        if kind(messages, arguments) != "researcher" or not _is_asked_for_synthesis(messages):
            return super().__call__(messages, arguments)
        if isinstance(self.instead, ModelFailure):
            raise self.instead
        return self.instead or AIMessage(f"## Findings\n\nown words on {messages[1].text}")


def _is_asked_for_synthesis(messages: Sequence[BaseMessage]) -> bool:
    return len(messages) > 2 and isinstance(messages[-1], HumanMessage)


async def test_a_synthesis_of_its_own_comes_behind_all_that_was_sent(ask: Ask, asked: Asked) -> None:
    record = await ask("hybrid-react+own", policy=OwnTeam(["feeders"]))
    turns = [request for request in asked.requests if kind(*request) == "researcher"]
    (before, bound), (last, bound_last) = turns[-2:]
    assert last[: len(before)] == before and bound_last["tools"] == bound["tools"]  # what a cache needs
    assert not shown(asked, "synthesis")
    assert "own words on feeders" in str(shown(asked, "supervisor")[-1][-1].text)
    assert record.report == REPORT and record.variant == "hybrid-react+own"


@pytest.mark.parametrize(
    "instead",
    [
        turn(call("calculator", 9, expression="1 + 1")),
        AIMessage("  "),
        ModelFailure("context_overflow", "too long"),
    ],
    ids=["another call", "no text", "no room"],
)
async def test_without_text_a_fresh_one_is(instead: AIMessage | ModelFailure, ask: Ask, asked: Asked) -> None:
    record = await ask("hybrid-react+own", policy=OwnTeam(["feeders"], instead=instead))
    assert len(shown(asked, "synthesis")) == 1
    assert record.report == REPORT
    assert [note for note in record.notes if "no synthesis in its own conversation" in note]


@pytest.mark.parametrize(("variant", "who"), [("hybrid-react", "supervisor"), ("dr3", "main")])
async def test_a_call_that_gives_work_away_lasts_as_long(ask: Ask, variant: str, who: str) -> None:
    clock = itertools.count()
    record = await ask(
        variant,
        roles=["perception"] if variant == "dr3" else [],
        now=lambda: float(next(clock)),
        limits=Limits(seconds=None),
    )
    turns = [step.started_at + step.seconds for step in record.steps if step.of == who]
    given = [one for one in record.tool_calls if one.researcher is None and one.seconds]
    helpers = sorted({one.researcher for one in record.tool_calls if one.researcher}, key=actor_rank)
    assert len(given) == len(helpers) > 1
    for made, helper in zip(given, helpers, strict=True):
        assert made.started_at in turns, "it starts when the turn that makes it has ended"
        own = [one for one in record.tool_calls if one.researcher == helper]
        ends = [one.started_at + one.seconds for one in own if one.started_at is not None]
        assert made.started_at < min(one.started_at or 0 for one in own)
        assert max(ends) < made.started_at + made.seconds


OKLAHOMA = "https://birds.example/oklahoma"
STAYING = f"Cardinals stay [1].\n\n## Sources\n\n[1] Birds: {OKLAHOMA}"


def searching(*queries: str, report: str = STAYING) -> Any:
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
    assert "each page read and summarised" in answer and "   Cardinals stay all winter. 1. Forged" in answer
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
            return turn(call("finalize", 8) if done else call("launch_researcher", 1, sub_problem="sub!"))
        if names:
            return turn(call("finalize", 9)) if done else turn(call("web_search", 1, query="birds"))
        return AIMessage(STAYING)

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
        wall = WebHit("Wall", "https://wall.example/", "Snippet of the wall.")
        return [wall, *(WebHit("P", u, "s") for u in pages)]

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


async def test_a_page_asked_for_by_its_address_comes_whole_beside_summaries(ask: Ask, asked: Asked) -> None:
    looks = [call("web_search", 1, query="seed"), call("web_search", 2, query="https://p1.example/")]
    web = Flaky()

    def policy(messages: Sequence[BaseMessage], arguments: Mapping[str, Any]) -> AIMessage:
        done = sum(isinstance(m, AIMessage) for m in messages)
        return turn(looks[done]) if done < len(looks) else AIMessage(REPORT)

    await ask("react+ws", policy=policy, summariser=Summaries(), web=web)
    summed, whole = answers(asked)
    assert "A summary." in summed and "Snippets" not in summed
    assert "A summary." not in whole and "A page about seed. A page about seed." in whole


async def test_reading_is_bounded(ask: Ask) -> None:
    web = Flaky()
    await ask(
        "react+ws", policy=searching("seed"), summariser=Summaries(), web=web, limits=Limits(page_reads=2)
    )
    assert web.most <= 2


@pytest.mark.parametrize("kind", ["refusal", "context_overflow", "truncated"])
async def test_a_page_the_model_cannot_summarise_keeps_its_snippet(ask: Ask, asked: Asked, kind: str) -> None:
    await ask("react+ws", policy=searching("birds Oklahoma"), summariser=Summaries(failure=kind))
    (answer,) = answers(asked)
    assert f"could not be summarised: {kind.replace('_', ' ')}" in answer and "A summary." in answer


async def test_failed_units_leave_nothing_running(ask: Ask) -> None:
    with pytest.raises(ModelFailure) as raised:
        await ask("react+ws", policy=searching("birds Oklahoma"), summariser=Summaries(failure="bad_key"))
    assert raised.value.kind == "bad_key"
    # One page's summary ends the unit; the other page, still being read, is given up with it.
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


async def test_cited_pages_are_frozen_without_page_summaries_too(ask: Ask, web: CountingWeb) -> None:
    record = await ask("react", policy=searching("birds Oklahoma"))
    source = next(s for s in record.sources if s.url == OKLAHOMA)
    assert set(web.reads) == {OKLAHOMA} and "Northern Cardinal" in (source.page or "")
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
    assert set(web.reads) == {OKLAHOMA}
