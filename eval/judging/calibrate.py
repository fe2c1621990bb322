"""A judge held against people's labels: does it agree well enough with them to stand in for them?

The labelled items are judged as study work (keyed, cached, resumable, budgeted) with the very prompts of a judging.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from drr.env.errors import DrrError
from drr.eval.asking.conversation import Asking
from drr.eval.asking.forms import SCHEMA
from drr.eval.asking.judge import Judge, KeptAnswers
from drr.eval.evidence.passages import Frozen
from drr.eval.judging.held import (
    PAIRWISE,
    SUPPORT,
    SUPPORT_SCORE,
    document_of,
    pairwise_statistics,
    rating_statistics,
    support_statistics,
)
from drr.eval.labels import (
    DIMENSIONS,
    UNNAMED,
    Dimension,
    Label,
    PairwiseLabel,
    RatingLabel,
    SupportLabel,
    Task,
    content_id,
    task_of,
)
from drr.eval.stats import agreement as ag
from drr.eval.stats.pairs import Comparison, Winner, positions
from drr.eval.tasks.desk import Desk
from drr.eval.tasks.grading import Graded
from drr.eval.tasks.pairwise import PAIRWISE as PAIRWISE_TASK
from drr.eval.tasks.pairwise import comparison_asking, comparison_prompts, prefer
from drr.eval.tasks.rating import RATING, rate, rating_asking, rating_prompts
from drr.eval.tasks.support import SUPPORT as SUPPORT_TASK
from drr.eval.tasks.support import SupportItem, judge_support, support_asking
from drr.study.run import Context
from drr.study.study import Study
from drr.study.unit import Outcome, Unit

THRESHOLDS: Mapping[Task, Mapping[str, float]] = {
    "support": {"exact": 0.60, "weighted_kappa": 0.45},
    "pairwise": {"exact": 0.55, "position_consistency": 0.75},
    "rating": {},
}


@dataclass(frozen=True)
class Case:
    """One thing that people judged, with all their labels."""

    id: str
    example: Label
    labels: tuple[Label, ...]

    @property
    def dimension(self) -> Dimension:
        named = getattr(self.example, "dimension", None) or "overall"
        for dimension in DIMENSIONS:
            if dimension == named:
                return dimension
        raise DrrError(
            f"label {self.example.id}: no dimension {named!r}; it is one of {', '.join(DIMENSIONS)}"
        )

    def consensus(self) -> str | float:
        """Support: the median class; pairs: the majority, a tie where there is none; grades: the mean."""
        if isinstance(self.example, SupportLabel):
            middle = median(SUPPORT_SCORE[str(label.label)] for label in self.labels)
            return "full" if middle > 0.5 else "partial" if middle > 0.0 else "none"
        if isinstance(self.example, PairwiseLabel):
            votes = Counter(label.three_class for label in self.labels if isinstance(label, PairwiseLabel))
            (best, most), *rest = votes.most_common()
            return ag.TIE if rest and rest[0][1] == most else best
        values = [float(label.label) for label in self.labels if isinstance(label, RatingLabel)]
        return sum(values) / len(values)


def cases(labels: Sequence[Label], task: Task) -> list[Case]:
    """A pair that somebody has the other way round is the same pair, and his label is turned.

    What a person says again replaces what he said before; people without a name are each somebody else.
    """
    groups: dict[str, dict[str, Label]] = {}
    for number, label in enumerate(labels):
        if task_of(label) != task:
            continue
        if isinstance(label, SupportLabel):
            key = content_id(label.claim, label.evidence)
        elif isinstance(label, PairwiseLabel):
            key = _pair_key(label)
            turned = label.turned()
            if key not in groups and _pair_key(turned) in groups:
                key, label = _pair_key(turned), turned
        else:
            key = content_id(label.query, label.answer, label.dimension or "")
        who = f"{number} {label.judge}" if label.judge == UNNAMED else label.judge
        groups.setdefault(key, {})[who] = label
    return [Case(key, next(iter(group.values())), tuple(group.values())) for key, group in groups.items()]


def _pair_key(label: PairwiseLabel) -> str:
    return content_id(label.query, label.answer_a, label.answer_b, label.dimension or "")


@dataclass(frozen=True)
class Calibration:
    desk: Desk
    cases: Mapping[str, Case]
    kept: KeptAnswers

    def units(self) -> list[Unit]:
        return [unit for case in self.cases.values() for unit in self._units(case)]

    def _units(self, case: Case) -> list[Unit]:
        orders = ("ab", "ba") if isinstance(case.example, PairwiseLabel) else ("",)
        units = []
        for order in orders:
            fields = {
                "task": f"calibrate-{task_of(case.example)}",
                "judge": self.desk.judge.shown,
                "version": self._version(case),
                "schema": SCHEMA,
                "case": case.id,
                "order": order,
                "prompt": self._asking(case, order).fingerprint,
            }
            units.append(
                Unit(
                    "judgement",
                    fields,
                    {"case": case.id, "order": order},
                    f"{case.example.id} {order}".strip(),
                )
            )
        return units

    def _version(self, case: Case) -> str:
        desk = self.desk
        if isinstance(case.example, SupportLabel):
            return SUPPORT_TASK.versions(desk)["support"]
        if isinstance(case.example, PairwiseLabel):
            prompts = comparison_prompts(desk.protocol, case.dimension)
            return desk.version(PAIRWISE_TASK.version, PAIRWISE_TASK.role, *prompts)
        return desk.version(RATING.version, RATING.role, *rating_prompts(desk.protocol, case.dimension))

    def _item(self, label: SupportLabel) -> SupportItem:
        evidence = Frozen("evidence", "web", "ok" if label.evidence.strip() else "empty", label.evidence)
        return SupportItem("c1-web", "c1", label.claim, "web", "page", (evidence,))

    def _asking(self, case: Case, order: str) -> Asking[Any]:
        label, desk, about = case.example, self.desk, (case.id, order)
        if isinstance(label, SupportLabel):
            return support_asking(desk.prompts, desk.protocol, [self._item(label)], about=about)
        graded = Graded(label.query, "", desk.shop_url)
        if isinstance(label, PairwiseLabel):
            sides = (label.answer_a, label.answer_b) if order == "ab" else (label.answer_b, label.answer_a)
            return comparison_asking(desk.prompts, desk.protocol, case.dimension, graded, sides, about=about)
        return rating_asking(desk.prompts, desk.protocol, case.dimension, graded, label.answer, about=about)

    async def work(self, spec: Mapping[str, Any], context: Context) -> Outcome:
        case, desk = self.cases[spec["case"]], self.desk
        judge = Judge("judge", context, self.kept, desk.stand_in)
        asking = self._asking(case, spec["order"])
        if isinstance(case.example, SupportLabel):
            item = self._item(case.example)
            found = await judge_support(judge, desk.prompts, desk.protocol, [item], about=asking.about)
            return judge.sealed(Outcome({**found[item.id]}))
        if isinstance(case.example, PairwiseLabel):
            return judge.sealed(Outcome({**await prefer(judge, asking)}))
        return judge.sealed(Outcome({**await rate(judge, asking)}))

    def results(self, study: Study) -> dict[tuple[str, str], Mapping[str, Any] | None]:
        """By case and order; `None` where the judge failed."""
        wanted = {unit.key for unit in self.units()}
        return {
            (record.key_fields["case"], record.key_fields["order"]): record.result if record.done else None
            for record in study.records("judgement", None)
            if record.key in wanted
        }


def held_against(
    calibration: Calibration, study: Study, task: Task, scale: tuple[float, float] | None = None
) -> dict[str, Any]:
    """The judge beside the people's consensus, beside the thresholds, and the people beside each other."""
    found = calibration.results(study)
    cases_ = list(calibration.cases.values())
    people = [case.consensus() for case in cases_]
    if task == "support":
        judged = [_status(found.get((case.id, ""))) for case in cases_]
        statistics = support_statistics(judged, [str(label) for label in people])
    elif task == "pairwise":
        statistics = _pairs(cases_, found, [str(label) for label in people])
    else:
        statistics = _grades(cases_, found, [float(label) for label in people], scale)
    return {
        "schema": 1,
        "task": task,
        "judge": calibration.desk.judge.shown,
        "rule_written": calibration.desk.judge.rule_written,
        "banner": calibration.desk.banner,
        "items": len(cases_),
        "people": sorted({label.judge for case in cases_ for label in case.labels}),
        "metrics": statistics,
        "among_people": _among_people(cases_, task),
        "thresholds": _held(statistics, THRESHOLDS[task]),
    }


