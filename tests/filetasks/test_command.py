"""A program as a variant on a task with files: it has the drawer by the run's own door, and no way to what is true of the task."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pytest
from drr.app.cli import main
from drr.study.study import Study

from tests.agents.commands.conftest import HEAD, TERMS, needs_namespaces
from tests.drawer.papers import picture
from tests.filetasks.made import QUERY, SECRET, write_task

ANSWERS = """
import glob
asked = json.load(sys.stdin)
tools = post(os.environ["DRR_MCP_URL"], {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}})["result"]["tools"]

def told(tool, **more):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": more}}
    result = post(os.environ["DRR_MCP_URL"], body)["result"]
    return [result["isError"]] + [one.get("text") or one["data"] for one in result["content"]]

found = {
    "asked": asked,
    "tools": sorted(tool["name"] for tool in tools),
    "files": told("list_files"),
    "page": told("read_file", name="manual.pdf", part="2"),
    "hit": told("search_file", name="manual.pdf", query="warranty"),
    "slip": told("view_image", name="slip.png"),
    "web": told("web_search", query="kettle limescale citric acid"),
    "late": told("web_search", query="tea fair stalls"),
    "truths": [told("read_file", name=name) for name in ("truth.json", "../truth.json", TASKS + "/007/truth.json", "file://../truth.json")],
}

def reached():
    for pattern in (TASKS + "/**", STUDY + "/**", BOX + "/*", "/agent/**", "/tmp/**", "/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline"):
        for path in glob.glob(pattern, recursive=True):
            try:
                with open(path, "rb") as file:
                    yield path, file.read(500_000)
            except OSError:
                pass

own = os.path.abspath(sys.argv[0])
texts = list(reached())
found["secret"] = [path for path, text in texts if b"hidden-" + b"truth" in text]
found["paths"] = [path for path, text in texts if path != own and (TASKS.encode() in text or path.startswith((TASKS, STUDY)))]
found["open"] = [path for path in glob.glob("/proc/self/fd/*") if os.path.exists(path) and TASKS in os.path.realpath(path)]
found["environment"] = [value for value in os.environ.values() if TASKS in value]
print("The warranty lasts 36 months [1].\\n\\n" + json.dumps(found) + "\\n\\n## Sources\\n[1] Manual: file://manual.pdf#page=2")
"""


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command ran, with everything beside it that it must not reach."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_task(tmp_path / "tasks" / "007")
    known = {"TASKS": tmp_path / "tasks", "STUDY": tmp_path / "study", "BOX": tmp_path}
    script = tmp_path / "agent.py"
    script.write_text(HEAD + "".join(f"{name} = {str(path)!r}\n" for name, path in known.items()) + ANSWERS)
    script.chmod(0o755)
    words = ["run", "study", "--tasks", "tasks", "--sizes", "1k", "--variants", "cmd:./agent.py", "--quiet"]
    assert main([*words, "--agent-sees", str(tmp_path), *TERMS]) == 0
    return tmp_path / "study"


@needs_namespaces
def test_it_lists_reads_searches_and_answers_by_the_door_and_finds_no_truth(study: Path) -> None:
    with Study.open(study, read_only=True) as opened:
        record = next(iter(opened.records("answer")))
        report = opened.text(record, "report") or ""
    found = json.loads(report.split("\n\n")[1])
    assert found["asked"]["text"] == QUERY and found["asked"]["user_id"] is None
    assert found["asked"]["today"] == "2024-03-01"
    six = ["calculator", "list_files", "read_file", "search_file", "view_image", "web_search"]
    assert found["tools"] == six
    failed, listed = found["files"]
    assert not failed and "manual.pdf" in listed and "slip.png" in listed and "truth" not in listed
    assert found["page"] == [False, found["page"][1]] and "file://manual.pdf#page=2" in found["page"][1]
    assert not found["hit"][0] and "36 months" in found["hit"][1]
    assert not found["slip"][0] and found["slip"][2:] == [b64encode(picture()).decode()]
    assert "citric acid every 4 weeks" in found["web"][1]
    assert "40 stalls" not in found["late"][1]  # of a larger corpus than this unit's
    assert [failed for failed, *_ in found["truths"]] == [True] * 4
    assert found["secret"] == found["paths"] == found["open"] == found["environment"] == []
    assert SECRET not in report
    calls = [(call["name"], call["error"] and call["error"]["kind"]) for call in record.result["tool_calls"]]
    assert calls[:4] == [
        ("list_files", None), ("read_file", None), ("search_file", None), ("view_image", None),
    ]  # fmt: skip
    assert [kind for name, kind in calls[6:]] == ["not_found"] * 4
    assert [one["url"] for one in record.result["sources"]][:1] == ["file://manual.pdf#page=2"]
    assert record.result["fabricated"] == []
