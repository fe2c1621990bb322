"""Finds the question of another benchmark's row: by the row's words, else by its id among the known questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from drr.env.errors import Misuse
from drr.env.files import file_name
from drr.env.query import query_id
from drr.eval.evidence.answers import questions
from drr.eval.foreign.form import ForeignQuestion, GivenQuestion
from drr.study.study import Study


class QuestionsAtHand:
    """The known questions, from the given files and from earlier imports. Earlier imports in the same format count where the files lack a row's question."""

    def __init__(self, given: Iterable[GivenQuestion], before: Iterable[GivenQuestion] = ()) -> None:
        self._layers = [_by_name(given), _by_name(before)]

    def whole(self, where: str, asked: ForeignQuestion) -> ForeignQuestion:
        """Return the question with missing fields filled in from the known question of its words or id. `Misuse` where none or two match."""
        found = (
            [one for one in layer.get(_name(asked), ()) if _agrees(one.asked, asked)]
            for layer in self._layers
        )
        alike = next(filter(None, found), [])
        if asked.words is None:
            texts: dict[str, GivenQuestion] = {}
            for one in alike:
                if one.asked.words is not None:
                    texts.setdefault(normal_text(one.asked.words), one)
            if not texts:
                raise Misuse(
                    f"{where}: nothing says what the question {asked.id} is; give the file of questions with --queries"
                )
            first, *others = texts.values()
            if others:
                raise Misuse(
                    f"{where}: the id {asked.id} is that of two questions ({first.where}; {others[0].where}); "
                    "import the reports of each file of questions by a call of its own"
                )
            asked = replace(asked, words=first.asked.words)
        for one in alike:
            asked = _fill_question(asked, one.asked)
        return asked


def _by_name(known: Iterable[GivenQuestion]) -> dict[tuple[str, str], list[GivenQuestion]]:
    """Index questions by their words, and by their ids."""
    found: dict[tuple[str, str], list[GivenQuestion]] = {}
    for one in known:
        for name in {_name(one.asked), _name(replace(one.asked, words=None))}:
            found.setdefault(name, []).append(one)
    return found


def _name(asked: ForeignQuestion) -> tuple[str, str]:
    return ("id", _without_zeros(asked.id)) if asked.words is None else ("words", normal_text(asked.words))


def _without_zeros(name: int | str | None) -> str:
    """Return an id without leading zeros, so that `001` and 1 are equal."""
    text = str(name)
    return (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else text


def normal_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _agrees(one: ForeignQuestion, other: ForeignQuestion) -> bool:
    """Tell whether two questions agree in all fields that both have."""
    pairs = ((one.language, other.language), (one.user, other.user), (one.task, other.task))
    return all(a is None or b is None or a == b for a, b in pairs)


def _fill_question(asked: ForeignQuestion, fresh: ForeignQuestion) -> ForeignQuestion:
    """Fill the missing fields. Only the same id tells the user: several users may ask the same words."""
    own_id = asked.id is not None and _without_zeros(asked.id) == _without_zeros(fresh.id)
    names = ("id", "language", "task", "domain", *(("user",) if own_id else ()))
    return replace(asked, **{name: getattr(fresh, name) for name in names if getattr(asked, name) is None})


def taken_before(study: Study, format_name: str) -> list[GivenQuestion]:
    """Return the questions in the study whose reports are of this format."""
    found: dict[str, GivenQuestion] = {}
    for record in study.records("answer", None):
        spec, origin = record.spec, (record.spec.get("imported") or {}).get("origin")
        if isinstance(origin, dict) and origin.get("format") == format_name:
            own = {name: origin.get(name) for name in ("id", "language", "task", "domain")}
            asked = ForeignQuestion(words=spec["query"], user=spec["user_id"], **own)
            found[f"{spec['query_id']} {asked.id}"] = GivenQuestion(f"of this study, {record.label}", asked)
    return list(found.values())


class NamesInStudy:
    """The tasks, questions and systems of a study and of an import, by the names that foreign rows use."""

    def __init__(self, study: Study | None) -> None:
        asked = list(questions(study).values()) if study else []
        self._tasks = {one.task_id: normal_text(one.query) for one in asked if one.task_id is not None}
        self._questions = {one.id: normal_text(one.query) for one in asked}
        self._asked: dict[str, dict[str, tuple[str | None, str | None]]] = {}
        self._systems: dict[str, str] = {}
        for record in study.records("answer", None) if study else ():
            self.learn(record.spec)

    def learn(self, spec: Mapping[str, Any]) -> None:
        words, name = normal_text(spec["query"]), spec["query_id"]
        size = spec.get("size") or (spec.get("imported") or {}).get("size")
        self._questions.setdefault(name, words)
        self._asked.setdefault(words, {})[name] = (spec["user_id"], size)
        self._systems.setdefault(file_name(spec["variant"]), spec["variant"])

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

    def system(self, name: str) -> str:
        """Return the variant that a file's system name stands for."""
        return self._systems.get(name, name)

    def query(self, where: str, asked: ForeignQuestion) -> str:
        words = asked.words or ""
        found = [
            name
            for name, (user, size) in self._asked.get(normal_text(words), {}).items()
            if asked.user in (None, user) and asked.size in (None, size)
        ]
        if len(found) > 1:
            raise Misuse(
                f"{where}: the study asks this {len(found)} times (other persons, other sizes), and nothing says which is meant"
            )
        at_size = "" if asked.size is None else f"@{asked.size}"
        return found[0] if found else query_id(words, asked.user or "") + at_size