def _status(result: Mapping[str, Any] | None) -> str | None:
    status = None if result is None else result.get("status")
    return status if status in SUPPORT else None


def _winner(result: Mapping[str, Any] | None, first: Winner, second: Winner) -> Winner | None:
    if result is None:
        return None
    places: Mapping[str, Winner] = {"first": first, "second": second, "tie": "tie"}
    return places[result["winner"]]


def _pairs(
    cases_: Sequence[Case], found: Mapping[tuple[str, str], Mapping[str, Any] | None], people: Sequence[str]
) -> dict[str, Any]:
    comparisons = [
        Comparison(
            content_id(getattr(case.example, "query", "")),
            case.dimension,
            "A",
            "B",
            _winner(found.get((case.id, "ab")), "a", "b"),
            _winner(found.get((case.id, "ba")), "b", "a"),
        )
        for case in cases_
    ]
    letters: dict[str, str | None] = {"a": "A", "b": "B", "tie": "tie", "inconsistent": "tie", "error": None}
    judged = [letters[c.outcome] for c in comparisons]
    statistics = pairwise_statistics(judged, list(people), [c.query for c in comparisons])
    everything = [Comparison(c.query, "all", "A", "B", c.a_first, c.b_first) for c in comparisons]
    gate = positions(everything).get("all")
    if gate is not None:
        statistics["position_consistency"] = document_of(gate.consistency)
        statistics["first_position_rate"] = document_of(gate.first_rate)
    return statistics


