"""What the tasks of criteria ask, by protocol."""

from __future__ import annotations

from collections.abc import Mapping

from drr.eval.tasks.protocol import Ask
from drr.papers.pdr.judging import forms

_CRITERIA: Mapping[str, Ask] = {
    "criteria/weights_p": Ask("pqr_weights_p", forms.PersonalWeights),
    "criteria/weights_q": Ask("pqr_weights_q", forms.QualityWeights),
    "criteria/p": Ask("pqr_criteria_p", forms.FoundCriteria),
    "criteria/q": Ask("pqr_criteria_q", forms.FoundCriteria),
}
"""The same under both protocols, so that both score by the same criteria and no call is made for them twice."""
OURS: Mapping[str, Ask] = {
    **_CRITERIA,
    "scores/p": Ask("pqr_score_p", forms.CriterionScores),
    "scores/q": Ask("pqr_score_q", forms.CriterionScores),
}
AS_PRINTED: Mapping[str, Ask] = {
    **_CRITERIA,
    "scores/p": Ask("paper_pqr_score_p", forms.CriterionScores),
    "scores/q": Ask("paper_pqr_score_q", forms.CriterionScores),
}
