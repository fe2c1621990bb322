"""The metrics of reports for persons, and of what settings and memories gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from drr.eval.metrics.document import JudgedStudy
    from drr.papers.pdr.metrics.comparing import SettingsDocument


def document_part(about: JudgedStudy) -> SettingsDocument | None:
    """Return the part `settings` of a study's document. No module is loaded for a study without settings."""
    if not any("@" in answer.variant for answer in about.judged.answers):
        return None
    from drr.papers.pdr.metrics.comparing import settings_document

    return settings_document(about)
