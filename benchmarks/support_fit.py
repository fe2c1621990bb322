"""The weights of `rules-1`'s verdicts of support (`eval/evidence/weights.toml`), fitted to the labels of those who wrote the pairs, and what they are worth to a writer unseen.

python -m benchmarks.support_fit [--people PAIRS.jsonl ...] [--write] [--record HEADING]

Writers, all language models, are of two families: those who craft hard pairs, a third of each label, and those who imitate what happens by itself, answers of models with the passages that
they cite. A third family are pairs that people labelled, of a public set whose licence allows it and which is not kept here (`--people`; the weights name it and hold no text of it);
five parts of it, by evidence, stand for five writers. Each writer in turn is left out: fitted to all others (their pairs, and claims made from their texts by code, `support_made.py`), held against him.
The cut points between labels are chosen for weighted kappa on writers left out, too, each family with the same say: for a writer, on the others.
These figures, never those of pairs that were fitted, say what the weights are worth. `--write` then fits to all writers.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from drr.eval.canaries.planted import WEB, planted_claims
from drr.eval.evidence.graded import WordVerdict, counted, settled
from drr.eval.evidence.lexical import laid, sentences_of
from drr.eval.evidence.weighed import (
    LABELS,
    WEIGHTS,
    Curves,
    CutPoints,
    FittedSet,
    Label,
    LikelyAt,
    SupportWeights,
)
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.results import record, table
from benchmarks.support_forms import SupportPair, read_pairs
from benchmarks.support_made import made
from benchmarks.support_pairs import FOLDER, JudgedPair, confusion, kappa
from benchmarks.support_trees import Grown, grow

CRAFTED = tuple(FOLDER / "strangers" / f"support{number}.jsonl" for number in range(1, 14))
ANSWERS = tuple(FOLDER / "strangers" / f"support{number}.jsonl" for number in range(14, 17))
"""Sentences of answers with the passages that they cite, labelled as they come."""
WRITERS = (*CRAFTED, *ANSWERS)
KEPT = {"crafted": CRAFTED[1:], "answers": ANSWERS}
"""Families whose pairs are kept here and the rules were not mended on; what the rules say is a trait."""
PEOPLE = tuple(Path(f"people, part {number}") for number in range(1, 6))
LIKE_ANSWERS = FOLDER / "pairs" / "natural.jsonl"
OURS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("products", "changed", "guides", "natural"))
CHECKS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("offline", "records"))
"""What reports quote of records nearly as it stands; never fitted."""
MADE = 0.1
"""How much a claim made by code counts beside one that somebody wrote."""
LIVED = 2.0
"""How much a pair of `ANSWERS`, or written like them, counts: writers of hard pairs are many more."""
HARD = 0.7
"""How much a pair of `CRAFTED`, or of ours that are not like answers, counts: in them words in common speak against a claim, in answers and in what people labelled for it."""
GIVEN = 4.0
"""How much a pair that people labelled counts."""
NEARLY = 0.015
"""Of kappa: cut points that are worth so little less are as good."""
STEPS = np.linspace(0.04, 0.96, 55)
"""Shares of what is expected of pairs, at which labels may be cut."""
FOR = frozenset(
    {
        "covered",
        "present",
        "pairs",
        "literal",
        "part_least",
        "part_most",
        "ruled_some",
        "ruled_full",
        "figures_worked_out",
        "meant",
        "said",
        "said_at_once",
        "otherwise",
        "reworded",
        "words_there",
        "near_together",
        "pairs_there",
    }
    | {f"phrases_{knot}" for knot in (0.3, 0.5, 0.7, 0.85, 0.95)}
)
"""Traits that may only speak for a claim."""
NEUTRAL = frozenset({"parts", "joined", "part_gap"})
"""Traits that say how much is claimed, or that a part of it is said better than another: they speak neither for a claim nor against it. All others may only speak against it."""


class Counted(NamedTuple):
    """Pairs with their traits."""

    pairs: Sequence[SupportPair]
    traits: Floats
    labels: NDArray[np.int64]
    ruled: Sequence[WordVerdict]
    weighed: NDArray[np.bool_]
    """Those of which the weights decide."""


def counted_pairs(pairs: Sequence[SupportPair], names: Sequence[str]) -> Counted:
    rows = [counted(laid(pair.claim, sentences_of(pair.evidence))) for pair in pairs]
    return Counted(
        pairs,
        np.array([[row.traits[name] for name in names] for row in rows]),
        np.array([LABELS.index(pair.label) for pair in pairs]),
        [row.ruled for row in rows],
        np.array([row.is_weighed for row in rows]),
    )


def fit(sets: Sequence[tuple[Counted, float]], names: Sequence[str]) -> Grown:
    traits = np.concatenate([one.traits[one.weighed] for one, _ in sets])
    labels = np.concatenate([one.labels[one.weighed] for one, _ in sets]).astype(float)
    weight = np.concatenate([np.full(one.weighed.sum(), share) for one, share in sets])
    return grow(traits, labels, weight, sides(names))


def sides(names: Sequence[str]) -> NDArray[np.int64]:
    return np.array([0 if name in NEUTRAL else 1 if name in FOR else -1 for name in names])


def expected(weights: Grown, held: Counted) -> Floats:
    """Of each pair the label that is to be expected, from 0 to 2."""
    return weights.expected(held.traits)


Left = Mapping[Path, Floats]
"""Of each writer what is expected of his pairs by weights that were fitted without him."""


def curves(data: Data, left: Left) -> Curves:
    """How likely a label is where so much is expected, each family with half of the say."""
    at, labels, weight = list[Floats](), list[NDArray[np.int64]](), list[Floats]()
    for family in data.families.values():
        for path in family:
            own = data.own[path]
            at.append(left[path][own.weighed])
            labels.append(own.labels[own.weighed])
            weight.append(np.full(own.weighed.sum(), 1 / (len(family) * own.weighed.sum())))
    joined, people, shares = np.concatenate(at), np.concatenate(labels), np.concatenate(weight)
    partial, full = (_curve(joined, (people >= least).astype(float), shares) for least in (1, 2))
    return Curves(partial=partial, full=full)


def _curve(at: Floats, true: Floats, weight: Floats) -> LikelyAt:
    def loss(line: Floats) -> float:
        told = line[0] + line[1] * at
        return float((weight * (np.logaddexp(0, told) - true * told)).sum())

    start, slope = minimize(loss, np.array([0.0, 1.0]), method="BFGS").x
    return LikelyAt(start=round(float(start), 3), slope=round(float(slope), 3))


def best_cuts(families: Sequence[Sequence[tuple[Counted, Floats]]]) -> CutPoints:
    """Those of the best kappa, in the mean over a family's writers and then over families, each writer with what is expected of his pairs by weights that were fitted without him; of nearly as good ones those that call the least full."""
    shown = [[(one, at, *_certain(one)) for one, at in family] for family in families if family]
    every = np.concatenate([at for family in families for _, at in family])
    steps = np.quantile(every, STEPS).round(2).tolist()

    def worth(low: float, high: float) -> float:
        means = []
        for family in shown:
            values = []
            for one, at, floor, roof in family:
                labels = np.clip((at >= low).astype(int) + (at >= high), floor, roof)
                values.append(_kappa(labels, one.labels))
            means.append(float(np.mean(values)))
        return float(np.mean(means))

    found = [(worth(low, high), low, high) for low in steps for high in steps if low < high]
    best = max(found)[0]
    _, low, high = max((one for one in found if one[0] >= best - NEARLY), key=lambda one: (one[2], one[0]))
    return CutPoints(partial=low, full=high)


