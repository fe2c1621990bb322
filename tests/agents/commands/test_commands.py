"""Any program as a variant: what it is told, what it may call, what is recorded of it, and how each of its failures is called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drr.agents.commands.command import Command, shown_name
from drr.agents.registry import choose, variant
from drr.env.errors import Misuse
from drr.study.study import Study

from tests.agents.commands.conftest import KEY, TERMS, Script, asked, new
from tests.agents.garden import ANNA, BEN
from tests.cases import table
from tests.commands import Drr

REPORTS = """
question = json.load(sys.stdin)
found = call("product_catalog_search", query="bird house")
own = call("get_user_orders")
other = call("get_user_orders", user_id=USER)
print("A note", file=sys.stderr)
address = found["_meta"]["sources"][0]["url"]
print(f"# EDITION\\n\\nThe first one fits [1].\\n\\n" + json.dumps([question, sorted(os.environ), other["isError"]]) +
      f"\\n\\n## Sources\\n\\n[1] House: {address}")
"""


def reports(edition: str = "One") -> str:
    return REPORTS.replace("USER", repr(BEN)).replace("EDITION", edition)


def test_a_command_is_told_the_question_and_uses_the_tools_of_its_own_session(
    box: Path, script: Script, drr: Drr
) -> None:
    script("agent.py", reports())
    code, out, err = drr(*asked(box, "cmd:./agent.py --flag"))
    document = json.loads(out)
    assert code == 0, err
    question, environment, refused = json.loads(document["report"].split("\n\n")[2])
    assert question == {
        "schema": 1,
        "id": question["id"],
        "text": "Which bird house?",
        "today": question["today"],
        "user_id": ANNA,
        "person": None,
    }
    assert {"DRR_MCP_URL", "DRR_MCP_TOKEN", "DRR_DEADLINE", "HOME", "LANG", "PATH", "TMPDIR"} <= {
        *environment
    }
    assert not [name for name in environment if name not in KNOWN]
    assert refused is True
    calls = [(call["name"], call["error"] and call["error"]["kind"]) for call in document["tool_calls"]]
    assert calls == [
        ("product_catalog_search", None),
        ("get_user_orders", None),
        ("get_user_orders", "not_allowed"),
    ]
    assert document["variant"] == "cmd:agent.py_--flag" and document["stop_reason"] == "finalized"
    assert document["rule_written"] is False and document["model"] in ("none", "unknown")
    assert document["fabricated"] == [] and any(source["cited"] for source in document["sources"])
    assert document["stderr"] == "A note\n"
    assert KEY not in out + err


KNOWN = {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DRR_DEADLINE", "DRR_MCP_TOKEN", "DRR_MCP_URL", "DRR_MODEL", "HOME", "LANG", "LC_CTYPE",
         "NO_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PATH", "TMPDIR"}  # fmt: skip
"""What docs/agents.md names, and what Python sets by itself."""


def test_an_edited_script_is_a_new_variant_and_stderr_is_kept_with_the_unit(
    box: Path, script: Script, drr: Drr
) -> None:
    script("agent.py", reports("First"))
    assert drr(*new(box, "cmd:./agent.py,plan-to-function"))[0] == 0
    code, _, err = drr("run", "study", *TERMS)
    assert code == 0 and "0 done now; nothing left" in err
    script("agent.py", reports("Second"))
    code, _, err = drr("run", "study", *TERMS)
    assert code == 0 and "1 done now; nothing left" in err and "1 units of an earlier configuration" in err
    with Study.open(Path("study")) as study:
        record = next(one for one in study.records("answer") if "agent.py" in one.label)
        assert "# Second" in str(study.text(record, "report"))
        assert study.text(record, "stderr") == "A note\n"
        key = record.key
        assert "SECRET-RATIONALE" not in str(study.text(record, "report"))
    assert "on standard error:\n    A note" in drr("trace", "study", key)[1]
    code, _, _ = drr("study", "edit", "study", "--variants", "cmd:agent.py", "--yes")
    with Study.open(Path("study")) as study:
        assert code == 0 and study.config["run"]["variants"].startswith("cmd:/")


@pytest.mark.long
def test_every_way_to_fail_has_its_name(box: Path, script: Script, drr: Drr) -> None:
    script("exits.sh", "#!/bin/sh\necho 'no luck' >&2\nexit 3\n")
    script("silent.sh", "#!/bin/sh\nexit 0\n")
    script("floods.sh", "#!/bin/sh\nyes word\n")
    script("floods_errors.sh", "#!/bin/sh\nyes word >&2\n")
    script("dies.sh", "#!/bin/sh\nkill -9 $$\n")
    script("asks.py", "while True: call('calculator', expression='1 + 1')\n")
    script("odd.sh", "#!/no/such/program\n")
    names = ("exits.sh", "silent.sh", "floods.sh", "floods_errors.sh", "dies.sh", "asks.py", "odd.sh")
    variants = ",".join(f"cmd:./{name}" for name in names)
    code, _, _ = drr(*new(box, variants, "--limits", "tool_calls=5"))
    assert code == 1
    with Study.open(Path("study")) as study:
        ended = {record.label.split("/")[1]: record for record in study.records("answer", None)}
    assert {name.removeprefix("cmd:"): record.reason for name, record in ended.items()} == {
        "exits.sh": "agent_exit",
        "silent.sh": "agent_no_report",
        "floods.sh": "agent_output",
        "floods_errors.sh": "agent_output",
        "dies.sh": "agent_signal",
        "asks.py": "agent_flood",
        "odd.sh": "agent_start",
    }
    assert "exit code 3: no luck" in str(ended["cmd:exits.sh"].message)
    assert "SIGKILL" in str(ended["cmd:dies.sh"].message)
    with Study.open(Path("study")) as study:
        calls = ended["cmd:asks.py"].result["tool_calls"]
        assert [call["kind"] for call in calls[:7]] == ["api"] * 5 + ["refused"] * 2 and len(calls) < 300


@table("agents", "a_command_that_cannot_be_is_said_at_once")
def test_a_command_that_cannot_be_is_said_at_once(script: Script, word: str, said: str) -> None:
    Path("plain.txt").write_text("text")
    with pytest.raises(Misuse, match=said):
        variant(word)


def test_a_comma_parts_variants(script: Script) -> None:
    with pytest.raises(Misuse, match="put a command that needs one into a script"):
        variant("cmd:sh -c 1,2")


def test_what_a_command_is_does_not_hang_on_where_it_lies(script: Script, tmp_path: Path) -> None:
    first = script("agent.sh", "#!/bin/sh\necho 1\n")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "more.txt").write_text("more")
    one = Command.of("cmd:./agent.sh --with=./part plain")
    assert one.words == (str(first), f"--with={tmp_path / 'part'}", "plain")
    assert one.name == shown_name(one.word) == "cmd:agent.sh_--with=part_plain"
    (tmp_path / "copy").mkdir()
    for path in (first, tmp_path / "part"):
        path.rename(tmp_path / "copy" / path.name)
    two = Command.of("cmd:copy/agent.sh --with=copy/part plain")
    assert two.identity() == one.__class__.of(two.word).identity() and two.word != one.word
    before = two.identity()
    (tmp_path / "copy" / "part" / "more.txt").write_text("less")
    assert two.identity() != before
    assert choose("cmd:copy/agent.sh")[0].version != choose("cmd:copy/agent.sh x")[0].version
