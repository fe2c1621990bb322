"""Shows where systems fail: figures by a field of the question, each group against the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from drr.app.judge.desk import study_settings, study_shop
from drr.app.report.contrasts import graded_metrics
from drr.app.report.tables import Cell, Heading, Table, terminal_text
from drr.app.terminal import wrapped_paragraph
from drr.env.errors import DrrError, Misuse
from drr.env.question_fields import ORDERS, check_field
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metric, shown_name
from drr.eval.metrics.compare import ValueTable
from drr.eval.metrics.groups import group_document, question_groups
from drr.eval.metrics.rows import GroupDocument, GroupRow
from drr.eval.stats.differences import query_means
from drr.eval.stats.groups import FEWEST_OF_GROUP
from drr.eval.stats.intervals import ByQuestion
from drr.eval.stats.question import AskedQuestion
from drr.study.study import Study

NOTE = (
    "Each group minus all other questions, with the 95 % interval of this difference. Bold: p < .05 by the test that exchanges "
    "questions between groups, after Holm's correction over the table."
)


def groups_of(answers: Iterable[Answer], field: str) -> dict[str, set[str]]:
    """Return the questions of each group. Orders are counted in the study's shop."""

    @cache
    def orders(study: Study, user: str) -> int | None:
        with study_shop(study, study_settings(study, {}, ()), None) as shop:
            return None if shop is None else shop.store.orders(user, limit=1).total

    known = list(answers)
    groups = question_groups(
        known, check_field(field), lambda one: None if one.user_id is None else orders(one.study, one.user_id)
    )
    if not groups:
        where = "shop that tells the orders" if field == ORDERS else f"question with a {field}"
        raise Misuse(f"--by {field}: there is no {where}")
    return groups


def by_field(values: ValueTable, field: str, pair: tuple[str, str] | None = None) -> GroupDocument:
    """Return the lead metrics of each system by group; of a pair, their difference question by question."""
    groups = groups_of((one for own in values.systems.values() for one in own), field)
    known = {name: values.of(name) for name in graded_metrics()}
    if any(known["points"].values()):
        del known["reward"]  # one test of what code pays
    if pair is not None:
        a, b = pair
        sides = {name: (query_means(own[a]), query_means(own[b])) for name, own in known.items()}
        known = {
            name: {f"{a} minus {b}": {q: [x - right[q]] for q, x in left.items() if q in right}}
            for name, (left, right) in sides.items()
        }
    shown = {
        name: {system: own for system, own in by_system.items() if any(query_means(own))}
        for name, by_system in known.items()
    }
    return group_document(
        field, groups, {name: own for name, own in shown.items() if own}, of_pair=pair is not None
    )


def system_groups(
    answers: Sequence[Answer], field: str | None, system: str, values: Mapping[str, ByQuestion[AskedQuestion]]
) -> GroupDocument | None:
    """Return the figures of one system by group; `None` where no field is asked for, or its questions have none."""
    if field is None:
        return None
    try:
        groups = groups_of(answers, field)
    except DrrError:  # a bundle may lack the questions' truth, or its shop
        return None
    return group_document(field, groups, {name: {system: own} for name, own in values.items()})


def by_field_text(document: GroupDocument) -> str:
    """Return what is shown to be weak in sentences, then the table."""
    weak = [f"{_place(row)} ({shown_name(row['metric'])})" for row in document["rows"] if row["weak"]]
    field = document["field"]
    head = (
        f"By {field}, worse than the rest: {'; '.join(weak)}."
        if weak
        else f"By {field}, no group is shown to be worse than the rest."
    )
    return "\n\n".join([wrapped_paragraph(head), terminal_text(by_field_table(document))])


def by_field_table(document: GroupDocument) -> Table:
    """Return the table of a report's page."""
    heads = [Heading("value"), Heading("group minus rest"), Heading("p (Holm)")]
    rows = [
        (
            f"{_place(row)}, {shown_name(row['metric'])}",
            [
                Cell.of(row["mean"], metric(row["metric"]).digits),
                Cell.tested(row["difference"], metric(row["metric"]).digits),
                Cell(row["difference"]["p_holm"], digits=3),
            ],
        )
        for row in document["rows"]
    ]
    field = document["field"]
    return Table(f"by-{field.replace(':', '-')}", f"By {field}", heads, rows, [NOTE, *_small(document)])


def _place(row: GroupRow) -> str:
    return f"{row['group']}: {row['system']}"


def _small(document: GroupDocument) -> list[str]:
    small = [name for name, count in document["groups"].items() if count < FEWEST_OF_GROUP]
    return [f"Not judged, of fewer than {FEWEST_OF_GROUP} questions: {', '.join(small)}."] if small else []
