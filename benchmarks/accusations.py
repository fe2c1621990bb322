"""How often an accusation is right at first contact: by kind of statement and certainty, by the rules as each round first met them.

python -m benchmarks.accusations [--shop SHOP] [--since 8] [--record]

Needs the history of the repository: of each round the commit that added it is unpacked, whose rules had never seen it, and its rules are
run on it. An accusation of a planted twin that its clean text does not get is right, one of a clean text is wrong; each counts once a text.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report, urls_in
from drr.eval.checks.base import CheckTally

from benchmarks.first_contact import ROUNDS, StrangerText, read_round
from benchmarks.planted import sample_shop
from benchmarks.results import record, table

HEADING = "Accusations at first contact"
_TOP = Path(__file__).resolve().parents[1]
_OF_MONEY = (
    ("per unit", "unit_cost"),
    ("comes to", "sum"),
    ("come to", "sum"),
    ("leaves over", "rest"),
    ("differ by", "difference"),
    ("no price in play explains", "price"),
    ("no limit", "price"),
)
"""What an accusation says, and its kind: those of the ledger of amounts do not tell their kind themselves."""
_IS_PRICE = re.compile(r"said .* is \$")
Accusation = tuple[str, str, str]
"""The kind of statement, its certainty, and what is said."""


def told_kinds() -> dict[str, str]:
    """What each accusation says -> its kind, from now on."""
    kinds: dict[str, str] = {}
    accuse = CheckTally.accuse

    def noted(tally: CheckTally, kind: str, span: tuple[int, int], why: str, *more: object) -> None:
        kinds[why] = kind
        accuse(tally, kind, span, why, *more)  # type: ignore[arg-type]

    CheckTally.accuse = noted  # type: ignore[method-assign, assignment]
    return kinds


def _accusations(text: str, one: StrangerText, shop: Shop, kinds: dict[str, str]) -> Iterator[Accusation]:
    known = urls_in(one.text)
    checks = check_report(Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=known))
    for name, check in checks.items():
        if check.status != "fail":
            continue
        bound = check.value.get("certainty", []) if isinstance(check.value, dict) else []
        for index, why in enumerate(check.evidence[: len(check.spans)] or check.evidence[:1]):
            price = "price" if _IS_PRICE.search(why) else name
            kind = kinds.get(why) or next((kind for words, kind in _OF_MONEY if words in why), price)
            yield kind, (bound[index] if index < len(bound) else None) or "-", why


def tally_round(path: Path, shop: Shop) -> None:
    """One line of JSON for each accusation: its kind, its certainty, its text, and whether it is right."""
    kinds = told_kinds()
    for one in read_round(path):
        clean = set(_accusations(one.text, one, shop, kinds))
        found = set(_accusations(one.twin, one, shop, kinds)) if one.twin is not None else set()
        for right, some in ((False, clean), (True, found - clean)):
            for kind, bound in sorted({(kind, bound) for kind, bound, _ in some}):
                print(orjson.dumps([kind, bound, f"{path.stem} {one.id}", right]).decode())


def _git(*words: str) -> bytes:
    ran = subprocess.run(["git", *words], cwd=_TOP, capture_output=True, check=False)
    if ran.returncode:
        sys.exit(f"git {words[0]} failed: the history of the repository is needed")
    return ran.stdout


def _unpacked(commit: str, folder: Path) -> None:
    """The repository as it was, its rooms under the package's own folder so that no other is imported."""
    with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as tar:
        tar.extractall(folder, filter="data")
    for room in sorted(one for one in folder.iterdir() if (one / "__init__.py").is_file()):
        if room.name not in ("drr", "benchmarks", "tests"):
            (folder / "drr" / room.name).symlink_to(room)
    (folder / "benchmarks" / "accusations.py").write_bytes(Path(__file__).read_bytes())


def first_accusations(name: str, shop: Path | None) -> Iterator[tuple[str, str, str, bool]]:
    """By the rules of the commit that added a round."""
    path = f"benchmarks/strangers/{name}.jsonl"
    commit = _git("log", "--diff-filter=A", "--format=%H", "--", path).decode().split()[-1]
    with tempfile.TemporaryDirectory() as folder:
        _unpacked(commit, Path(folder))
        given = ["--shop", str(shop.resolve())] if shop is not None else []
        ran = subprocess.run(
            [sys.executable, "-m", "benchmarks.accusations", "--inside", path, *given],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            check=True,
        )
    for line in ran.stdout.splitlines():
        kind, bound, where, right = orjson.loads(line)
        yield kind, bound, where, right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop", type=Path)
    parser.add_argument(
        "--since", type=int, default=8, help="the first round; earlier rules told no certainty"
    )
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside is not None:
        with sample_shop(arguments.shop) as shop:
            tally_round(arguments.inside, shop)
        return
    right: Counter[tuple[str, str]] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    rounds = sorted(int(path.stem.removeprefix("round")) for path in ROUNDS.glob("round*.jsonl"))
    for number in (one for one in rounds if one >= arguments.since):
        for kind, bound, _, is_right in first_accusations(f"round{number}", arguments.shop):
            (right if is_right else wrong)[kind, bound] += 1
    every = sorted({*right, *wrong}, key=lambda one: (-wrong[one], one))
    rows = [[*one, right[one], wrong[one], f"{right[one] / (right[one] + wrong[one]):.2f}"] for one in every]
    rows.append(
        ["all", "", right.total(), wrong.total(), f"{right.total() / (right.total() + wrong.total()):.2f}"]
    )
    text = table(["kind of statement", "certainty", "right", "wrong", "share right"], rows)
    print(text)
    if arguments.record:
        record(HEADING, text)


if __name__ == "__main__":
    main()
