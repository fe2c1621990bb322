"""Labels: judgements as lines of JSON, in one form for people, models and rules, so that all can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal, TypeVar, get_args

from drr.env.errors import Misuse, wrong_field
from drr.env.json_object import JsonObject, parsed
from drr.env.jsonl import lines_of
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Task = Literal["support", "pairwise", "rating", "criterion", "redundancy"]
Dimension = Literal[
    "clarity", "depth", "breadth", "insightfulness", "constraint_following", "personalization", "overall"
]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
DIMENSION_TITLES: Mapping[Dimension, str] = {
    "clarity": "Clarity",
    "depth": "Depth",
    "breadth": "Breadth",
    "insightfulness": "Insightfulness",
    "constraint_following": "Constraint Following",
    "personalization": "Personalization",
    "overall": "Overall Quality",
}
UNNAMED = "unnamed"
GRADES = (0.0, 10.0)
"""Scale on which judges grade reports; people's labels may name another."""
Read = TypeVar("Read", bound=BaseModel)


class Sample(BaseModel):
    """A draw by lot: each of `population` items was equally likely to be among the `drawn` items."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    seed: int
    drawn: int = Field(ge=1)
    population: int = Field(ge=1)


class _Label(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    judge: str = UNNAMED
    """Name of a person or a model; `rules-2` is the judge without a model."""
    seconds: float | None = Field(None, allow_inf_nan=False)
    comment: str | None = None
    """Reason, in the judge's own words."""
    sample: Sample | None = None
    """The draw that the label belongs to; `None` where somebody chose the item."""


class SupportLabel(_Label):
    claim: str
    evidence: str
    query: str | None = None
    """The report's question, where it is known."""
    label: Literal["full", "partial", "none"]


class PairwiseLabel(_Label):
    """A preference between two answers. `A` always means `answer_a`, whichever side it was shown on."""

    query: str
    answer_a: str
    answer_b: str
    system_a: str | None = None
    system_b: str | None = None
    shown_first: Literal["a", "b"] | None = None
    dimension: str | None = None
    label: Literal["A", "B", "tie", "both_bad"]

    @property
    def three_class(self) -> Literal["A", "B", "tie"]:
        return "tie" if self.label == "both_bad" else self.label

    def turned(self) -> PairwiseLabel:
        """Return the same judgement with the sides swapped."""
        turned = {
            "answer_a": self.answer_b,
            "answer_b": self.answer_a,
            "system_a": self.system_b,
            "system_b": self.system_a,
            "shown_first": {"a": "b", "b": "a"}.get(self.shown_first or ""),
            "label": {"A": "B", "B": "A"}.get(self.label, self.label),
        }
        return self.model_copy(update=turned)


class RatingLabel(_Label):
    query: str
    answer: str
    dimension: str | None = None
    label: float = Field(allow_inf_nan=False)


class CriterionLabel(_Label):
    """A rating of an answer under one criterion."""

    query: str
    answer: str
    dimension: str | None = None
    criterion: str
    """Name of the criterion among those of the question."""
    label: float = Field(allow_inf_nan=False, strict=True, ge=0, le=10)


class PassageLabel(_Label):
    """A degree, 0 to 4, to which two passages of a report do not repeat each other. At 4 nothing is repeated."""

    query: str
    passage_a: str
    passage_b: str
    label: float = Field(allow_inf_nan=False, strict=True, ge=0, le=4)


Label = SupportLabel | PairwiseLabel | RatingLabel | CriterionLabel
AlignLabel = Label | PassageLabel
"""Labels of any kind, those of pairs of passages included, with which a judge can be aligned."""
_FORMS: dict[Task, type[Label]] = {
    "support": SupportLabel,
    "pairwise": PairwiseLabel,
    "rating": RatingLabel,
    "criterion": CriterionLabel,
}


def task_of(label: Label) -> Task:
    return next(task for task, form in _FORMS.items() if isinstance(label, form))


