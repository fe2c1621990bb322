"""The weights of figures that nothing explains (`eval/checks/leftover/weights.toml`), and what they are worth to a writer unseen.

python -m benchmarks.leftover_fit [--shop SHOP] [--write] [--record]

Every figure of the clean texts of all rounds is right; of each planted twin the figures are wrong that stand where the error was put. Each
writer in turn is left out: fitted to all others, held against him. `--write` then fits to all writers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.env.shop import Shop
from drr.eval.checks import Subject, urls_in
from drr.eval.checks.leftover.sight import sight_of
from drr.eval.checks.leftover.weighing import WEIGHTS, features
from drr.eval.checks.mentions import Mentions
from drr.eval.stats.intervals import Floats
from scipy.optimize import minimize

from benchmarks.first_contact import ROUNDS, WRITERS, StrangerText, read_round
from benchmarks.planted import sample_shop, share
from benchmarks.results import record, table

HEADING = "Figures that nothing explains"
VERSION = 2
RIDGE = 1.0
BARS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_LATE = 15


class Figured(NamedTuple):
    """One figure with its traits as they are weighed."""

    round: str
    id: str
    form: str
    twin: bool
    wrong: bool
    said: str
    """With what stands around it."""
    traits: Mapping[str, float]

    @property
    def writer(self) -> str:
        return WRITERS.get(self.round, self.round)

    @property
    def text(self) -> tuple[str, str]:
        return self.round, self.id


def figured(shop: Shop, name: str, one: StrangerText) -> Iterator[Figured]:
    """Of the clean text all figures, of its twin those that were put wrong."""
    for twin in (False, True):
        text = one.twin if twin else one.text
        if text is None:
            continue
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        sight = sight_of(Mentions(subject))
        for said in sight.every():
            wrong = twin and is_planted(one, said.start, said.end, said.digits or text[said.start : said.end])
            if wrong or not twin:
                around = " ".join(text[max(0, said.start - 60) : said.end + 20].split())
                traits = features(said.kind, sight.cue(said), sight.traits(said))
                yield Figured(name, one.id, one.form, twin, wrong, around, traits)


def read_figures(shop: Shop, rounds: Sequence[str]) -> list[Figured]:
    return [
        one
        for name in rounds
        for text in read_round(ROUNDS / f"{name}.jsonl")
        for one in figured(shop, name, text)
    ]


def rounds_until(last: int) -> list[str]:
    numbers = sorted(int(path.stem.removeprefix("round")) for path in ROUNDS.glob("round*.jsonl"))
    return [f"round{number}" for number in numbers if number <= last]


def is_planted(one: StrangerText, start: int, end: int, written: str) -> bool:
    """Whether a figure stands where the error was put, and was not there before."""
    assert one.plant is not None
    low = one.text.index(one.plant.replace)
    return start < low + len(one.plant.by) and end > low and written not in one.plant.replace


def fit(some: Sequence[Figured]) -> dict[str, float]:
    names = sorted({name for one in some for name in one.traits})
    return logistic([one.traits for one in some], [one.wrong for one in some], dict.fromkeys(names, RIDGE))


def logistic(
    some: Sequence[Mapping[str, float]], are_wrong: Sequence[bool], ridges: Mapping[str, float]
) -> dict[str, float]:
    """The weights of the traits that have a ridge, each held back by it."""
    names = [*ridges]
    at = {name: index for index, name in enumerate(names)}
    rows = np.zeros((len(some), len(names)))
    for index, one in enumerate(some):
        for name, value in one.items():
            if name in at:
                rows[index, at[name]] = value
    wrong, held = np.array(are_wrong, float), np.array([*ridges.values()])

    def loss(now: Floats) -> tuple[float, Floats]:
        logits = rows @ now
        value = (np.logaddexp(0.0, logits) - wrong * logits).sum() + (held * now**2).sum() / 2
        return float(value), rows.T @ (1 / (1 + np.exp(-logits)) - wrong) + held * now

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return {
        name: round(float(value), 3) for name, value in zip(names, found, strict=True) if abs(value) >= 5e-3
    }


def chance(weights: Mapping[str, float], one: Figured) -> float:
    return float(1 / (1 + np.exp(-sum(weights.get(name, 0.0) * value for name, value in one.traits.items()))))


def by_writer(every: Sequence[Figured]) -> dict[str, dict[str, float]]:
    """For each writer weights that had not met him."""
    return {
        writer: fit([one for one in every if one.writer != writer])
        for writer in dict.fromkeys(one.writer for one in every)
    }


def left_out(every: Sequence[Figured]) -> list[float]:
    """The chance of each by weights that had not met its writer."""
    weights = by_writer(every)
    return [chance(weights[one.writer], one) for one in every]


def curve(every: Sequence[Figured], chances: Sequence[float]) -> list[list[str]]:
    texts = {one.text: one.form for one in every if not one.twin}
    planted = {one.text for one in every if one.wrong}
    rows = []
    for bar in BARS:
        made = [one for one, likely in zip(every, chances, strict=True) if likely >= bar]
        accused = {one.text for one in made if not one.twin}
        forms = [[one for one, form in texts.items() if form == wanted] for wanted in ("passage", "report")]
        shares = [share(len(accused & {*some}), len(some)) for some in forms]
        rows.append(
            [f"{bar:.2f}", share(len({one.text for one in made if one.wrong}), len(planted)), *shares]
        )
    return rows


def weights_text(weights: Mapping[str, float], rounds: Sequence[str], every: Sequence[Figured]) -> str:
    head = "# Weights of `eval/checks/leftover/weighing.py`, made by `python -m benchmarks.leftover_fit --write`; never edited by hand."
    lines = [head, "", f"version = {VERSION}", f'rounds = "{rounds[0]} to {rounds[-1]}"']
    lines += [f"figures = {len(every)}", f"planted = {sum(one.wrong for one in every)}", "", "[weights]"]
    return "\n".join([*lines, *(f"{name} = {value}" for name, value in weights.items()), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--until", type=int, default=24, help="the last round")
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rounds = rounds_until(arguments.until)
    with sample_shop(arguments.shop) as shop:
        every = read_figures(shop, rounds)
    if arguments.write:
        WEIGHTS.write_text(weights_text(fit(every), rounds, every), encoding="utf-8")
    chances = left_out(every)
    late = {one for one in rounds if int(one.removeprefix("round")) >= _LATE}
    head = ["bar", "figures put wrong, caught", "clean passages accused", "clean reports accused"]
    last = [(one, likely) for one, likely in zip(every, chances, strict=True) if one.round in late]
    text = "\n\n".join(
        [
            f"All rounds ({len(every)} figures, each writer by weights of the others):",
            table(head, curve(every, chances)),
            f"Of these {_LATE} and later:",
            table(head, curve([one for one, _ in last], [likely for _, likely in last])),
        ]
    )
    print(text)
    if arguments.record:
        record(HEADING, text)


if __name__ == "__main__":
    main()
