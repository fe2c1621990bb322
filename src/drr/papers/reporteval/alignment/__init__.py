"""The alignment of a judge with experts: a sealed split of labels, versions of a prompt, the error of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drr.papers.reporteval import ALIGNMENTS

if TYPE_CHECKING:
    from drr.eval.metrics.document import JudgedStudy
    from drr.eval.metrics.rows import AlignmentRow


def document_part(about: JudgedStudy) -> list[AlignmentRow] | None:
    """Return the part `alignment` of a study's document. No module is loaded for a study in which nothing was aligned."""
    if not any(name.startswith(ALIGNMENTS) for name, _ in about.study.ledger.facts()):
        return None
    from drr.papers.reporteval.alignment.store import alignments

    return [one.row() for one in alignments(about.study)]
