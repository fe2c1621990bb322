"""Traces of agents that ran elsewhere: what a collector got of a run gives the figures of that run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from drr.env.query import Query, read_queries
from drr.env.session import Session
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.env.web.open import open_web
from drr.eval.evidence.answers import Answer, read_answers
from drr.study.study import Study
from drr.tools.base import context_for
from drr.tools.mcp import OwnTools

from tests.app.conftest import found_soap
from tests.app.test_spans import KEY, WITH_OTEL, WITH_PACKAGES, collecting
from tests.commands import Drr, drr
from tests.wire import Say, Wire

HOST = "http://ecommerce.example"
MADE_UP = f"{HOST}/B0NOTHERE9"
MODEL = "anthropic:claude-sonnet-5-5"
LOOKS = [
    ("product_catalog_search", {"query": "dog bowl lamp soap", "match": "any"}),
    ("get_user_orders", {"limit": 3}),
    ("get_user_profile", {}),
    ("web_search", {"query": "bird feeder window distance"}),
]


def agent(asked: list[Query]) -> Callable[[Any], Say]:
    """An agent that looks four things and the right products up, hands those in, and cites what came back and an address that did not."""

    def say(request: Any) -> Say:
        text = json.dumps(request.body["messages"], ensure_ascii=False)
        query = next(one for one in asked if json.dumps(one.query, ensure_ascii=False)[1:-1] in text)
        needs = query.checkable.needs if query.checkable else []
        picks = [one for need in needs for one in need.products[: need.picks]]
        told = [m["content"] for m in request.body["messages"] if isinstance(m["content"], list)]
        results = [part["content"] for parts in told for part in parts if part.get("type") == "tool_result"]
        if not results:
            details = [("get_product_details", {"product_id": one}) for one in picks]
            return Say(calls=[*LOOKS, *details], usage={"input_tokens": 11, "output_tokens": 4})
        links = list(dict.fromkeys(re.findall(r"(?:https?|user)://[\w./-]+\w", json.dumps(results))))
        web = [one for one in links if "ecommerce.example" not in one][:3]
        listed = "\n".join(f"- [one]({HOST}/{one})" for one in picks)
        cited = "\n".join(
            f"- [thing {n}]({url}) costs $9.50." for n, url in enumerate([*web, links[0], MADE_UP])
        )
        form = json.dumps({"picks": picks, "refusals": []})
        report = f"# Answer\n\n## Picks\n{listed}\n\n## More\n{cited}\n"
        return Say(f"{report}\n```form\n{form}\n```\n", usage={"input_tokens": 21, "output_tokens": 6})

    return say


def traces_of(bodies: list[bytes]) -> list[Any]:
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    return [MessageToDict(ExportTraceServiceRequest.FromString(body)) for body in bodies]


def sources_of(folder: Path) -> Any:
    with Study.read(folder) as study:
        return {one.query_id: [source.model_dump() for source in one.sources] for one in read_answers(study)}


def figures_of(study: Path) -> Any:
    assert drr("judge", study, "--judge", "offline", "--quiet") == 0
    with redirect_stdout(StringIO()) as said:
        assert drr("report", study, "--out", study / "report", "--json") == 0
    found = json.loads(said.getvalue())["metrics"]["react"]
    return {name: value for name, value in found.items() if name not in ("seconds", "latency")}


@pytest.fixture(scope="module")
def ran(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of four checkable questions by an agent at the wire; what a collector got of it lies beside, where there is one."""
    home, shop = tmp_path_factory.mktemp("ran"), sample_home / "shop"
    queries = home / "q.jsonl"
    drr("queries", "generate", "--checkable", "--shop", shop, "--out", queries, "--count", 4, "--quiet")
    words = ("--shop", shop, "--queries", queries, "--variants", "react", "--model", MODEL, "--quiet")
    with pytest.MonkeyPatch.context() as patch, collecting() as (url, bodies):
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        spans = ("--otel", url, "--otel-text") if WITH_OTEL else ()
        with Wire(agent(read_queries(queries))) as wire:
            assert drr("run", home / "ours", *words, "--base-url", wire.url, *spans) == 0
    if WITH_OTEL:
        (home / "trace.json").write_text("\n".join(map(json.dumps, traces_of(bodies))), encoding="utf-8")
    return home / "ours"


@pytest.fixture(scope="module")
def ours(ran: Path) -> Any:
    """The figures of that study."""
    return figures_of(ran)


