"""OpenAI's Agents SDK in an environment of its own, where nothing of this project is: the example as a variant, on a scripted model."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from drr.study.study import Study

from tests.agents.commands.conftest import Script, new
from tests.agents.commands.test_model_proxy import EXAMPLES, REPORT, model, scripted_by_any
from tests.commands import Drr
from tests.wire import Wire

pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the SDK, as `pip install openai-agents` makes it."""
    place = tmp_path_factory.mktemp("sdk") / "venv"
    subprocess.run([sys.executable, "-m", "venv", place], check=True, timeout=120)
    package = f"openai-agents=={version('openai-agents')}"
    pip = [place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    subprocess.run(pip, check=True, timeout=900)
    ours = [
        place / "bin/python",
        "-c",
        "import importlib.util as u; print([u.find_spec(n) for n in ('drr', 'langchain')])",
    ]
    assert (
        subprocess.run(ours, cwd=place, capture_output=True, text=True, check=True).stdout.strip()
        == "[None, None]"
    )
    return place / "bin/python"


def test_the_example_answers_from_elsewhere(box: Path, script: Script, drr: Drr, apart: Path) -> None:
    variants = f"react,cmd:{apart} {EXAMPLES}/agents/openai_agents.py"
    with Wire(scripted_by_any) as wire:
        code, _, err = drr(*new(box, variants, *model(wire, "openai")))
        assert code == 0, err
        with Study.open(Path("study")) as study:
            records = {record.label.split("/")[1]: record for record in study.records("answer")}
            reports = {str(study.text(record, "report")).strip() for record in records.values()}
    ours, theirs = records.pop("react"), next(iter(records.values()))
    assert reports == {REPORT.strip()}
    assert {*ours.result} == {*theirs.result}
    assert theirs.result["sources"] == ours.result["sources"]
    used = [record.usage["agent"] for record in (ours, theirs)]
    assert sum(one["calls"] for one in used) == len(wire.requests)
    assert [one["input_tokens"] for one in used] == [100 * one["calls"] for one in used]
    assert used[1]["calls"] == 3
