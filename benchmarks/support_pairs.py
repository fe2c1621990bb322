"""Measures what `rules-2` says of claims beside their evidence against labels, on files of pairs as they are published.

python -m benchmarks.support_pairs PAIRS.jsonl ...

Nothing is fitted and no pair is kept here. Files are ours, WiCE's or AttributionBench's, as `drr judges scorecard` reads them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from drr.eval.evidence.passages import WindowVerdict, label_support, shown_spans
from drr.eval.labels import SupportLabel, read_labels
from drr.eval.stats.agreement import cohen_kappa
from drr.eval.stats.intervals import Statistic

from benchmarks.results import record, table

LABELS = ("none", "partial", "full")


class JudgedPair(NamedTuple):
    """A pair's label, the text it hangs on, and what the rules say."""

    id: str
    label: str
    evidence: str
    said: WindowVerdict


def judged(path: Path) -> list[JudgedPair]:
    """Judge as in a study: of a long text the passages that a judge would be shown."""
    found: dict[str, JudgedPair] = {}
    for one in read_labels(path):
        if isinstance(one, SupportLabel):
            text = one.evidence
            shown = "\n[...]\n".join(text[s.start : s.end].strip() for s in shown_spans(one.claim, text))
            cluster = sha256(text.encode()).hexdigest()[:12]
            found.setdefault(
                one.id, JudgedPair(one.id, one.label, cluster, label_support(one.claim, [shown]))
            )
    return list(found.values())


def is_twofold(pairs: Sequence[JudgedPair]) -> bool:
    """Tell whether their labels know no `partial`: what is supported in part is not supported then."""
    return all(pair.label != "partial" for pair in pairs)


def kappa(pairs: Sequence[JudgedPair]) -> Statistic:
    """Quadratic-weighted, by evidence; of two labels, of what is full and what is not."""
    clusters = [pair.evidence for pair in pairs]
    if is_twofold(pairs):
        full = ([pair.said.label == "full" for pair in pairs], [pair.label == "full" for pair in pairs])
        return cohen_kappa(*full, clusters=clusters)
    said, labels = [pair.said.label for pair in pairs], [pair.label for pair in pairs]
    return cohen_kappa(said, labels, clusters=clusters, categories=LABELS, weights="quadratic")


def auc(pairs: Sequence[JudgedPair]) -> float | None:
    """Return how often the share of a claim that is `full` is above that of one that is not. Ties count half."""
    full, rest = (
        np.array([p.said.share for p in pairs if (p.label == "full") == one]) for one in (True, False)
    )
    if not (full.size and rest.size):
        return None
    apart = full[:, None] - rest[None, :]
    return float((apart > 0).mean() + (apart == 0).mean() / 2)


def summary(name: str, pairs: Sequence[JudgedPair]) -> list[object]:
    value, area = kappa(pairs), auc(pairs)
    told = "unknown" if value.value is None else f"{value.value:.2f}"
    if value.ci_low is not None:
        told += f" [{value.ci_low:.2f}, {value.ci_high:.2f}]"
    cells = Counter((pair.label, pair.said.label) for pair in pairs)
    said = [" / ".join(str(cells[label, one]) for one in LABELS) for label in LABELS]
    return [name, len(pairs), "unknown" if area is None else f"{area:.2f}", told, *said]


HEAD = (
    "pairs",
    "n",
    "AUC of the share",
    "kappa [95 %]",
    *(f"{one}: none / partial / full" for one in LABELS),
)


SHORT = 4
"""Columns that are kept; all are printed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    rows = [summary(path.stem, judged(path)) for path in parser.parse_args().files]
    print(table(HEAD, rows))
    told = "`rules-2` on claims that people labelled (WiCE, oracle chunks)."
    record(
        "The judge without a model beside people's labels",
        f"{told}\n\n{table(HEAD[:SHORT], [row[:SHORT] for row in rows])}",
    )


if __name__ == "__main__":
    main()