def _grades(
    cases_: Sequence[Case],
    found: Mapping[tuple[str, str], Mapping[str, Any] | None],
    people: Sequence[float],
    scale: tuple[float, float] | None,
) -> dict[str, Any]:
    """Distances are in points of 0-10 and need the people's scale, given or plain; without it only orders are compared."""
    judged: list[float | None] = [
        None if (result := found.get((case.id, ""))) is None else float(result["rating"]) for case in cases_
    ]
    low, high = scale or (0.0, 10.0)
    mapped: list[float | None] = [10 * (value - low) / (high - low) for value in people]
    clusters = [content_id(getattr(case.example, "query", "")) for case in cases_]
    statistics = rating_statistics(judged, mapped, clusters, [case.dimension for case in cases_])
    if scale is None and people and 5 < max(people) <= 10 and min(people) >= 0:
        for name in ("mard", "bias"):
            statistics[name]["method"] += "; the people's grades taken as 0-10, no other scale was given"
    elif scale is None:
        for name in ("mard", "bias"):
            unknown = {"value": None, "ci_low": None, "ci_high": None}
            statistics[name] |= {**unknown, "method": "needs the people's scale: --scale LOW HIGH"}
    return statistics


def _among_people(cases_: Sequence[Case], task: Task) -> dict[str, Any] | None:
    names = sorted({label.judge for case in cases_ for label in case.labels})
    if len(names) < 2:
        return None
    raters = []
    for name in names:
        own = [{label.judge: label for label in case.labels}.get(name) for case in cases_]
        raters.append(
            [None if x is None else x.three_class if isinstance(x, PairwiseLabel) else x.label for x in own]
        )
    levels: Mapping[Task, ag.Level] = {"support": "ordinal", "pairwise": "nominal", "rating": "interval"}
    order = {"support": SUPPORT, "pairwise": PAIRWISE, "rating": None}[task]
    return {"alpha": document_of(ag.krippendorff_alpha(raters, level=levels[task], categories=order))}


def _held(statistics: Mapping[str, Any], thresholds: Mapping[str, float]) -> dict[str, Any]:
    rows = {}
    for name, least in thresholds.items():
        value = statistics.get(name, {}).get("value")
        rows[name] = {"value": value, "at_least": least, "met": None if value is None else value >= least}
    return rows
