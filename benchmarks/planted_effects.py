"""Planted faults of agents: are effects of changes and pass^k recovered from light studies, and who is accused without cause?

python -m benchmarks.planted_effects [--studies 2000] [--questions 30] [--record]

A light study is drawn, not run: lists of 3 to 10 listings, an agent's picks from them by its fault, the pairs as `drr study stress` makes them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import log
from typing import NamedTuple

import numpy as np
from drr.eval.stats.effects import Pair, effects
from drr.eval.stats.intervals import SHARE, Statistic, mean
from drr.eval.stats.repeated import pass_power, repeated_spread, sameness
from numpy.random import Generator

from benchmarks.results import record

STUDIES, QUESTIONS, TRIALS = 2000, 30, 4
LISTS = np.arange(3, 11)
FACTORS = (0.8, 1.25)
SIZES = (0.1, 0.2, 0.3, 0.4)
UNSOLVED = 0.2
"""Share of questions that the flaky agent never solves."""
ENDS = dict.fromkeys(("picked", "obeyed", "reward", "kept", "answered", "sound"), SHARE)
LOWER, UPPER = 0.92, 0.98


class Fault(NamedTuple):
    """A planted fault, and the figure that must show it."""

    name: str
    truth: float
    study: Callable[[Generator, int], Statistic]


class Recovered(NamedTuple):
    name: str
    truth: float
    held: float
    """Share of studies whose interval holds the truth."""
    mean: float
    width: float


def _moved(pairs: list[Pair]) -> Statistic:
    (one,) = effects(pairs, ENDS)
    return one.moved.difference


def _position(bias: float) -> Callable[[Generator, int], Statistic]:
    """The first of the list by this chance, else the best. Another listing comes to the first place: its pair, and that of the listing that left."""

    def study(rng: Generator, questions: int) -> Statistic:
        pairs = []
        for name, size in _lists(rng, questions):
            best, moved = rng.integers(size), rng.integers(1, size)
            before, after = (first if rng.random() < bias else best for first in (0, moved))
            pairs.append(Pair("shuffle", name, "picked", float(before == moved), float(after == moved)))
            pairs.append(Pair("shuffle", name, "picked", float(after == 0), float(before == 0)))
        return _moved(pairs)

    return study


def _share(change: str, outcome: str, liking: float) -> Callable[[Generator, int], Statistic]:
    """By this chance it takes the tagged listing, or obeys; it never does so without the change."""

    def study(rng: Generator, questions: int) -> Statistic:
        hits = rng.random(questions) < liking
        return _moved([Pair(change, f"q{k}", outcome, 0.0, float(hit)) for k, hit in enumerate(hits)])

    return study


def _lists(rng: Generator, questions: int) -> Iterator[tuple[str, int]]:
    for k, size in enumerate(rng.choice(LISTS, questions)):
        yield f"q{k}", int(size)


def _chances(utilities: np.ndarray, dose: float, elasticity: float) -> tuple[float, float]:
    """Chances of the first listing, before and after its price changes by this log: a logit choice."""
    moved = utilities.copy()
    moved[0] += elasticity * dose
    before, after = np.exp(utilities), np.exp(moved)
    return float(before[0] / before.sum()), float(after[0] / after.sum())


def _price(elasticity: float) -> Callable[[Generator, int], Statistic]:
    def study(rng: Generator, questions: int) -> Statistic:
        pairs = []
        for name, size in _lists(rng, questions):
            dose = log(rng.choice(FACTORS))
            before, after = _chances(rng.normal(0, 1, size), dose, elasticity)
            pairs.append(Pair("price", name, "picked", float(rng.random() < before), float(rng.random() < after), dose))  # fmt: skip
        (one,) = effects(pairs, ENDS)
        assert one.relative is not None
        return one.relative

    return study


def _true_elasticity(elasticity: float) -> float:
    """The same figure of a study without end, with chances in the place of draws."""
    rng, sums = np.random.default_rng(0), np.zeros(4)
    for _, size in _lists(rng, 200_000):
        dose = log(rng.choice(FACTORS))
        before, after = _chances(rng.normal(0, 1, size), dose, elasticity)
        sums += (dose * (after - before), dose * dose, (before + after) / 2, 1)
    return float(sums[0] / sums[1] / (sums[2] / sums[3]))


def _flaky(p: float) -> Iterator[Fault]:
    """By this chance anything of the list, else the best; a part of the questions it never solves."""
    sizes = LISTS.astype(float)
    right, other = 1 - p + p / sizes, p / sizes

    def trials(rng: Generator, questions: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        for name, size in _lists(rng, questions):
            lost = rng.random(TRIALS) < p
            picks = np.where(lost, rng.integers(size, size=TRIALS), 0)
            yield name, picks, (picks == 0) & (rng.random() >= UNSOLVED)

    def passed(k: int) -> Callable[[Generator, int], Statistic]:
        return lambda rng, questions: mean({name: [pass_power(int(solved.sum()), TRIALS, k)] for name, _, solved in trials(rng, questions)}, ends=SHARE)  # fmt: skip

    def same(rng: Generator, questions: int) -> Statistic:
        return mean({name: [sameness([frozenset([str(x)]) for x in picks])] for name, picks, _ in trials(rng, questions)}, ends=SHARE)  # fmt: skip

    def spread(rng: Generator, questions: int) -> Statistic:
        return repeated_spread(
            {name: [float(x) for x in solved] for name, _, solved in trials(rng, questions)}
        )

    for k in (1, 2, 4):
        yield Fault(f"flaky {p:g}: pass^{k}", (1 - UNSOLVED) * float((right**k).mean()), passed(k))
    yield Fault(f"flaky {p:g}: same picks", float((right**2 + (sizes - 1) * other**2).mean()), same)
    within = (1 - UNSOLVED) * float((right * (1 - right)).mean())
    between = (1 - UNSOLVED) * float((right**2).mean()) - ((1 - UNSOLVED) * float(right.mean())) ** 2
    yield Fault(f"flaky {p:g}: spread", within / (within + between), spread)


def faults() -> Iterator[Fault]:
    for size in SIZES:
        yield Fault(f"position bias {size:g}", size, _position(size))
    for size in SIZES:
        yield Fault(f"likes sponsors {size:g}", size, _share("sponsor", "picked", size))
    for size in SIZES:
        yield Fault(f"obeys {size:g}", size, _share("injection", "obeyed", size))
    yield Fault("price-blind: elasticity", 0.0, _price(0))
    yield Fault("minds prices: elasticity", _true_elasticity(-3), _price(-3))
    for p in (0.1, 0.2, 0.4):
        yield from _flaky(p)


def recovered(fault: Fault, studies: int, questions: int) -> Recovered:
    rng = np.random.default_rng([questions, *fault.name.encode()])
    held, values, widths = 0, [], []
    for _ in range(studies):
        v = fault.study(rng, questions)
        if v.value is not None:
            values.append(v.value)
        if v.ci_low is not None and v.ci_high is not None:
            held += v.ci_low - 1e-9 <= fault.truth <= v.ci_high + 1e-9
            widths.append(v.ci_high - v.ci_low)
    return Recovered(
        fault.name, fault.truth, held / len(widths), float(np.mean(values)), float(np.mean(widths))
    )


ASKED = {
    "paraphrase": ("reward", "kept"), "faults": ("answered", "reward", "sound"), "shuffle": ("picked", "reward"),
    "injection": ("obeyed", "reward"), "sponsor": ("picked", "reward"), "price": ("picked",), "rating": ("picked", "reward"),
    "adjective": ("picked", "reward"), "history": ("reward", "kept"), "today": ("reward", "kept"),
}  # fmt: skip
"""Outcomes of each change, as `drr study stress` looks at them."""


def alarms(studies: int, questions: int, slip: float) -> float:
    """Share of studies that accuse an agent whose slips no change brings about."""
    rng, accused = np.random.default_rng([questions, int(100 * slip)]), 0
    for _ in range(studies):
        pairs = []
        for name, size in _lists(rng, questions):
            paid = rng.choice((0.6, 0.8, 1.0))
            for change, outcomes in ASKED.items():
                sides = [int(rng.integers(size)) if rng.random() < slip else 0 for _ in range(2)]
                target, dose = rng.integers(size), log(rng.choice(FACTORS)) if change == "price" else None
                read = {"picked": target, "reward": 0, "kept": 0}
                for outcome in outcomes:
                    still = float(outcome in ("answered", "sound"))
                    before, after = (paid ** (outcome == "reward") * (side == read[outcome]) if outcome in read else still for side in sides)  # fmt: skip
                    pairs.append(Pair(change, name, outcome, float(before), float(after), dose))
        accused += any(one.document()["settled"] for one in effects(pairs, ENDS))
    return accused / studies


def told(studies: int, questions: int) -> str:
    found = [recovered(fault, studies, questions) for fault in faults()]
    inside = sum(LOWER <= one.held <= UPPER for one in found)
    worst = min(found, key=lambda one: one.held)
    wrong = {slip: alarms(studies, questions, slip) for slip in (0.1, 0.4)}
    text = (
        f"{studies:,} drawn studies of {questions} questions for each fault, the pairs as `drr study stress` makes them"
        f" (pass^k: {TRIALS} trials). **{inside} of {len(found)} figures are held by their 95 % interval in 92 to 98 % of the studies; the lowest in {worst.held:.1%}** ({worst.name})."
        f" An agent that slips at random, whatever is changed, is accused of something in {', '.join(f'{share:.1%} (slips {slip:g})' for slip, share in wrong.items())} of the studies,"
        f" {sum(map(len, ASKED.values()))} effects looked at in each, after Holm."
    )
    if beyond := [f"{one.name} {one.held:.1%}" for one in found if not LOWER <= one.held <= UPPER]:
        text += f" Outside: {', '.join(beyond[:5])}{' and more' * (len(beyond) > 5)}; a share of {questions} draws has few values, so its coverage goes in steps."
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--record", action="store_true", help="keep the table in RESULTS.md")
    arguments = parser.parse_args()
    text = told(arguments.studies, arguments.questions)
    if arguments.record:
        record("Planted faults of agents", text)
    else:
        print(text)


if __name__ == "__main__":
    main()
