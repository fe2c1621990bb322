"""Says which answers to checkable questions have no form, or one that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from drr.env.query import Query
from drr.eval.rewards.answer_forms import ReadForm, read_form
from drr.study.unit import Unit
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.study.study import Study

_LONGEST = 90


def lacking_forms(forms: Sequence[ReadForm]) -> list[str]:
    """Return sentences on the forms that cannot be read, and on the answers without one."""
    lines = []
    if problems := [form.problem for form in forms if form.problem]:
        lines.append(
            f"{many(len(problems), 'form')} cannot be read, so nothing is solved by"
            f" {'it' if len(problems) == 1 else 'them'}, the first: {excerpt(problems[0], _LONGEST)}"
        )
    if missing := forms.count(ReadForm()):
        lines.append(f"{many(missing, 'answer')} of {len(forms)} handed in no form, and so solved nothing")
    return lines


def forms_of(study: Study, units: Iterable[Unit], queries: Mapping[str, Query]) -> list[ReadForm]:
    """Return the forms of the finished answers that code checks by one. A form is known to be unreadable only beside its question's truth."""
    found = []
    for unit in units:
        record = study.record(unit.key) if "form" in unit.spec else None
        if record is not None and record.done:
            query, text = queries[unit.spec["query_id"]], study.text(record, "form")
            knows_form = text is None or query.checkable is not None
            found.append(read_form(text, query) if knows_form else ReadForm(problem=""))
    return found
