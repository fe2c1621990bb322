"""Any program as a variant: what it is told, may call and leaves; how its failures are called; what one that means ill reaches."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from drr.agents.commands.command import Command, shown_name
from drr.agents.registry import choose, variant
from drr.env.errors import Misuse
from drr.study.study import Study

from tests.agents.commands.conftest import (
    CONTAINED,
    KEY,
    SEARCHES,
    TERMS,
    Script,
    asked,
    needs_namespaces,
    new,
    running,
)
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


def test_a_command_is_told_its_question_and_uses_its_tools(box: Path, script: Script, drr: Drr) -> None:
    script("agent.py", reports())
    code, out, err = drr(*asked(box, "cmd:./agent.py --flag"))
    document = json.loads(out)
    assert code == 0, err
    question, environment, refused = json.loads(document["report"].split("\n\n")[2])
    assert question == {
        "schema": 1, "id": question["id"], "text": "Which bird house?", "today": question["today"],
        "user_id": ANNA, "person": None,
    }  # fmt: skip
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
    told = drr(*(word for word in asked(box, "cmd:./agent.py --flag") if word not in ("--json", "--quiet")))[
        2
    ]
    assert "cmd:agent.py_--flag without a model:" in told if CONTAINED else "cost unknown" in told


KNOWN = {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "DRR_DEADLINE", "DRR_MCP_TOKEN", "DRR_MCP_URL", "DRR_MODEL", "HOME", "LANG", "LC_CTYPE",
         "NO_PROXY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "PATH", "TMPDIR"}  # fmt: skip
"""What docs/your-agent.md names, and what Python sets by itself."""


def test_an_edited_script_is_a_new_variant_and_stderr_is_kept(box: Path, script: Script, drr: Drr) -> None:
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
    assert "on standard error:\n    A note" in drr("study", "trace", "study", key)[1]
    code, _, _ = drr("study", "edit", "study", "--variants", "cmd:agent.py", "--yes")
    with Study.open(Path("study")) as study:
        assert code == 0 and study.config["run"]["variants"].startswith("cmd:/")


def test_a_failed_command_leaves_its_standard_error(box: Path, script: Script, drr: Drr) -> None:
    script(
        "fails.py",
        "call('calculator', expression='1 + 1')\n"
        "for number in range(20000): print(f'line {number}', file=sys.stderr)\n"
        "sys.exit(3)\n",
    )
    code, out, err = drr(*asked(box, "cmd:./fails.py"))
    document = json.loads(out)
    assert code == 1 and "exit code 3: line 19999" in err
    assert document["stderr"].splitlines() == [f"line {number}" for number in range(20000)]
    assert document["stop_reason"] == "agent_exit" and document["report"] == ""
    assert [call["name"] for call in document["tool_calls"]] == ["calculator"] and document["seconds"] > 0
    words = [word for word in asked(box, "cmd:./fails.py", "--out", "report.md") if word != "--json"]
    code, out, err = drr(*words)
    assert code == 1 and out == "" and "line 0\n" in err and not Path("report.md").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("#!/bin/sh\nno-such-program\n", "exit code 127"),
        ("#!/bin/sh\nno-such-program\n", "--agent-sees PATH"),
        ("#!\nprint('Hello')\n", "#!/usr/bin/env python3"),
        pytest.param(
            "urllib.request.urlopen('http://192.0.2.1/', timeout=5)\n", "DRR_MCP_URL", marks=needs_namespaces
        ),
    ],
)
def test_a_command_learns_what_it_lacks(box: Path, script: Script, drr: Drr, text: str, told: str) -> None:
    """A program, where to show it, an interpreter, a network."""
    script("lacks", text)
    assert told in drr.err(*asked(box, "cmd:./lacks"), code=1)


@needs_namespaces
def test_a_command_learns_how_to_show_a_file(box: Path, script: Script, drr: Drr, tmp_path: Path) -> None:
    lib = tmp_path / "lib"
    lib.mkdir()
    script("lib/helper.py", "REPORT = '# Answer\\n\\nNone of the houses fits what you want.'\n")
    script("lib/clerk.py", f"from helper import REPORT\n{SEARCHES}print(REPORT)\n")
    code, _, err = drr(*asked(box, "cmd:lib/clerk.py"))
    assert code == 1 and "No module named 'helper'; it starts in an empty folder and sees only what" in err
    assert "--agent-sees PATH" in err
    assert "None of the houses fits" in drr.out(*asked(box, "cmd:lib/clerk.py", "--agent-sees", lib))


def test_a_program_here_need_not_be_written_with_its_folder(script: Script) -> None:
    path = script("clerk.py", "")
    assert Command.of("cmd:clerk.py") == Command.of("cmd:./clerk.py") and Command.of(
        "cmd:clerk.py"
    ).files == (path,)
    script("sh", "")
    assert Command.of("cmd:sh").words == ("sh",), "a program on the path comes first"


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
        "exits.sh": "agent_exit", "silent.sh": "agent_no_report", "floods.sh": "agent_output",
        "floods_errors.sh": "agent_output", "dies.sh": "agent_signal", "asks.py": "agent_flood",
        "odd.sh": "agent_start",
    }  # fmt: skip
    assert "exit code 3: no luck" in str(ended["cmd:exits.sh"].message)
    assert "SIGKILL" in str(ended["cmd:dies.sh"].message)
    with Study.open(Path("study")) as study:
        calls = ended["cmd:asks.py"].result["tool_calls"]
        assert [call["kind"] for call in calls[:7]] == ["api"] * 5 + ["refused"] * 2 and len(calls) < 300


@table("agents", "a_command_that_cannot_be_is_said_at_once")
def test_a_command_that_cannot_be_is_said_at_once(script: Script, word: str, said: str) -> None:
    for name in ("plain.txt", "clerk.py"):
        Path(name).write_text("text")
    with pytest.raises(Misuse, match=said):
        variant(word)


def test_a_command_is_what_it_is_wherever_it_lies(script: Script, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="put a command that needs one into a script"):
        variant("cmd:sh -c 1,2")
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


LOOKS = """
import glob, socket, subprocess
sys.stdin.read()
found = {}