def _certain(held: Counted) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The least and the most that a pair's label can be, as `settled` has it."""
    floor, roof = (
        [
            LABELS.index(_label(ruled, label, weighed=bool(weighed)))
            for ruled, weighed in zip(held.ruled, held.weighed, strict=True)
        ]
        for label in (LABELS[0], LABELS[-1])
    )
    return np.array(floor), np.array(roof)


def _kappa(said: NDArray[np.int64], people: NDArray[np.int64]) -> float:
    cells = np.zeros((3, 3))
    np.add.at(cells, (said, people), 1)
    apart = (np.arange(3)[:, None] - np.arange(3)) ** 2
    by_chance = np.outer(cells.sum(1), cells.sum(0)) / cells.sum()
    return float(1 - (apart * cells).sum() / (apart * by_chance).sum())


def said(weights: Grown, cuts: CutPoints, held: Counted) -> list[JudgedPair]:
    found = zip(held.pairs, held.ruled, held.weighed, expected(weights, held).tolist(), strict=True)
    return [
        JudgedPair(pair, _label(ruled, cuts.label(at), weighed=bool(weighed)), "")
        for pair, ruled, weighed, at in found
    ]


def _label(ruled: WordVerdict, label: Label, *, weighed: bool) -> Label:
    return settled(ruled, label) if weighed else ruled.label


