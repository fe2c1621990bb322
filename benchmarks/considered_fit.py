"""The weights of amounts and ratings by all their signs (`eval/checks/considered/weights.toml`), and what they are worth to a writer unseen.

python -m benchmarks.considered_fit [--shop SHOP] [--write] [--record]

Every amount and rating of the clean texts of all rounds is right; of each planted twin those are wrong that stand where the error was put. What
some reading makes true is left out of both. The signs are asked two at a time: boosted trees of two questions. Writers are left out by groups: fitted to all others, held against them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from drr.env.shop import Shop
from drr.eval.checks import RULES, Subject, urls_in
from drr.eval.checks.accusing.true_readings import true_readings_of
from drr.eval.checks.accusing.weighed import raised_by
from drr.eval.checks.considered.signs import FigureSigns
from drr.eval.checks.considered.weighing import WEIGHTS, TwoQuestions, answer, is_borne_out
from drr.eval.checks.mentions import Mentions
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from benchmarks.first_contact import ROUNDS, WRITERS, StrangerText, read_round
from benchmarks.leftover_fit import is_planted, rounds_until
from benchmarks.planted import sample_shop, share
from benchmarks.results import record, table

One = TypeVar("One")
HEADING = "Amounts and ratings by all signs"
VERSION = 2
BAR = 0.85
BARS = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
TREES, RATE, RIDGE, PART, LEAST = 240, 0.15, 10.0, 0.7, 15
"""How many trees, how much each counts, what keeps them small, of how many figures and signs each is made, and how many figures a sign needs."""
_GROUPS = 8
_LATE = 37


class Considered(NamedTuple):
    """One figure with its signs."""

    round: str
    id: str
    form: str
    twin: bool
    wrong: bool
    true: bool
    """By some reading: such a figure is never accused."""
    signs: Mapping[str, float]

    @property
    def writer(self) -> str:
        return WRITERS.get(self.round, self.round)

    @property
    def text(self) -> tuple[str, str]:
        return self.round, self.id


def considered(shop: Shop, name: str, one: StrangerText) -> Iterator[Considered]:
    """Of the clean text all amounts and ratings, of its twin those that were put wrong."""
    for twin in (False, True):
        text = one.twin if twin else one.text
        if text is None:
            continue
        subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
        mentions = Mentions(subject)
        checks = {rule: code.check(subject, mentions) for rule, code in RULES.items()}
        signs = FigureSigns(mentions, raised_by(subject, mentions, checks))
        for said in signs.every():
            wrong = twin and is_planted(one, said.start, said.end, said.digits or text[said.start : said.end])
            if wrong or not twin:
                found = signs.of(said)
                true = is_borne_out(said, signs.cue(said), found, true_readings_of(mentions))
                yield Considered(name, one.id, one.form, twin, wrong, true, found)


class Asked:
    """Figures with the questions that their signs answer: whether one is more than so much."""

    def __init__(self, some: Sequence[Considered]) -> None:
        rows: dict[str, list[int]] = {}
        values: dict[str, list[float]] = {}
        for index, one in enumerate(some):
            for name, value in one.signs.items():
                rows.setdefault(name, []).append(index)
                values.setdefault(name, []).append(value)
        self.questions: list[tuple[str, float]] = []
        columns = []
        for name in sorted(rows):
            row, told = np.asarray(rows[name]), np.asarray(values[name])
            for at in _marks(told):
                holds = row[told > at]
                if len(holds) >= LEAST:
                    self.questions.append((name, at))
                    columns.append(holds)
        ends = np.cumsum([0, *map(len, columns)])
        places = np.concatenate(columns)
        self.answers = csc_matrix((np.ones(len(places)), places, ends), shape=(len(some), len(columns)))

    def yes(self, question: int) -> NDArray[np.bool_]:
        low, high = self.answers.indptr[question : question + 2]
        found: NDArray[np.bool_] = np.zeros(self.answers.shape[0], bool)
        found[self.answers.indices[low:high]] = True
        return found


def _marks(values: Floats) -> list[float]:
    """Nothing, and the quarters of what a sign is where it is anything."""
    quarters = {round(float(one), 3) for one in np.quantile(values, (0.25, 0.5, 0.75))}
    return [0.0, *sorted(one for one in quarters if values.min() < one < values.max())]


def fit(some: Sequence[Considered]) -> tuple[float, list[TwoQuestions]]:
    """Where all start, and the trees one after the other, each fitted to what those before leave open."""
    asked, wrong = Asked(some), np.array([float(one.wrong) for one in some])
    chosen = np.random.default_rng(1)
    start = float(np.log(wrong.mean() / (1 - wrong.mean())))
    now, turned, made = np.full(len(some), start), asked.answers.T.tocsr(), list[TwoQuestions]()
    for _ in range(TREES):
        likely = 1 / (1 + np.exp(-now))
        part = chosen.random(len(some)) < PART
        push, weight = np.where(part, wrong - likely, 0.0), np.where(part, likely * (1 - likely), 0.0)
        first = best(turned, push, weight, chosen, np.ones(len(some), bool))
        yes = asked.yes(first)
        second, third = (best(turned, push, weight, chosen, side) for side in (~yes, yes))
        leaves = 2 * yes + np.where(yes, asked.yes(third), asked.yes(second))
        steps = RATE * np.bincount(leaves, push, 4) / (np.bincount(leaves, weight, 4) + RIDGE)
        steps = np.round(steps, 4)
        now = now + steps[leaves]
        (one, over), (two, least), (three, most) = (asked.questions[at] for at in (first, second, third))
        low, mid, high, top = map(float, steps)
        made.append((one, over, two, least, three, most, low, mid, high, top))
    return start, made


def best(
    turned: csc_matrix, push: Floats, weight: Floats, chosen: np.random.Generator, side: NDArray[np.bool_]
) -> int:
    """The question that parts one side best, of half of them."""
    push, weight = np.where(side, push, 0.0), np.where(side, weight, 0.0)
    pushed, weighed = turned @ push, turned @ weight
    rest, over = push.sum() - pushed, weight.sum() - weighed
    gain = pushed**2 / (weighed + RIDGE) + rest**2 / (over + RIDGE)
    gain[(weighed < 0.5) | (over < 0.5) | (chosen.random(len(gain)) < 0.5)] = -1.0
    return int(gain.argmax())


def chance(start: float, trees: Sequence[TwoQuestions], signs: Mapping[str, float]) -> float:
    return float(1 / (1 + np.exp(-start - sum(answer(one, signs) for one in trees))))


def left_out(every: Sequence[Considered], asked: Sequence[Considered] | None = None) -> list[float]:
    """The chance of each, or of those that are asked for, by weights that had not met its writer; of what a reading makes true none."""
    asked = every if asked is None else asked
    writers = sorted({one.writer for one in every}, key=lambda name: int(name.removeprefix("round")))
    found: dict[int, float] = {}
    for at in range(_GROUPS):
        group = {*writers[at::_GROUPS]}
        start, trees = fit([one for one in every if one.writer not in group and not one.true])
        found |= {
            index: 0.0 if one.true else chance(start, trees, one.signs)
            for index, one in enumerate(asked)
            if one.writer in group
        }
    return [found[index] for index in range(len(asked))]


def curve(every: Sequence[Considered], chances: Sequence[float]) -> list[list[str]]:
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


def told(every: Sequence[Considered], most: int = 12) -> list[list[str]]:
    """The signs that stand at most wrong figures, and at how many right ones, by how many writers."""
    right, wrong = Counter[str](), Counter[str]()
    writers: dict[str, set[str]] = {}
    for one in every:
        for name in one.signs:
            (wrong if one.wrong else right)[name] += 1
            if one.wrong:
                writers.setdefault(name, set()).add(one.writer)
    some = [name for name in wrong if wrong[name] > right[name] / 2 and wrong[name] >= most]
    return [
        [name, str(wrong[name]), str(right[name]), str(len(writers[name]))]
        for name in sorted(some, key=lambda name: -wrong[name])
    ]


def weights_text(
    start: float,
    trees: Sequence[TwoQuestions],
    rounds: Sequence[str],
    every: Sequence[Considered],
    of: tuple[str, str] = ("weighing.py", "considered_fit"),
    version: int = VERSION,
    bar: float = BAR,
) -> str:
    """`of` says which module has the weights, and which script makes them."""
    head = f"# Weights of `eval/checks/considered/{of[0]}`, made by `python -m benchmarks.{of[1]} --write`; never edited by hand."
    lines = [head, "", f"version = {version}", f"bar = {bar}", f'rounds = "{rounds[0]} to {rounds[-1]}"']
    lines += [
        f"figures = {len(every)}",
        f"planted = {sum(one.wrong for one in every)}",
        f"start = {start:.4f}",
    ]
    rows = [
        "  [" + ", ".join(f'"{one}"' if isinstance(one, str) else f"{one:g}" for one in tree) + "],"
        for tree in trees
    ]
    return "\n".join([*lines, "trees = [", *rows, "]", ""])


class Read(NamedTuple, Generic[One]):
    """What a fit was asked for on its command line, and all that stands in the rounds."""

    rounds: list[str]
    every: list[One]
    write: bool
    """Write the weights."""
    record: bool


def read_of(found: Callable[[Shop, str, StrangerText], Iterable[One]], about: str) -> Read[One]:
    """Of each text of the rounds all that is found; `about` is what the command says of itself."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--until", type=int, default=62, help="the last round")
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rounds = rounds_until(arguments.until)
    with sample_shop(arguments.shop) as shop:
        every = [
            one
            for name in rounds
            for text in read_round(ROUNDS / f"{name}.jsonl")
            for one in found(shop, name, text)
        ]
    return Read(rounds, every, arguments.write, arguments.record)


