"""Counts failures of reports, by the six labels of the paper's Appendix G and three that rules decide.

Rules and a judge propose labels and a person decides. Lines of `failure_labels.jsonl` in the study's folder, `{answer, label, present,
judge, example?}` with `answer` as `QUERY/VARIANT/TRIAL`, override every proposal; the last line for an answer and label counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, get_args

from drr.env.errors import DrrError, wrong_field
from drr.env.files import read_file
from drr.env.json_object import parsed
from drr.env.small_files import DOCUMENT
from drr.eval.asking.forms import FailureName
from drr.eval.checks.results import CheckRow
from drr.eval.evidence.answers import Answer
from drr.eval.stats.intervals import SHARE, mean
from drr.eval.stats.question import grouped
from drr.eval.tasks.citation_rows import FailureRow, FailuresResult
from drr.eval.tasks.judgements import Judged
from drr.study.study import Study
from drr.wording.excerpt import excerpt
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

if TYPE_CHECKING:
    from drr.eval.metrics.rows import FailureDocument, FailureExample, FailureShare

JUDGED: tuple[str, ...] = get_args(FailureName)
BY_RULE: Mapping[str, tuple[str, ...]] = {
    "budget_break": ("budget",),
    "outside_catalogue": ("in_catalogue", "outside_shop"),
    "fabricated_citation": ("fabricated_citation",),
}
"""Rules that decide each label. The label is present if one is broken, absent if none is broken and at least one could tell."""
LABELS: tuple[str, ...] = (*JUDGED, *BY_RULE)
_ALSO = {"constraint_violation": ("budget", "outside_shop")}
"""Rules that show a label when broken, and do not clear it when kept."""
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
    """Words that show the failure, from the report or the person's own."""

    @field_validator("label")
    @classmethod
    def _known_label(cls, value: str) -> str:
        if value not in LABELS:
            raise ValueError(f"no such label; there are {', '.join(LABELS)}")
        return value


def read_corrections(study: Study) -> dict[tuple[str, str], Correction]:
    path = study.folder / FILE
    if not path.is_file():
        return {}
    found: dict[tuple[str, str], Correction] = {}
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            correction = Correction.model_validate(parsed(line))
        except ValidationError as error:
            raise DrrError(f"{path}, line {number}: {wrong_field(error)}") from error
        except ValueError as error:
            raise DrrError(f"{path}, line {number}: not JSON ({error})") from error
        found[correction.answer, correction.label] = correction
    return found


def _lines(path: Path) -> list[str]:
    try:
        return read_file(path, DOCUMENT).decode("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DrrError(f"{path}: cannot be read ({error}); mend or remove it") from error


class Diagnosis(TypedDict):
    """The diagnosis of one label for one answer; `present` is `None` where it is unknown."""

    present: bool | None
    by: str | None
    """The decider of the label: rules, the judge or a person."""
    example: str | None
    """Words that show the failure."""
    unfounded: bool
    """True if the only evidence was a judge's quotation that is not in the report."""
    either: bool
    """True if the method could also have found the label absent. A method that only finds presence gives no share."""


def diagnose(
    judged: Judged, answer: Answer, corrections: Mapping[tuple[str, str], Correction]
) -> dict[str, Diagnosis]:
    """Diagnose an answer, by label. A person's correction overrides rules and judge."""
    rules = judged.rules.get(answer.key, {})
    charges = judged.failures.get(answer.key)
    return {
        label: _correct_diagnosis(
            _propose_diagnosis(answer, label, rules, charges), corrections.get((answer.label, label))
        )
        for label in LABELS
    }


def _propose_diagnosis(
    answer: Answer, label: str, rules: Mapping[str, CheckRow], charges: FailuresResult | None
) -> Diagnosis:
    deciding = BY_RULE.get(label, ())
    broken = [name for name in (*deciding, *_ALSO.get(label, ())) if _status(rules, name) == "fail"]
    by = [f"rule {name}" for name in broken]
    failure = next((one for one in charges["failures"] if one["label"] == label), None) if charges else None
    if failure is not None:
        by.append("judge")
    unfounded = charges is not None and label in charges["unfounded"] and not by
    kept = any(_status(rules, name) == "pass" for name in deciding)
    denied = kept or (charges is not None and label in JUDGED and not unfounded)
    present = True if by else False if denied else None
    example = _example(answer, rules, broken, failure) if present else None
    either = charges is not None or label not in JUDGED
    return {
        "present": present,
        "by": ", ".join(by) or None,
        "example": example,
        "unfounded": unfounded,
        "either": either,
    }


def _correct_diagnosis(proposed: Diagnosis, correction: Correction | None) -> Diagnosis:
    if correction is None:
        return proposed
    example = None
    if correction.present:
        example = excerpt(correction.example, _EXCERPT) if correction.example else proposed["example"]
    return {
        "present": correction.present,
        "by": correction.judge,
        "example": example,
        "unfounded": False,
        "either": True,
    }


def _status(rules: Mapping[str, CheckRow], name: str) -> str | None:
    return rules[name]["status"] if name in rules else None


def _example(
    answer: Answer, rules: Mapping[str, CheckRow], broken: Iterable[str], failure: FailureRow | None
) -> str | None:
    for name in broken:
        if rules[name]["evidence"]:
            return excerpt(str(rules[name]["evidence"][0]), _EXCERPT)
    if failure is None:
        return None
    return excerpt(answer.report[failure["start"] : failure["end"]], _EXCERPT)


def failure_document(judged: Judged, study: Study) -> FailureDocument | None:
    """Build the document of failure shares per variant with examples. `None` where neither rules, a judge nor a person looked for failures."""
    corrections = read_corrections(study)
    if not (judged.rules or judged.failures or corrections):
        return None
    by_variant: dict[str, dict[str, list[tuple[Answer, Diagnosis]]]] = {}
    for answer in judged.answers:
        for label, found in diagnose(judged, answer, corrections).items():
            by_variant.setdefault(answer.variant, {}).setdefault(label, []).append((answer, found))
    known = {answer.label for answer in judged.answers}
    return {
        "labels": list(LABELS),
        "corrected": sum(answer in known for answer, _ in corrections),
        "corrections": [one.model_dump(exclude_none=True) for _, one in sorted(corrections.items())],
        "corrections_of_no_answer": sorted({answer for answer, _ in corrections} - known),
        "variants": {
            variant: {label: _share(rows) for label, rows in labels.items()}
            for variant, labels in sorted(by_variant.items())
        },
    }


def _share(rows: Sequence[tuple[Answer, Diagnosis]]) -> FailureShare:
    """Return the share of one label over the answers of one variant."""
    known = ((one, found["present"] if found["either"] else None) for one, found in rows)
    by_query = grouped((one.asked, None if present is None else float(present)) for one, present in known)
    examples: list[FailureExample] = [
        {"answer": answer.label, "by": found["by"], "text": found["example"]}
        for answer, found in rows
        if found["present"]
    ]
    share = mean(by_query, "share of reports with this failure, over queries", SHARE).document()
    unfounded = sum(found["unfounded"] for _, found in rows)
    return {"share": share, "found": len(examples), "unfounded": unfounded, "examples": examples[:EXAMPLES]}
