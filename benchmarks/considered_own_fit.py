"""The weights of what is said of own orders (`eval/checks/considered/own.toml`), and what they are worth to a writer unseen.

python -m benchmarks.considered_own_fit [--shop SHOP] [--until N] [--write] [--record]

Every count, day, span, share and state of the clean texts of all rounds is right; of each planted twin those are wrong that stand where the error
was put. Errors are made of each right one besides, of little weight: what changes with the value shows what its place speaks of. The rules of today
are no sign: they were made on these rounds. Boosted trees of three questions each, writers left out by groups.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from drr.env.shop import Shop
from drr.eval.checks import Subject, urls_in
from drr.eval.checks.considered.own_said import OwnFigure
from drr.eval.checks.considered.own_signs import OwnSigns
from drr.eval.checks.considered.own_weighing import (
    OWN_WEIGHTS,
    QUESTIONS,
    OwnTree,
    is_true_of_some,
    own_chance,
)
from drr.eval.checks.mentions import Mentions
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray

from benchmarks.considered_fit import Asked, Considered, best, curve, read_of
from benchmarks.first_contact import StrangerText
from benchmarks.leftover_fit import is_planted
from benchmarks.own_errors import altered
from benchmarks.results import record, table

HEADING = "Own orders by all signs"
VERSION = 3
BAR = 0.85
TREES, RATE, RIDGE, PART = 500, 0.12, 5.0, 0.7
MADE, WEIGHT = 3, 0.033
"""Errors that are made of each right thing, and what each counts."""
_GROUPS = 6
_LATE = 37


class ConsideredSaid(NamedTuple):
    """One thing said with its signs."""

    told: Considered
    made: bool
    """An error of our own."""


def said_of_orders(shop: Shop, name: str, one: StrangerText) -> Iterator[ConsideredSaid]:
    """Of the clean text all that may be said of orders, and errors made of it; of its twin what was put wrong."""
    for twin in (False, True):
        text = one.twin if twin else one.text
        if text is None:
            continue
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        signs = OwnSigns(Mentions(subject))

        def told(
            said: OwnFigure, *, wrong: bool, made: bool = False, twin: bool = twin, signs: OwnSigns = signs
        ) -> ConsideredSaid:
            found = signs.of(said)
            true = is_true_of_some(said, found)
            return ConsideredSaid(Considered(name, one.id, one.form, twin, wrong, true, found), made)

        for said in signs.said:
            if twin:
                if is_planted(one, said.start, said.end, text[said.start : said.end]):
                    yield told(said, wrong=True)
                continue
            yield told(said, wrong=False)
            chance = random.Random(f"{name} {one.id} {said.start}")
            for _ in range(MADE):
                if (other := altered(said, chance)) is not None:
                    yield told(other, wrong=True, made=True)


def fit(some: Sequence[ConsideredSaid]) -> tuple[float, list[OwnTree]]:
    """Where all start, and the trees one after the other, each fitted to what those before leave open."""
    figures = [one.told for one in some]
    asked, wrong = Asked(figures), np.array([float(one.wrong) for one in figures])
    counts: Floats = np.array([WEIGHT if one.made else 1.0 for one in some])
    chosen = np.random.default_rng(1)
    mean = float((wrong * counts).sum() / counts.sum())
    start = float(np.log(mean / (1 - mean)))
    now, turned, made = np.full(len(some), start), asked.answers.T.tocsr(), list[OwnTree]()
    everybody: NDArray[np.bool_] = np.ones(len(some), bool)
    for _ in range(TREES):
        likely = 1 / (1 + np.exp(-now))
        part = counts * (chosen.random(len(some)) < PART)
        push, weight = part * (wrong - likely), part * likely * (1 - likely)
        sides, questions = [everybody], list[int]()
        for at in range(QUESTIONS):
            question = best(turned, push, weight, chosen, sides[at])
            yes = asked.yes(question)
            questions.append(question)
            sides += [sides[at] & ~yes, sides[at] & yes]
        leaves = np.zeros(len(some), int)
        for place, side in enumerate(sides[QUESTIONS:]):
            leaves[side] = place
        steps = (
            RATE
            * np.bincount(leaves, push, QUESTIONS + 1)
            / (np.bincount(leaves, weight, QUESTIONS + 1) + RIDGE)
        )
        steps = np.round(steps, 4) + 0.0
        now = now + steps[leaves]
        names, marks = zip(*(asked.questions[one] for one in questions), strict=True)
        made.append((names, marks, tuple(map(float, steps))))
    return start, made


def left_out(every: Sequence[ConsideredSaid]) -> list[float]:
    """The chance of each that was said by weights that had not met its writer; of what a reading makes true none."""
    writers = sorted({one.told.writer for one in every}, key=lambda name: int(name.removeprefix("round")))
    said = [one.told for one in every if not one.made]
    found = [0.0] * len(said)
    for at in range(_GROUPS):
        group = {*writers[at::_GROUPS]}
        start, trees = fit([one for one in every if one.told.writer not in group and not one.told.true])
        for index, one in enumerate(said):
            if one.writer in group and not one.true:
                found[index] = own_chance(start, trees, one.signs)
    return found


def weights_text(
    start: float, trees: Sequence[OwnTree], rounds: Sequence[str], some: Sequence[ConsideredSaid]
) -> str:
    head = "# Weights of `eval/checks/considered/own_weighing.py`, made by `python -m benchmarks.considered_own_fit --write`; never edited by hand."
    lines = [head, "", f"version = {VERSION}", f"bar = {BAR}", f'rounds = "{rounds[0]} to {rounds[-1]}"']
    said = [one for one in some if not one.made]
    lines += [
        f"said = {len(said)}",
        f"planted = {sum(one.told.wrong for one in said)}",
        f"made = {len(some) - len(said)}",
        f"start = {start:.4f}",
    ]
    rows = [f"  [[{_quoted(names)}], [{_told(marks)}], [{_told(steps)}]]," for names, marks, steps in trees]
    return "\n".join([*lines, "trees = [", *rows, "]", ""])


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{one}"' for one in names)


def _told(numbers: Sequence[float]) -> str:
    return ", ".join(f"{one:g}" for one in numbers)


def main() -> None:
    rounds, every, write, kept = read_of(said_of_orders, __doc__)
    if write:
        open_ = [one for one in every if not one.told.true]
        OWN_WEIGHTS.write_text(weights_text(*fit(open_), rounds, open_), encoding="utf-8")
    text = report(every)
    print(text)
    if kept:
        record(HEADING, text)


def report(every: Sequence[ConsideredSaid]) -> str:
    chances, said = left_out(every), [one.told for one in every if not one.made]
    head = ["bar", "texts with a planted thing, caught", "clean passages accused", "clean reports accused"]
    late = [
        (one, likely)
        for one, likely in zip(said, chances, strict=True)
        if int(one.round.removeprefix("round")) >= _LATE
    ]
    return "\n\n".join(
        [
            f"All rounds ({len(said)} things said, writers by weights of others):",
            table(head, curve(said, chances)),
            f"Of these {_LATE} and later:",
            table(head, curve([one for one, _ in late], [likely for _, likely in late])),
        ]
    )


if __name__ == "__main__":
    main()