@WITH_PACKAGES
def test_a_run_and_its_trace_have_the_same_figures(
    ran: Path, ours: Any, sample_home: Path, tmp_path: Path, drr: Drr
) -> None:
    shop, trace, home = sample_home / "shop", ran.parent / "trace.json", tmp_path / "theirs"
    more = ("--format", "otlp", "--shop", shop, "--queries", ran.parent / "q.jsonl", "--quiet")
    taken = drr.json("study", "import", home, trace, *more)
    assert (taken["added"], taken["queries"], taken["systems"], taken["refused"]) == (4, 4, ["react"], [])
    theirs = figures_of(home)
    assert theirs == ours
    assert (
        ours["reward"]["value"] > 0 and ours["n_cited_web"]["value"] > 0 and ours["tool_calls"]["value"] > 4
    )
    assert ours["rule_fabricated_citation"]["value"] == 0, (
        "each report cites an address that no tool returned"
    )
    own, other = sources_of(ran), sources_of(home)
    for name, sources in own.items():  # of the shopper's records the trace has what was printed
        for one, again in zip(sources, other[name], strict=True):
            whole, told = one.pop("record") or {}, again.pop("record") or {}
            assert again == one and (told == whole or (one["type"] == "user" and told.keys() <= whole.keys()))
    assert drr.json("study", "import", home, trace, *more)["added"] == 0


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """Spans by their attributes; one without `of` is the top."""
    rows = [
        {
            "traceId": one.get("trace", "t1"),
            "spanId": f"s{number}",
            "parentSpanId": one.get("of", "" if number == 0 else "s0"),
            "name": "span",
            "startTimeUnixNano": str(number),
            "attributes": [{"key": name, "value": _value(value)} for name, value in one["told"].items()],
        }
        for number, one in enumerate(spans)
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": rows}]}]}


def _value(value: Any) -> dict[str, Any]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def tokens_of(answer: Answer) -> tuple[int, int]:
    rows = answer.usage.values()
    return sum(one["input_tokens"] for one in rows), sum(one["output_tokens"] for one in rows)


def as_openinference(number: int, answer: Answer, results: list[str]) -> dict[str, Any]:
    top = {"openinference.span.kind": "AGENT", "agent.name": "react", "input.value": answer.query}
    said = f"{answer.report}\n```form\n{answer.study.text(answer.record, 'form')}\n```\n"
    top |= {"output.value": said, "user.id": answer.user_id}
    used, made = tokens_of(answer)
    usage = {"llm.token_count.prompt": used, "llm.token_count.completion": made, "llm.model_name": "m"}
    spans = [{"openinference.span.kind": "LLM", **usage}]
    for call, result in zip(answer.calls or (), results, strict=True):
        own = {"tool.name": call["name"], "input.value": json.dumps(call["arguments"])}
        spans.append({"openinference.span.kind": "TOOL", **own, "output.value": result})
    trace = f"t{number}"
    return otlp({"told": top, "trace": trace}, *({"told": one, "trace": trace} for one in spans))


def as_atif(number: int, answer: Answer, results: list[str]) -> dict[str, Any]:
    said = f"{answer.report}\n```form\n{answer.study.text(answer.record, 'form')}\n```\n"
    calls = [
        {
            "tool_call_id": f"c{n}",
            "function_name": f"mcp__shop__{call['name']}",
            "arguments": call["arguments"],
        }
        for n, call in enumerate(answer.calls or ())
    ]
    used, made = tokens_of(answer)
    seen = [{"source_call_id": f"c{n}", "content": one} for n, one in enumerate(results)]
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": f"run-{number}",
        "agent": {"name": "react", "version": "1", "model_name": "m"},
        "steps": [
            {"step_id": 1, "source": "user", "message": answer.query},
            {
                "step_id": 2,
                "source": "agent",
                "message": "",
                "tool_calls": calls,
                "observation": {"results": seen},
            },
            {"step_id": 3, "source": "agent", "message": [{"type": "text", "text": said}]},
        ],
        "final_metrics": {"total_prompt_tokens": used, "total_completion_tokens": made},
        "extra": {"user_id": answer.user_id},
    }


def results_of(shop: Path, answer: Answer) -> list[str]:
    """Return what our tools gave, as our MCP server says it: text, and the addresses beside it."""
    found = []
    with open_shop(str(shop), Settings()) as opened:
        web = open_web(Settings(), shop=opened)
        ctx = context_for(Session(opened, answer.user_id or ""), web)
        for call in answer.calls or ():
            given = asyncio.run(OwnTools().answer(call["name"], call["arguments"], ctx))
            found.append(given.model_dump_json(by_alias=True))
    return found


