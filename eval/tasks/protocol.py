"""The protocol of a judging: our own way, and the papers' ways as printed or as published code has them.

A task asks the protocol and never which one it is. A new protocol is one object here.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from drr.env.plugins import load, papers
from drr.eval.asking import forms
from pydantic import BaseModel

Mode = Literal["all", "cited"]
"""Claims that an extraction is after."""
PassageForm = Literal["paragraphs", "sections"]
"""Passages that are compared: paragraphs, or as in published code sections of the second level."""


class Ask(NamedTuple):
    """A prompt by name, and the form of its answer."""

    prompt: str
    form: type[BaseModel]


class _OfPapers(Mapping[str, Ask]):
    """The questions of papers' tasks, loaded where a question is asked that is none of ours."""

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol

    @cached_property
    def _known(self) -> Mapping[str, Ask]:
        asked = [load(paper.asks[self._protocol]) for paper in papers() if self._protocol in paper.asks]
        return {name: ask for own in asked for name, ask in own.items()}

    def __getitem__(self, name: str) -> Ask:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


@dataclass(frozen=True)
class JudgingProtocol:
    name: str
    """Name in the key of every judgement."""
    label: str
    """Name for people, over its figures."""
    own_asks: Mapping[str, Ask]
    """Questions by task, and by task and part where the parts differ."""
    modes: tuple[Mode, ...] = ("all",)
    """The extractions of claims that are made of each report."""
    checked: Mode = "all"
    """The extraction whose claims are held against their sources."""
    decides_first: bool = True
    """Code settles what it can before a judge is asked."""
    caps_numbers: bool = True
    """A number that no source states keeps a verdict from being full."""
    reads_seen: bool = True
    """Web claims are also held against what the agent saw."""
    judges_each: bool = True
    """True where each of a claim's several sources is also judged alone, by the question of `support`."""
    whole_pages: bool = False
    """Evidence is shown whole as far as the judge's window goes; else a long text by what concerns the claim."""
    both_orders: bool = True
    """Each pair is judged with either answer first; else in one order drawn by lot."""
    passages: PassageForm = "paragraphs"
    scores_at_once: bool = False
    """Criteria of all dimensions are scored in one call; else as the study chooses."""
    criteria: str = "criterion"
    """Beginning of the names of its prompts that say what a dimension is."""

    @cached_property
    def asks(self) -> Mapping[str, Ask]:
        """The questions of the protocol, with those of papers' tasks; nothing else is judged under it."""
        return ChainMap({**self.own_asks}, _OfPapers(self.name))  # type: ignore[arg-type]  # is only read

    def ask(self, *names: str) -> Ask | None:
        """The first of these that the protocol asks; a paper has no part of our questions."""
        known = self.own_asks if any(name in self.own_asks for name in names) else self.asks
        return next((known[name] for name in names if name in known), None)


OURS = JudgingProtocol(
    "ours",
    "ours",
    {
        "claims": Ask("claims", forms.FoundClaims),
        "support": Ask("support", forms.SupportAnswers),
        "rating": Ask("rate", forms.RatingAnswer),
        "rating/personalization": Ask("rate_personalization", forms.RatingAnswer),
        "pairwise": Ask("compare", forms.PreferenceAnswer),
        "failures": Ask("failures", forms.FailuresAnswer),
        "mistakes": Ask("mistakes", forms.StatementAnswers),
        "points": Ask("points", forms.FoundPoints),
        "matches": Ask("matches", forms.PointAnswers),
        "relative": Ask("relative", forms.RelativeGrades),
    },
)
AS_PRINTED = JudgingProtocol(
    "paper",
    "as printed",
    {
        "claims/cited": Ask("paper_claims_cited", forms.FoundClaims),
        "claims/all": Ask("paper_claims_all", forms.FoundClaims),
        "support": Ask("paper_support", forms.PaperSupportAnswers),
        "rating": Ask("paper_rate", forms.PaperRatingAnswer),
        "rating/personalization": Ask("paper_rate_personalization", forms.PaperRatingAnswer),
        "pairwise": Ask("paper_compare", forms.PaperPreferenceAnswer),
    },
    modes=("cited", "all"),  # cited claims for precision, all claims for recall
    checked="cited",
    decides_first=False,
    caps_numbers=False,
    reads_seen=False,
    judges_each=False,
    whole_pages=True,
    both_orders=False,
    passages="sections",
    scores_at_once=True,
    criteria="paper_criterion",
)
PROTOCOLS: Mapping[str, JudgingProtocol] = {one.name: one for one in (OURS, AS_PRINTED)}
