"""How often an accusation is right at first contact: by kind of statement and certainty, by the rules as each round first met them.

python -m benchmarks.accusations [--shop SHOP] [--since 8] [--write] [--record]

Needs the history of the repository: of each round the commit whose rules had never seen it is unpacked, and its rules are run on it. An
accusation of a planted twin that its clean text does not get is right, one of a clean text is wrong; each counts once a text. What a rule
would accuse but for one doubt is noted too. `--write` keeps all of them as labels (`pairs/accusations.jsonl`), to which the weights of
accusations are fitted (`benchmarks/accusation_fit.py`); labels of rounds that are not asked for stay.
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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, urls_in
from drr.eval.checks.base import CheckTally
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money import ledger
from pydantic import BaseModel, ConfigDict

from benchmarks.first_contact import ROUNDS, StrangerText, read_round
from benchmarks.planted import sample_shop
from benchmarks.results import record, table

HEADING = "Accusations at first contact"
LABELS = Path(__file__).parent / "pairs" / "accusations.jsonl"
MET_BY = {"round15": "c712bc0", "round16": "c712bc0"} | {
    f"round{number}": commit
    for commit, numbers in {
        "8a3d0e4": (19, 20, 21, 22),
        "3015cb4^": (23, 24),
        "1043a2f^": (25, 26),
        "8b37698": (27, 28),
        "3888829": (29, 30),
        "cc2584c": (31, 32, 33, 34, 35, 36),
        "b026c77": (37, 38),
        "4513a8e": (39, 40),
        "f1e8f3e": (41, 42, 43, 44, 45, 46),
        "106c782": (47, 48),
        "dc02bc8": (49, 50, 51, 52),
        "e98edc7": (53, 54, 55, 56),
        "a136a1a": (57, 58, 59, 60),
        "db7a94b": (61, 62),
        "67d8ec4": (63, 64, 65, 66),
        "b2c1136": (67, 68, 69, 70),
        "10bb03d": (71, 72),
        "015dd9e": (73, 74, 75, 76),
        "09fef75": (77, 78),
        "c81b08f": (79, 80, 81, 82),
        "3ff1b72": (83, 84),
    }.items()
    for number in numbers
}
"""Rounds that were added after their first contact, and the commit whose rules met them; of others the commit that added them."""
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
"""What an accusation says, and its kind: in older rules those of the ledger of amounts do not tell their kind themselves."""
_IS_PRICE = re.compile(r"said .* is \$")
Span = tuple[int, int]


class LabelledAccusation(BaseModel):
    """One accusation, as the rules made it that met its text first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    round: str
    id: str
    twin: bool
    """Of the planted twin; else of the clean text."""
    rules: tuple[str, ...]
    """Those that make it."""
    kind: str
    bound: str
    span: Span
    why: str
    doubt: str | None = None
    """Why it was not made; `None` where it was."""
    new: bool
    """Of a twin: that its clean text does not get it."""


def read_labels(path: Path = LABELS) -> list[LabelledAccusation]:
    return [LabelledAccusation.model_validate_json(line) for line in path.read_bytes().splitlines()]