def main() -> None:
    rounds, every, write, kept = read_of(considered, __doc__)
    if write:
        open_ = [one for one in every if not one.true]
        WEIGHTS.write_text(weights_text(*fit(open_), rounds, open_), encoding="utf-8")
    text = report(every)
    print(text)
    if kept:
        record(HEADING, text)


def report(every: Sequence[Considered]) -> str:
    return "\n\n".join(
        [
            curves(every, left_out(every), "amounts and ratings"),
            "Signs that stand at wrong figures more than seldom:",
            table(["sign", "wrong figures", "right figures", "writers of wrong ones"], told(every)),
        ]
    )


def curves(every: Sequence[Considered], chances: Sequence[float], what: str) -> str:
    """What each bar finds and accuses, of all rounds and of the late ones."""
    head = ["bar", f"{what} put wrong, caught", "clean passages accused", "clean reports accused"]
    late = [at for at, one in enumerate(every) if int(one.round.removeprefix("round")) >= _LATE]
    return "\n\n".join(
        [
            f"All rounds ({len(every)} {what}, writers by weights of others):",
            table(head, curve(every, chances)),
            f"Of these {_LATE} and later:",
            table(head, curve([every[at] for at in late], [chances[at] for at in late])),
        ]
    )


if __name__ == "__main__":
    main()
