"""Metrics of the person's attributes that agents were given, and that their reports tell. They distinguish a memory that
recalls nothing from an agent that ignores it.

Code alone decides, by words: both recalls are lower bounds, the same for every judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from drr.eval.evidence.answers import Answer
from drr.eval.metrics.base import Metric, Values
from drr.eval.stats.intervals import SHARE
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study

if TYPE_CHECKING:
    from drr.papers.pdr.person_truth import AnswerAttributes

_KEPT, _NOBODY = "attributes", "nobody is known"
TITLES = {
    "attributes": "Attributes of the person: given to the agent, told by its report (by words: lower bounds)"
}
_SHARE: Mapping[str, Any] = {"range": SHARE, "better": "higher"}
_AGAINST: Mapping[str, Any] = {"unit": "statements", "least": 0, "better": "lower"}
_OTHER = "name another value than the person's where a person has one, such as the place."
_FIGURES: Sequence[tuple[str, str, Mapping[str, Any], str, str]] = (
    ("att_given", "given", _SHARE, "attributes in what was given, by words and by what its items express, mean over queries",
     "The share of the person's attributes that is in what stood with the question; of what memories rephrase a lower bound, by words."),
    ("att_given_precision", "given right", _SHARE, "right of what a memory said or showed, mean over queries where it did",
     "Of the attributes that a memory's text says or shows, the share that is this person's and not another's."),
    ("att_given_contradictions", "given against", _AGAINST, "contradictions in a memory's text, mean over queries",
     f"Statements of a memory's text that {_OTHER}"),
    ("att_given_tokens", "tokens given", {"unit": "tokens", "least": 0, "digits": 0}, "tokens of what was given, mean over queries",
     "Tokens of what stood with the question of the person, a fourth of the bytes."),
    ("att_told", "told", _SHARE, "attributes in the report, by words, mean over queries",
     "The share of the person's attributes that the report tells its reader, by words, a lower bound; without those that the question names."),
    ("att_used", "told of given", _SHARE, "attributes in the report of those given, by words, mean over queries",
     "The share of what the agent was given that its report tells its reader, by words, a lower bound; without what the question names."),
    ("att_told_precision", "told right", _SHARE, "right of whole statements in the report, mean over queries with any",
     "Of whole statements about persons in the report, the share that is this person's and not another's; unknown where it has none."),
    ("att_told_contradictions", "told against", _AGAINST, "contradictions in the report, mean over queries",
     f"Statements of the report that {_OTHER}"),
)  # fmt: skip
"""Name, label, form, method and explanation of each metric."""
METRICS = tuple(
    Metric(name, label, text, "attributes", judged=False, method=how, **form)
    for name, label, form, how, text in _FIGURES
)
_NAMES = tuple(one.name for one in METRICS)
_GIVEN = tuple(name for name in _NAMES if name.startswith("att_given") or name == "att_used")


def per_report(judged: Judged, answer: Answer) -> Values:
    """Return the figures of one report; empty if the study does not know who asked."""
    row = _attributes_in(judged, answer)
    if isinstance(row, str):
        return {}
    if row is None:
        return dict.fromkeys(_NAMES)
    shown = row.report
    values: dict[str, float | None] = {
        "att_told": shown.recall(row.of),
        "att_told_precision": shown.precision,
        "att_told_contradictions": float(len(shown.contradictions)),
    }
    return {**values, **_values_of_given(row)}


def _values_of_given(row: AnswerAttributes) -> Values:
    if not row.gives:
        return {}
    if row.given is None:
        return dict.fromkeys(_GIVEN)
    given = row.given
    values: dict[str, float | None] = {
        "att_given": given.recall(row.of),
        "att_given_tokens": None if row.tokens is None else float(row.tokens),
        "att_used": row.report.recall(row.of & given.found),
    }
    if given.wrong is not None:
        values["att_given_precision"] = given.precision
        values["att_given_contradictions"] = float(len(given.contradictions))
    return values


def _attributes_in(judged: Judged, answer: Answer) -> AnswerAttributes | Literal["nobody is known"] | None:
    """Return the attributes in one answer. All answers are read at once, as the files of a study are read for the first."""
    kept = judged.others.setdefault(_KEPT, {})
    if answer.key not in kept:
        new = [one for one in [answer, *judged.answers] if one.key not in kept]
        asked = {id(one.study): one.study for one in new}
        telling = {key for key, study in asked.items() if _has_persons(study)}
        kept |= dict.fromkeys((one.key for one in new), _NOBODY)
        if telling:
            from drr.papers.pdr.person_truth import attributes_of

            kept |= attributes_of(one for one in new if id(one.study) in telling)
    return cast('AnswerAttributes | Literal["nobody is known"] | None', kept[answer.key])


def _has_persons(study: Study) -> bool:
    """Tell whether a study may know persons, so that nothing is loaded otherwise."""
    named = study.config.get("run", {}).get("contexts")
    return isinstance(named, str) or (study.folder / "persons.jsonl").is_file()
