"""Builds the document of a judged study, which `drr report --json` prints and all tables are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from drr.env.plugins import papers
from drr.eval.evidence.answers import Answer
from drr.eval.judging.difference import earlier_code
from drr.eval.judging.marks import marks_row, read_marks
from drr.eval.judging.read import (
    as_printed,
    choose_judging,
    read_judged,
    refetched_judging,
    without_broken_off,
)
from drr.eval.metrics import all_failed, document_rows, failed_figures, faithfulness, figures
from drr.eval.metrics.coverage import MOST_FAILED, coverage, same_reports, same_reports_text, variants_of
from drr.eval.metrics.diagnosis import failure_document
from drr.eval.metrics.rows import (
    CoverageRow,
    FailureDocument,
    JudgeRow,
    PaperDocument,
    Provenance,
    StudyDocument,
)
from drr.eval.stats.faithfulness import PAPER_TYPES, split_columns
from drr.eval.stats.intervals import SHARE, Statistic, VRow, mean
from drr.eval.stats.pairs import overall, pair_results
from drr.eval.stats.question import grouped
from drr.eval.tasks.judgements import Judged, length_correlations
from drr.eval.tasks.judgements import corpus_values as quality_values
from drr.llm.names import NO_MODEL, OFFLINE
from drr.study.study import Study


class PrintedFigures(NamedTuple):
    """The figures that a paper's plug-in adds to its protocol's figures."""

    figures: Callable[[Judged, Sequence[Answer]], Mapping[str, Statistic]]
    """Function that returns the figures of one system."""
    tasks_behind: Callable[[str], tuple[str, ...]]
    """Function that returns the tasks behind a figure's name; empty for another paper's figure."""


def printed_figures() -> list[PrintedFigures]:
    """Return the figures that the papers' plug-ins add."""
    found: list[PrintedFigures | None] = [paper.figures.printed() for paper in papers()]
    return [printed for printed in found if printed is not None]


def paper_document(judged: Judged) -> PaperDocument:
    """Build the document of figures as the paper defines them. They are labelled, because they are not comparable with the project's own."""
    covered = coverage(judged)
    by_variant = {variant: _figures(judged, answers) for variant, answers in variants_of(judged).items()}
    pairs_known = "pairwise" not in _spoiled_tasks(covered)
    return {
        "label": "as printed",
        "note": ". ".join([_PRINTED_NOTE, *_by_earlier(judged)]),
        "metrics": {variant: _known_figures(figures, covered) for variant, figures in by_variant.items()},
        "pairwise": pair_results(judged.comparisons()) if pairs_known else [],
        "coverage": {
            "tasks": covered["tasks"],
            "invalid": covered["invalid"],
            "invalid_because": covered["invalid_because"],
        },
    }


_PRINTED_NOTE = (
    "the paper's definitions and order of answers, in our words and with today's models; see docs/papers.md"
)


def _by_earlier(judged: Judged) -> list[str]:
    if not (code := earlier_code(judged)):
        return []
    again = "`drr judge STUDY --renew` reads what is kept again, and asks a model what is new"
    return [
        f"Judged at earlier versions of {', '.join(code)}: not comparable with figures of today's; {again}"
    ]


def not_comparable(judged: Judged) -> list[str]:
    """List a sentence for each reason why some figures are not comparable with today's."""
    lines = [judged.given_up] if judged.given_up else []
    lines += [f"{line}." for line in _by_earlier(judged)]
    if judged.by_other_rules:
        lines.append(
            f"{len(judged.by_other_rules)} reports were checked by rules of another version: their rule_* figures are not"
            " comparable with ours; `drr judge STUDY --what rules` checks them anew, without a model."
        )
    return lines


def _spoiled_tasks(covered: CoverageRow) -> set[str]:
    """Return the tasks of which too many units failed. The rest is a biased sample, and the paper's figures have no interval that would show it."""
    return {task for task, row in covered["tasks"].items() if row["failed_share"] > MOST_FAILED}


