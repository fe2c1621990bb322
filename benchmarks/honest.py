"""Verifies bundles of honest studies: built-in and scripted agents over seeds, each with other questions, trials, judgings and redactions.

python -m benchmarks.honest --bundles 60 --record
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from drr.app.bundles.findings import BundleFindings
from drr.app.bundles.verifier import VerifyTerms, verify
from drr.app.cli import main as drr

from benchmarks.results import record

AXES = "products = 120\nusers = 20\nreviews = 800\nkinds = 6\npages = 5\nquestions = 24\n"
SCRIPTED = Path(__file__).parents[1] / "tests" / "stress_agents.py"
AGENTS = (
    *("react", "plan-to-function", "hybrid-react", "react+ws", "hybrid-react+own"),
    *(f"{SCRIPTED}:{name}" for name in ("fair", "cheapest", "first_place", "flaky", "quoting", "obedient")),
)
JUDGED = ("rules", "rules,faithfulness", "rules,quality", "")


def _typed(*words: object) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return drr(
            [*map(str, words), "--quiet"] if words[0] in ("run", "judge", "shop") else [*map(str, words)]
        )


def bundle(place: Path, world: Path, seed: int) -> BundleFindings:
    """Make an honest bundle, by a draw of its seed, and verify it against its shop."""
    chance = random.Random(seed)
    lines = chance.sample((world / "queries.jsonl").read_text("utf-8").splitlines(), chance.randint(1, 3))
    asked = place / "queries.jsonl"
    asked.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    agents = ",".join(chance.sample(AGENTS, chance.randint(1, 2)))
    _typed("run", place / "study", "--shop", world / "shop", "--sandbox", world / "web", "--queries", asked,
           "--variants", agents, "--trials", chance.randint(1, 2), "--model", "offline")  # fmt: skip
    if what := chance.choice(JUDGED):
        _typed("judge", place / "study", "--what", what, "--judge", "offline")
    more = [flag for flag in ("--redact", "--with-pages") if chance.random() < 0.3]
    if _typed("bundle", "make", place / "study", "--out", place / "bundle", *more):
        raise SystemExit(f"seed {seed}: no bundle could be made")
    settings = {"sandbox": world / "web"}
    return verify(place / "bundle", VerifyTerms(shop=str(world / "shop"), questions=asked, given=settings))


def verified(count: int) -> Iterator[tuple[int, BundleFindings]]:
    with TemporaryDirectory() as home:
        axes, worlds = Path(home, "axes.toml"), [Path(home, f"world-{number}") for number in range(3)]
        axes.write_text(AXES, "utf-8")
        for number, world in enumerate(worlds):
            _typed("shop", "make", "--seed", 100 + number, "--axes", axes, "--out", world)
        for seed in range(count):
            with TemporaryDirectory() as place:
                yield seed, bundle(Path(place), worlds[seed % len(worlds)], seed)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks honest", description=__doc__)
    parser.add_argument("--bundles", type=int, default=60)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    tiers, answers, accused = Counter[str](), 0, list[str]()
    for seed, found in verified(given.bundles):
        tiers[found.tier] += 1
        answers += found.checked["answers"]
        accused += [f"seed {seed}: {one['check']}: {one['where']} {one['what']}" for one in found.failed]
        print(seed, found.tier, *found.why()[:3], flush=True)
    print(*accused, sep="\n")
    counted = ", ".join(f"{count} {tier}" for tier, count in sorted(tiers.items()))
    text = f"{given.bundles} bundles of {answers:,} answers by {len(AGENTS)} agents on three shops, over seeds: {len(accused)} accused; {counted}."
    (record("Honest bundles", text) if given.record else print(text))


if __name__ == "__main__":
    main()