def by_coverage(
    held: Counted, trained: Sequence[tuple[Counted, float]], names: Sequence[str]
) -> list[JudgedPair]:
    """The plain rival: two thresholds on the share of words, chosen on the other writers."""
    at = list(names).index("covered")
    shares = np.concatenate([one.traits[:, at] for one, _ in trained])
    labels = np.concatenate([one.labels for one, _ in trained])
    weight = np.concatenate([np.full(len(one.labels), share) for one, share in trained])
    steps = np.arange(0, 1.01, 0.05)
    _, low, high = min(
        (float((weight * ((shares >= a) * 1 + (shares >= b) * 1 - labels) ** 2).sum()), a, b)
        for a in steps
        for b in steps
        if a <= b
    )
    return [
        JudgedPair(pair, LABELS[int(share >= low) + int(share >= high)], "")
        for pair, share in zip(held.pairs, held.traits[:, at], strict=True)
    ]


def by_rule(held: Counted) -> list[JudgedPair]:
    return [JudgedPair(pair, ruled.label, "") for pair, ruled in zip(held.pairs, held.ruled, strict=True)]


def trait_names() -> list[str]:
    return sorted(counted(laid("It holds two litres.", ["The jug holds two litres."])).traits)


def shown(found: Sequence[JudgedPair]) -> str:
    value = kappa(found)
    if value.value is None or value.ci_low is None:
        return "unknown"
    return f"{value.value:.2f} [{value.ci_low:.2f}, {value.ci_high:.2f}]"


def _manners(found: Sequence[JudgedPair]) -> list[list[object]]:
    rows: list[list[object]] = []
    for manner in dict.fromkeys(one.pair.manner for one in found):
        own = [one for one in found if one.pair.manner == manner]
        shares = [f"{sum(one.said == label for one in own) / len(own):.0%}" for label in LABELS]
        rows.append([manner, own[0].pair.label, len(own), *shares])
    return rows


def written(weights: SupportWeights) -> str:
    lines = [
        "# Weights of `eval/evidence/weighed.py`, made by `python -m benchmarks.support_fit --write`; never edited by hand.",
        f"start = {weights.start}",
    ]
    for one in weights.fitted:
        rows = {
            "set": f'"{one.set}"',
            "sha256": f'"{one.sha256}"',
            "pairs": one.pairs,
            "weight": one.weight,
        }
        lines += ["", "[[fitted]]", *(f"{key} = {value}" for key, value in rows.items())]
    lines += ["", "[cuts]", f"partial = {weights.cuts.partial:.2f}", f"full = {weights.cuts.full:.2f}"]
    for name, curve in (("partial", weights.likely.partial), ("full", weights.likely.full)):
        lines += ["", f"[likely.{name}]", f"start = {curve.start}", f"slope = {curve.slope}"]
    for tree in weights.trees:
        names = ", ".join(f'"{name}"' for name in tree.traits)
        lines += ["", "[[trees]]", f"traits = [{names}]"]
        lines += [f"above = {list(tree.above)}", f"adds = {list(tree.adds)}"]
    return "\n".join([*lines, ""])


Sets = Mapping[Path, Counted]


class Data(NamedTuple):
    """All that is fitted: pairs that somebody wrote, and claims made by code from the writers' texts."""

    own: Sets
    code: Sets
    names: Sequence[str]

    @property
    def families(self) -> Mapping[str, Sequence[Path]]:
        people = [path for path in PEOPLE if path in self.own]
        return {**KEPT, **({"people": people} if people else {})}

    @property
    def writers(self) -> Sequence[Path]:
        return (*WRITERS, *self.families.get("people", ()))

    def without(self, *writers: Path) -> list[tuple[Counted, float]]:
        kept = [(one, self.weight(path)) for path, one in self.own.items() if path not in writers]
        return [*kept, *((one, MADE) for path, one in self.code.items() if path not in writers)]

    @staticmethod
    def weight(path: Path) -> float:
        if path in PEOPLE:
            return GIVEN
        return LIVED if path in (*ANSWERS, LIKE_ANSWERS) else HARD

    def fit(self, *left_out: Path) -> Grown:
        return fit(self.without(*left_out), self.names)

    def left(self, fits: Mapping[Path, Grown]) -> Left:
        return {path: expected(one, self.own[path]) for path, one in fits.items()}

    def cuts(self, left: Left, *left_out: Path) -> CutPoints:
        """On each other writer."""
        return best_cuts(
            [
                [(self.own[path], left[path]) for path in family if path not in left_out]
                for family in self.families.values()
            ]
        )


