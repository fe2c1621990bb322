"""Traces of agents that ran elsewhere: what a collector got of a run gives the figures of that run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.env.query import Query, read_queries
from drr.eval.evidence.answers import read_answers
from drr.study.study import Study

from tests.app.test_spans import KEY, WITH_PACKAGES, collecting
from tests.commands import Drr
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


def figures_of(drr: Drr, study: Path) -> Any:
    drr.out("judge", study, "--judge", "offline", "--quiet")
    document = drr.json("report", study, "--out", study / "report")
    found = document["metrics"]["react"]
    return {name: value for name, value in found.items() if name not in ("seconds", "latency")}


@WITH_PACKAGES
def test_a_run_and_its_trace_have_the_same_figures(
    sample_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drr: Drr
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    shop, queries, trace = sample_home / "shop", tmp_path / "q.jsonl", tmp_path / "trace.json"
    drr.out("queries", "generate", "--checkable", "--shop", shop, "--out", queries, "--count", 4, "--quiet")
    words = ("--shop", shop, "--queries", queries, "--variants", "react", "--model", MODEL, "--quiet")
    with collecting() as (url, bodies), Wire(agent(read_queries(queries))) as wire:
        drr.out("run", tmp_path / "ours", *words, "--base-url", wire.url, "--otel", url, "--otel-text")
    trace.write_text("\n".join(map(json.dumps, traces_of(bodies))), encoding="utf-8")
    more = ("--format", "otlp", "--shop", shop, "--queries", queries)
    taken = drr.json("study", "import", tmp_path / "theirs", trace, *more)
    assert (taken["added"], taken["queries"], taken["systems"], taken["refused"]) == (4, 4, ["react"], [])
    ours, theirs = figures_of(drr, tmp_path / "ours"), figures_of(drr, tmp_path / "theirs")
    assert theirs == ours
    assert (
        ours["reward"]["value"] > 0 and ours["n_cited_web"]["value"] > 0 and ours["tool_calls"]["value"] > 4
    )
    assert ours["rule_fabricated_citation"]["value"] == 0, (
        "each report cites an address that no tool returned"
    )
    assert sources_of(tmp_path / "theirs") == sources_of(tmp_path / "ours")
    assert drr.json("study", "import", tmp_path / "theirs", trace, *more)["added"] == 0