def texts():
    for pattern in ("/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline", "/root/*", "/home/*/*", "/etc/*", "/agent/*", "/tmp/*", "/tmp/*/*",
                    CONFIG + "/**", STUDY + "/**", SHOP + "/**", BOX + "/**", "/etc/ssl/private/*", "/dev/*"):
        for path in glob.glob(pattern, recursive=True):
            if os.path.isfile(path) and not path.startswith("/dev/"):
                try:
                    with open(path, "rb") as file:
                        yield path, file.read(200_000)
                except OSError:
                    pass

told = list(texts())
script = os.path.abspath(sys.argv[0])
found["key"] = [path for path, text in told if b"sk-ant-the-real" in text and path != script]
found["secrets"] = [path for path, text in told if (b"SECRET-" + b"RATIONALE") in text]
found["shop"] = os.path.exists(SHOP) or os.path.exists(BOX + "/queries.jsonl") or os.path.exists(STUDY)
found["processes"] = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())

def tries(what):
    try:
        what()
        return "done"
    except Exception as error:
        return type(error).__name__

found["parent"] = tries(lambda: open("/proc/1/environ").read())
found["memory"] = tries(lambda: open("/proc/1/mem", "rb").read(1))
found["write"] = [path for path in ("/usr/x", "/x", "/etc/x", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", script)
                  if tries(lambda: open(path, "a").close()) == "done"]
found["kill"] = tries(lambda: os.kill(1, 9)) and os.path.exists("/proc/1")
found["outside"] = tries(lambda: socket.create_connection(("192.0.2.1", 80), 1))
found["driver"] = tries(lambda: socket.create_connection(("127.0.0.1", PORT), 1))
found["devices"] = sorted(os.listdir("/dev"))
found["namespaces"] = subprocess.run(["unshare", "-Urm", "true"], capture_output=True).returncode != 0
found["ben"] = call("get_user_profile", user_id=BEN)["isError"]
call("product_catalog_search", query="bird house")
print("Found:", json.dumps(found))
"""


@needs_namespaces
def test_it_finds_no_key_no_process_and_no_way(box: Path, script: Script, drr: Drr, tmp_path: Path) -> None:
    import socket

    (tmp_path / "config" / "drr").mkdir(parents=True)
    (tmp_path / "config" / "drr" / "settings.toml").write_text(f'anthropic_api_key = "{KEY}"\n')
    with socket.create_server(("127.0.0.1", 0)) as ours:
        known = {"CONFIG": tmp_path / "config", "STUDY": tmp_path / "study", "SHOP": box / "shop", "BOX": box}
        head = "".join(f"{name} = {str(path)!r}\n" for name, path in known.items())
        script("looks.py", f"{head}BEN = {BEN!r}\nPORT = {ours.getsockname()[1]}\n{LOOKS}")
        code, out, err = drr(*asked(box, "cmd:./looks.py", "--agent-sees", tmp_path))
    assert code == 0, err
    found = json.loads(json.loads(out)["report"].removeprefix("Found: "))
    assert found["key"] == [] and found["secrets"] == [] and found["shop"] is False
    assert found["processes"][:2] == [1, 2] and len(found["processes"]) <= 4
    assert found["parent"] == found["memory"] == "PermissionError"
    assert found["write"] == [] and found["kill"] is True
    assert found["outside"] == "OSError" and found["driver"] == "ConnectionRefusedError"
    assert found["namespaces"] is True and found["ben"] is True
    assert {*found["devices"]} == {
        *["null", "zero", "full", "random", "urandom", "shm", "fd", "stdin", "stdout", "stderr"]
    }


LEAVES = """
import subprocess, time
again = "import time, urllib.request\\nwhile True:\\n    time.sleep(0.05)\\n    try: urllib.request.urlopen('" + os.environ["DRR_MCP_URL"] + "')\\n    except Exception: pass"
for number in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3):
                os.close(descriptor)
            os.execv(sys.executable, [sys.executable, "-c", again, "MARK"])
        os._exit(0)
