"""The questions of a study: those that it has, followed by those that a call brings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.study.worlds import task_folders
from drr.app.users import by_ids
from drr.env.errors import Misuse
from drr.env.query import Query, read_queries
from drr.env.settings import Settings
from drr.env.shop import open_shop
from drr.study.config import QUERIES

if TYPE_CHECKING:
    from drr.app.study.study_plan import StudyPlan
    from drr.study.study import Study


def questions_of(
    call: StudyPlan, shop: str | None, settings: Settings, *, is_new: bool
) -> tuple[list[Query] | None, list[Query]]:
    """Return the questions that a call brings, if any, and all that the study then has."""
    own = call.folder / QUERIES
    named = _named_questions(call)
    if named is None and (is_new or not own.is_file()):
        raise Misuse(f"{call.study}: a new study needs --queries FILE, one JSON query a line")
    if named and shop is not None:
        # Owners may name users by their own numbers; a study keeps the shop's ids alone.
        with open_shop(shop, settings) as opened:
            named = by_ids(opened, named)
    before = read_queries(own) if own.is_file() else []
    return named, joined_queries(before, named or [], call.queries or call.tasks or own, call.folder)


def _named_questions(call: StudyPlan) -> list[Query] | None:
    if call.tasks is not None:
        found = task_folders().queries_of(call.tasks, _sizes(call.sizes))
        task_folders().say_what_is_odd(call.tasks)
        return found
    if call.queries is None:
        return None
    found = read_queries(call.queries)
    if not found:
        raise Misuse(f"{call.queries}: holds no query; each line is {{'query': ..., 'user_id': ...}}")
    return found


def _sizes(words: str | None) -> list[str] | None:
    if words is None:
        return None
    sizes = list(dict.fromkeys(part.strip() for part in words.split(",") if part.strip()))
    if not sizes:
        raise Misuse("--sizes: names no size; e.g. --sizes 32k,128k")
    return sizes


def joined_queries(before: Iterable[Query], named: Iterable[Query], file: Path, study: Path) -> list[Query]:
    """Return the study's queries followed by the new ones, each once. Raise `Misuse` where one id asks two questions."""
    found = {query.id: query for query in before}
    for query in named:
        known = found.setdefault(query.id, query)
        if (known.query, known.user_id) != (query.query, query.user_id):
            raise Misuse(
                f"{file}: {query.id} is another question than the one of that id in {study}; give it an id of its own"
            )
        if None not in (known.person_id, query.person_id) and known.person_id != query.person_id:
            raise Misuse(
                f"{file}: {query.id} is asked by the person {query.person_id}, in {study} by {known.person_id}"
            )
        found[query.id] = query
    return list(found.values())


def keep_queries(study: Study, queries: Iterable[Query]) -> None:
    """Write the questions into the study, so that it continues without the file it was given."""
    lines = "".join(query.model_dump_json(exclude_none=True) + "\n" for query in queries)
    study.write(QUERIES, lines)
