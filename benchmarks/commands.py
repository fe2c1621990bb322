"""Commands as variants: what each costs beside what it does itself, 200 at once, and hostile ones beside honest ones.

The agents are shell scripts that call one tool with curl. Everything runs through `drr run` on the small shop of the tests.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from drr.env.settings import Settings
from drr.study.study import Study
from drr.study.unit import Record

from benchmarks.results import machine, record, table
from tests.agents.garden import ANNA, DOCUMENTS, write_shop

POST = """#!/bin/sh
cat > question
ask() {
  curl -s --fail -H "Authorization: Bearer $DRR_MCP_TOKEN" -H 'Content-Type: application/json' \\
    -H 'Accept: application/json, text/event-stream' "$DRR_MCP_URL" \\
    -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "product_catalog_search", "arguments": {"query": "feeder"}}}'
}
"""
AGENTS = {
    "prints.sh": "#!/bin/sh\necho A report.\n",
    "calls.sh": POST + "ask > found || exit 1\necho A report of $(wc -c < found) bytes.\n",
    "waits.sh": POST + "ask > found || exit 1\nsleep 10\necho A report of $(wc -c < found) bytes.\n",
    "forks.sh": "#!/bin/bash\nf() { f | f & f; }\nf\n",
    "floods.sh": "#!/bin/sh\nyes report\n",
    "murmurs.sh": "#!/bin/sh\nyes nonsense >&2\n",
    "outstays.sh": "#!/bin/sh\ntrap '' TERM INT HUP\nsetsid sleep 86421 &\nwhile :; do sleep 86421; done\n",
    "repeats.sh": POST.replace('"$DRR_MCP_URL"', '"$DRR_MCP_URL?n=[1-999]"') + "ask > /dev/null; sleep 60\n",
}
HOSTILE = {
    "forks.sh": "agent_timeout",
    "floods.sh": "agent_output",
    "murmurs.sh": "agent_timeout",
    "outstays.sh": "agent_timeout",
    "repeats.sh": "agent_flood",
}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_shop(str(folder / "shop"), Settings())
        (folder / "sandbox").mkdir()
        (folder / "sandbox" / "documents.jsonl").write_text(
            "\n".join(document.model_dump_json() for document in DOCUMENTS) + "\n"
        )
        for agent, text in AGENTS.items():
            (folder / agent).write_text(text)
            (folder / agent).chmod(0o755)
        parts = [_overhead(folder), _at_once(folder), _hostile(folder)]
    left = _running("86421")
    parts.append(f"Left running after all of it: {len(left)} processes.")
    record("Commands as variants", f"`python -m benchmarks.commands`; {machine()}.\n\n" + "\n\n".join(parts))
    return 1 if left else 0


def _run(
    folder: Path, study: str, agents: list[str], queries: int, *more: str
) -> tuple[float, list[Record], str]:
    """Seconds, records, and what was said."""
    file = folder / f"queries-{queries}.jsonl"
    lines = (
        {"id": f"q-{number}", "query": f"Which feeder? ({number})", "user_id": ANNA}
        for number in range(queries)
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["run", study, "--shop", "shop", "--sandbox", "sandbox", "--queries", file.name, "--quiet", *more]
    variants = ",".join(f"cmd:./{agent}" for agent in agents)
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "drr", *words, "--variants", variants], cwd=folder, capture_output=True, text=True, env={**os.environ, "XDG_CONFIG_HOME": str(folder / "config")})  # fmt: skip
    seconds = time.monotonic() - started
    with Study.open(folder / study) as opened:
        return seconds, list(opened.records("answer", None)), done.stderr


def _overhead(folder: Path) -> str:
    """Measure units one after the other, so that a unit's seconds are its own. The same script is started by nobody but a shell too."""
    rows = []
    for agent in ("prints.sh", "calls.sh"):
        for terms in ((), ("--trust-agent",)):
            _, records, said = _run(folder, f"one-{agent}-{len(terms)}", [agent], 40, "--units", "1", *terms)
            seconds = [one.seconds for one in records if one.status == "done"]
            if len(seconds) < 40:
                raise SystemExit(f"{agent}: {said}")
            rows.append([agent, "trusted" if terms else "contained", *_milliseconds(seconds)])
    bare = []
    for _ in range(40):
        started = time.monotonic()
        subprocess.run([str(folder / "prints.sh")], stdout=subprocess.DEVNULL, check=True)
        bare.append(time.monotonic() - started)
    rows.append(["prints.sh", "by itself", *_milliseconds(bare)])
    return "**What a unit takes**, one at a time, of 40:\n\n" + table(
        ["agent", "terms", "median ms", "p95 ms"], rows
    )


def _milliseconds(seconds: list[float]) -> list[str]:
    ordered = sorted(seconds)
    return [f"{1000 * statistics.median(ordered):.0f}", f"{1000 * ordered[int(len(ordered) * 0.95)]:.0f}"]


def _at_once(folder: Path) -> str:
    """200 agents that call a tool and wait 10 s: all are under way together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    seconds, records, said = _run(folder, "many", ["waits.sh"], 200, "--units", "200")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = [one for one in records if one.status == "done"]
    reasons = sorted({str(one.reason) for one in records if one.status != "done"})
    together = _together([(one.started_at, one.finished_at) for one in records])
    if len(done) < 200:
        print(said[-2000:], file=sys.stderr)
    told = f"{len(done)} of 200 done ({', '.join(reasons) or 'none failed'}), {together} under way together, in {seconds:.1f} s of which each waits 10"
    return (
        f"**200 at once** (`--units 200`): {told}; the largest process had {max(before, peak) // 1024} MiB."
    )


def _together(spans: list[tuple[float, float]]) -> int:
    return max(sum(begun <= start < ended for begun, ended in spans) for start, _ in spans)


def _hostile(folder: Path) -> str:
    """Four of each kind beside four honest ones, all at once."""
    agents = ["calls.sh", *HOSTILE]
    _, records, _ = _run(folder, "ill", agents, 4, "--units", "24", "--limits", "seconds=20,tool_calls=20")
    rows = []
    for agent in agents:
        own = [one for one in records if one.label.split("/")[1] == f"cmd:{agent}"]
        ends = sorted({str(one.reason or one.status) for one in own})
        slowest = max(one.seconds for one in own)
        rows.append([agent, HOSTILE.get(agent, "done"), ", ".join(ends), f"{slowest:.1f}"])
    return "**Hostile ones beside honest ones**, four of each at once, a deadline of 20 s:\n\n" + table(
        ["agent", "should end as", "ended as", "slowest s"], rows
    )


def _running(mark: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in words or b"launcher.py" in words:
                found.append(folder.name)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
