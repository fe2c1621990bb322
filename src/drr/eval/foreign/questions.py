"""Finds the question of another benchmark's row: by the row's words, else by its id among the known questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.env.files import file_name
from drr.env.query import query_id
from drr.eval.evidence.answers import questions
from drr.eval.foreign.form import ForeignQuestion
from drr.study.study import Study
from drr.study.unit import Unit


class _Known(NamedTuple):
    where: str
    asked: ForeignQuestion


class QuestionsAtHand:
    """The known questions, from the given files and from earlier imports. Earlier imports in the same format count where the files lack a row's question."""

    def __init__(
        self,
        questions: Iterable[tuple[str, ForeignQuestion]],
        before: Iterable[tuple[str, ForeignQuestion]] = (),
    ) -> None:
        self._before = QuestionsAtHand(before) if before else None
        self._by_id: dict[str, list[_Known]] = {}
        self._by_words: dict[str, list[_Known]] = {}
        for where, asked in questions:
            known = _Known(where, asked)
            self._by_id.setdefault(_plain(asked.id), []).append(known)
            if asked.words is not None:
                self._by_words.setdefault(normal_text(asked.words), []).append(known)

    def whole(self, where: str, asked: ForeignQuestion) -> ForeignQuestion:
        """Complete a question by its words and other known fields. `Misuse` where nothing matches, or two questions do."""
        alike = self._alike(asked)
        texts: dict[str, _Known] = {}
        for one in alike:
            if one.asked.words is not None:
                texts.setdefault(normal_text(one.asked.words), one)
        if asked.words is None and not texts:
            raise Misuse(
                f"{where}: nothing says what the question {asked.id} is; give the file of questions with --queries"
            )
        if asked.words is None and len(texts) > 1:
            first, second = list(texts.values())[:2]
            raise Misuse(
                f"{where}: the id {asked.id} is that of two questions ({first.where}; {second.where}); "
                "import the reports of each file of questions by a call of its own"
            )
        words = asked.words if asked.words is not None else next(iter(texts.values())).asked.words
        found = replace(asked, words=words)
        for one in alike:
            found = _filled(found, one.asked)
        return found

    def _alike(self, asked: ForeignQuestion) -> list[_Known]:
        named = asked.words is None
        found = (
            self._by_id.get(_plain(asked.id)) if named else self._by_words.get(normal_text(asked.words or ""))
        )
        alike = [one for one in found or () if _agrees(one.asked, asked)]
        return alike or (self._before._alike(asked) if self._before else [])


def _plain(name: int | str | None) -> str:
    """Return an id without leading zeros, so that `001` and 1 are equal."""
    text = str(name)
    return (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else text


def normal_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _agrees(one: ForeignQuestion, other: ForeignQuestion) -> bool:
    """Tell whether two questions agree in all fields that both have."""
    pairs = ((one.language, other.language), (one.user, other.user), (one.task, other.task))
    return all(a is None or b is None or a == b for a, b in pairs)


def _filled(asked: ForeignQuestion, fresh: ForeignQuestion) -> ForeignQuestion:
    """Fill the missing fields, except the user: several users may ask the same words."""
    own_id = asked.id is not None and _plain(asked.id) == _plain(fresh.id)
    return replace(
        asked,
        id=fresh.id if asked.id is None else asked.id,
        user=fresh.user if asked.user is None and own_id else asked.user,
        language=fresh.language if asked.language is None else asked.language,
        task=fresh.task if asked.task is None else asked.task,
        domain=fresh.domain if asked.domain is None else asked.domain,
    )


def taken_before(study: Study, format_name: str) -> list[tuple[str, ForeignQuestion]]:
    """Return the questions in the study whose reports are of this format."""
    found: dict[str, tuple[str, ForeignQuestion]] = {}
    for record in study.records("answer", None):
        origin = (record.spec.get("imported") or {}).get("origin")
        if isinstance(origin, dict) and origin.get("format") == format_name:
            asked = ForeignQuestion(
                origin.get("id"),
                record.spec["query"],
                record.spec["user_id"],
                origin.get("language"),
                origin.get("task"),
                domain=origin.get("domain"),
            )
            found[f"{record.spec['query_id']} {origin.get('id')}"] = (f"of this study, {record.label}", asked)
    return list(found.values())


class NamesOfTasks:
    """Names of tasks, one text each, over the study's questions and those being imported."""

    def __init__(self, study: Study | None) -> None:
        asked = list(questions(study).values()) if study else []
        records = study.records("answer", None) if study else ()
        self._tasks = {one.task_id: normal_text(one.query) for one in asked if one.task_id is not None}
        self._questions = {record.spec["query_id"]: normal_text(record.spec["query"]) for record in records}
        self._questions |= {one.id: normal_text(one.query) for one in asked}

    def of_task(self, asked: ForeignQuestion) -> str:
        """Name a task. A text in another language under the same name gets the language in its name."""
        words, name = normal_text(asked.words or ""), str(asked.task)
        if self._tasks.setdefault(name, words) == words:
            return name
        other = f"{name}-{asked.language or 'other'}"
        self._tasks.setdefault(other, words)
        return other

    def at_size(self, asked: ForeignQuestion) -> str:
        """Name a question by id and size like the study's own, so that the task is found. Where that name has another text, the name comes from the words."""
        words, name = normal_text(asked.words or ""), f"{asked.id}@{asked.size}"
        if self._questions.setdefault(name, words) == words:
            return name
        return f"{query_id(words, '')}@{asked.size}"


class _Place(NamedTuple):
    user: str | None
    size: str | None


class PlacesInStudy:
    """The study's questions and systems that foreign rows refer to."""

    def __init__(self, study: Study | None, units: Iterable[Unit]) -> None:
        records = study.records("answer", None) if study else ()
        specs = [record.spec for record in records] + [unit.spec for unit in units]
        self._asked: dict[str, dict[str, _Place]] = {}
        self._systems: dict[str, str] = {}
        for spec in specs:
            size = spec.get("size") or (spec.get("imported") or {}).get("size")
            places = self._asked.setdefault(normal_text(spec["query"]), {})
            places[spec["query_id"]] = _Place(spec["user_id"], size)
            self._systems.setdefault(file_name(spec["variant"]), spec["variant"])

    def system(self, name: str) -> str:
        """Return the variant that a file's system name stands for."""
        return self._systems.get(name, name)

    def query(self, where: str, asked: ForeignQuestion) -> str:
        words = asked.words or ""
        found = [
            name
            for name, place in self._asked.get(normal_text(words), {}).items()
            if asked.user in (None, place.user) and asked.size in (None, place.size)
        ]
        if len(found) > 1:
            raise Misuse(
                f"{where}: the study asks this {len(found)} times (other persons, other sizes), and nothing says which is meant"
            )
        at_size = "" if asked.size is None else f"@{asked.size}"
        return found[0] if found else query_id(words, asked.user or "") + at_size
