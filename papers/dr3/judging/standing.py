"""The test whether a report stands by a sentence, or mentions it to set it aside.

It may be set aside in the sentence itself, by the one before or behind it in its paragraph, by the line that leads into its list or
table, or by its heading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from drr.eval.evidence.claims import ReportSentence
from drr.papers.dr3.judging.subjects import clause_of
from drr.wording.facts import FACT_WORDS
from drr.wording.told_values import ToldPlace, ToldValue

LEADS_IN = (":", "：")


@dataclass
class ReportStanding:
    sentences: Sequence[ReportSentence]

    def is_own(self, number: int, true: ToldValue) -> bool:
        """Tell whether nothing there speaks against it; `true` is the value that the report ought to settle on."""
        text = self.sentences[number].text
        if FACT_WORDS.disowns(text) or any(map(FACT_WORDS.disowns, self._over[number])):
            return False
        return not self._is_taken_back(number, true) and not self._is_announced(number, true)

    def settles_on(self, number: int, place: ToldPlace) -> bool:
        """Tell whether it is the report's own conclusion; another statement of the same sentence may be disowned."""
        text = self.sentences[number].text
        if self.sets_aside(number):
            return False
        low, high = clause_of(text, place.start, place.end)
        return not FACT_WORDS.disowns(text[low:high])

    def sets_aside(self, number: int) -> bool:
        """Tell whether the writer does not go by it."""
        return any(map(FACT_WORDS.sets_aside, (self.sentences[number].text, *self._over[number])))

    def _is_taken_back(self, number: int, true: ToldValue) -> bool:
        """Tell whether the sentence behind it in its paragraph takes it back; not where that sets the true value aside."""
        after = self._neighbour(number, 1)
        if after is None:
            return False
        if FACT_WORDS.sets_aside(after):
            return not true.places(after)
        return FACT_WORDS.turns(after) or FACT_WORDS.disowns(after)

    def _is_announced(self, number: int, true: ToldValue) -> bool:
        """Tell whether the sentence before it in its paragraph announces what is not so."""
        before = self._neighbour(number, -1)
        return before is not None and FACT_WORDS.disowns(before) and not true.places(before)

    def _neighbour(self, number: int, step: int) -> str | None:
        at = number + step
        if not 0 <= at < len(self.sentences) or self.sentences[at].block != self.sentences[number].block:
            return None
        return self.sentences[at].text

    @cached_property
    def _over(self) -> list[tuple[str, ...]]:
        """The heading over each sentence, and the line that leads into its list or table."""
        found: list[tuple[str, ...]] = []
        heading, lead = "", ""
        for one in self.sentences:
            if one.kind in ("heading", "title"):
                heading, lead = one.text, ""
                found.append(())
                continue
            if one.kind == "text":
                lead = ""
            found.append((heading, lead))
            if one.kind == "text" and one.text.endswith(LEADS_IN):
                lead = one.text
        return found
