"""A contained command answers a sealed set: no byte that it can open, and none that a tool returns, tells seed or truth."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from drr.agents.commands.sight import why_not_contained
from drr.app.study.frozen_sets import LEAST_SEALED

from tests.commands import Drr

SEED = LEAST_SEALED + 4_711_471_147
AXES = "products = 60\nusers = 30\nreviews = 900\nkinds = 6\npages = 4\nquestions = 2\n"
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", "/sys")
"""Folders that belong to the system, to which this program never writes."""
SEARCHER = """#!{python}
import json
import re, os, sys, urllib.request

asked = sys.stdin.read()
marks = [bytes.fromhex(one)[::-1] for one in {marks!r}]
read, found = 0, []

def look(where, content):
    global read
    read += 1
    found.extend(f"{{where}}: mark {{n}}" for n, mark in enumerate(marks) if mark in content)

look("standard input", asked.encode())
look("environment", repr(dict(os.environ)).encode())
look("arguments", repr(sys.argv).encode())
for place, folders, names in os.walk("/"):
    folders[:] = [one for one in folders if os.path.join(place, one) not in {system!r} and not os.path.join(place, one).endswith({packages!r})]
    for name in names + folders:
        path = os.path.join(place, name)
        look("name of " + path, os.fsencode(path))
        if os.path.isfile(path) and not os.path.samefile(path, __file__):
            try:
                with open(path, "rb") as file:
                    look(path, file.read(64_000_000))
            except (OSError, OverflowError):
                pass

def call(method, **params):
    body = json.dumps({{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}}).encode()
    head = {{"Authorization": "Bearer " + os.environ["DRR_MCP_TOKEN"], "Accept": "application/json", "Content-Type": "application/json"}}
    answer = urllib.request.urlopen(urllib.request.Request(os.environ["DRR_MCP_URL"], body, head)).read()
    look(method + " " + str(params), answer)
    return json.loads(answer)

tools = call("tools/list")["result"]["tools"]
for tool in tools:
    for given in ({{}}, {{"query": "best", "match": "any", "limit": 8}}, {{"limit": 5}}, {{"url": "file:///proc/self/environ"}}, {{"product_id": "../manifest.json"}}):
        call("tools/call", name=tool["name"], arguments=given)
print(f"# What was found\\n\\n{{read}} texts were read with {{len(tools)}} tools. FOUND {{json.dumps(found[:20])}} END.")
"""


@pytest.mark.slow
@pytest.mark.skipif(why_not_contained() is not None, reason="this system cannot contain commands")
def test_no_byte_in_reach_of_a_contained_command_tells_seed_or_truth(drr: Drr, tmp_path: Path) -> None:
    (tmp_path / "axes.toml").write_text(AXES)
    closed, sets = tmp_path / "closed", tmp_path / "mine-v1"
    drr.json("shop", "make", "--seed", SEED, "--axes", tmp_path / "axes.toml", "--out", closed)
    drr.json("queries", "freeze", "mine-v1", "--sealed", closed, "--out", sets)
    seal = json.loads((tmp_path / "mine-v1.seal.json").read_text())["parts"]["closed"]
    lines = (closed / "queries.jsonl").read_text().splitlines()
    truths = [line.partition('"checkable":{')[2][:60] for line in lines]
    assert len(lines) == 2 and all(truths)
    marks = [str(SEED), seal["nonce"], '"checkable":{', *truths]
    script = tmp_path / "searcher.py"
    packages = [f"/{name}" for name in ("site-packages", "dist-packages")]
    script.write_text(
        SEARCHER.format(python=sys.executable, marks=[one.encode()[::-1].hex() for one in marks], system=set(SYSTEM), packages=tuple(packages))
    )  # fmt: skip
    script.chmod(0o755)
    given = ("--shop", closed / "shop", "--sandbox", closed / "web", "--queries", closed / "queries.jsonl")
    (tmp_path / "leak.txt").write_text(f"made from {SEED}")

    def reports(name: str, *more: object) -> str:
        words = ("--set", sets, *given, "--variants", f"cmd:{script}", "--model", "offline", "--quiet", *more)
        drr.out("run", tmp_path / name, *words)
        drr.out("study", "export", tmp_path / name, "--out", tmp_path / f"{name}-out")
        return "".join(path.read_text() for path in (tmp_path / f"{name}-out").rglob("*.jsonl"))

    told = reports("study")
    assert "9 tools" in told and told.count("FOUND [] END") >= 2, (
        re.findall(r"FOUND.{0,300}", told) or told[-1500:]
    )
    assert "leak.txt: mark 0" in reports("leaky", "--agent-sees", tmp_path / "leak.txt"), (
        "it finds what is there"
    )
