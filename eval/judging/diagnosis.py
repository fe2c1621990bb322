"""What is wrong with reports, and how often: the six labels of the paper's Appendix G and three that rules decide.

Rules and a judge propose, a person decides: lines of `failure_labels.jsonl` in the study's folder, `{answer, label, present,
judge, example?}` with `answer` as `QUERY/VARIANT/TRIAL`, stand over every proposal; the last line for an answer and label counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from drr.env.errors import DrrError
from drr.eval.asking.forms import FailureName
from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import mean
from drr.eval.tasks.judged import Judged
from drr.study.study import Study
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

JUDGED: tuple[str, ...] = get_args(FailureName)
BY_RULE: Mapping[str, tuple[str, ...]] = {
    "budget_break": ("budget",),
    "outside_catalogue": ("in_catalogue", "outside_shop"),
    "fabricated_citation": ("fabricated_citation",),
}
"""Label to the rules that decide it: broken if one is, kept if none is and one can tell."""
LABELS: tuple[str, ...] = (*JUDGED, *BY_RULE)
_ALSO = {"redundant_clarity": ("duplicates",), "constraint_violation": ("budget", "outside_shop")}
"""A broken rule shows these too; a rule that is kept does not clear them."""
FILE = "failure_labels.jsonl"
EXAMPLES = 3
_EXCERPT = 200


class Correction(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    answer: str
    label: str
    present: bool
    judge: str = "unnamed"
    example: str | None = None
    """Words of the report, or the person's own, that show it."""

    @field_validator("label")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in LABELS:
            raise ValueError(f"no such label; there are {', '.join(LABELS)}")
        return value


def read_corrections(study: Study) -> dict[tuple[str, str], Correction]:
    path = study.folder / FILE
    if not path.is_file():
        return {}
    found: dict[tuple[str, str], Correction] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            correction = Correction.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise DrrError(
                f"{path}, line {number}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            ) from error
        except ValueError as error:
            raise DrrError(f"{path}, line {number}: not JSON ({error})") from error
        found[correction.answer, correction.label] = correction
    return found


def diagnose(
    judged: Judged, answer: Answer, corrections: Mapping[tuple[str, str], Correction]
) -> dict[str, dict[str, Any]]:
    """By label: `present` (`None` where nobody can tell), who says so, and the words that show it."""
    rules = judged.rules.get(answer.key, {})
    proposed = {failure["label"]: failure for failure in judged.failures.get(answer.key, ())}
    asked = answer.key in judged.failures
    found: dict[str, dict[str, Any]] = {}
    for label in LABELS:
        broken = [
            name
            for name in (*BY_RULE.get(label, ()), *_ALSO.get(label, ()))
            if _status(rules, name) == "fail"
        ]
        kept = any(_status(rules, name) == "pass" for name in BY_RULE.get(label, ()))
        correction = corrections.get((answer.label, label))
        present: bool | None = (
            True if broken or label in proposed else False if kept or (asked and label in JUDGED) else None
        )
        by = (
            ", ".join([*(f"rule {name}" for name in broken), *(["judge"] if label in proposed else [])])
            or None
        )
        if correction is not None:
            present, by = correction.present, correction.judge
        example = _example(answer, rules, broken, proposed.get(label)) if present else None
        if correction is not None and correction.example and present:
            example = correction.example[:_EXCERPT]
        found[label] = {"present": present, "by": by, "example": example}
    return found


def _status(rules: Mapping[str, Any], name: str) -> str | None:
    return rules[name]["status"] if name in rules else None


def _example(
    answer: Answer, rules: Mapping[str, Any], broken: Iterable[str], proposed: Mapping[str, Any] | None
) -> str | None:
    for name in broken:
        told = [*rules[name]["evidence"][:1]]
        if told:
            return str(told[0])[:_EXCERPT]
    if proposed is None:
        return None
    return answer.report[proposed["start"] : min(proposed["end"], proposed["start"] + _EXCERPT)]


def failure_document(judged: Judged, study: Study) -> dict[str, Any] | None:
    """Frequencies per variant with examples; `None` where neither rules nor a judge nor a person looked."""
    corrections = read_corrections(study)
    if not (judged.rules or judged.failures or corrections):
        return None
    by_variant: dict[str, dict[str, dict[str, list[float | None]]]] = {}
    examples: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for answer in judged.answers:
        for label, said in diagnose(judged, answer, corrections).items():
            value = None if said["present"] is None else float(said["present"])
            by_variant.setdefault(answer.variant, {}).setdefault(label, {}).setdefault(
                answer.query_id, []
            ).append(value)
            if said["present"]:
                shown = examples.setdefault((answer.variant, label), [])
                if len(shown) < EXAMPLES:
                    shown.append({"answer": answer.label, "by": said["by"], "text": said["example"]})
    known = {answer.label for answer in judged.answers}
    return {
        "labels": list(LABELS),
        "corrected": sum(answer in known for answer, _ in corrections),
        "corrections": [one.model_dump(exclude_none=True) for _, one in sorted(corrections.items())],
        "corrections_of_no_answer": sorted({answer for answer, _ in corrections} - known),
        "variants": {
            variant: {
                label: {
                    "share": mean(values, "share of reports with this failure, over queries").document(),
                    "examples": examples.get((variant, label), []),
                }
                for label, values in labels.items()
            }
            for variant, labels in sorted(by_variant.items())
        },
    }
