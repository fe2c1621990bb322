"""The question of a row of another benchmark. By its words where it has them, else by its id among the questions at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from drr.env.errors import Misuse
from drr.eval.foreign.form import ForeignQuestion
from drr.study.study import Study


class _Known(NamedTuple):
    where: str
    asked: ForeignQuestion


class QuestionsAtHand:
    """The questions of the files given. And, where these have nothing on a row, those that the study took in of the same format before."""

    def __init__(
        self, told: Iterable[tuple[str, ForeignQuestion]], before: Iterable[tuple[str, ForeignQuestion]] = ()
    ) -> None:
        self._before = QuestionsAtHand(before) if before else None
        self._by_id: dict[str, list[_Known]] = {}
        self._by_words: dict[str, list[_Known]] = {}
        for where, asked in told:
            known = _Known(where, asked)
            self._by_id.setdefault(_plain(asked.id), []).append(known)
            if asked.words is not None:
                self._by_words.setdefault(normal(asked.words), []).append(known)

    def whole(self, where: str, asked: ForeignQuestion) -> ForeignQuestion:
        """Complete the question by its words and all else that is known of it elsewhere. `Misuse` where nothing tells, or two things."""
        alike = self._alike(asked)
        texts: dict[str, _Known] = {}
        for one in alike:
            if one.asked.words is not None:
                texts.setdefault(normal(one.asked.words), one)
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
        found = self._by_id.get(_plain(asked.id)) if named else self._by_words.get(normal(asked.words or ""))
        alike = [one for one in found or () if _agrees(one.asked, asked)]
        return alike or (self._before._alike(asked) if self._before else [])


def _plain(name: int | str | None) -> str:
    """`001` and 1 are one."""
    text = str(name)
    return (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else text


def normal(text: str) -> str:
    return " ".join(text.split()).casefold()


def _agrees(one: ForeignQuestion, other: ForeignQuestion) -> bool:
    """Tell whether two agree in all that both have."""
    pairs = ((one.language, other.language), (one.user, other.user), (one.task, other.task))
    return all(a is None or b is None or a == b for a, b in pairs)


def _filled(asked: ForeignQuestion, told: ForeignQuestion) -> ForeignQuestion:
    """A user is of one row alone: the same words may be asked by several."""
    own_id = asked.id is not None and _plain(asked.id) == _plain(told.id)
    return replace(
        asked,
        id=told.id if asked.id is None else asked.id,
        user=told.user if asked.user is None and own_id else asked.user,
        language=told.language if asked.language is None else asked.language,
        task=told.task if asked.task is None else asked.task,
        domain=told.domain if asked.domain is None else asked.domain,
    )


def taken_before(study: Study, format_name: str) -> list[tuple[str, ForeignQuestion]]:
    """Questions whose reports of this format are in the study."""
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
