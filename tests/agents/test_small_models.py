"""The manners of small models, through the agents of every architecture: each ends by name, and what is done was looked up."""

from __future__ import annotations

from pathlib import Path

import pytest
from drr.agents.registry import BUILT_IN
from drr.study.study import Study

from tests.agents.garden import ANNA, QUESTION, write_box
from tests.commands import Drr
from tests.small_models import small_server

LOOKS = {"text_call": "no_research", "tagged_call": "no_research", "prose": "no_research", "json_report": "malformed_call",
         "no_tools": "bad_request"}  # fmt: skip
PLANS = {"empty_plan": "no_research", "prose_plan": "no_research", "worded_plan": "no_research", "prose": "done",
         "json_report": "malformed_call"}  # fmt: skip
PARSED = {"text_call": "done", "tagged_call": "done"}
ENDINGS = {"react": LOOKS, "hybrid-react": LOOKS, "plan-to-function": PLANS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expected", "more"),
    [
        (ENDINGS, ()),
        ({"react": PARSED, "hybrid-react": PARSED}, ("--text-calls", "parse")),
    ],
    ids=["as they are", "parsed"],
)  # fmt: skip
def test_every_manner_ends_by_name_in_every_architecture(
    expected: dict[str, dict[str, str]],
    more: tuple[str, ...],
    tmp_path: Path,
    drr: Drr,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a server with one slot that is still loading when the first question comes."""
    monkeypatch.chdir(tmp_path)
    write_box(tmp_path, {"id": "q", "query": QUESTION, "user_id": ANNA})
    pairs = [f"{name}@openai:{manner}" for name, manners in expected.items() for manner in manners]
    with small_server(writes=3_000, loading=1) as wire:
        code, _, err = drr(
            "run", "study", "--shop", "shop", "--sandbox", "sandbox", "--queries", "queries.jsonl", "--quiet",
            "--variants", ",".join(pairs), "--base-url", f"{wire.url}/v1", *more,
        )  # fmt: skip
        assert wire.most_at_once == 1, "as many as it has slots"
    assert code == (1 if expected is ENDINGS else 0) and "Traceback" not in err
    found: dict[str, dict[str, str]] = {name: {} for name in expected}
    with Study.open(Path("study"), read_only=True) as study:
        for record in study.records("answer", None):
            name, _, manner = str(record.spec["variant"]).partition("@openai:")
            found[name][manner] = record.reason or "done"
            calls = record.result["tool_calls"] if record.done else [{"kind": "api"}]
            assert any(call["kind"] == "api" for call in calls), "done without research"
    assert found == expected and (more or found.keys() == {one.name for one in BUILT_IN})
