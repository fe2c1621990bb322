"""The names in a study for the questions and systems of other benchmarks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.env.files import file_name
from drr.env.query import query_id
from drr.eval.evidence.answers import questions
from drr.eval.foreign.form import ForeignQuestion
from drr.eval.foreign.questions import normal
from drr.study.study import Study
from drr.study.unit import Unit


class NamesOfTasks:
    """One name, one text: in what the study holds already, and in what is taken in now."""

    def __init__(self, study: Study | None) -> None:
        asked = list(questions(study).values()) if study else []
        records = study.records("answer", None) if study else ()
        self._tasks = {one.task_id: normal(one.query) for one in asked if one.task_id is not None}
        self._questions = {record.spec["query_id"]: normal(record.spec["query"]) for record in records}
        self._questions |= {one.id: normal(one.query) for one in asked}

    def of_task(self, asked: ForeignQuestion) -> str:
        """A text of another language under the same name is named after it too."""
        words, name = normal(asked.words or ""), str(asked.task)
        if self._tasks.setdefault(name, words) == words:
            return name
        other = f"{name}-{asked.language or 'other'}"
        self._tasks.setdefault(other, words)
        return other

    def at_size(self, asked: ForeignQuestion) -> str:
        """Name a question as those on tasks with files, so that what is known of the task is found. Else after its words."""
        words, name = normal(asked.words or ""), f"{asked.id}@{asked.size}"
        if self._questions.setdefault(name, words) == words:
            return name
        return f"{query_id(words, '')}@{asked.size}"


class _Place(NamedTuple):
    user: str | None
    size: str | None


class PlacesInStudy:
    """The questions and systems of a study that the rows of others are about."""

    def __init__(self, study: Study | None, units: Iterable[Unit]) -> None:
        records = study.records("answer", None) if study else ()
        specs = [record.spec for record in records] + [unit.spec for unit in units]
        self._asked: dict[str, dict[str, _Place]] = {}
        self._systems: dict[str, str] = {}
        for spec in specs:
            size = spec.get("size") or (spec.get("imported") or {}).get("size")
            places = self._asked.setdefault(normal(spec["query"]), {})
            places[spec["query_id"]] = _Place(spec["user_id"], size)
            self._systems.setdefault(file_name(spec["variant"]), spec["variant"])

    def system(self, name: str) -> str:
        """A name of a file stands for the variant that it was made of."""
        return self._systems.get(name, name)

    def query(self, where: str, asked: ForeignQuestion) -> str:
        words = asked.words or ""
        found = [
            name
            for name, place in self._asked.get(normal(words), {}).items()
            if asked.user in (None, place.user) and asked.size in (None, place.size)
        ]
        if len(found) > 1:
            raise Misuse(
                f"{where}: the study asks this {len(found)} times (other persons, other sizes), and nothing says which is meant"
            )
        at_size = "" if asked.size is None else f"@{asked.size}"
        return found[0] if found else query_id(words, asked.user or "") + at_size
