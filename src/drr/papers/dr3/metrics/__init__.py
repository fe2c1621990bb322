"""The metrics of reports on tasks with files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.eval.metrics.document import JudgedStudy
    from drr.papers.dr3.metrics.rows import Dr3Document


def document_part(about: JudgedStudy) -> Dr3Document | None:
    """Return the part `dr3` of a study's document. No module is loaded for a study without facts."""
    if not about.judged.units["facts"]:
        return None
    from drr.papers.dr3.metrics.document import document_of

    return document_of(about)
