"""An ingest that is killed leaves the old shop or a whole new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from drr.app.cli import main
from drr.env.embedded import writer
from drr.env.settings import Settings
from drr.env.shop import check_shop, open_shop

from benchmarks.results import record, table
from tests.ingest.raw import messy_reviews, meta, product_id, write_pair

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed")
    products = [product_id(n) for n in range(300)]
    write_pair(
        folder, "Pet_Supplies", messy_reviews(1, products, 6000), [meta(parent_asin=p) for p in products]
    )
    return folder


def arguments(raw: Path, shop: Path, seed: int) -> list[str]:
    given = f"--shop {shop} --replace --categories all --max-bad 1 --seed {seed} --quiet --statuses varied"
    return ["data", "ingest", str(raw), *given.split()]


def kill_at_random(raw: Path, tmp_path: Path, times: int, seed: int) -> set[int]:
    """Recipes' seeds of the shops that were found after each kill."""
    rng = random.Random(seed)
    shop = tmp_path / "shop"
    assert main(arguments(raw, shop, 0)) == 0
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, 0)], check=True, timeout=120)
    whole = time.monotonic() - start
    found = set()
    last = 0
    for attempt in range(1, times + 1):
        process = subprocess.Popen(
            [sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, attempt)], start_new_session=True
        )
        try:
            process.wait(rng.uniform(0.1, 1.1) * whole)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        finished = process.wait() == 0
        with open_shop(str(shop), Settings()) as opened:
            now = opened.manifest.recipe["seed"]
        assert now in (last, attempt)
        assert now == attempt or not finished
        assert list(check_shop(str(shop), Settings())) == []
        last = now
        found.add(now)
    assert main(arguments(raw, shop, times + 1)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop", "shop.quarantine.jsonl"]
    return found


def test_five_kills(raw: Path, tmp_path: Path) -> None:
    kill_at_random(raw, tmp_path, 5, 1)


@pytest.mark.endurance
def test_fifty_kills(raw: Path, tmp_path: Path) -> None:
    found = kill_at_random(raw, tmp_path, 50, 2)
    new = len(found - {0})
    assert 0 < new < 50  # both outcomes were seen
    record(
        "Endurance: killed ingests",
        table(
            ("kills at random moments", "old shop intact", "new shop whole", "anything else"),
            [(50, 50 - new, new, 0)],
        ),
    )


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "drr: interrupted\n"), (signal.SIGTERM, 143, "drr: ended by SIGTERM\n")],
)
def test_a_signal_leaves_the_old_shop_and_nothing_else(
    raw: Path, tmp_path: Path, number: signal.Signals, code: int, said: str
) -> None:
    shop = tmp_path / "shop"
    assert main(arguments(raw, shop, 0)) == 0
    process = subprocess.Popen(
        [sys.executable, "-m", "drr.app.cli", *arguments(raw, shop, 1)], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(
        p.name.startswith(".shop.new-") for p in tmp_path.iterdir()
    ):
        time.sleep(0.005)
    process.send_signal(number)
    _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (code, said)
    with open_shop(str(shop), Settings()) as opened:
        assert opened.manifest.recipe["seed"] == 0
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_signal_on_any_line_of_the_beginning_leaves_nothing(tmp_path: Path) -> None:
    """An interrupt is raised on the first line that the writer runs, then on the second, until it gets through."""
    step, through = 0, False

    def hit(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal left
        if event == "line" and frame.f_code.co_filename == writer.__file__:
            left -= 1
            if not left:
                raise KeyboardInterrupt
        return hit

    while not through:
        step += 1
        left = step
        before = sys.gettrace()
        sys.settrace(hit)
        try:
            with writer.shop_writer(str(tmp_path / "shop"), Settings()):
                sys.settrace(before)
                through = True
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert list(tmp_path.iterdir()) == []
    assert step > 20