def _known_figures(figures: Mapping[str, VRow], covered: CoverageRow) -> dict[str, VRow]:
    """Return the figures of judged tasks. Figures of a task with too many failures are unknown, with the reason."""
    spoiled = _spoiled_tasks(covered)
    found: dict[str, VRow] = {}
    # Units that fail are seldom a fair sample of all.
    for name, row in figures.items():
        because = [task for task in _tasks_behind(name) if task in spoiled]
        found[name] = _unknown_row(row, covered, because) if because else row
    return found


def _tasks_behind(name: str) -> tuple[str, ...]:
    for printed in printed_figures():
        if tasks := printed.tasks_behind(name):
            return tasks
    if name.startswith("fp"):
        return ("claims", "support") if name == "fp_split" else ("claims", "support", "joint")
    return ("claims",) if name == "fr" or name.startswith("n_cited") else ("rating",)


def _unknown_row(row: VRow, covered: CoverageRow, because: Sequence[str]) -> VRow:
    shares = ", ".join(f"{covered['tasks'][task]['failed_share']:.1%} of {task}" for task in because)
    lost = row["n"] + row["n_unscored"]
    reason = f"unknown: {shares} failed, more than {MOST_FAILED:.0%}"
    return Statistic(None, None, None, 0, lost, row["method"], reason).document()


def _figures(judged: Judged, answers: Sequence[Answer]) -> dict[str, VRow]:
    rows: dict[str, VRow] = {}
    if by_name := faithfulness.corpus(judged, answers, "cited"):
        names = ("fp_web", "fp_product", "n_cited", "n_cited_web", "n_cited_product")
        rows = document_rows({name: by_name[name] for name in names})
        rows["fp"] = equation_2({t: by_name[f"fp_{t}"] for t in PAPER_TYPES}, by_name["fp"])
        apart = split_columns(judged.all_claims(answers, "cited"))
        rows["fp_split"] = equation_2(apart, by_name["fp_split"])
    extracted = (answer for answer in answers if judged.judged_claims(answer) is not None)
    if recall := grouped((answer.asked, _recall(judged, answer)) for answer in extracted):
        method = "claims with a URL / claims, of a second extraction, mean over queries"
        rows["fr"] = mean(recall, method, SHARE).document()
    if rated := judged.all_rated(answers):
        rows |= document_rows(quality_values(rated))
    for printed in printed_figures():
        rows |= document_rows(printed.figures(judged, answers))
    return rows


def _recall(judged: Judged, answer: Answer) -> float | None:
    claims = judged.claims["all"][answer.key].claims
    return sum(bool(claim["urls"]) for claim in claims) / len(claims) if claims else None


def equation_2(columns: Mapping[str, Statistic], whole: Statistic) -> VRow:
    """Compute half the sum of the two columns (Eq. 2 of the paper); undefined where one of them is. `whole` counts the reports."""
    empty = [t for t, column in columns.items() if column.value is None]
    method = "Eq. 2 on the column means, as printed"
    if empty:
        reason = whole.reason or (
            f"no scored claim cites {' or '.join(empty)}: a term of Eq. 2 divides by zero"
        )
        return Statistic(None, None, None, 0, whole.n + whole.n_unscored, method, reason).document()
    value = sum(v.value or 0.0 for v in columns.values()) / len(columns)
    method = f"{method}; no interval is defined for it"
    return Statistic(value, None, None, whole.n, whole.n_unscored, method).document()


SCHEMA = 1


class JudgedStudy(NamedTuple):
    """A judged study as passed to a paper's plug-in, which adds its part of the document."""

    study: Study
    judged: Judged
    figures: Mapping[str, Mapping[str, VRow]]
    """Figures of each system over all its answers."""
    counted: Callable[[Judged], Judged]
    """Function that reduces another judging run to the answers that count in this document."""


