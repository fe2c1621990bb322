"""The figures as the paper's text and prompts define them, beside ours and never mixed with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from drr.env.plugins import load, papers
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import documented
from drr.eval.metrics.coverage import MOST_FAILED, coverage, variants_of
from drr.eval.metrics.rows import CoverageRow, PaperDocument
from drr.eval.stats.asked import AskedQuestion
from drr.eval.stats.faithfulness import PAPER_TYPES, JudgedClaims, corpus_values
from drr.eval.stats.intervals import SHARE, V, VRow, mean
from drr.eval.stats.pairs import pair_results
from drr.eval.tasks.judged import Judged
from drr.eval.tasks.quality import corpus_values as quality_values


class PrintedFigures(NamedTuple):
    """What a paper's plug-in adds where its protocol was judged."""

    figures: Callable[[Judged, Sequence[Answer]], Mapping[str, V]]
    """Of one system."""
    tasks_behind: Callable[[str], tuple[str, ...]]
    """Of a figure's name; none of another paper's."""
    heads: Mapping[str, str] = {}
    """What stands over those that a judging tells of."""
    note: str = ""
    """What must be known of these."""


def printed_figures() -> list[PrintedFigures]:
    """What the papers add."""
    return [load(paper.printed) for paper in papers() if paper.printed]


def paper_document(judged: Judged) -> PaperDocument:
    """The figures as the paper's text and prompts define them. Not comparable with ours, and labelled so."""
    covered = coverage(judged)
    by_variant = {variant: _figures(judged, answers) for variant, answers in variants_of(judged).items()}
    pairs_known = "pairwise" not in _spoiled(covered)
    return {
        "label": "as printed",
        "note": "the paper's definitions and order of answers, in our words and with today's models; see docs/paper-profile.md",
        "metrics": {variant: _known(figures, covered) for variant, figures in by_variant.items()},
        "pairwise": [r.document() for r in pair_results(judged.comparisons())] if pairs_known else [],
        "coverage": {
            "tasks": covered["tasks"],
            "invalid": covered["invalid"],
            "invalid_because": covered["invalid_because"],
        },
    }


def _spoiled(covered: CoverageRow) -> set[str]:
    """Find tasks of which too many units failed. What they left is a chance remainder, and the paper states
    no interval that would say so."""
    return {task for task, row in covered["tasks"].items() if row["failed_share"] > MOST_FAILED}


def _known(figures: Mapping[str, VRow], covered: CoverageRow) -> dict[str, VRow]:
    """The figures of tasks that were judged; those of a spoiled task are unknown, with the reason."""
    spoiled = _spoiled(covered)
    found: dict[str, VRow] = {}
    for name, row in figures.items():
        because = [task for task in _tasks_behind(name) if task in spoiled]
        found[name] = _unknown(row, covered, because) if because else row
    return found


def _tasks_behind(name: str) -> tuple[str, ...]:
    for printed in printed_figures():
        if tasks := printed.tasks_behind(name):
            return tasks
    if name.startswith("fp"):
        return ("claims", "support")
    return ("claims",) if name == "fr" or name.startswith("n_cited") else ("rating",)


def _unknown(row: VRow, covered: CoverageRow, because: Sequence[str]) -> VRow:
    shares = ", ".join(f"{covered['tasks'][task]['failed_share']:.1%} of {task}" for task in because)
    lost = row["n"] + row["n_unscored"]
    reason = f"unknown: {shares} failed, more than {MOST_FAILED:.0%}"
    return V(None, None, None, 0, lost, row["method"], reason).document()


def _figures(judged: Judged, answers: Sequence[Answer]) -> dict[str, VRow]:
    figures: dict[str, VRow] = {}
    if cited := judged.all_claims(answers, "cited"):
        by_name = corpus_values(cited)
        names = ("fp_web", "fp_product", "n_cited", "n_cited_web", "n_cited_product")
        figures = documented({name: by_name[name] for name in names})
        figures["fp"] = equation_2(cited)
    recall: dict[AskedQuestion, list[float | None]] = {}
    for answer in answers:
        found = judged.judged_claims(answer)
        if found is not None:
            recall.setdefault(answer.asked, []).append(_recall(judged, answer))
    if recall:
        method = "claims with a URL / claims, of a second extraction, mean over queries"
        figures["fr"] = mean(recall, method, SHARE).document()
    if rated := judged.all_rated(answers):
        figures |= documented(quality_values(rated))
    for printed in printed_figures():
        figures |= documented(printed.figures(judged, answers))
    return figures


def _recall(judged: Judged, answer: Answer) -> float | None:
    claims = judged.claims["all"][answer.key].claims
    return sum(bool(claim["urls"]) for claim in claims) / len(claims) if claims else None


def equation_2(reports: Sequence[JudgedClaims]) -> VRow:
    """Half the sum of the two columns; undefined as soon as one of them is."""
    columns = corpus_values(reports)
    parts = {t: columns[f"fp_{t}"].value for t in PAPER_TYPES}
    empty = [t for t, value in parts.items() if value is None]
    method = "Eq. 2 on the column means, as printed"
    if empty:
        reason = f"no scored claim cites {' or '.join(empty)}: a term of Eq. 2 divides by zero"
        return V(None, None, None, 0, len(reports), method, reason).document()
    value = sum(v for v in parts.values() if v is not None) / len(PAPER_TYPES)
    scored, lost = columns["fp"].n, columns["fp"].n_unscored
    return V(value, None, None, scored, lost, f"{method}; no interval is defined for it").document()
