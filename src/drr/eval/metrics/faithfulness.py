"""Metrics of faithfulness: claims compared with their stored sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from drr.env.world import all_kinds, label_of
from drr.eval.asking.rules import UNASKED
from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.faithfulness import PAPER_TYPES, corpus_values, report_values
from drr.eval.stats.intervals import SHARE, Statistic, empty_statistic
from drr.eval.tasks.judgements import Judged

TITLES = {
    "faithfulness": "Faithfulness",
    "faithfulness-bounds": "Faithfulness: bounds, pooled, and what the agent saw",
}


UNJOINED = (
    "claims of several types of source were not judged by all of them together; fp_split has each type alone"
)
ABSENT_MOST = 0.1
"""Most that may rest on absence: no quotation shows it, so above this share faithfulness leads nothing."""


def _share(name: str, label: str, text: str, table: str | None, *, detail: bool = True) -> Metric:
    return Metric(name, label, text, table, range=SHARE, better="higher", detail=detail)


def _count(name: str, label: str, text: str, table: str | None) -> Metric:
    """Declare a count. Its better direction is unset, because more citations are not better ones."""
    return Metric(name, label, text, table, unit="claims", least=0, detail=True)


_BOUNDS = {
    "fp_micro": "over all claims of all reports in one pool instead of report by report",
    "fp_strict": "which counts a source that could not be read as one that supports nothing",
    "fp_reachable": "with sources that could not be read left out",
    "fp_seen": "against the snippet, summary or record that the agent saw instead of the whole page",
}
"""Difference of each metric from faithfulness, as the end of its explanation."""
_NAMES = {"fp_micro": "pooled"}
_BESIDE = (
    _share(
        "fp_3types",
        "faithfulness 3 types",
        "As faithfulness, with the shopper's own records as a third kind.",
        None,
    ),
    Metric(
        "fp_absent",
        "faithfulness by absence",
        "Of the claims that faithfulness counts, the share that say that something is not stated, which no quotation can show.",
        "faithfulness-bounds",
        range=SHARE,
        detail=True,
    ),
    _count("n_claims", "N claims", "Claims of the report, cited or not.", None),
    *(
        _share(
            f"fp_{kind}_zero_filled",
            f"faithfulness {kind}, zero filled",
            f"As faithfulness {kind}, a report without such claims counting 0.",
            None,
        )
        for kind in PAPER_TYPES
    ),
    Metric(
        "unreadable_rate",
        "unreadable",
        "The share of web and product sources, claim by claim, that could not be read, those that nobody kept included.",
        None,
        range=SHARE,
        better="lower",
        detail=True,
    ),
    _share(
        "fp_now",
        "faithfulness now",
        "As faithfulness, against the pages as they read when `--refetch` was last given.",
        None,
    ),
    _share(
        "fp_web_now",
        "faithfulness web now",
        "As faithfulness web, against the pages as they read at `--refetch`.",
        None,
    ),
)


def metrics() -> list[Metric]:
    """Return the metrics, with a precision and a count for each kind of source."""
    return [
        _share(
            "fp",
            "faithfulness",
            "How far the cited sources support what the report says (faithfulness precision, FP): mean over web and product sources.",
            "faithfulness",
            detail=False,
        ),
        _share(
            "fp_split",
            "faithfulness split",
            "As faithfulness, with each type of source that a claim cites judged as if it stood alone, as until version 0.2.",
            "faithfulness",
        ),
        *map(_precision, all_kinds()),
        _share(
            "fr",
            "cited share",
            "The paper's FR: the share of all claims that cite a source which a tool returned or the shop holds.",
            "faithfulness",
            detail=False,
        ),
        _count(
            "n_cited",
            f"N cited ({', '.join(PAPER_TYPES)})",
            "Claims that cite the web or a product, each counted per kind.",
            "faithfulness",
        ),
        *map(_cited_metric, all_kinds()),
        *(
            _share(
                name,
                f"faithfulness {_NAMES.get(name, name[3:])}",
                f"As faithfulness, {text}.",
                "faithfulness-bounds",
            )
            for name, text in _BOUNDS.items()
        ),
        _share(
            "fr_supported",
            "supported share",
            "The share of all claims that some source supports at least in part.",
            "faithfulness-bounds",
        ),
        *_BESIDE,
    ]


def _precision(kind: str) -> Metric:
    text = f"As faithfulness, of claims that cite {label_of(kind)}, over reports that have any."
    return _share(f"fp_{kind}", f"faithfulness {kind}", text, "faithfulness")


def _cited_metric(kind: str) -> Metric:
    return _count(f"n_cited_{kind}", f"N {kind}", f"Claims that cite {label_of(kind)}.", "faithfulness")


def per_report(judged: Judged, answer: Answer) -> Values:
    found = judged.judged_claims(answer)
    if found is None:
        return {}
    values = report_values(found.claims)
    return {name: None if _why_unknown(judged, name) else value for name, value in values.items()}


def corpus(judged: Judged, answers: Sequence[Answer], mode: str = "all") -> Mapping[str, Statistic]:
    """Return the metrics of one variant, by the claims of one extraction."""
    found = judged.all_claims(answers, mode)
    values = corpus_values(found) if found else {}
    return {
        name: replace(empty_statistic(v.sentence, len(answers)), reason=reason)
        if (reason := _why_unknown(judged, name))
        else v
        for name, v in values.items()
    }


def _why_unknown(judged: Judged, name: str) -> str:
    """Return the reason why a figure is unknown; empty where all that it takes was judged."""
    if judged.is_code and not (name == "fr" or name.startswith("n_")):
        return UNASKED
    is_joint = name.startswith("fp") and name != "fp_split"
    return UNJOINED if is_joint and judged.joint_waits else ""
