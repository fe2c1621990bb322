"""Figures of talks with a shopper: the end states, the policy, and whether a report agrees with what was done."""

from __future__ import annotations

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.metrics.reliability import reward_input
from drr.eval.stats.intervals import COUNTED, SHARE
from drr.eval.tasks.judgements import Judged

TITLES = {"service": "Serving a shopper"}
_FAULTS = "shopper_faults"
_EXPLAINED = {
    "state": ("end state", "Share of talks in which every end state holds and nothing else was touched."),
    "says_does": (
        "says-does",
        "Share of the form's statements on what was done that cart and orders confirm; an act left out counts as wrong, and prose is not read.",
    ),
    "policy": ("policy kept", "Share of talks in which no clause of the shop's policy was broken."),
    _FAULTS: (
        "shopper's faults",
        "Answers of a model as shopper that told too much or too little and were asked again, for each answer given.",
    ),
}
METRICS = tuple(
    Metric(
        *(name, label, text, "service"),
        range=COUNTED if name == _FAULTS else SHARE,
        better="lower" if name == _FAULTS else "higher",
        judged=False,
        method="mean over questions",
    )
    for name, (label, text) in _EXPLAINED.items()
)


def per_report(judged: Judged, answer: Answer) -> Values:
    if answer.question is None or answer.question.service is None:
        return {}
    outcome = reward_input(answer).outcome
    found: Values = {"state": outcome.state, "says_does": outcome.says_does, "policy": outcome.policy}
    return found if outcome.shopper_faults is None else {**found, _FAULTS: outcome.shopper_faults}
