"""Keys stay where they are: each node has its own, and nothing of the driver's is found on any of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drr.env.settings import Settings

from tests.agents.garden import ANNA, write_shop
from tests.rays.nodes import ROOT, files_hold, memory_holds, processes_of

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
KEY = "sk-ant-not-a-real-key-4711-0815-none-of-yours"


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("canary-in-the-garden")
    write_shop(str(folder / "shop"), Settings())
    rows = [{"id": f"q{n}", "query": f"Which bird house for {n} birds?", "user_id": ANNA} for n in range(6)]
    (folder / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def drr(folder: Path, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "drr", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": ROOT, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def new(name: str, *more: str) -> list[str]:
    return ["run", name, "--shop", "shop", "--queries", "queries.jsonl", "--variants", "react", *more]


def test_a_worker_without_its_key_is_refused_and_the_drivers_goes_nowhere(garden: Path, cluster: Any) -> None:
    """The control is the folder's name, which the same search finds on the nodes."""
    done = drr(
        garden,
        *new("without", "--model", "anthropic:claude-sonnet-5-5", "--budget", "1"),
        *("--pool", "ray", "--workers", "2", "--quiet"),
        ANTHROPIC_API_KEY=KEY,
    )
    assert done.returncode == 1, done.stderr
    assert "a worker could not begin" in done.stderr and "(127.0.0.1, process " in done.stderr
    assert "ANTHROPIC_API_KEY" in done.stderr and KEY not in done.stderr
    session = Path(cluster.head_node.get_session_dir_path())
    nodes = list(processes_of(session.name))
    assert len(nodes) >= 4
    word = garden.name.encode()
    assert any(memory_holds(process, word) for process in nodes) or files_hold(session, word)
    assert not any(memory_holds(process, KEY.encode()) for process in nodes)
    assert not files_hold(session, KEY.encode())


def test_the_command_leaves_on_a_cluster_what_it_leaves_alone(garden: Path, cluster: Any) -> None:
    """Answers and judgements, the tables byte by byte; the shop is copied once for each node."""
    rays = ("--pool", "ray", "--workers", "2", "--copy-shop")
    for name, way in {"one": (), "many": rays}.items():
        done = drr(garden, *new(name, *way, "--quiet"))
        assert done.returncode == 0, done.stderr
        done = drr(garden, "judge", name, "--what", "rules,faithfulness", *way, "--quiet")
        assert done.returncode == 0, done.stderr
        assert drr(garden, "export", name, "--out", f"{name}-tables", "--canonical").returncode == 0
    for file in sorted((garden / "one-tables").iterdir()):
        assert file.read_bytes() == (garden / "many-tables" / file.name).read_bytes(), file.name
    copies = list(cluster.caches.glob("*/drr/copies/*/manifest.json"))
    assert len({path.parents[3] for path in copies}) == len(copies) == 2
    assert {path.read_bytes() for path in copies} == {(garden / "shop/manifest.json").read_bytes()}


def test_doctor_shows_the_cluster(garden: Path, cluster: Any) -> None:
    said = drr(garden, "doctor").stdout
    assert f"ray: {cluster.address}: 3 nodes, 2 CPUs, " in said
