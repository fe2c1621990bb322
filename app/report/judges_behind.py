"""What stands behind the figures on judges: what was judged of each answer, and what two judges said of the same thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from drr.app.report.agreement_tables import compared, row_name
from drr.app.report.alignment_table import run_name
from drr.app.report.behind import AnswerRow, Behind, answer_name
from drr.app.report.material import Material
from drr.app.report.setting_tables import cost_cells
from drr.app.report.tables import Table
from drr.env.errors import DrrError
from drr.eval.agreement.criteria import said_under_criteria
from drr.eval.agreement.items import OVERALL, Items, preferences
from drr.eval.evidence.answers import Answer
from drr.eval.labels import CriterionLabel, Label, PairwiseLabel, RatingLabel, pair_id, rating_id
from drr.eval.metrics import metrics, values_of
from drr.eval.metrics.costs import shared_judgements
from drr.papers.reporteval.align_things import things_on_dev
from drr.papers.reporteval.alignment.kept import alignments
from drr.wording.excerpt import excerpt

OneReport = Callable[[str], str]
SideBySide = Callable[[Answer, Answer], str]
Told = str | Mapping[str, float]
"""What a judge said of an item, or what of each of its criteria."""
Said = Mapping[str, Mapping[tuple[str, str], Told]]
"""By item, then by what it was judged for and by whom."""
_NONE = "–"
_ALL = "all"
_LONGEST = 90
_OWN_WORDS = "What the judge found; `drr judges align show` has its words and the unit that judged."


class ItemPlace(NamedTuple):
    """An item as a reader knows it."""

    name: str
    link: str


def judges_behind(
    material: Material, tables: Sequence[Table], one_report: OneReport, side_by_side: SideBySide
) -> Iterator[Behind]:
    """`one_report` and `side_by_side` say where an answer and two of them are seen; empty where nobody knows."""
    shown = {table.name: table for table in tables}
    for name, table in shown.items():
        if name == "coverage":
            yield _coverage(material, table, one_report)
        elif name == "cost" and () in table.behind.values():
            yield _shared(material, table)
        elif name == "alignment":
            yield from _aligned(material, table)
        elif table.judges and name in _SAID:
            said, places = _SAID[name](material, one_report, side_by_side)
            yield _beside(material, table, said, places)


def _coverage(material: Material, table: Table, one_report: OneReport) -> Behind:
    judged = material.judged
    tasks = [name for name, _ in table.rows]
    answers = sorted(judged.answers, key=lambda a: (a.query_id, a.variant, a.trial))
    shown = {task for answer in answers for task in judged.units_of[answer.key]}
    rows = []
    for answer in answers:
        units, failed = judged.units_of[answer.key], judged.failed_of[answer.key]
        cells = [
            (f"{units[task]}" + (f", {failed[task]} without an answer" if failed[task] else ""))
            if task in shown
            else _NONE
            for task in tasks
        ]
        rows.append(AnswerRow(_of_system(answer), cells, one_report(answer.key)))
    told = "Judgements of this answer; one of two answers stands in both rows, one of a question or a person in none."
    return Behind(table.name, table.title, [(task.replace("_", " "), told) for task in tasks], rows)


def _shared(material: Material, table: Table) -> Behind:
    """Judgements of questions and persons, which many answers share."""
    rows = [
        AnswerRow(excerpt(record.label, _LONGEST), cost_cells(record))
        for record in shared_judgements(material.study, material.judged)
    ]
    return Behind(table.name, table.title, [(column.label, column.told) for column in table.columns], rows)


def _aligned(material: Material, table: Table) -> Iterator[Behind]:
    """What experts labelled on dev and what the judge found of it by each version."""
    for number, alignment in enumerate(alignments(material.study)):
        task = alignment.task.name
        name = table.name if number == 0 else f"{table.name}-{task}"
        runs = [run for run in alignment.state["runs"] if run["half"] == "dev"]
        try:
            found = [things_on_dev(alignment, run) for run in runs]
        except DrrError as error:
            yield Behind(name, f"{table.title}: {task}", (), [AnswerRow(str(error), ())])
            continue
        by_place = [{(one["text"], one["side"]): one for one in own} for own in found]
        rows = {}
        for one in chain.from_iterable(found):
            place = one["text"], one["side"]
            told = ["–" if (said := own.get(place)) is None else _value(said["judge"]) for own in by_place]
            rows[place] = AnswerRow(f"{one['id']}, {one['side']}", [_value(one["people"]), *told])
        columns = [
            ("experts", "The mean over experts."),
            *((run_name(task, run), _OWN_WORDS) for run in runs),
        ]
        yield Behind(name, f"{table.title}: {task}", columns, sorted(rows.values()))


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


def _beside(material: Material, table: Table, said: Said, places: Mapping[str, ItemPlace]) -> Behind:
    """Under each row of the table what both of its judges said of an item that both judged."""
    document = material.agreement
    assert document is not None
    parts = [(what, judges) for what, judges in compared(document, table.name) if what != _ALL]
    columns = [row_name(what, judges) for what, judges in parts]
    rows = []
    for item, by_judge in sorted(said.items(), key=lambda one: places[one[0]].name):
        cells = {}
        for what, judges in parts:
            first, second = (by_judge.get((what, judge)) for judge in judges)
            if first is not None and second is not None and (both := _both(first, second)):
                cells[row_name(what, judges)] = both
        if cells:
            told = [cells.get(column, _NONE) for column in columns]
            rows.append(AnswerRow(places[item].name, told, places[item].link))
    meant = "What the first judge said / what the second one said."
    return Behind(table.name, table.title, [(column, meant) for column in columns], rows)


def _both(first: Told, second: Told) -> str:
    """Of criteria the means of those that both scored; empty where there are none."""
    if isinstance(first, str) or isinstance(second, str):
        return f"{first} / {second}"
    shared = sorted(first.keys() & second.keys())
    return " / ".join(
        f"{sum(own[name] for name in shared) / len(shared):.2f}" for own in (first, second) if shared
    )


def _pairs(
    material: Material, one_report: OneReport, side_by_side: SideBySide
) -> tuple[Said, dict[str, ItemPlace]]:
    labels = [label for label in _labels(material) if isinstance(label, PairwiseLabel)]
    by_judge, _ = preferences(labels)
    said: dict[str, dict[tuple[str, str], str]] = {}
    for judge, own in by_judge.items():
        for (item, dimension), told in own.items():
            first, second = told.systems
            won = {"A": first or "A", "B": second or "B"}.get(told.value, told.value)
            said.setdefault(item, {})[dimension, judge] = won
    known: dict[str, tuple[Answer, Answer]] = {}
    by_place = {(a.query_id, a.variant, a.trial): a for a in material.judged.answers}
    for one in material.comparisons:
        a, b = by_place[one.query, one.a, one.trial], by_place[one.query, one.b, one.trial]
        known[pair_id(one.query, one.a, one.b, one.trial)] = (a, b)
    places = {}
    for item, label in _items(labels):
        name, link = excerpt(label.query, _LONGEST), ""
        if label.id in known:
            a, b = known[label.id]
            name, link = f"{answer_name(a)}: {a.variant} and {b.variant}", side_by_side(a, b)
        places[item] = ItemPlace(name, link)
    return said, places


def _ratings(
    material: Material, one_report: OneReport, side_by_side: SideBySide
) -> tuple[Said, dict[str, ItemPlace]]:
    labels = [label for label in _labels(material) if isinstance(label, RatingLabel)]
    said: dict[str, dict[tuple[str, str], str]] = {}
    placed = Items()
    for label in labels:
        where = said.setdefault(str(placed.place(label)), {})
        where[label.dimension or OVERALL, label.judge] = f"{label.label:g}"
    return said, _of_answers(material, labels, one_report)


def _criteria(
    material: Material, one_report: OneReport, side_by_side: SideBySide
) -> tuple[Said, dict[str, ItemPlace]]:
    labels = [label for label in _labels(material) if isinstance(label, CriterionLabel)]
    said = said_under_criteria(labels, {})
    scores: dict[str, dict[tuple[str, str], dict[str, float]]] = {}
    for judge, own in said.with_people(material.raters.people if material.raters else ()).items():
        for (item, criterion), score in own.items():
            place = said.places[item, criterion].dimension, judge
            scores.setdefault(item, {}).setdefault(place, {})[criterion] = score
    return scores, _of_answers(material, labels, one_report)


def _metrics(
    material: Material, one_report: OneReport, side_by_side: SideBySide
) -> tuple[Said, dict[str, ItemPlace]]:
    said: dict[str, dict[tuple[str, str], str]] = {}
    raters = material.raters
    known = metrics()
    for judge, judged in (raters.judged if raters else {}).items():
        for answer in judged.answers:
            for name, value in values_of(judged, answer).items():
                if value is not None:
                    where = said.setdefault(answer.key, {})
                    where[known[name].label, judge] = known[name].shown(value)
    answers = raters.answers if raters else ()
    return said, {a.key: ItemPlace(_of_system(a), one_report(a.key)) for a in answers}


def _labels(material: Material) -> Sequence[Label]:
    return material.raters.labels if material.raters else ()


def _items(labels: Sequence[PairwiseLabel]) -> Iterator[tuple[str, PairwiseLabel]]:
    """Each item with the first label of it."""
    placed = Items()
    seen = set()
    for label in labels:
        item = str(placed.place(label))
        if item not in seen:
            seen.add(item)
            yield item, label


def _of_answers(
    material: Material, labels: Iterable[RatingLabel | CriterionLabel], one_report: OneReport
) -> dict[str, ItemPlace]:
    known = {rating_id(a.query_id, a.variant, a.trial): a for a in material.judged.answers}
    placed = Items()
    places: dict[str, ItemPlace] = {}
    for label in labels:
        answer = known.get(label.id)
        place = (
            ItemPlace(excerpt(label.query, _LONGEST), "")
            if answer is None
            else ItemPlace(_of_system(answer), one_report(answer.key))
        )
        places.setdefault(str(placed.place(label)), place)
    return places


def _of_system(answer: Answer) -> str:
    return f"{answer.variant}: {answer_name(answer)}"


_SAID = {
    "agreement-pairwise": _pairs,
    "agreement-rankings": _pairs,
    "agreement-ratings": _ratings,
    "agreement-criteria": _criteria,
    "agreement-metrics": _metrics,
}
