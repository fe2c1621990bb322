"""Figures of talks with a shopper: the end states, the policy, and whether a report agrees with what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values, over_queries
from drr.eval.metrics.reliability import reward_input
from drr.eval.stats.intervals import COUNTED, SHARE, Statistic
from drr.eval.tasks.judgements import Judged

TITLES = {"service": "Serving a shopper"}
_FAULTS = "shopper_faults"
_EXPLAINED = {
    "state": ("end state", "Share of talks in which every end state holds and nothing else was touched."),
    "says_does": (
        "says-does",
        "Share of the form's statements on what was done that cart and orders confirm; an act left out counts as wrong. Prose is not read.",
    ),
    "policy": ("policy kept", "Share of talks in which no clause of the shop's policy was broken."),
    _FAULTS: (
        "shopper's faults",
        "Answers of a model as shopper that told too much or too little and were asked again, for each answer given.",
    ),
}
METRICS = tuple(
    Metric(name, label, text, "service", range=SHARE, better="higher", judged=False)
    if name != _FAULTS
    else Metric(name, label, text, "service", range=COUNTED, better="lower", judged=False)
    for name, (label, text) in _EXPLAINED.items()
)


def per_report(judged: Judged, answer: Answer) -> Values:
    if answer.question is None or answer.question.service is None:
        return {}
    outcome = reward_input(answer).outcome
    found: Values = {"state": outcome.state, "says_does": outcome.says_does, "policy": outcome.policy}
    return found if outcome.shopper_faults is None else {**found, _FAULTS: outcome.shopper_faults}


def corpus(judged: Judged, answers: Sequence[Answer]) -> Mapping[str, Statistic]:
    if not any(per_report(judged, answer) for answer in answers):
        return {}
    named = {name for answer in answers for name in per_report(judged, answer)}
    how = {name: "mean over questions" for name in _EXPLAINED if name in named}
    return over_queries(answers, lambda answer: per_report(judged, answer), how)
