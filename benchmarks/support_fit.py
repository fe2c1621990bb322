"""The weights of `rules-1`'s verdicts of support (`eval/evidence/weights.toml`), fitted to people's labels, and what they are worth to a writer unseen.

python -m benchmarks.support_fit [--write] [--record HEADING]

Each writer in turn is left out: fitted to all others (their pairs, and claims made from their texts by code, `support_made.py`), held against him.
These figures, never those of pairs that were fitted, say what the weights are worth. `--write` then fits to all writers.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.eval.evidence.graded import WordVerdict, counted, settled
from drr.eval.evidence.lexical import laid, sentences_of
from drr.eval.evidence.weighed import LABELS, WEIGHTS, Label, decided
from drr.eval.stats.intervals import Floats
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.results import record, table
from benchmarks.support_made import made
from benchmarks.support_pairs import FOLDER, JudgedPair, SupportPair, kappa, read_pairs

WRITERS = tuple(FOLDER / "strangers" / f"support{number}.jsonl" for number in (1, 2, 3, 4, 5, 6))
UNSEEN = WRITERS[1:]
"""Whose pairs the rules were not mended on; what the rules say is a trait."""
OURS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("products", "changed", "guides"))
CHECKS = tuple(FOLDER / "pairs" / f"{name}.jsonl" for name in ("offline", "records"))
"""What reports quote of records nearly as it stands; never fitted."""
MADE = 0.25
"""How much a claim made by code counts beside one that somebody wrote."""
RIDGE = 10.0
FOR = frozenset(
    {"covered", "present", "pairs", "literal", "part_least", "part_most", "ruled_full", "figures_worked_out", "figures_follow"}
    | {f"phrases_{knot}" for knot in (0.3, 0.5, 0.7, 0.85, 0.95)}
)  # fmt: skip
"""Traits that may only speak for a claim."""
NEUTRAL = frozenset({"parts", "joined", "ruled_partial"})
"""Traits that say how much is claimed, and so only whether it may be said in part."""
ABOUT_EQUAL = frozenset({"figures_near"})
"""May speak for a claim or against it: what is near may be a rounded figure or a wrong one. All others may only speak against it."""


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

    support: Floats
    partial: Floats


def counted_pairs(pairs: Sequence[SupportPair], names: Sequence[str]) -> Counted:
    rows = [counted(laid(pair.claim, sentences_of(pair.evidence))) for pair in pairs]
    return Counted(
        pairs,
        np.array([[row.traits[name] for name in names] for row in rows]),
        np.array([LABELS.index(pair.label) for pair in pairs]),  # type: ignore[arg-type]
        [row.ruled for row in rows],
        np.array([row.is_weighed for row in rows]),
    )


def fit(sets: Sequence[tuple[Counted, float]], names: Sequence[str], *, free: bool = False) -> Fit:
    """Multinomial, with a ridge on traits of equal spread: `support` counts for full and against none, `partial` for partial.

    `free` lets every trait speak for a claim or against it.
    """
    traits = np.concatenate([one.traits[one.weighed] for one, _ in sets])
    labels = np.concatenate([one.labels[one.weighed] for one, _ in sets])
    weight = np.concatenate([np.full(one.weighed.sum(), share) for one, share in sets])
    middle, spread = traits.mean(0), traits.std(0) + 1e-9
    rows = np.c_[np.ones(len(traits)), (traits - middle) / spread]
    size = rows.shape[1]

    def loss(at: Floats) -> tuple[float, Floats]:
        support, partial = at[:size], at[size:]
        likely = _likely(rows @ support, rows @ partial)
        gap = likely.copy()
        gap[np.arange(len(labels)), labels] -= 1
        gap *= weight[:, None]
        ridge = RIDGE * np.r_[0.0, np.ones(size - 1)]
        value = -(weight * np.log(likely[np.arange(len(labels)), labels] + 1e-12)).sum()
        value += (ridge * support**2).sum() + (ridge * partial**2).sum() / 2
        slope = np.r_[
            rows.T @ (gap[:, 2] - gap[:, 0]) + 2 * ridge * support, rows.T @ gap[:, 1] + ridge * partial
        ]
        return float(value), slope

    bounds = [
        (None, None),
        *((None, None) if free else _side(name) for name in names),
        *[(None, None)] * size,
    ]
    found = minimize(
        loss, np.zeros(2 * size), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 1000}
    ).x
    parts = []
    for half in (found[:size], found[size:]):
        slopes = half[1:] / spread
        parts.append(np.r_[half[0] - (slopes * middle).sum(), slopes])
    return Fit(*parts)


def _side(name: str) -> tuple[float | None, float | None]:
    if name in NEUTRAL:
        return 0.0, 0.0
    if name in ABOUT_EQUAL:
        return None, None
    return (0.0, None) if name in FOR else (None, 0.0)


def _likely(support: Floats, partial: Floats) -> Floats:
    logits = np.c_[-support, partial, support]
    parts = np.exp(logits - logits.max(1, keepdims=True))
    return parts / parts.sum(1, keepdims=True)


def said(weights: Fit, held: Counted, *, alone: bool = False) -> list[JudgedPair]:
    """`alone`: whatever the rules are certain of."""
    rows = np.c_[np.ones(len(held.traits)), held.traits]
    logits = zip((rows @ weights.support).tolist(), (rows @ weights.partial).tolist(), strict=True)
    found = zip(held.pairs, held.ruled, held.weighed, logits, strict=True)
    return [
        JudgedPair(pair, _label(ruled, decided(*at).label, weighed=bool(weighed), alone=alone), "")
        for pair, ruled, weighed, at in found
    ]


def _label(ruled: WordVerdict, label: Label, *, weighed: bool, alone: bool) -> Label:
    if alone:
        return label
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


def written(weights: Fit, names: Sequence[str], data: Sequence[tuple[Path, str, int, float]]) -> str:
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
    rows = [f"{{ support = {a:.4f}, partial = {b:.4f} }}" for a, b in zip(*weights, strict=True)]
    lines += [
        "",
        "[start]",
        f"support = {weights.support[0]:.4f}",
        f"partial = {weights.partial[0]:.4f}",
        "",
        "[traits]",
    ]
    lines += [f'"{name}" = {row}' for name, row in zip(names, rows[1:], strict=True)]
    return "\n".join([*lines, ""])


Sets = Mapping[Path, Counted]


def left_out(own: Sets, code: Sets, names: Sequence[str]) -> list[str]:
    """Tables: each writer held against weights that were fitted to the others."""
    rows: list[list[object]] = []
    every: dict[str, list[JudgedPair]] = {}
    by_code, by_free = list[JudgedPair](), list[JudgedPair]()
    for path in WRITERS:
        written_by = [(one, 1.0) for other, one in own.items() if other != path]
        others = [*written_by, *((one, MADE) for other, one in code.items() if other != path)]
        weights, free = fit(others, names), fit(written_by, names, free=True)
        found = {
            "rules alone": by_rule(own[path]),
            "two thresholds on words": by_coverage(own[path], others, names),
            "weighed": said(weights, own[path]),
            "fitted freely, to writers' pairs alone": said(free, own[path], alone=True),
        }
        rows.append([path.stem, len(own[path].pairs), *map(shown, found.values())])
        for way, judged in found.items():
            every.setdefault(way, []).extend(judged if path in UNSEEN else [])
        by_code += said(weights, code[path])
        by_free += said(free, code[path], alone=True)
    rows.append(
        [f"the last {len(UNSEEN)}", sum(len(own[path].pairs) for path in UNSEEN), *map(shown, every.values())]
    )
    made_head = "made by code from the texts of the writer left out"
    return [
        table(["writer left out", "pairs", *every], rows),
        table([f"{made_head}: weighed", "is", "n", *LABELS], _manners(by_code)),
        table([f"{made_head}: fitted freely", "is", "n", *LABELS], _manners(by_free)),
    ]


def checked(weights: Fit, names: Sequence[str]) -> list[str]:
    return [
        table([f"{path.stem}, none fitted", "is", "n", *LABELS], _manners(said(weights, one)))
        for path in CHECKS
        if (one := counted_pairs(read_pairs(path), names))
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
    weights = fit([*((one, 1.0) for one in own.values()), *((one, MADE) for one in code.values())], names)
    text = "\n\n".join([*left_out(own, code, names), *checked(weights, names)])
    print(text)
    if arguments.record:
        record(arguments.record, text)
    if arguments.write:
        data = [(path, path.stem, len(one.pairs), 1.0) for path, one in own.items()]
        data += [
            (path, f"{path.stem}, claims made by code", len(one.pairs), MADE) for path, one in code.items()
        ]
        WEIGHTS.write_text(written(weights, names, data), encoding="utf-8")


if __name__ == "__main__":
    main()
