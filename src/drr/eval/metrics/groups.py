"""Groups of questions by a field of theirs, and the figures of each group against the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from drr.env.question_fields import FIELDS, ORDERS, order_band
from drr.eval.evidence.answers import Answer
from drr.eval.metrics import metric
from drr.eval.metrics.rows import GroupDocument, GroupRow
from drr.eval.stats.differences import SIGNIFICANT, paired, with_holm
from drr.eval.stats.groups import against_rest
from drr.eval.stats.intervals import ByQuestion, Statistic, mean
from drr.eval.stats.question import AskedQuestion, query_of


def question_groups(
    answers: Iterable[Answer], field: str, count_orders: Callable[[Answer], int | None]
) -> dict[str, set[str]]:
    """Map each group to the ids of its questions, the largest group first."""
    found: dict[str, set[str]] = {}
    for answer in {one.query_id: one for one in answers}.values():
        if field == ORDERS:
            count = count_orders(answer)
            names: Iterable[str] = [] if count is None else [order_band(count)]
        else:
            names = FIELDS[field](answer.question) if answer.question else []
        for name in names:
            found.setdefault(name, set()).add(answer.query_id)
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


def group_document(
    field: str,
    groups: Mapping[str, set[str]],
    values: Mapping[str, Mapping[str, ByQuestion[AskedQuestion]]],
    *,
    of_pair: bool = False,
) -> GroupDocument:
    """Test each group against the rest, by metric and system, with Holm's correction over all tests. `values` are by metric and system.

    Those of a pair are differences: their interval is that of the paired test, and no end of the metric cuts it.
    """
    tested = with_holm(
        {
            (name, system, group): against_rest(own, members)
            for name, by_system in values.items()
            for system, own in by_system.items()
            for group, members in groups.items()
        }
    )
    rows: list[GroupRow] = []
    for (name, system, group), one in tested.items():
        own = {q: xs for q, xs in values[name][system].items() if query_of(q) in groups[group]}
        if not own:
            continue
        row, lower = one.document(), metric(name).better == "lower"
        is_weak = (
            one.p_holm is not None
            and one.p_holm < SIGNIFICANT
            and (row["value"] or 0.0) * (-1 if lower else 1) < 0
        )
        rows.append(
            {
                "system": system,
                "metric": name,
                "group": group,
                "mean": (_of_pair(own, name) if of_pair else mean(own).within(metric(name).ends)).document(),
                "difference": row,
                "weak": is_weak,
            }
        )
    return {"field": field, "groups": {name: len(own) for name, own in groups.items()}, "rows": rows}


def _of_pair(differences: ByQuestion[AskedQuestion], name: str) -> Statistic:
    return paired(differences, {asked: [0.0] for asked in differences}, metric(name).range).difference