def study_document(
    study: Study, judge: str | None = None, *, complete: bool = False, known: Judged | None = None
) -> StudyDocument:
    """Build the document of the last judging run by a model (else by rules), or of the named judge's. The paper's protocol is added where judged.

    `complete` leaves out answers whose research was broken off; `known` is the judging run if it was read already.
    """

    def counted(read: Judged) -> Judged:
        return without_broken_off(read) if complete else read

    judged = read_judged(study, choose_judging(study, judge)) if known is None else known
    answers, judged = judged.answers, counted(judged)
    document = _judged_document(judged, failure_document(judged, study))
    now = refetched_judging(study, judged.judging)
    if now is not None:
        _add_now(document, counted(read_judged(study, now, answers=answers)))
    paper = as_printed(study, judged.judging.judge if judged.judging else judge)
    if paper is not None:
        document["as_printed"] = paper_document(counted(read_judged(study, paper, answers=answers)))
    about = JudgedStudy(study, judged, document["metrics"], counted)
    for one in papers():
        if (part := one.figures.document_part(about)) is not None:
            cast(dict[str, object], document)[one.figures.document] = part
    if marks := read_marks(study):
        document["coverage"]["marks"] = marks_row(judged, marks)
    if failed := study.ledger.units.answer_failures():
        document["coverage"]["failed"] = failed
    if study.losses:
        document["coverage"]["lost"] = sorted(loss.label for loss in study.losses.values())
    return document


def _judged_document(judged: Judged, failures: FailureDocument | None) -> StudyDocument:
    by_variant = variants_of(judged)
    rows = {variant: document_rows(figures(judged, answers)) for variant, answers in by_variant.items()}
    rows |= {variant: document_rows(failed_figures(judged, variant)) for variant in all_failed(judged)}
    comparisons = judged.comparisons()
    rated = judged.all_rated(judged.answers)
    return {
        "schema": SCHEMA,
        "judge": _judge(judged),
        "banner": banner(judged),
        "provenance": provenance(judged),
        "metrics": rows,
        "pairwise": pair_results(comparisons),
        "pairwise_detail": overall(comparisons) if comparisons else None,
        "length_correlation": length_correlations(rated) if rated else None,
        "coverage": coverage(judged),
        "failures": failures,
    }


def _judge(judged: Judged) -> JudgeRow | None:
    judging = judged.judging
    if judging is None:
        return None
    return {
        "name": judging.judge,
        "claims_by": judging.extractor,
        "id": judging.id,
        "protocol": judging.protocol,
        "prompts": dict(judging.versions),
        "rule_written": judging.rule_written,
    }


def _add_now(document: StudyDocument, now: Judged) -> None:
    """Add faithfulness against the pages as they read at the last `--refetch`."""
    for variant, answers in variants_of(now).items():
        if values := faithfulness.corpus(now, answers):
            document["metrics"][variant] |= {
                f"{name}_now": values[name].within(SHARE).document() for name in ("fp", "fp_web")
            }


def provenance(judged: Judged) -> Provenance:
    """Return what made the figures besides the judge: the version of this program, the shops, and the agents' models."""
    from importlib.metadata import version

    keys = [answer.record.key_fields for answer in judged.answers]
    models = sorted(
        {
            model if model != OFFLINE or answer.rule_written else NO_MODEL
            for answer in judged.answers
            for model in answer.record.result.get("models", {}).values()
        }
    )
    return {
        "made_by": f"deepresearch-retail {version('deepresearch-retail')}",
        "shop": sorted({key["shop"] for key in keys if key.get("shop")}),
        "models": models,
    }


def banner(judged: Judged) -> str | None:
    """Return the notice above every table: reports, memories or verdicts by rules, equal reports, and figures that are not comparable."""
    lines = []
    written = [answer.rule_written for answer in judged.answers]
    if any(written):
        lines.append(f"{'R' if all(written) else 'Some r'}eports written by rules, not by a language model.")
        lines += same_reports_text(one for one in same_reports(judged.answers) if one.rule_written)
    if any((answer.record.result.get("person_cost") or {}).get("rule_written") for answer in judged.answers):
        lines.append("Memories kept by rules, not by a language model.")
    if judged.judging is not None and judged.judging.warning is not None:
        lines.append(judged.judging.warning)
    judge = None if judged.judging is None else judged.judging.judge
    # Models tend to prefer what they wrote themselves.
    if own := sum(answer.is_by(judge) for answer in judged.answers if not answer.rule_written):
        lines.append(f"{judge} judges itself: it wrote {own} of these {len(judged.answers)} reports.")
    return " ".join([*lines, *not_comparable(judged)]) or None
