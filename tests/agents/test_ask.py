"""`drr ask` and `drr variants` as a shopper and a script meet them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from drr.offline.agents.source_list import BANNER

from tests.agents.garden import ANNA, QUESTION, write_box
from tests.cases import table
from tests.commands import Drr
from tests.wire import Fail, Request, Say, Wire

LOOK = Say(calls=[("product_catalog_search", {"query": "feeder"})])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_box(tmp_path_factory.mktemp("ask"))


pytestmark = pytest.mark.usefixtures("at_home")


def asking(folder: Path, *more: str, question: str = QUESTION) -> list[str]:
    return [
        "ask", question, "--shop", str(folder / "shop"), "--user", ANNA, "--sandbox", str(folder / "sandbox"), *more,
    ]  # fmt: skip


LATE = (
    "numpy",
    "drr.agents.citation_repair",
    "drr.citations.parse",
    "drr.eval",
)
"""What no first call of a tool needs: half a second went by before it, much of it for these."""
FIRST = f"""
import io, sys
from drr.app.cli import main
class First(io.StringIO):
    def write(self, text):
        if not self.tell():
            print([name for name in {LATE!r} if name in sys.modules], text, file=sys.__stderr__)
        return super().write(text)
sys.stderr = First()
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_the_first_call_waits_for_nothing_that_only_the_report_needs(folder: Path) -> None:
    words = [sys.executable, "-c", FIRST, *asking(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and BANNER in done.stdout
    assert done.stderr.startswith("[] ") and "agent: get_user_orders" in done.stderr


def test_reports_and_documents_are_printed(folder: Path, drr: Drr) -> None:
    code, out, err = drr(*asking(folder))
    assert code == 0 and out.startswith("# What was found") and BANNER in out and "## Sources" in out
    assert "agent: product_catalog_search query='help bird feeder" in err and "react with offline" in err
    code, out, err = drr(*asking(folder, "--json", "--variant", "hybrid-react+ws"))
    document = json.loads(out)
    assert document.keys() >= {"report", "sources", "usage", "stop_reason", "tool_calls", "model", "variant"}
    assert document["rule_written"] is True and document["model"] == "offline"
    assert document["variant"] == "hybrid-react+ws" and document["stop_reason"] == "finalized"
    assert {"url", "type", "title", "sha256"} <= set(document["sources"][0])
    assert {source["cited"] for source in document["sources"]} == {True, False}
    assert document["usage"]["agent"]["input_tokens"] > 0
    assert any(c["researcher"] == "r1" and c["ok"] for c in document["tool_calls"])
    assert "r1: researches Can you help me with bird feeders" in err
    # A slip of the pen would leave the role to the default model, perhaps one that is paid for.
    assert "agnet" in drr.err(*asking(folder, "--role-models", "agnet=anthropic:claude-sonnet-5-5"))


def test_a_file_gets_the_report(folder: Path, tmp_path: Path, drr: Drr) -> None:
    path = tmp_path / "deep" / "report.md"
    assert drr(*asking(folder, "--out", str(path), "--quiet")) == (0, "", "")
    assert BANNER in path.read_text()
    (tmp_path / "file").write_text("")
    code, out, err = drr(*asking(folder, "--out", str(tmp_path / "file" / "report.md")))
    assert code == 1 and "## Sources" in out and "cannot be written" in err, "an unwritten report is kept"


@table("agents", "misuse_is_one_line_and_exit_2")
def test_misuse_is_told(folder: Path, drr: Drr, more: list[str], says: str) -> None:
    code, out, err = drr(*asking(folder, *more))
    assert (code, out) == (2, "") and says in err and "Traceback" not in err


def test_misuse_failures_and_lists_are_short(folder: Path, drr: Drr) -> None:
    assert "Traceback" not in drr.err(*asking(folder, question="  "))
    assert "Traceback" not in drr.err("ask", "what?", "--shop", folder / "no", "--user", ANNA)
    with Wire(lambda request: Fail(401, "authentication_error", "invalid x-api-key")) as wire:
        code, out, err = drr(
            *asking(folder, "--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url)
        )
    assert code == 1 and out == "" and "bad_key" in err.splitlines()[-1]
    listed = drr.out("variants")
    assert "* hybrid-react+ws " in listed and "  hybrid-react+profile " in listed
    rows = drr.json("variants")["variants"]
    assert sum(row["in_all"] for row in rows) == 6
    assert next(r for r in rows if r["name"] == "react+ws")["page_summaries"] is True


def test_made_up_sources_and_the_paper_are_told(folder: Path, drr: Drr) -> None:
    report = "Fine [1].\n\n## Sources\n\n[1] X: https://made.example/up\n"
    model = ["--model", "anthropic:claude-sonnet-5-5"]
    for repair, kept in ((["--citation-repair", "off"], True), ([], False)):
        with Wire([LOOK, Say("I know."), Say(report)]) as wire:
            code, out, err = drr(*asking(folder, *model, "--base-url", wire.url, *repair))
        assert code == 0 and ("made.example" in out) is kept and BANNER not in out
        assert f"{'left in' if kept else 'taken out'}: https://made.example/up" in err
    paper = ("--profile", "paper", "--web", "sandbox", "--variant", "plan-to-function")
    code, out, err = drr(*asking(folder, *paper))
    assert code == 0 and "docs/papers.md" in err and "http://ecommerce.com/B0" in out


def test_a_misspelt_prompt_is_told(folder: Path, tmp_path: Path, drr: Drr) -> None:
    prompts = tmp_path / "mine"
    prompts.mkdir()
    words = asking(folder, "--prompts", str(prompts))
    (prompts / "raect.md").write_text("x")
    assert "no prompt is called raect" in drr.err(*words)
    (prompts / "raect.md").rename(prompts / "react.md")
    assert "as_of, steps, user_id" in drr.err(*words)
    (prompts / "react.md").unlink()
    (prompts / "rate.md").write_text((Path(__file__).parents[2] / "eval" / "prompts" / "rate.md").read_text())
    drr.out(*words)


def endless(request: Request) -> Say:
    """Looks up more and more until it is asked for the report; each turn is 20,000 tokens."""
    spent = {"input_tokens": 19_900, "output_tokens": 100}
    if "The research is over" in json.dumps(request.body["messages"]):
        return Say("Take one of the 3 feeders.", usage=spent)
    return Say(calls=[("product_catalog_search", {"query": "feeder"})], usage=spent)


@pytest.mark.long
@pytest.mark.parametrize(
    ("more", "requests", "stop"),
    [
        (["--limits", "steps=100"], 9, "token_limit"),  # by default: half of 300,000 tokens is for research
        (["--limits", "steps=100", "--budget-tokens", "100000"], 4, "token_limit"),
        (["--limits", "steps=2"], 3, "step_limit"),
        (["--limits", "tokens=30000"], 3, "token_limit"),
    ],
)
def test_a_question_is_never_without_a_ceiling(
    folder: Path, drr: Drr, more: list[str], requests: int, stop: str
) -> None:
    with Wire(endless) as wire:
        words = ["--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--quiet"]
        assert drr.json(*asking(folder, *words, *more))["stop_reason"] == stop
    assert len(wire.requests) == requests


@pytest.mark.parametrize("more", [["--budget", "0.00001"], ["--budget-tokens", "900"]])
def test_a_question_has_a_budget(folder: Path, drr: Drr, more: list[str]) -> None:
    with Wire(endless) as wire:
        words = ["--model", "anthropic:claude-sonnet-5-5", "--base-url", wire.url, "--quiet"]
        err = drr.err(*asking(folder, *words, *more), code=1)
    assert wire.requests == [] and "over_budget" in err and "--budget" in err and "Traceback" not in err


def test_wrong_limits_and_uncounted_dollars(folder: Path, drr: Drr) -> None:
    assert "not NAME=N" in drr.err(*asking(folder, "--limits", "wishes=3"))
    unpriced = ("--model", "openai:nobody-priced-this", "--base-url", "http://127.0.0.1:9")
    assert "the price of openai:nobody-priced-this" in drr.err(*asking(folder, "--budget", "1", *unpriced))
