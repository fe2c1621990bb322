"""A command that means ill: what it reaches, what it is called for, and that nothing of it is left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from drr.study.study import Study

from tests.agents.commands.conftest import KEY, TERMS, Drr, Script, asked, needs_namespaces, new, running
from tests.agents.garden import BEN

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
print(json.dumps(found))
"""


@needs_namespaces
def test_it_finds_no_key_no_records_no_process_and_no_way_out(
    box: Path, script: Script, drr: Drr, tmp_path: Path
) -> None:
    import socket

    (tmp_path / "config" / "drr").mkdir(parents=True)
    (tmp_path / "config" / "drr" / "settings.toml").write_text(f'anthropic_api_key = "{KEY}"\n')
    with socket.create_server(("127.0.0.1", 0)) as ours:
        known = {"CONFIG": tmp_path / "config", "STUDY": tmp_path / "study", "SHOP": box / "shop", "BOX": box}
        head = "".join(f"{name} = {str(path)!r}\n" for name, path in known.items())
        script("looks.py", f"{head}BEN = {BEN!r}\nPORT = {ours.getsockname()[1]}\n{LOOKS}")
        code, out, err = drr(*asked(box, "cmd:./looks.py", "--agent-sees", tmp_path))
    assert code == 0, err
    found = json.loads(json.loads(out)["report"])
    assert found["key"] == [] and found["secrets"] == [] and found["shop"] is False
    assert found["processes"][:2] == [1, 2] and len(found["processes"]) <= 4
    assert found["parent"] == found["memory"] == "PermissionError"
    assert found["write"] == [] and found["kill"] is True
    assert found["outside"] == "OSError" and found["driver"] == "ConnectionRefusedError"
    assert found["namespaces"] is True and found["ben"] is True
    assert {*found["devices"]} == {
        *("null", "zero", "full", "random", "urandom", "shm", "fd", "stdin", "stdout", "stderr")
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
            os.execv("/bin/sh", ["sh", "-c", "yes nonsense >&2"])
time.sleep(0.2)
print("A report.")
"""


@pytest.mark.parametrize("terms", [TERMS, ["--trust-agent"]], ids=["contained", "trusted"])
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere what leaves its group is not found again")
def test_what_it_leaves_behind_is_ended_with_it(
    box: Path, script: Script, drr: Drr, terms: list[str], tmp_path: Path
) -> None:
    mark = f"left-by-{tmp_path.name}"
    made = {"ends.py": (0, 0), "sleeps.py": (1, 0)} | (
        {} if "--trust-agent" in terms else {"forks.py": (0, 1)}
    )
    for name, (deadline, forks) in made.items():
        text = LEAVES.replace("MARK", mark).replace("DEADLINE", str(deadline)).replace("FORKS", str(forks))
        script(name, text)
    variants = ",".join(f"cmd:./{name}" for name in made)
    drr(*new(box, variants, "--limits", "seconds=2", *[word for word in terms if word not in TERMS]))
    with Study.open(Path("study")) as study:
        ended = {record.label.split(":")[1].split("/")[0]: record for record in study.records("answer", None)}
        kept = {name: study.text(record, "stderr") for name, record in ended.items()}
    assert {name: record.reason for name, record in ended.items()} == {
        name: None if name == "ends.py" else "agent_timeout" for name in made
    }
    assert all(len(text or "") <= 64_000 for text in kept.values())
    assert running(mark) == [] and running("drr-agent-") == [] and not any(map(running, made))


@pytest.mark.skipif(sys.platform != "linux", reason="a parent's death is told on Linux")
def test_a_driver_that_is_killed_leaves_no_agent(box: Path, script: Script, tmp_path: Path) -> None:
    script("waits.sh", "#!/bin/sh\nsetsid sleep 97531 &\nsleep 97531\n")
    words = [str(word) for word in new(box, "cmd:./waits.sh")]
    driver = subprocess.Popen(
        [sys.executable, "-m", "drr", *words], stderr=subprocess.PIPE, env={**os.environ}
    )
    until = time.monotonic() + 60
    while len(running("97531")) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(running("97531")) >= 2
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    while running("97531") and time.monotonic() < until:
        time.sleep(0.05)
    assert running("97531") == []


def test_a_study_of_others_starts_no_program_that_was_not_named_here(
    box: Path, script: Script, drr: Drr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("agent.sh", "#!/bin/sh\necho A report.\n")
    assert drr(*new(box, "cmd:./agent.sh"))[0] == 0
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "another-user"))
    code, _, err = drr("run", "study", "--shop", box / "shop", *TERMS)
    assert (code == 2 and "which you did not name" in err) or "you did not: not used" in err
    assert drr("run", "study", "--shop", box / "shop", "--variants", "cmd:./agent.sh", *TERMS)[0] == 0