def left_out(data: Data, fits: Mapping[Path, Grown]) -> list[str]:
    """Tables: each writer held against weights and cut points that were made of the others."""
    rows: list[list[object]] = []
    every: dict[str, dict[str, list[JudgedPair]]] = {name: {} for name in data.families}
    by_code, by_other = list[JudgedPair](), list[JudgedPair]()
    left = data.left(fits)
    for path in data.writers:
        own, others = data.own[path], data.without(path)
        weights, cuts = fits[path], data.cuts(left, path)
        found = {
            "rules alone": by_rule(own),
            "two thresholds on words": by_coverage(own, others, data.names),
            "weighed": said(weights, cuts, own),
        }
        rows.append([path.stem, len(own.pairs), *map(shown, found.values())])
        for name, family in data.families.items():
            for way, judged in found.items():
                every[name].setdefault(way, []).extend(judged if path in family else [])
        if path not in data.code:
            continue
        by_code += said(weights, cuts, data.code[path])
        by_other += said(weights, cuts, counted_pairs(beside_another(own.pairs, path.stem), data.names))
    for name, ways in every.items():
        rows.append([f"{name} together", len(ways["weighed"]), *map(shown, ways.values())])
    made_head = "made by code from the texts of the writer left out"
    return [
        table(["writer left out", "pairs", *every["crafted"]], rows),
        *(f"Weighed, {name} together:\n\n{confusion(ways['weighed'])}" for name, ways in every.items()),
        table([f"{made_head}: weighed", "is", "n", *LABELS], _manners([*by_code, *by_other])),
    ]


def beside_another(pairs: Sequence[SupportPair], seed: str) -> list[SupportPair]:
    """Each claim of a writer beside another of his texts, drawn by lot."""
    lot = Random(seed)
    texts = {pair.evidence_id: pair.evidence for pair in pairs}
    found = []
    for pair in pairs:
        name = lot.choice([one for one in sorted(texts) if one != pair.evidence_id])
        of_other = {
            "evidence_id": name,
            "evidence": texts[name],
            "label": "none",
            "manner": "beside another text",
        }
        found.append(pair.model_copy(update=of_other))
    return found


def checked(weights: Grown, cuts: CutPoints, names: Sequence[str]) -> list[str]:
    """What nothing is fitted to: quotations of records, and the claims that judges are tried with."""
    planted = [
        SupportPair(
            id=one.id,
            evidence_id=one.url,
            evidence=WEB[one.url],
            claim=one.claim,
            label=one.label.label,
            manner="stated" if one.is_true else "planted error",
        )
        for one in planted_claims()
    ]
    sets = {**{path.stem: read_pairs(path) for path in CHECKS}, "drr canaries": planted}
    return [
        table(
            [f"{name}, none fitted", "is", "n", *LABELS],
            _manners(said(weights, cuts, counted_pairs(pairs, names))),
        )
        for name, pairs in sets.items()
    ]


def parts_of(pairs: Sequence[SupportPair]) -> dict[Path, list[SupportPair]]:
    """Pairs that people labelled as if by five writers, no text in two of them."""
    parts: dict[Path, list[SupportPair]] = {path: [] for path in PEOPLE}
    for pair in pairs:
        parts[PEOPLE[sha256(pair.evidence_id.encode()).digest()[1] % len(PEOPLE)]].append(pair)
    return {path: found for path, found in parts.items() if found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--people", nargs="*", type=Path, default=[], help="files of pairs with labels by people"
    )
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument(
        "--record", metavar="HEADING", help="keep the tables under this heading of RESULTS.md"
    )
    arguments = parser.parse_args()
    names = trait_names()
    own = {path: counted_pairs(read_pairs(path), names) for path in (*WRITERS, *OURS)}
    code = {path: counted_pairs(made(own[path].pairs, path.stem), names) for path in WRITERS}
    given = {path: read_pairs(path) for path in arguments.people}
    parts = parts_of([pair for pairs in given.values() for pair in pairs])
    by_people = {path: counted_pairs(pairs, names) for path, pairs in parts.items()}
    data = Data({**own, **by_people}, code, names)
    fits = {path: data.fit(path) for path in data.writers}
    left = data.left(fits)
    weights, cuts = data.fit(), data.cuts(left)
    text = "\n\n".join([*left_out(data, fits), *checked(weights, cuts, names)])
    print(text)
    if arguments.record:
        record(arguments.record, text)
    if arguments.write:
        sets = [(path, path.stem, len(one.pairs), data.weight(path)) for path, one in own.items()]
        sets += [
            (path, f"{path.stem}, claims made by code", len(one.pairs), MADE) for path, one in code.items()
        ]
        sets += [
            (path, f"{path.stem}, by people, not kept here", len(pairs), GIVEN)
            for path, pairs in given.items()
        ]
        found = SupportWeights(
            fitted=tuple(
                FittedSet(set=name, sha256=sha256(path.read_bytes()).hexdigest(), pairs=pairs, weight=share)
                for path, name, pairs, share in sets
            ),
            cuts=cuts,
            likely=curves(data, left),
            start=round(weights.start, 5),
            trees=tuple(weights.told(names)),
        )
        WEIGHTS.write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()
