"""The weights of `rules-1`'s verdicts of support (`eval/evidence/weights.toml`), fitted to people's labels, and what they are worth to a writer unseen.

python -m benchmarks.support_fit [--write] [--record HEADING]

Each writer in turn is left out: fitted to all others (their pairs, and claims made from their texts by code, `support_made.py`), held against him.
The cut points between labels are chosen for weighted kappa on writers left out, too: for a writer, on the others, each left out once more.
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
from drr.eval.evidence.weighed import LABELS, WEIGHTS, CutPoints, Label
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.results import record, table
from benchmarks.support_made import made
from benchmarks.support_pairs import FOLDER, JudgedPair, SupportPair, confusion, kappa, read_pairs

WRITERS = tuple(FOLDER / "strangers" / f"support{number}.jsonl" for number in range(1, 12))
UNSEEN = WRITERS[1:]
"""Whose pairs the rules were not mended on; what the rules say is a trait."""
OURS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("products", "changed", "guides"))
CHECKS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("offline", "records"))
"""What reports quote of records nearly as it stands; never fitted."""
MADE = 0.1
"""How much a claim made by code counts beside one that somebody wrote."""
RIDGE = 100.0
STEPS = np.linspace(0.04, 0.96, 28)
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
        "otherwise",
        "reworded",
    }
    | {f"phrases_{knot}" for knot in (0.3, 0.5, 0.7, 0.85, 0.95)}
)
"""Traits that may only speak for a claim."""
NEUTRAL = frozenset({"parts", "joined", "part_gap"})
"""Traits that say how much is claimed, or that a part of it is said better than another, and so only that it may be said in part. All others may only speak against a claim."""


Bound = tuple[float | None, float | None]


class Counted(NamedTuple):
    """Pairs with their traits."""

    pairs: Sequence[SupportPair]
    traits: Floats
    labels: NDArray[np.int64]
    ruled: Sequence[WordVerdict]
    weighed: NDArray[np.bool_]
    """Those of which the weights decide."""


class Fit(NamedTuple):
    """Per trait, after the first, which is the start."""

    some: Floats
    whole: Floats


def counted_pairs(pairs: Sequence[SupportPair], names: Sequence[str]) -> Counted:
    rows = [counted(laid(pair.claim, sentences_of(pair.evidence))) for pair in pairs]
    return Counted(
        pairs,
        np.array([[row.traits[name] for name in names] for row in rows]),
        np.array([LABELS.index(pair.label) for pair in pairs]),
        [row.ruled for row in rows],
        np.array([row.is_weighed for row in rows]),
    )


def fit(sets: Sequence[tuple[Counted, float]], *, free: bool = False, names: Sequence[str]) -> Fit:
    """Multinomial, with a ridge on traits of equal spread: `some` counts for partial against none, `whole` for full against partial.

    `free` lets every trait speak for a claim or against it.
    """
    traits = np.concatenate([one.traits[one.weighed] for one, _ in sets])
    labels = np.concatenate([one.labels[one.weighed] for one, _ in sets])
    weight = np.concatenate([np.full(one.weighed.sum(), share) for one, share in sets])
    middle, spread = traits.mean(0), traits.std(0) + 1e-9
    rows = np.c_[np.ones(len(traits)), (traits - middle) / spread]
    size = rows.shape[1]
    ridge = RIDGE / 2 * np.r_[0.0, np.ones(size - 1)]

    def loss(at: Floats) -> tuple[float, Floats]:
        some, whole = at[:size], at[size:]
        likely = _likely(rows @ some, rows @ whole)
        gap = likely.copy()
        gap[np.arange(len(labels)), labels] -= 1
        gap *= weight[:, None]
        value = -(weight * np.log(likely[np.arange(len(labels)), labels] + 1e-12)).sum()
        value += (ridge * (some**2 + whole**2)).sum() / 2
        slope = np.r_[rows.T @ (gap[:, 1] + gap[:, 2]) + ridge * some, rows.T @ gap[:, 2] + ridge * whole]
        return float(value), slope

    anywhere: Bound = (None, None)
    sides = [(anywhere, anywhere) if free else _sides(name) for name in names]
    bounds = [anywhere, *(some for some, _ in sides), anywhere, *(whole for _, whole in sides)]
    found = minimize(
        loss, np.zeros(2 * size), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 1000}
    ).x
    parts = []
    for half in (found[:size], found[size:]):
        slopes = half[1:] / spread
        parts.append(np.r_[half[0] - (slopes * middle).sum(), slopes])
    return Fit(*parts)


def _sides(name: str) -> tuple[Bound, Bound]:
    """Of `some` and of `whole`."""
    above, below = (0.0, None), (None, 0.0)
    if name in NEUTRAL:
        return above, below
    return (above, above) if name in FOR else (below, below)


def _likely(some: Floats, whole: Floats) -> Floats:
    logits = np.c_[np.zeros(len(some)), some, some + whole]
    parts: Floats = np.exp(logits - logits.max(1, keepdims=True))
    likely: Floats = parts / parts.sum(1, keepdims=True)
    return likely


def expected(weights: Fit, held: Counted) -> Floats:
    """Of each pair the label that is to be expected, from 0 to 2."""
    rows = np.c_[np.ones(len(held.traits)), held.traits]
    likely = _likely(rows @ weights.some, rows @ weights.whole)
    found: Floats = likely[:, 1] + 2 * likely[:, 2]
    return found


def best_cuts(held: Sequence[tuple[Counted, Floats]]) -> CutPoints:
    """Those of the best mean kappa over writers, each with what is expected of his pairs by weights that were fitted without him."""
    shown = [(one, at, *_certain(one)) for one, at in held]
    steps = np.quantile(np.concatenate([at for _, at in held]), STEPS).round(2).tolist()

    def worth(low: float, high: float) -> float:
        values = []
        for one, at, floor, roof in shown:
            labels = np.clip((at >= low).astype(int) + (at >= high), floor, roof)
            values.append(_kappa(labels, one.labels))
        return float(np.mean(values))

    _, low, high = max((worth(low, high), low, high) for low in steps for high in steps if low < high)
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


def said(weights: Fit, cuts: CutPoints, held: Counted) -> list[JudgedPair]:
    found = zip(held.pairs, held.ruled, held.weighed, expected(weights, held).tolist(), strict=True)
    return [
        JudgedPair(pair, _label(ruled, cuts.label(at), weighed=bool(weighed)), "")
        for pair, ruled, weighed, at in found
    ]


def said_freely(weights: Fit, held: Counted) -> list[JudgedPair]:
    """Whatever the rules are certain of."""
    found = zip(held.pairs, expected(weights, held).tolist(), strict=True)
    return [JudgedPair(pair, LABELS[round(at)], "") for pair, at in found]


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


def written(
    weights: Fit, cuts: CutPoints, names: Sequence[str], data: Sequence[tuple[Path, str, int, float]]
) -> str:
    head = "# Weights of `eval/evidence/weighed.py`, made by `python -m benchmarks.support_fit --write`; never edited by hand."
    lines = [head]
    for path, name, pairs, share in data:
        digest = sha256(path.read_bytes()).hexdigest()
        lines += [
            "",
            "[[fitted]]",
            f'set = "{name}"',
            f'sha256 = "{digest}"',
            f"pairs = {pairs}",
            f"weight = {share}",
        ]
    rows = [f"{{ some = {a:.4f}, whole = {b:.4f} }}" for a, b in zip(*weights, strict=True)]
    lines += [
        "",
        "[cuts]",
        f"partial = {cuts.partial:.2f}",
        f"full = {cuts.full:.2f}",
        "",
        "[start]",
        f"some = {weights.some[0]:.4f}",
        f"whole = {weights.whole[0]:.4f}",
        "",
        "[traits]",
    ]
    lines += [f'"{name}" = {row}' for name, row in zip(names, rows[1:], strict=True)]
    return "\n".join([*lines, ""])


Sets = Mapping[Path, Counted]


class Data(NamedTuple):
    """All that is fitted: pairs that somebody wrote, and claims made by code from the writers' texts."""

    own: Sets
    code: Sets
    names: Sequence[str]

    def without(self, *writers: Path) -> list[tuple[Counted, float]]:
        kept = [(one, 1.0) for path, one in self.own.items() if path not in writers]
        return [*kept, *((one, MADE) for path, one in self.code.items() if path not in writers)]

    def fit(self, *left_out: Path) -> Fit:
        return fit(self.without(*left_out), names=self.names)

    def cuts(self, *left_out: Path) -> CutPoints:
        """On each other writer, left out too."""
        others = [path for path in UNSEEN if path not in left_out]
        return best_cuts(
            [(self.own[path], expected(self.fit(path, *left_out), self.own[path])) for path in others]
        )


