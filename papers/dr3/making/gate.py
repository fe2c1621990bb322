"""The gate that a candidate passes before it becomes a task. It checks the length that a question has, and the filters of `quality`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from drr.papers.dr3.asking import question
from drr.papers.dr3.corpus.build import Corpora
from drr.papers.dr3.quality.filters import refusal
from drr.papers.dr3.quality.material import Catalogue, made_material

_OF_WORDS = ("exposure", "novelty_question", "sense_question")


class GateRefusal(NamedTuple):
    name: str
    """Of the filter."""
    of_words: bool
    """Whether another wording of the question may pass it."""


def refused_by(text: str, files: Iterable[str], corpora: Corpora, catalogue: Catalogue) -> GateRefusal | None:
    """`None` where no filter refuses it."""
    if not question.FEWEST <= len(text.split()) <= question.MOST:
        return GateRefusal("words", of_words=True)
    found = refusal(made_material(text, files, corpora, catalogue))
    if found is None:
        return None
    by_question = found.filter == "guidance" and found.told.startswith("the question")
    return GateRefusal(found.filter, of_words=by_question or found.filter in _OF_WORDS)
