"""Where everything is a tool, a report is handed in by one, and its form is the form of everywhere."""

from __future__ import annotations

import json
from pathlib import Path

from drr.app.training.environment import Environment
from drr.app.training.episode import SUBMIT, action_of, given_tools, instructions_of
from drr.app.training.episode_tasks import APART
from drr.eval.rewards.answer_forms import AnswerForm
from drr.tools.registry import TOOLS


def test_the_last_tool_hands_in_the_report(sample_home: Path) -> None:
    *tools, submit = given_tools()
    told = instructions_of(APART)
    assert {one.name: one.schema for one in tools} == {name: tool.schema for name, tool in TOOLS.items()}
    assert submit.name == SUBMIT and SUBMIT in told and '"report"' not in told
    form = {**submit.schema["properties"]["form"], "$defs": submit.schema["$defs"]}
    assert json.dumps(form, sort_keys=True) == json.dumps(APART.form, sort_keys=True)
    with Environment(sample_home / "shop") as env:
        env.reset(seed=1)
        seen, _, done, _ = env.step(action_of("calculator", {"expression": "6 * 7"}))
        assert "42" in seen.text and not done
        seen, _, done, info = env.step(action_of(SUBMIT, {"tool": "calculator"}))
        assert info["error"] is not None and not done
        *_, done, info = env.step(action_of(SUBMIT, {"report": "None.", "form": AnswerForm().model_dump()}))
        assert done and info["ending"] == "answered"