def left_out(data: Data) -> list[str]:
    """Tables: each writer held against weights and cut points that were made of the others."""
    rows: list[list[object]] = []
    every: dict[str, list[JudgedPair]] = {}
    by_code, by_free, by_other = list[JudgedPair](), list[JudgedPair](), list[JudgedPair]()
    for path in WRITERS:
        own, others = data.own[path], data.without(path)
        weights, cuts = data.fit(path), data.cuts(path)
        free = fit([(one, share) for one, share in others if share == 1.0], free=True, names=data.names)
        found = {
            "rules alone": by_rule(own),
            "two thresholds on words": by_coverage(own, others, data.names),
            "weighed": said(weights, cuts, own),
            "fitted freely, to writers' pairs alone": said_freely(free, own),
        }
        rows.append([path.stem, len(own.pairs), *map(shown, found.values())])
        for way, judged in found.items():
            every.setdefault(way, []).extend(judged if path in UNSEEN else [])
        by_code += said(weights, cuts, data.code[path])
        by_free += said_freely(free, data.code[path])
        by_other += said(weights, cuts, counted_pairs(beside_another(own.pairs, path.stem), data.names))
    unseen = sum(len(data.own[path].pairs) for path in UNSEEN)
    rows.append([f"the last {len(UNSEEN)}", unseen, *map(shown, every.values())])
    made_head = "made by code from the texts of the writer left out"
    return [
        table(["writer left out", "pairs", *every], rows),
        f"The last {len(UNSEEN)} together:\n\n{confusion(every['weighed'])}",
        table([f"{made_head}: weighed", "is", "n", *LABELS], _manners([*by_code, *by_other])),
        table([f"{made_head}: fitted freely", "is", "n", *LABELS], _manners(by_free)),
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


def checked(weights: Fit, cuts: CutPoints, names: Sequence[str]) -> list[str]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights, fitted to all writers")
    parser.add_argument(
        "--record", metavar="HEADING", help="keep the tables under this heading of RESULTS.md"
    )
    arguments = parser.parse_args()
    names = trait_names()
    own = {path: counted_pairs(read_pairs(path), names) for path in (*WRITERS, *OURS)}
    code = {path: counted_pairs(made(own[path].pairs, path.stem), names) for path in WRITERS}
    data = Data(own, code, names)
    weights, cuts = data.fit(), data.cuts()
    text = "\n\n".join([*left_out(data), *checked(weights, cuts, names)])
    print(text)
    if arguments.record:
        record(arguments.record, text)
    if arguments.write:
        sets = [(path, path.stem, len(one.pairs), 1.0) for path, one in own.items()]
        sets += [
            (path, f"{path.stem}, claims made by code", len(one.pairs), MADE) for path, one in code.items()
        ]
        WEIGHTS.write_text(written(weights, cuts, names, sets), encoding="utf-8")


if __name__ == "__main__":
    main()