@pytest.mark.parametrize(("form", "write"), [("otlp", as_openinference), ("atif", as_atif)])
def test_traces_of_our_tools_are_paid_as_our_own_runs(
    form: str,
    write: Callable[..., dict[str, Any]],
    tmp_path: Path,
    ran: Path,
    ours: Any,
    sample_home: Path,
    drr: Drr,
) -> None:
    shop, queries, home = sample_home / "shop", ran.parent / "q.jsonl", tmp_path / "theirs"
    with Study.read(ran) as study:
        answers = read_answers(study)
        rows = [write(n, one, results_of(shop, one)) for n, one in enumerate(answers)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    more = ("--format", form, "--shop", shop, "--queries", queries, "--quiet")
    assert drr.json("study", "import", home, tmp_path / "t.jsonl", *more)["added"] == len(answers)
    theirs = figures_of(home)
    records = [name for name in ours if name.startswith(("rule_", "pass_", "n_", "fp_product", "fp_user"))]
    for name in ("reward", *records, "tool_calls", "input_tokens", "output_tokens", "words", "overall"):
        assert theirs[name] == ours[name], name
    own, other = sources_of(ran), sources_of(home)
    for name, sources in own.items():  # of web pages the trace has what was shown, not what is behind
        assert [one for one in other[name] if one["type"] != "web"] == [
            one for one in sources if one["type"] != "web"
        ]
        assert {one["url"] for one in other[name]} == {one["url"] for one in sources}


AGENT = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "shopper",
    "gen_ai.input.messages": "[]",
}
ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Which soap is mild?"}]}])
SAID = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "# Answer\n\nNone.\n"}]}])
WHOLE = AGENT | {"gen_ai.input.messages": ASKED, "gen_ai.output.messages": SAID}
TALK = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "two"}
STEPS = [{"source": "user", "message": "Which soap?"}, {"source": "agent", "message": "None."}]
ATIF = {"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a"}, "steps": STEPS}
CALLING = {"source": "agent", "message": "I look.", "tool_calls": [{"function_name": "f"}]}
WHOLE_TEXT = json.dumps(otlp({"told": WHOLE}))
ODD = {
    "cut": ("otlp", WHOLE_TEXT[:-9], "not JSON, or cut off"),
    "deep": ("otlp", '{"resourceSpans":' + "[" * 300 + "]" * 300 + "}", "nested more than 200 deep"),
    "twice": ("otlp", '{"resourceSpans": [], "resourceSpans": []}', "stands there twice"),
    "other": ("otlp", '{"resourceMetrics": []}', "holds no `resourceSpans`"),
    "talks": ("otlp", json.dumps(otlp({"told": WHOLE | {"session.id": "one"}}, {"told": TALK})), "holds 2 conversations"),
    "agents": ("otlp", json.dumps(otlp({"told": WHOLE}, {"told": WHOLE, "of": ""})), "holds 2 conversations"),
    "silent": ("otlp", json.dumps(otlp({"told": AGENT})), "holds no question"),
    "unfinished": ("otlp", json.dumps(otlp({"told": AGENT | {"gen_ai.input.messages": ASKED}})), "holds no report"),
    "nobody": ("otlp", json.dumps(otlp({"told": WHOLE | {"user.id": "NOBODY"}})), "no user 'NOBODY'"),
    "slash": ("otlp", json.dumps(otlp({"told": WHOLE | {"gen_ai.agent.name": "a\nb"}})), "one line"),
    "trial": ("otlp", json.dumps(otlp({"told": WHOLE | {"drr.trial": -1}})), "trial"),
    "sources": ("otlp", json.dumps(otlp({"told": WHOLE | {"drr.sources": '[{"url": "x", "type": "y"}]'}})), "names no kind"),
    "version": ("atif", json.dumps(ATIF | {"schema_version": "ATIF-v2.0"}), "version 'ATIF-v2.0'"),
    "second": ("atif", json.dumps(ATIF | {"steps": [*STEPS, *STEPS]}), "asks again in step 3"),
    "calling": ("atif", json.dumps(ATIF | {"steps": [*STEPS, CALLING]}), "holds no report"),
    "empty": ("atif", json.dumps(ATIF | {"steps": 7}), "holds no step"),
    "negative": ("otlp", json.dumps(otlp({"told": WHOLE | {"gen_ai.usage.input_tokens": -5}})), "1 span left out; span s0: input_tokens: must be"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_has_a_sentence(name: str, tmp_path: Path, sample_home: Path, drr: Drr) -> None:
    form, text, said = ODD[name]
    file, home = tmp_path / "t.json", tmp_path / "study"
    file.write_text(text, encoding="utf-8")
    err = drr.err("study", "import", home, file, "--format", form, "--shop", sample_home / "shop")
    assert said in err and "Traceback" not in err and not home.exists()


CHAT = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1, "gen_ai.usage.output_tokens": 1}
WHOLES: tuple[Any, ...] = ("-----1", "-1", "9" * 5000, "\u0663", "1e9", 1.5, 10**9 + 1, [1], {}, True)
COSTS: tuple[Any, ...] = (-1, 1e308, "NaN", "Infinity", [], True)
STRANGE: list[dict[str, Any]] = [
    *({"intValue": one} for one in WHOLES),
    *({"doubleValue": one} for one in COSTS),
    *({"stringValue": one} for one in ("1", {"a": 1})),
    *({"start": one} for one in ("-1", "x", "9" * 25, {"a": 1})),
    {"arrayValue": {"values": [{"intValue": "1"}]}},
]


@pytest.mark.parametrize("form", ["otlp", "atif"])
def test_a_number_that_cannot_be_true_costs_its_span_alone(
    form: str, tmp_path: Path, sample_home: Path, drr: Drr
) -> None:
    rows: list[Any] = []
    for number, value in enumerate(STRANGE):
        found = otlp({"told": WHOLE, "trace": str(number)}, {"told": CHAT, "trace": str(number)})
        key = "llm.cost.total" if "doubleValue" in value else "gen_ai.usage.input_tokens"
        span = found["resourceSpans"][0]["scopeSpans"][0]["spans"][1]
        if "start" in value:
            span["startTimeUnixNano"] = value["start"]
        else:
            kept = [one for one in span["attributes"] if one["key"] != key]
            span["attributes"] = [*kept, {"key": key, "value": value}]
        step = {"source": "agent", "message": "", "metrics": {"prompt_tokens": next(iter(value.values()))}}
        other = ATIF | {"session_id": str(number), "steps": [STEPS[0], step, STEPS[1]]}
        rows.append(found if form == "otlp" else other)
    file, home = tmp_path / "t.jsonl", tmp_path / "study"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = ("--format", form, "--shop", sample_home / "shop")
    taken = drr.json("study", "import", home, file, *words, code=1)
    assert taken["reports"] == len(rows) == len(taken["refused"])
    assert all("1 " in one["why"] and "left out; s" in one["why"] for one in taken["refused"])


def test_a_line_that_is_cut_costs_itself_alone_and_old_names_are_read(
    tmp_path: Path, sample_home: Path, drr: Drr
) -> None:
    found = found_soap(drr, sample_home / "shop")
    item = found["data"]["items"][0]
    old = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Which soap?",
        "gen_ai.usage.prompt_tokens": 9,
    }
    old |= {
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "This.",
        "gen_ai.usage.completion_tokens": 2,
    }
    named = {
        "openinference.span.kind": "TOOL",
        "tool.name": "find",
        "output.value": json.dumps({"hits": [item["product_id"]]}),
    }
    other = named | {"output.value": "Soap is mild."}
    lines = [
        otlp({"told": old, "trace": name, "of": "lost"}, {"told": tool, "trace": name, "of": "lost"})
        for name, tool in (("a", named), ("b", other))
    ]
    file, home = tmp_path / "t.jsonl", tmp_path / "study"
    file.write_text("\n".join([*map(json.dumps, lines), WHOLE_TEXT[:99]]), encoding="utf-8")
    words = ("--format", "otlp", "--shop", sample_home / "shop", "--system", "theirs")
    taken = drr.json("study", "import", home, file, *words, code=1)
    assert (taken["added"], len(taken["refused"])) == (2, 1) and taken["refused"][0]["line"] == 3
    with Study.read(home) as study:
        first, second = read_answers(study)
        assert [source.url for source in first.sources] == [item["url"]] and not first.imported
        assert first.sources[0].record is not None and first.sources[0].record["price"] == item["price"]
        assert not second.sources and second.imported, (
            "nothing says what its tool returned: judged as an import"
        )
        assert [one["input_tokens"] for one in first.usage.values()] == [9]
        assert (first.trial, second.trial) == (0, 1)


