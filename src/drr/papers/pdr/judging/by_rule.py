"""Makes criteria by rule, without a model; they are marked `rules-2`. They are the person's attributes that concern
the task, weighted by rarity among users, and the demands in the task's words. They serve to try the program out:
rules score them by the report's surface."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import log2

from drr.env.constraints import parse_constraints
from drr.env.query import Constraints
from drr.eval.evidence.passages import content_stems, content_words
from drr.eval.labels import Dimension
from drr.eval.stats.question import grouped
from drr.eval.tasks.point_sources import points_of_demands
from drr.papers.pdr.judging.choices import OwnerText
from drr.papers.pdr.judging.rows import CriteriaDimension, CriterionRow
from drr.papers.pdr.person import Attribute, Person

SHOPPERS = 60
"""Number of users among whom rarity is measured."""
MOST = 13
_WHATEVER_IS_BOUGHT = frozenset({"place", "price_level", "price_spread", "needs", "brands", "rhythm"})
"""Blocks of attributes that concern every task of a shop."""
_DIMENSION_OF: Mapping[str, CriteriaDimension] = {
    **dict.fromkeys(("price_level", "price_spread", "rhythm", "returns"), "ACTI"),
    **dict.fromkeys(("replenishment", "brands", "goods"), "CONT"),
}
"""Dimension of each block; all other blocks belong to GOAL."""
_SURFACES: Mapping[CriteriaDimension, tuple[tuple[Dimension, str], ...]] = {
    "GOAL": (("personalization", "It speaks to what is known of this person."),),
    "CONT": (("personalization", "What it chooses is tied to this person's own history."),),
    "PRES": (("clarity", "It is set out so that this person finds what to do: headings, lists, prices in a row."),),
    "ACTI": (("constraint_following", "It can be acted on within the limits: prices, a total, things that this shop sells."),),
    "DEIN": (("depth", "It gives figures and reasons."),
             ("insightfulness", "It weighs choices and warns of what is easily overlooked.")),
    "LOGC": (("depth", "Its advice follows from reasons that it gives."),),
    "CLAR": (("clarity", "It is ordered and easy to read."),),
}  # fmt: skip
_FORMED = 3
"""Least number of other attributes of a block that show which of its words are mere phrasing."""
_CHUNK = re.compile(r"[,.;:?!()\n]|\band\b|\bor\b", re.IGNORECASE)
_CHUNKS = 8


def criteria_by_rule(
    dimension: CriteriaDimension, about: OwnerText, others: Sequence[Person]
) -> list[CriterionRow]:
    """Make the criteria of a dimension, always at least one: P stays known even if no attribute concerns the task."""
    own = list(_task_criteria(about.task, about.constraints, dimension))
    if about.person is not None:
        own += _person_criteria(about.person, about.task, dimension, others)
    weights = sorted(row["weight"] for row in own)
    middle = weights[len(weights) // 2] if weights else 1.0
    rows = own[: MOST - len(_SURFACES[dimension])]
    for surface, text in _SURFACES[dimension]:
        row = _row(text, "What every report should show; rules see its surface only.", middle, "")
        rows.append({**row, "surface": surface})
    whole = sum(row["weight"] for row in rows)
    return [
        {**row, "id": f"{dimension.lower()}{number}", "weight": round(row["weight"] / whole, 6)}
        for number, row in enumerate(rows, 1)
    ]


def attribute_rarity(attribute: Attribute, others: Sequence[Person]) -> float:
    """Return the rarity of an attribute among other persons in bits; never 0."""
    same = sum(any(_is_same(one, attribute) for one in person.attributes) for person in others)
    return 0.1 + log2((len(others) + 2) / (same + 1))


def _is_same(one: Attribute, other: Attribute) -> bool:
    return (one.block, one.statement) == (other.block, other.statement)


def _person_criteria(
    person: Person, task: str, dimension: CriteriaDimension, others: Sequence[Person]
) -> list[CriterionRow]:
    """Return the criteria from a person's attributes, rarest first."""
    rows = []
    for one in person.attributes:
        if _DIMENSION_OF.get(one.block, "GOAL") != dimension:
            continue
        if one.block in _WHATEVER_IS_BOUGHT or content_stems(one.statement) & content_stems(task):
            text, block = (
                f"It takes account of this: the person {one.statement}.",
                one.block.replace("_", " "),
            )
            why = f"What is known of {block} touches the task; the rarer among shoppers, the more it counts."
            gist = " ".join(sorted(_distinctive_words(one, others)))
            rows.append(_row(text, why, attribute_rarity(one, others), gist))
    return sorted(rows, key=lambda row: -row["weight"])


def _task_criteria(
    task: str, given: Constraints | None, dimension: CriteriaDimension
) -> Iterator[CriterionRow]:
    if dimension == "DEIN":  # each phrase of the task that names something, once
        chunks = grouped((content_words(chunk), " ".join(chunk.split())) for chunk in _CHUNK.split(task))
        for chunk in [same[0] for words, same in chunks.items() if words][:_CHUNKS]:
            text = f"It deals with this part of the task: \u201c{chunk}\u201d"
            yield _row(text, "The task asks for it.", 1.0, chunk)
    elif dimension == "ACTI":
        for point in points_of_demands(given or parse_constraints(task)):
            if point.get("gist"):
                yield _row(point["text"], "The task sets this limit.", 1.0, point["gist"])


def _row(text: str, why: str, weight: float, gist: str) -> CriterionRow:
    return {"id": "", "criterion": text, "explanation": why, "weight": weight, "origin": "rule", "gist": gist}


def _distinctive_words(attribute: Attribute, others: Sequence[Person]) -> frozenset[str]:
    """Return the words that are specific to an attribute, without those common to half of the block's other statements."""
    words, every = content_words(attribute.statement), (one for person in others for one in person.attributes)
    alike = (one for one in every if one.block == attribute.block and not _is_same(one, attribute))
    traits = [content_words(one.statement) for one in alike]
    if len(traits) < _FORMED:
        return words
    return frozenset(word for word in words if 2 * sum(word in one for one in traits) < len(traits)) or words