class Listener:
    """Notes what the rules of any commit accuse, and what they would accuse but for a doubt."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.doubted: dict[tuple[Span, str], tuple[list[str], str, str, str]] = {}
        """Place and words -> rules, kind, certainty, doubt."""
        self.rule = ""
        self._listen_to_tallies()
        self._listen_to_ledgers()

    def _listen_to_tallies(self) -> None:
        accuse = CheckTally.accuse

        def noted(
            tally: CheckTally, kind: str, span: Span, why: str, bound: Any, doubt: str | None = None
        ) -> None:
            self.kinds[why] = kind
            before = tally.unknown
            accuse(tally, kind, span, why, bound, doubt)
            if doubt is not None and tally.unknown > before and f"{why}: {doubt}" in tally.remarks:
                self._doubted(span, why, [self.rule], kind, bound.word, doubt)

        CheckTally.accuse = noted  # type: ignore[method-assign, assignment]

    def _listen_to_ledgers(self) -> None:
        """An amount that a doubt keeps, the only one of its sentence that nothing explains."""
        held_back, settle = ledger.held_back, ledger.MoneyLedger._settle
        held: list[tuple[str, Any, str]] = []

        def noted(kind: str, bound: Any, doubt: str | None = None) -> str | None:
            reason = held_back(kind, bound, doubt)
            if reason is not None and reason == doubt:
                held.append((kind, bound, reason))
            return reason

        def settled(own: ledger.MoneyLedger) -> list[ledger.LedgerEntry]:
            held.clear()
            entries = settle(own)
            reasons = {reason: (kind, bound) for kind, bound, reason in held}
            open_in = Counter(one.figure.sentence for one in entries if one.status != "explained")
            for one in entries:
                doubt = one.why.partition(": ")[2]
                if one.status == "unclear" and doubt in reasons and open_in[one.figure.sentence] == 1:
                    kind, bound = reasons[doubt]
                    by = ["price", "product_claims"] if one.about_price else ["total"]
                    self._doubted(one.span, one.why.partition(": ")[0], by, kind, bound.word, doubt)
            return entries

        ledger.held_back = noted  # type: ignore[attr-defined]
        ledger.MoneyLedger._settle = settled  # type: ignore[method-assign]

    def _doubted(self, span: Span, why: str, rules: list[str], kind: str, bound: str, doubt: str) -> None:
        known = self.doubted.setdefault((span, why), ([], kind, bound, doubt))
        known[0].extend(one for one in rules if one not in known[0])

    def accusations(self, one: StrangerText, text: str, shop: Shop) -> list[dict[str, Any]]:
        """Of one text, those that several rules make once."""
        self.doubted.clear()
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        mentions, found = Mentions(subject), dict[tuple[Span, str], dict[str, Any]]()
        for self.rule, rule in RULES.items():
            check = rule.check(subject, mentions)
            if check.status != "fail":
                continue
            bound = check.value.get("certainty", []) if isinstance(check.value, dict) else []
            for index, why in enumerate(check.evidence[: len(check.spans)] or check.evidence[:1]):
                span = tuple(check.spans[index]) if index < len(check.spans) else (0, 0)
                price = "price" if _IS_PRICE.search(why) else self.rule
                kind = self.kinds.get(why) or next((kind for words, kind in _OF_MONEY if words in why), price)
                firmly = (bound[index] if index < len(bound) else None) or "-"
                known = {"rules": [], "kind": kind, "bound": firmly, "span": span, "why": why, "doubt": None}
                found.setdefault((span, why), known)["rules"].append(self.rule)
        for (span, why), (rules, kind, firmly, doubt) in self.doubted.items():
            known = {"rules": rules, "kind": kind, "bound": firmly, "span": span, "why": why, "doubt": doubt}
            found.setdefault((span, why), known)
        return list(found.values())


def tally_round(path: Path, shop: Shop) -> None:
    """One line of JSON for each accusation."""
    listener = Listener()
    for one in read_round(path):
        clean = listener.accusations(one, one.text, shop)
        said = {known["why"] for known in clean}
        twin = listener.accusations(one, one.twin, shop) if one.twin is not None else []
        for is_twin, some in ((False, clean), (True, twin)):
            for known in some:
                new = is_twin and known["why"] not in said
                label = {"round": path.stem, "id": one.id, "twin": is_twin, **known, "new": new}
                print(orjson.dumps(label).decode())


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


def first_accusations(name: str, shop: Path | None) -> Iterator[LabelledAccusation]:
    """By the rules that met a round first."""
    path = ROUNDS / f"{name}.jsonl"
    added = ("log", "--diff-filter=A", "--format=%H", "--", f"benchmarks/strangers/{name}.jsonl")
    commit = MET_BY.get(name) or _git(*added).decode().split()[-1]
    with tempfile.TemporaryDirectory() as folder:
        _unpacked(commit, Path(folder))
        given = ["--shop", str(shop.resolve())] if shop is not None else []
        ran = subprocess.run(
            [sys.executable, "-m", "benchmarks.accusations", "--inside", str(path), *given],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder},
            capture_output=True,
            check=True,
        )
    yield from map(LabelledAccusation.model_validate_json, ran.stdout.splitlines())


def counted(labels: Sequence[LabelledAccusation]) -> str:
    """The table: of each kind and certainty those right and wrong, and of those that a doubt kept."""

    def places(wanted: Callable[[LabelledAccusation], bool]) -> Counter[tuple[str, str]]:
        once = {(one.round, one.id, one.kind, one.bound) for one in labels if wanted(one)}
        return Counter((kind, bound) for _, _, kind, bound in once)

    right = places(lambda one: one.doubt is None and one.new)
    wrong = places(lambda one: one.doubt is None and not one.twin)
    kept_right = places(lambda one: one.doubt is not None and one.new)
    kept_wrong = places(lambda one: one.doubt is not None and not one.twin)
    every = {*right, *wrong, *kept_right, *kept_wrong}
    rows: list[list[object]] = []
    for key in sorted(every, key=lambda key: (-wrong[key], -right[key], key)):
        rows.append([*key, *_share(right[key], wrong[key]), kept_right[key], kept_wrong[key]])
    totals = [one.total() for one in (right, wrong, kept_right, kept_wrong)]
    rows.append(["all", "", *_share(*totals[:2]), *totals[2:]])
    head = [
        "kind of statement",
        "certainty",
        "right",
        "wrong",
        "share right",
        "kept, were right",
        "kept, were wrong",
    ]
    return table(head, rows)


def _share(right: int, wrong: int) -> tuple[int, int, str]:
    return right, wrong, f"{right / (right + wrong):.2f}" if right + wrong else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop", type=Path)
    parser.add_argument(
        "--since", type=int, default=8, help="the first round; earlier rules told no certainty"
    )
    parser.add_argument(
        "--until", type=int, default=20, help="the last round; those after it test the weights"
    )
    parser.add_argument("--write", action="store_true", help="keep them as labels")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside is not None:
        with sample_shop(arguments.shop) as shop:
            tally_round(arguments.inside, shop)
        return
    rounds = sorted(int(path.stem.removeprefix("round")) for path in ROUNDS.glob("round*.jsonl"))
    asked = [number for number in rounds if arguments.since <= number <= arguments.until]
    labels = [label for number in asked for label in first_accusations(f"round{number}", arguments.shop)]
    known = (
        [one for one in read_labels() if int(one.round.removeprefix("round")) not in asked]
        if LABELS.is_file()
        else []
    )
    labels = sorted([*known, *labels], key=lambda one: int(one.round.removeprefix("round")))
    if arguments.write:
        LABELS.write_text("".join(f"{one.model_dump_json()}\n" for one in labels), encoding="utf-8")
    text = counted(labels)
    print(text)
    if arguments.record:
        record(HEADING, text)


if __name__ == "__main__":
    main()
