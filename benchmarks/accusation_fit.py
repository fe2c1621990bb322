"""The weights of accusations (`eval/checks/accusing/weights.toml`), fitted to accusations at first contact, and what they are worth to a writer unseen.

python -m benchmarks.accusation_fit [--shop SHOP] [--write] [--record]

The labels are `pairs/accusations.jsonl` (`benchmarks/accusations.py`): what rules accused on texts that they had never met. Each writer in turn is
left out: fitted to all others, held against him. These figures alone say what the weights are worth. `--write` then fits to all writers, with the
lowest bar at which at most 2 % of the clean passages of writers left out are accused of something that is weighed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.env.shop import Shop
from drr.eval.checks import Subject, urls_in
from drr.eval.checks.accusing.traits import FOR, TRAITS, AccusationTraits
from drr.eval.checks.accusing.weighed import WEIGHTS, AccusationWeights, FittedLabels
from drr.eval.checks.base import Accusation
from drr.eval.checks.certainty import Certainty
from drr.eval.checks.mentions import Mentions
from drr.eval.checks.residue import is_of_what_is_unseen
from drr.eval.stats.intervals import Floats
from scipy.optimize import minimize

from benchmarks.accusations import LABELS, LabelledAccusation, read_labels
from benchmarks.first_contact import ROUNDS, WRITERS, StrangerText, read_round
from benchmarks.planted import sample_shop, share
from benchmarks.results import record, table

HEADING = "Accusations by weights"
PLAIN = frozenset(
    {
        "address",
        "order_id",
        "privacy",
        "text",
        "name",
        "phrase",
        "person",
        "place",
        "evidence",
        "citation_hygiene",
        "total",
        "limit_broken",
        "offer",
    }
)
"""Kinds of statements that are not weighed: the string itself is right or wrong, or no plant is of that kind."""
RIDGE = 1.0
ASKED = 0.02
"""Clean passages that may be accused."""
BARS = tuple(round(0.5 + 0.01 * step, 2) for step in range(46))
SHOWN = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
VERSION = 2


class Weighed(NamedTuple):
    """A labelled accusation with its traits."""

    label: LabelledAccusation
    traits: Mapping[str, float]

    @property
    def writer(self) -> str:
        return WRITERS.get(self.label.round, self.label.round)

    @property
    def counts(self) -> bool:
        """Whether it is a label: of a twin only what its clean text does not get."""
        return self.label.kind not in PLAIN and (self.label.new or not self.label.twin)


class Corpus:
    """The texts of the rounds, and what they were accused of."""

    def __init__(self, shop: Shop, labels: Sequence[LabelledAccusation]) -> None:
        self.texts: dict[tuple[str, str], StrangerText] = {
            (name, one.id): one
            for name in dict.fromkeys(label.round for label in labels)
            for one in read_round(ROUNDS / f"{name}.jsonl")
        }
        self.of: dict[tuple[str, str, bool], list[Weighed]] = {}
        for key, one in self.texts.items():
            for twin in (False, True):
                found = [label for label in labels if (label.round, label.id, label.twin) == (*key, twin)]
                text = one.twin if twin else one.text
                self.of[*key, twin] = list(_with_traits(shop, one, text, found)) if text is not None else []

    @cached_property
    def every(self) -> list[Weighed]:
        return [one for found in self.of.values() for one in found if one.counts]


def _with_traits(
    shop: Shop, one: StrangerText, text: str, labels: Sequence[LabelledAccusation]
) -> Iterator[Weighed]:
    if not labels:
        return
    subject = Subject(text, query=one.query, user_id=one.user_id, shop=shop, returned=urls_in(one.text))
    traits = AccusationTraits(subject, Mentions(subject))
    for label in labels:
        bound = Certainty.__members__.get(label.bound.upper())
        made = Accusation(label.kind, label.span, label.why, bound, label.doubt)
        yield Weighed(label, {} if label.kind in PLAIN else traits.counted(made))


def fit(some: Sequence[Weighed], kinds: Sequence[str]) -> tuple[float, dict[str, float], dict[str, float]]:
    """Logistic, with a ridge; every trait is kept on its side."""
    rows = np.array([_row(one, kinds) for one in some])
    right = np.array([float(one.label.new) for one in some])
    alike = Counter(_text_and_kind(one) for one in some)
    weight = np.array(
        [1 / alike[_text_and_kind(one)] for one in some]
    )  # several of a text are one misreading
    size = rows.shape[1]

    def loss(at: Floats) -> tuple[float, Floats]:
        logits = rows @ at
        value = (weight * (np.logaddexp(0.0, logits) - right * logits)).sum() + RIDGE * (
            at[1:] ** 2
        ).sum() / 2
        slope = rows.T @ (weight * (1 / (1 + np.exp(-logits)) - right))
        slope[1:] += RIDGE * at[1:]
        return float(value), slope

    sides = [(0.0, None) if name in FOR else (None, 0.0) for name in TRAITS]
    bounds = [(None, None)] * (1 + len(kinds)) + sides
    found = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", bounds=bounds).x
    at = [round(float(value), 4) + 0.0 for value in found]
    return (
        at[0],
        dict(zip(kinds, at[1 : 1 + len(kinds)], strict=True)),
        dict(zip(TRAITS, at[1 + len(kinds) :], strict=True)),
    )


def _text_and_kind(one: Weighed) -> tuple[str, str, bool, str]:
    return one.label.round, one.label.id, one.label.twin, one.label.kind


def _row(one: Weighed, kinds: Sequence[str]) -> list[float]:
    return [1.0, *(float(one.label.kind == kind) for kind in kinds), *(one.traits[name] for name in TRAITS)]


class LeftOut:
    """Each writer's accusations, weighed by what is fitted to the others."""

    def __init__(self, corpus: Corpus, kinds: Sequence[str], labels: FittedLabels) -> None:
        self._corpus = corpus
        self._weights = {}
        for writer in dict.fromkeys(one.writer for one in corpus.every):
            start, by_kind, traits = fit([one for one in corpus.every if one.writer != writer], kinds)
            self._weights[writer] = AccusationWeights(
                version=VERSION, bar=0.0, fitted=labels, start=start, kinds=by_kind, traits=traits
            )

    def chance(self, one: Weighed) -> float:
        return self._weights[one.writer].chance(one.label.kind, one.traits)

    def _is_made(self, one: Weighed, bar: float | None, *, plain: bool) -> bool:
        """`bar=None`: as the rules had it."""
        if one.label.kind in PLAIN:
            return plain
        if bar is None:
            return one.label.doubt is None
        return self.chance(one) >= bar

    def counted(self, bar: float | None, rounds: Sequence[str], *, plain: bool = True) -> Counter[str]:
        seen: Counter[str] = Counter()
        for (name, text_id), text in self._corpus.texts.items():
            if name not in rounds:
                continue
            made = {
                twin: [
                    one
                    for one in self._corpus.of[name, text_id, twin]
                    if self._is_made(one, bar, plain=plain)
                ]
                for twin in (False, True)
            }
            seen[text.form] += 1
            seen[f"{text.form} accused"] += bool(made[False])
            if text.plant is not None:
                failed = {rule for one in made[False] for rule in one.label.rules}
                seen["plants"] += 1
                seen["caught"] += any(set(one.label.rules) - failed for one in made[True] if one.label.new)
        return seen

    def bar(self, rounds: Sequence[str]) -> float:
        """The lowest at which few enough clean passages are accused of what is weighed."""
        for bar in BARS:
            seen = self.counted(bar, rounds, plain=False)
            if seen["passage accused"] <= ASKED * seen["passage"]:
                return bar
        return BARS[-1]

    def curve(self, rounds: Sequence[str], chosen: float) -> list[list[str]]:
        bars: list[float | None] = [None, *sorted({*SHOWN, chosen})]
        return [[_told(bar, chosen), *_shares(self.counted(bar, rounds))] for bar in bars]


