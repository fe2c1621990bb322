"""The task of making a question's key points, by rule from the shop's records, then by a model.

Where people gave points of a question, only those count. No answer is shown to whoever makes points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from drr.env.constraints import parse_constraints
from drr.env.query import Query
from drr.eval.asking.conversation import Asking, Section, with_id
from drr.eval.asking.forms import FoundPoints
from drr.eval.asking.judge import Examiner
from drr.eval.labels import content_id
from drr.eval.tasks.desk import Estimate, JudgedQuestion, JudgingContext, Task
from drr.eval.tasks.grading import Graded
from drr.eval.tasks.judgements import Judged
from drr.eval.tasks.key_points import POINTS, KeyPoints, PointRow, enter_points, list_id, points_of
from drr.eval.tasks.point_sources import of_catalogue, of_shopper, points_of_demands
from drr.study.unit import Outcome, Record, Unit

_LETTERS = {"constraint": "c", "shopper": "s", "catalogue": "k", "model": "m", "person": "p"}
_OF_MODEL = 10
"""Most points of a model that count. The model was asked to give the most important first."""
_GUESSED = 6
_LONGEST = 500
"""Most characters of a point; a longer text is no single thing."""


class PointsTask(Task[JudgedQuestion]):
    name = POINTS
    version = 3  # 3: “$80 in all” and “40$” are limits
    subject = "query"
    by_code = True
    metrics = ("key_points",)

    def versions(self, desk: JudgingContext) -> Mapping[str, str]:
        """Add the ids of people's points to the versions, so that no table mixes points of two files."""
        own = [list_id(rows) + query_id for query_id, rows in sorted(desk.own_points.items())]
        given = f"-{content_id(*own)[:8]}" if own else ""
        return {name: version + given for name, version in super().versions(desk).items()}

    def plan(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> Iterable[Unit]:
        if desk.protocol.ask(self.name) is None:
            return
        rows = _points_without_model(desk, about)
        asks = _asks(desk, about)
        asking = _asking(desk, about.id, about.query, about.user_id, rows)
        fields = {
            "query": about.id,
            "points": list_id(rows),
            "prompt": asking.fingerprint if asks else None,
        }
        spec = {
            "answer": about.id,  # what it is about: the question, which stands under this name in the ledger's index
            "query": about.query,
            "user_id": about.user_id,
            "points": rows,
            "asks": asks,
        }
        yield self.unit(desk, f"points \u00b7 {about.id}", fields, spec)

    async def work(self, desk: JudgingContext, spec: Mapping[str, Any], judge: Examiner) -> Outcome:
        rows = cast("list[PointRow]", spec["points"])
        if not spec["asks"]:
            return Outcome({"points": rows})
        answer = await judge.answer(_asking(desk, spec["answer"], spec["query"], spec["user_id"], rows))
        return Outcome({"points": [*rows, *_new_points(answer, rows)]})

    def read(self, record: Record, judged: Judged) -> None:
        rows = cast("list[PointRow]", record.result["points"]) if record.done else None
        enter_points(judged, record.key_fields["query"], KeyPoints(rows, record.reason))

    def finish_reading(self, judged: Judged) -> None:
        """Count only the current lists, not those that others have replaced."""
        lists = [points_of(judged, query_id) for query_id in judged.others.get(self.name, {})]
        if lists:
            judged.units[self.name] = len(lists)
            judged.failed[self.name] = sum(one is None or one.rows is None for one in lists)

    def estimate(self, desk: JudgingContext, unit: Unit) -> Estimate | None:
        if not unit.spec["asks"]:
            return None
        known = sum(len(row["text"]) + 80 for row in unit.spec["points"])
        profile = len(desk.profile(unit.spec["user_id"]))
        return Estimate(2600 + len(unit.spec["query"]) + profile + known, 400)

    def guess(self, desk: JudgingContext, about: JudgedQuestion, judged: Judged) -> None:
        if points_of(judged, about.id) is not None or desk.protocol.ask(self.name) is None:
            return
        more = _GUESSED if _asks(desk, about) else 0
        guessed: list[PointRow] = [
            {"id": f"m{number + 1}", "text": "x" * 90, "weight": "vital", "origin": "model"}
            for number in range(more)
        ]
        enter_points(judged, about.id, KeyPoints([*_points_without_model(desk, about), *guessed]))


POINTS_TASK = PointsTask()


def _asks(desk: JudgingContext, about: JudgedQuestion) -> bool:
    """Tell whether a model is asked for more points: not where people gave points, nor where no model judges."""
    return about.id not in desk.own_points and not desk.judge_of(POINTS_TASK.role).rule_written


def _points_without_model(desk: JudgingContext, about: JudgedQuestion) -> list[PointRow]:
    """Return the points that people gave, else those that code makes."""
    own = desk.own_points.get(about.id)
    return list(own) if own is not None else _numbered(_points_by_code(desk, about))


def _points_by_code(desk: JudgingContext, about: JudgedQuestion) -> Iterator[PointRow]:
    wanted = about.constraints or parse_constraints(about.query, desk.money)
    yield from points_of_demands(wanted, desk.money)
    query = desk.questions.get(about.id)
    if query is None and about.user_id and about.query:  # an imported report's: text and user alone
        query = Query(id=about.id, query=about.query, user_id=about.user_id)
    if desk.shop is None or query is None:
        return
    yield from of_shopper(desk.shop, query, wanted)
    yield from of_catalogue(desk.shop, query, wanted)


def _numbered(rows: Iterable[PointRow]) -> list[PointRow]:
    """Give each point an id: a letter for its origin and a number."""
    found: list[PointRow] = []
    counts = dict.fromkeys(_LETTERS.values(), 0)
    for row in rows:
        letter = _LETTERS[row["origin"]]
        counts[letter] += 1
        found.append({**row, "id": f"{letter}{counts[letter]}"})
    return found


def _new_points(proposed: FoundPoints, known: Sequence[PointRow]) -> list[PointRow]:
    """Keep the model's points that are new, once each, as numbered rows."""
    known_texts = {_bare(row["text"]) for row in known}
    found: list[PointRow] = []
    for one in proposed.points:
        text = " ".join(one.text.split())
        if 0 < len(text) <= _LONGEST and _bare(text) not in known_texts:
            known_texts.add(_bare(text))
            found.append({"id": "", "text": text, "weight": one.weight, "origin": "model"})
    return _numbered(found[:_OF_MODEL])


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _asking(
    desk: JudgingContext, query_id: str, query: str, user_id: str | None, rows: Sequence[PointRow]
) -> Asking[FoundPoints]:
    settled = [with_id(Section("point", row["text"], "Settled already, %s:"), row["id"]) for row in rows]
    system = desk.prompts.fill(desk.protocol.asks[POINTS].prompt, shop_url=desk.shop_url)
    context = Graded(query, desk.profile(user_id), desk.shop_url, money=desk.money)
    return context.asking(POINTS, FoundPoints, system, settled, (query_id,))
