"""Over-reading, misleading snippets, invention and link rot, told apart on a study made so that each happens, against a real
server."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.web.base import Page
from drr.env.web.fetch import Fetcher
from drr.env.web.live import LiveWeb, Serper
from drr.env.web.record import Snapshots
from drr.eval.evidence.answers import read_answers
from drr.eval.judging.plan import JudgeOptions
from drr.eval.judging.run import cited_pages, judge, refetch
from drr.eval.metrics.document import study_document
from drr.study.study import Study

from tests.eval.nursery import Judge, answer, desk, put, scripted, sentences, web
from tests.web.hostile import READER, redirect, reply, serving, to_loopback
from tests.wire import Wire

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
FACT = "A ramp for an old dog rises no more than eighteen degrees, and its surface is rough enough to hold wet paws."
OTHER = (
    "Dogs with sore joints need wider steps, and a rail helps them to trust the ramp in the very first week."
)


def article(text: str) -> str:
    rest = (
        "Measure the height of the car before you choose the length of the ramp; a long ramp is a gentle one."
    )
    body = f"<p>{text}</p><p>{rest}</p>"
    return (
        f"<html><head><title>Ramps</title></head><body><article><h1>Ramps</h1>{body}</article></body></html>"
    )


async def test_what_was_read_what_stands_there_and_what_is_left_of_it(study: Study) -> None:
    # claim, frozen page, what the agent saw, the page now
    cases = {
        "overread": (FACT, "A page on ramps.", article(FACT)),
        "misled": (OTHER, FACT, article(OTHER)),
        "invented": (OTHER, "A page on ramps.", article(OTHER)),
        "kept": (FACT, FACT, article(FACT)),
        "moved": (FACT, FACT, article(FACT)),
        "rotten": (FACT, FACT, None),
        "rewritten": (FACT, FACT, article(OTHER)),
        "walled": (None, FACT, article(FACT)),
    }
    async with serving() as site:
        names = list(cases)
        sources = []
        for name, (page, seen, now) in cases.items():
            status = "ok" if page else "blocked"
            sources.append(web(site.url(f"/{name}"), page, seen=seen, status=status))
            if now:
                site.routes[f"/{name}"] = reply(now)
        site.routes["/new"] = site.routes["/moved"]
        site.routes["/moved"] = redirect("/new")
        report = "\n".join(f"Ramps of {name} are gentle [{n}]." for n, name in enumerate(names, 1))
        listed = "\n".join(f"[{n}] {site.url(f'/{name}')}" for n, name in enumerate(names, 1))
        await put(study, answer("a", "react", f"{report}\n\n## Sources\n{listed}\n", sources))

        def live() -> LiveWeb:
            fetcher = Fetcher(timeout=5, respect_robots=False, resolver=to_loopback, loopback_port=site.port)
            return LiveWeb(Serper(None, timeout=5), fetcher, READER)

        script = Judge(
            claims=sentences,
            support=lambda claim, text: "full_support" if "eighteen degrees" in text else "no_support",
        )
        options = JudgeOptions(["faithfulness"])
        with Wire(script) as wire:
            models = scripted(wire.url)
            await judge(study, desk(study, models), models, options)
            pages = await refetch(cited_pages(read_answers(study), frozenset()), live())
            await judge(study, desk(study, models, refetched=pages), models, options)
            asked = len(wire.requests)
            again = await refetch(cited_pages(read_answers(study), frozenset()), live())
            await judge(study, desk(study, models, refetched=again), models, options)
            assert len(wire.requests) == asked
            await models.aclose()
    assert len(pages) == len(cases)
    document = study_document(study)
    metrics = {name: v["value"] for name, v in document["metrics"]["react"].items()}
    # Frozen: overread, kept, moved, rotten, rewritten of eight; without the wall of seven.
    assert metrics["fp_web"] == pytest.approx(5 / 8)
    assert metrics["fp_reachable"] == pytest.approx(5 / 7)
    assert metrics["unreadable_rate"] == pytest.approx(1 / 8)
    # Seen: misled, kept, moved, rotten, rewritten, walled.
    assert metrics["fp_seen"] == pytest.approx(6 / 8)
    # Now: overread, kept, moved, walled; rotten and rewritten are lost.
    assert metrics["fp_web_now"] == metrics["fp_now"] == pytest.approx(4 / 8)
    assert document["coverage"]["variants"]["react"]["reading"] == {
        "both": 4,
        "page_only": 1,
        "seen_only": 1,
        "neither": 1,
        "unreadable": 1,
        "unknown": 0,
    }


@pytest.mark.parametrize("recording", [False, True])
def test_the_snapshots_of_the_run_are_not_the_pages_of_today(
    recording: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is one that the fetcher refuses, which today makes it unreadable whatever was kept of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    url, folder = "http://10.0.0.1/ramps", tmp_path / "study"
    line: dict[str, Any] = {
        "id": "1",
        "system": "alpha",
        "query": "Which ramp?",
        "report_markdown": f"{FACT} [1]\n\n## Sources\n[1] {url}\n",
        "evidence": [{"url": url, "type": "web", "text": FACT}],
    }
    (tmp_path / "r.jsonl").write_text(json.dumps(line) + "\n")
    assert main(["import", str(folder), "r.jsonl", "--quiet"]) == 0
    kept = tmp_path / "recording" if recording else folder / "pages"
    Snapshots(kept, lambda: NOON).put(url, Page(url, url, "ok", "Ramps", FACT, "by hand"), {})
    command = ["judge", str(folder), "--what", "faithfulness", "--quiet", "--json"]
    assert main(command) == 0
    now = ["--refetch", "--web", "serper", *(["--web-record", str(kept)] if recording else [])]
    capsys.readouterr()
    assert main([*command, *now]) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]["alpha"]
    assert (metrics["fp_web"]["value"], metrics["fp_web_now"]["value"]) == (1.0, 0.0)