if DEADLINE:
    time.sleep(100)
if FORKS:
    while True:
        try:
            if os.fork() == 0:
                time.sleep(100)
        except OSError:
            os.write(2, b"nonsense\\n" * 10_000)  # by itself: a shell could not begin another process now
            time.sleep(100)
time.sleep(0.2)
call("product_catalog_search", query="bird house")
print("A report of 4 words.")
"""


CONTAINED_ENDS = {"ends.py": None, "sleeps.py": "agent_timeout", "forks.py": "agent_timeout"}


@pytest.mark.parametrize(
    ("terms", "ends"), [(TERMS, CONTAINED_ENDS if CONTAINED else {"ends.py": None}), (["--trust-agent"], {"ends.py": None})],
    ids=["contained", "trusted"],
)  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what leaves its group is not found again")
@pytest.mark.long
def test_what_it_leaves_behind_is_ended_with_it(
    box: Path, script: Script, drr: Drr, terms: list[str], ends: dict[str, str | None], tmp_path: Path
) -> None:
    mark = f"left-by-{tmp_path.name}"
    for name in ends:
        text = LEAVES.replace("MARK", mark).replace("DEADLINE", str(name == "sleeps.py"))
        script(name, text.replace("FORKS", str(name == "forks.py")))
    variants = ",".join(f"cmd:./{name}" for name in ends)
    more = [word for word in terms if word not in TERMS]
    drr(*new(box, variants, "--limits", "seconds=2" if len(ends) > 1 else "seconds=60", *more))
    with Study.open(Path("study")) as study:
        ended = {one.label.split(":")[1].split("/")[0]: one for one in study.records("answer", None)}
        kept = [study.text(record, "stderr") for record in ended.values()]
    assert {name: record.reason for name, record in ended.items()} == ends
    assert all(len(text or "") <= 1_000_100 for text in kept)
    assert running(mark) == [] and not any(map(running, ends))


KILLED = """
import asyncio
from drr.agents.commands.command import Command
from drr.agents.commands.process import sandbox_for
from drr.agents.commands.command import CommandTerms