def test_a_tool_whose_span_is_left_out_makes_no_source_an_invention(
    tmp_path: Path, sample_home: Path, drr: Drr
) -> None:
    item = found_soap(drr, sample_home / "shop")["data"]["items"][0]
    tool = {"openinference.span.kind": "TOOL", "tool.name": "find"}
    odd = tool | {"output.value": "See http://soap.example/mild", "gen_ai.usage.input_tokens": -1}
    said = WHOLE | {"output.value": "Mild [1].\n\n## Sources\n\n[1] it: http://soap.example/mild\n"}
    del said["gen_ai.output.messages"]
    seen = [{"url": item["url"], "type": "product", "seen": "soap"}]
    trace = otlp({"told": said | {"drr.sources": json.dumps(seen)}}, {"told": odd})
    (tmp_path / "t.json").write_text(json.dumps(trace), encoding="utf-8")
    words = ("--format", "otlp", "--shop", sample_home / "shop")
    taken = drr.json("study", "import", tmp_path / "s", tmp_path / "t.json", *words, code=1)
    assert "span s1: input_tokens: must be" in taken["refused"][0]["why"]
    with Study.read(tmp_path / "s") as study:
        (answer,) = read_answers(study)
        assert answer.imported and not answer.extras and [one.url for one in answer.sources] == [item["url"]]
        assert [call["name"] for call in answer.calls or ()] == ["find"]
