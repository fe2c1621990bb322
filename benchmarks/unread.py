"""What becomes of planted errors and of true figures: which are read, explained, accused, and why the others are not accused.

python -m benchmarks.unread [ROUND.jsonl ...] [--shop SHOP] [--texts]

For every planted error: whether a figure or a word is wrong, and whether a rule accuses it, says that it is not certain (with the reason),
takes it for true (`explained`), or says nothing of it (`unread`). For every amount of money of the clean texts: the same by the kind that the
words beside it give it. Where nearly all of a kind are explained in clean texts, and few in planted ones, what is not explained is wrong.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from drr.env.shop import Shop
from drr.eval.checks import Subject, check_report, urls_in
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.money.ledger import ledger_of
from drr.wording.numbers import SPOKEN

from benchmarks.first_contact import ROUNDS, StrangerText, read_round
from benchmarks.planted import sample_shop
from benchmarks.results import table

_FIGURE = re.compile(rf"\d[\d.,]*|\b(?:{SPOKEN}|half|twice|double|quarter|third)\b", re.I)
_OWN = re.compile(r"'[^']*'|\"[^\"]*\"|\$?\d[\d.,]*|\bB0\w+|http\S+")
"""What a reason says of its own text."""


def _remarks(text: str, one: StrangerText, shop: Shop) -> dict[str, set[str]]:
    """By state what the rules say of a text."""
    subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
    said: dict[str, set[str]] = {"accused": set(), "doubted": set()}
    for check in check_report(subject).values():
        accused = len(check.spans) if check.status == "fail" else 0
        said["accused"] |= set(check.evidence[:accused])
        said["doubted"] |= set(check.evidence[accused:])
    return said


def _reason(told: str) -> str:
    return " ".join(_OWN.sub("…", told.rpartition(": ")[2]).split())[:60]


def fates(shop: Shop, texts: list[StrangerText]) -> Iterator[tuple[StrangerText, str, str, str]]:
    """Of each planted text: what is wrong in it (`figure`, `word`), what becomes of it, and the reason."""
    for one in texts:
        if one.plant is None or (twin := one.twin) is None:
            continue
        old, new = (set(_FIGURE.findall(part)) for part in (one.plant.replace, one.plant.by))
        what = "figure" if old != new else "word"
        before, behind = _remarks(one.text, one, shop), _remarks(twin, one, shop)
        if behind["accused"] - before["accused"]:
            yield one, what, "accused", ""
        elif doubts := sorted(behind["doubted"] - before["doubted"]):
            yield one, what, "doubted", _reason(doubts[0])
        else:
            yield one, what, _explained(twin, one, shop), ""


def _explained(twin: str, one: StrangerText, shop: Shop) -> str:
    """Whether the ledger of amounts takes the wrong one for true."""
    assert one.plant is not None
    low = one.text.index(one.plant.replace)
    subject = Subject(twin, query=one.query, user_id=one.user_id, shop=shop)
    here = [
        entry
        for entry in ledger_of(Mentions(subject)).entries
        if low <= entry.figure.start < low + len(one.plant.by) and entry.status == "explained"
    ]
    return "explained" if here else "unread"


def kinds(shop: Shop, texts: list[StrangerText]) -> Counter[tuple[str, str, str]]:
    """How many amounts of the clean texts there are of each kind, written how, with what fate."""
    found: Counter[tuple[str, str, str]] = Counter()
    for one in texts:
        subject = Subject(one.text, query=one.query, user_id=one.user_id, shop=shop)
        for entry in ledger_of(Mentions(subject)).entries:
            written = "to the cent" if entry.figure.exact else "rounded"
            found[entry.figure.cue.kind, written, entry.status] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="*", type=Path, help="files of texts (default: all that are kept)")
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--texts", action="store_true", help="name each planted text that is not accused")
    arguments = parser.parse_args()
    plants: Counter[tuple[str, str, str, str]] = Counter()
    clean: Counter[tuple[str, str, str]] = Counter()
    with sample_shop(arguments.shop) as shop:
        for path in arguments.rounds or sorted(ROUNDS.glob("round*.jsonl")):
            texts = read_round(path)
            clean += kinds(shop, texts)
            for one, what, fate, reason in fates(shop, texts):
                plants[one.plant.kind if one.plant else "", what, fate, reason] += 1
                if arguments.texts and fate != "accused":
                    print(f"{path.stem} {one.id} {what} {fate} {reason}")
    states = ("explained", "unclear", "wrong")
    rows = [[*key, *(clean[*key, one] for one in states)] for key in sorted({key[:2] for key in clean})]
    print(table(["amounts of clean texts", "written", *states], rows))
    print(
        table(
            ["planted", "what is wrong", "fate", "reason", "texts"],
            [[*key, n] for key, n in sorted(plants.items())],
        )
    )


if __name__ == "__main__":
    main()