async def main():
    async with sandbox_for(Command.of("cmd:./waits.sh"), CommandTerms(trusted=TRUSTED)) as place:
        await place.run({"PATH": "/usr/bin:/bin"}, "", None)

asyncio.run(main())
"""


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.skipif(not CONTAINED, reason="a parent's death is told on Linux")
def test_a_driver_that_is_killed_leaves_no_agent(script: Script, trusted: bool) -> None:
    mark = f"9753{int(trusted)}"
    script("waits.sh", f"#!/bin/sh\ntouch here\nsetsid sleep {mark} &\nsleep {mark}\n")
    driver = subprocess.Popen([sys.executable, "-c", KILLED.replace("TRUSTED", str(trusted))])
    until = time.monotonic() + 60
    while len(running(f"sleep\0{mark}")) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    assert len(running(f"sleep\0{mark}")) == 2
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    while running(f"sleep\0{mark}") and time.monotonic() < until:
        time.sleep(0.02)
    assert running(f"sleep\0{mark}") == []
    while list(Path(tempfile.gettempdir()).glob("drr-agent-*/here")) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(Path(tempfile.gettempdir()).glob("drr-agent-*/here")) == []


@needs_namespaces
def test_a_folder_that_no_agent_may_see_cannot_be_named(box: Path, script: Script, drr: Drr) -> None:
    script("agent.sh", "#!/bin/sh\necho A report of 5 words.\n")
    code, _, err = drr(*asked(box, "cmd:./agent.sh", "--agent-sees", box / "shop"))
    assert code == 2 and "which no agent may see" in err


def test_what_its_requests_may_weigh_is_limited(box: Path, script: Script, drr: Drr) -> None:
    script(
        "heavy.py",
        "import urllib.error\n"
        "def tried(act):\n"
        "    try: act()\n"
        "    except urllib.error.HTTPError as error: return error.code\n"
        "    except OSError: return 'cut'\n"
        "said = [tried(lambda: call('calculator', expression='1' * 300_000))]\n"
        "for path in ('/v1/messages', '/v1/chat/completions'):\n"
        "    said.append(tried(lambda: post(os.environ['ANTHROPIC_BASE_URL'] + path, {'x': '1' * 17_000_000})))\n"
        f"{SEARCHES}os.environ['DRR_MCP_TOKEN'] = 'another-questions-token'\n"
        "said.append(tried(lambda: call('calculator', expression='1')))\n"
        "print('Told:', said)\n",
    )
    code, out, err = drr(*asked(box, "cmd:./heavy.py"))
    assert code == 0, err
    told = json.loads(out)
    *heavy, stranger = json.loads(told["report"].removeprefix("Told: ").replace("'", '"'))
    assert len(told["tool_calls"]) == 1 and stranger == 401
    assert len(heavy) == 3 and {*heavy} <= {413, "cut"}  # refused while it was still being sent


def test_a_study_of_others_starts_no_program_that_was_not_named_here(
    box: Path, script: Script, drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("agent.sh", f"{SEARCHES}print('A report of 5 words.')\n")
    assert drr(*new(box, "cmd:./agent.sh"))[0] == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another-user"))
    code, _, err = drr("run", "study", "--shop", box / "shop", *TERMS)
    assert code == 2 and "and you did not: not used" in err
    assert drr("run", "study", "--shop", box / "shop", "--variants", "cmd:./agent.sh", *TERMS)[0] == 0