def _told(bar: float | None, chosen: float) -> str:
    return "as the rules had it" if bar is None else f"{bar:.2f}{' (chosen)' if bar == chosen else ''}"


def _shares(seen: Counter[str]) -> list[str]:
    return [
        share(seen["caught"], seen["plants"]),
        share(seen["passage accused"], seen["passage"]),
        share(seen["report accused"], seen["report"]),
    ]


def by_round(held: LeftOut, rounds: Sequence[str], bar: float) -> list[list[str]]:
    return [
        [name, *_shares(held.counted(None, [name])), *_shares(held.counted(bar, [name]))] for name in rounds
    ]


def reliability(corpus: Corpus, held: LeftOut) -> list[list[object]]:
    """Of accusations of which so much was likely to weights that had not met their writer, how many are right."""
    rows: list[list[object]] = []
    edges = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
    for low, high in pairwise(edges):
        some = [one for one in corpus.every if low <= held.chance(one) < high]
        right = sum(one.label.new for one in some)
        rows.append([f"{low:.1f} to {high:.1f}", len(some), share(right, len(some))])
    return rows


def weights_text(
    start: float, kinds: Mapping[str, float], traits: Mapping[str, float], bar: float, labels: FittedLabels
) -> str:
    head = "# Weights of `eval/checks/accusing/weighed.py`, made by `python -m benchmarks.accusation_fit --write`; never edited by hand."
    lines = [
        head,
        "",
        f"version = {VERSION}",
        f"bar = {bar}",
        f"start = {start}",
        "",
        "[fitted]",
        f'set = "{labels.set}"',
    ]
    lines += [
        f'sha256 = "{labels.sha256}"',
        f"accusations = {labels.accusations}",
        f"writers = {labels.writers}",
    ]
    for name, values in (("kinds", kinds), ("traits", traits)):
        lines += ["", f"[{name}]", *(f"{key} = {value}" for key, value in values.items())]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shop", type=Path)
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    labels = [one for one in read_labels() if not (one.doubt and is_of_what_is_unseen(one.doubt))]
    with sample_shop(arguments.shop) as shop:
        corpus = Corpus(shop, labels)
    kinds = sorted({one.label.kind for one in corpus.every})
    writers = {one.writer for one in corpus.every}
    told = FittedLabels(
        set=LABELS.stem,
        sha256=sha256(LABELS.read_bytes()).hexdigest(),
        accusations=len(corpus.every),
        writers=len(writers),
    )
    held = LeftOut(corpus, kinds, told)
    rounds = list(dict.fromkeys(name for name, _ in corpus.texts))
    bar = held.bar(rounds)
    weights = fit(corpus.every, kinds)
    shares = ["caught", "clean passages accused", "clean reports accused"]
    last = [name for name in rounds if int(name.removeprefix("round")) >= 15]
    text = "\n\n".join(
        [
            f"All rounds ({len(corpus.every)} accusations, {len(writers)} writers):",
            table(["bar", *shares], held.curve(rounds, bar)),
            f"Of these {', '.join(last)}:",
            table(["bar", *shares], held.curve(last, bar)),
            table(
                [
                    "writer left out",
                    *(f"{one}, rules" for one in shares),
                    *(f"{one}, weighed" for one in shares),
                ],
                by_round(held, rounds, bar),
            ),
            table(["chance told", "accusations", "right"], reliability(corpus, held)),
            table(["trait", "weight"], [[name, f"{value:.2f}"] for name, value in weights[2].items()]),
        ]
    )
    print(text)
    if arguments.record:
        record(HEADING, text)
    if arguments.write:
        WEIGHTS.write_text(weights_text(*weights, bar, told), encoding="utf-8")


if __name__ == "__main__":
    main()
