"""The weights of what a record has otherwise (`eval/checks/recorded/weights.toml`), and what they are worth to a writer unseen.

python -m benchmarks.recorded_fit [--shop SHOP] [--until N] [--write] [--record]

Every statement of a clean text is right; of each planted twin those are wrong that stand at the error, or that it made wrong beside it. Each
writer in turn is left out: fitted to all others, held against him. `--write` then fits to all writers.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.env.shop import Shop
from drr.eval.checks import Subject, urls_in
from drr.eval.checks.base import Span
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.recorded.owners import StatedOtherwise
from drr.eval.checks.recorded.weighing import WEIGHTS, candidates, group_of

from benchmarks.first_contact import ROUNDS, WRITERS, StrangerText, read_round
from benchmarks.leftover_fit import logistic, rounds_until
from benchmarks.planted import sample_shop, share
from benchmarks.results import record, table

HEADING = "What a record has otherwise, weighed"
VERSION = 1
RIDGE = 3.0
BARS = {"figure": 0.75, "value": 0.8}
"""Chosen on writers left out: of eight accusations not one should be wrong."""
_SHOWN = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_RARE = 8
"""A trait of fewer candidates has no weight."""
_BESIDE = 160
"""Characters beside an error in which it may make a statement wrong."""


class WeighedStatement(NamedTuple):
    """One candidate with its traits."""

    round: str
    id: str
    group: str
    wrong: bool
    traits: Mapping[str, float]

    @property
    def writer(self) -> str:
        return WRITERS.get(self.round, self.round)

    @property
    def text(self) -> tuple[str, str]:
        return self.round, self.id


def recorded(shop: Shop, name: str, one: StrangerText) -> Iterator[WeighedStatement]:
    """Of the clean text all candidates, of its twin those that its error made."""
    found = list(_candidates(shop, one, one.text))
    for each in found:
        yield WeighedStatement(name, one.id, group_of(each), False, each.traits)
    if one.plant is None or one.twin is None:
        return
    told = {(each.sort, each.why) for each in found}
    low, high, changed = planted_at(one)
    for each in _candidates(shop, one, one.twin):
        at_it = each.span[0] < changed[1] and each.span[1] > changed[0]
        beside = each.span[0] < high + _BESIDE and each.span[1] > low - _BESIDE
        if at_it or (beside and (each.sort, each.why) not in told):
            yield WeighedStatement(name, one.id, group_of(each), True, each.traits)


def _candidates(shop: Shop, one: StrangerText, text: str) -> Iterator[StatedOtherwise]:
    returned = urls_in(one.text)
    yield from candidates(
        Mentions(Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=returned))
    )


def planted_at(one: StrangerText) -> tuple[int, int, Span]:
    """Where the error stands in the twin, and the part of it that is other than before."""
    assert one.plant is not None
    before, after = one.plant.replace, one.plant.by
    low = one.text.index(before)
    alike = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b),
        min(len(before), len(after)),
    )
    rest = min(len(before), len(after)) - alike
    ends = next((i for i in range(rest) if before[-1 - i] != after[-1 - i]), rest)
    changed = (low + alike, low + max(len(after) - ends, alike + 1))
    return low, low + len(after), changed


def read_candidates(shop: Shop, rounds: Iterable[str]) -> list[WeighedStatement]:
    return [
        one
        for name in rounds
        for text in read_round(ROUNDS / f"{name}.jsonl")
        for one in recorded(shop, name, text)
    ]


def fit(some: Sequence[WeighedStatement]) -> dict[str, float]:
    """Logistic, with a ridge on all but where it starts."""
    counts = Counter(name for one in some for name in one.traits)
    names = sorted(name for name, count in counts.items() if count >= _RARE)
    ridges = {name: 0.0 if name == "start" else RIDGE for name in names}
    return logistic([one.traits for one in some], [one.wrong for one in some], ridges)


def left_out(every: Sequence[WeighedStatement]) -> list[float]:
    """The chance of each by weights that had not met its writer."""
    weights = {
        writer: fit([one for one in every if one.writer != writer])
        for writer in dict.fromkeys(one.writer for one in every)
    }
    sums = (
        sum(weights[one.writer].get(name, 0.0) * value for name, value in one.traits.items()) for one in every
    )
    return [float(1 / (1 + np.exp(-at))) for at in sums]


def curve(every: Sequence[WeighedStatement], chances: Sequence[float]) -> list[list[str]]:
    """By bar: texts rightly and wrongly accused, and of how many writers."""
    planted = {one.text for one in every if one.wrong}
    rows = []
    for bar in _SHOWN:
        made = [one for one, likely in zip(every, chances, strict=True) if likely >= bar]
        right, wrong = ({one.text for one in made if one.wrong == is_so} for is_so in (True, False))
        writers = len({one.writer for one in made if one.wrong})
        rows.append([f"{bar:.1f}", share(len(right), len(planted)), str(writers), str(len(wrong))])
    return rows


def weights_text(groups: Mapping[str, Sequence[WeighedStatement]], rounds: Sequence[str]) -> str:
    head = "# Weights of `eval/checks/recorded/weighing.py`, made by `python -m benchmarks.recorded_fit --write`; never edited by hand."
    lines = [head, "", f"version = {VERSION}", f'rounds = "{rounds[0]} to {rounds[-1]}"']
    for name, some in groups.items():
        lines += ["", f"[groups.{name}]", f"bar = {BARS[name]}", f"candidates = {len(some)}"]
        lines += [f"planted = {sum(one.wrong for one in some)}", "", f"[groups.{name}.weights]"]
        lines += [f"{trait} = {value}" for trait, value in fit(some).items()]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--until", type=int, default=40, help="the last round")
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rounds = rounds_until(arguments.until)
    with sample_shop(arguments.shop) as shop:
        every = read_candidates(shop, rounds)
    groups = {name: [one for one in every if one.group == name] for name in BARS}
    if arguments.write:
        WEIGHTS.write_text(weights_text(groups, rounds), encoding="utf-8")
    parts = []
    for name, some in groups.items():
        parts.append(f"`{name}`: {len(some)} candidates of {len(rounds)} rounds, accused from {BARS[name]}")
        head = ["bar", "planted texts accused", "of writers", "clean texts accused"]
        parts.append(table(head, curve(some, left_out(some))))
    text = "\n\n".join(parts)
    print(text)
    if arguments.record:
        record(HEADING, text)


if __name__ == "__main__":
    main()