def _task_of_object(raw: JsonObject) -> Task | None:
    if "claim" in raw:
        return "support"
    if "answer_a" in raw:
        return "pairwise"
    if "answer" not in raw:
        return None
    return "rating" if raw.get("criterion") is None else "criterion"


def read_labels(path: Path, scale: tuple[float, float] | None = None) -> list[Label]:
    """Read every line of a file. A broken line, or a grade outside its `scale`, raises an error with the line's number.

    A drawn thing with `"label": null` still lacks its label and is left out.
    """
    found: list[Label] = []
    for where, task, raw in _parse_lines(path):
        label = _check_row(_FORMS[task], where, raw)
        if scale is not None and isinstance(label, RatingLabel) and not scale[0] <= label.label <= scale[1]:
            raise Misuse(
                f"{where}: label: a grade of {label.label:g}; grades are from {scale[0]:g} to {scale[1]:g} here"
                " (`drr judges calibrate --task rating --scale LOW HIGH` takes other scales)"
            )
        found.append(label)
    return found


def read_align_labels(path: Path) -> list[AlignLabel]:
    """Read labels as `read_labels` does, including labels of pairs of passages."""
    forms: dict[Task, type[AlignLabel]] = {**_FORMS, "redundancy": PassageLabel}
    return [_check_row(forms[task], where, raw) for where, task, raw in _parse_lines(path, passages=True)]


def _parse_lines(path: Path, *, passages: bool = False) -> Iterator[tuple[str, Task, JsonObject]]:
    """Yield the place, the task and the object of each line."""
    lines: Iterable[str] = lines_of(path, "labels")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            raw = parsed(line)
        except ValueError as error:
            raise Misuse(f"{where}: not JSON ({error}); each line is one object") from error
        if isinstance(raw, dict) and raw.get("sample") is not None and raw.get("label", 0) is None:
            continue
        task = _task_of_object(raw) if isinstance(raw, dict) else None
        if passages and task is None and isinstance(raw, dict) and "passage_a" in raw:
            task = "redundancy"
        raw = _in_our_form(raw) if task == "support" else raw
        if task is None:
            raise Misuse(
                f"{where}: no label; a line holds `claim` (support), `answer_a` (pairwise) or `answer` (rating)"
            )
        yield where, task, raw


_PUBLISHED = {
    "supported": "full",
    "partially_supported": "partial",
    "not_supported": "none",  # WiCE
    "attributable": "full",
    "not attributable": "none",  # AttributionBench
}


def _in_our_form(raw: JsonObject) -> JsonObject:
    """Return a line of WiCE or AttributionBench in our form, and any other as it is."""
    own, label = dict(raw), raw.get("attribution_label", raw.get("label"))
    if isinstance(texts := raw.get("references"), list):
        own |= {
            "evidence": "\n".join(map(str, texts)),
            "query": raw.get("question"),
            "judge": "AttributionBench",
        }
    elif isinstance(meta := raw.get("meta"), dict) and isinstance(texts := raw.get("evidence"), list):
        own |= {
            "evidence": " ".join(map(str, texts)),
            "query": meta.get("claim_title"),
            "judge": "WiCE",
            "id": meta.get("id"),
        }
    return own | {"label": _PUBLISHED.get(str(label), label)}


def _check_row(form: type[Read], where: str, raw: JsonObject) -> Read:
    try:
        return form.model_validate(raw)
    except ValidationError as error:
        raise Misuse(f"{where}: {wrong_field(error)}") from error


def pair_id(query: str, a: str, b: str, trial: int = 0) -> str:
    """Return the id of a comparison of two variants on one query, with the variants in alphabetical order."""
    first, second = sorted((a, b))
    return f"{query}/{first}/{second}/{trial}"


def rating_id(query: str, variant: str, trial: int = 0) -> str:
    return f"{query}/{variant}/{trial}"


def content_id(*texts: str) -> str:
    """Return an id of the judged content, whatever its given id. Texts are equal if they differ only in white space."""
    normal = "\0".join(" ".join(text.split()) for text in texts)
    return sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:20]
