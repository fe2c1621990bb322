"""Judging protocols: this project's own, and the papers' as printed or as their published code has them.

Tasks read options from the protocol and never test which protocol it is. A new protocol is one more object here.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from drr.env.plugins import papers
from drr.eval.asking import forms
from pydantic import BaseModel

Mode = Literal["all", "cited"]
"""The claims that an extraction looks for: all, or only those with a citation."""
PassageForm = Literal["paragraphs", "sections"]
"""The passages that are compared: paragraphs, or sections of the second level as in published code."""


class Ask(NamedTuple):
    """The name of a prompt, and the form of its answer."""

    prompt: str
    form: type[BaseModel]


class _OfPapers(Mapping[str, Ask]):
    """Prompts and forms of the papers' tasks by name, loaded at the first question for one of them."""

    def __init__(self, protocol: str) -> None:
        self._protocol = protocol

    @cached_property
    def _known(self) -> Mapping[str, Ask]:
        asked = (paper.judging.asks(self._protocol) for paper in papers())
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
    """Name that people read above the figures."""
    own_asks: Mapping[str, Ask]
    """Prompt and form of each task, keyed by task, or by `task/part` where the parts differ."""
    modes: tuple[Mode, ...] = ("all",)
    """Extractions of claims that are made from each report."""
    checked: Mode = "all"
    """The extraction whose claims are compared with their sources."""
    decides_first: bool = True
    """True if code decides what it can before a judge is asked."""
    caps_numbers: bool = True
    """True if a number that no source states keeps a verdict from being full."""
    reads_seen: bool = True
    """True if claims about web pages are also compared with the text that the agent saw."""
    judges_each: bool = True
    """True if each of a claim's several sources is also judged alone, with the prompt of `support`."""
    whole_pages: bool = False
    """True if sources are shown whole as far as the judge's context allows; else only the passages that concern the claim."""
    both_orders: bool = True
    """True if each pair is judged in both orders; else in one order drawn by lot."""
    together: bool = True
    """True if claims with the same evidence, and all dimensions of a pair, are judged in one request, and variants meet only the reference."""
    passages: PassageForm = "paragraphs"
    scores_at_once: bool = False
    """True if the criteria of all dimensions are scored in one call; else as the study chooses."""
    criterion_first: bool = False
    """True if the criterion stands in the instructions; else below the answers, so that requests begin alike."""
    criteria: str = "criterion"
    """Prefix of the names of the prompts that define a dimension."""

    @cached_property
    def asks(self) -> Mapping[str, Ask]:
        """Return the prompts and forms of all tasks under this protocol, including papers' tasks."""
        return ChainMap({**self.own_asks}, _OfPapers(self.name))  # type: ignore[arg-type]  # is only read

    def ask(self, *names: str) -> Ask | None:
        """Return the prompt and form of the first of these names that the protocol has, else `None`."""
        known = self.own_asks if any(name in self.own_asks for name in names) else self.asks
        return next((known[name] for name in names if name in known), None)


OURS = JudgingProtocol(
    "ours",
    "ours",
    {
        "claims": Ask("claims", forms.FoundClaims),
        "support": Ask("support", forms.SupportAnswers),
        "rating": Ask("rate", forms.RatingAnswer),
        "pairwise": Ask("compare", forms.PreferenceAnswers),
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
    together=False,
    passages="sections",
    scores_at_once=True,
    criterion_first=True,
    criteria="paper_criterion",
)
PROTOCOLS: Mapping[str, JudgingProtocol] = {one.name: one for one in (OURS, AS_PRINTED)}
