"""The request of a study. What a call adds to it, what `--only` picks of it for one call, and what an edit takes away.

Naming something adds it: a finished answer never stops counting because another was asked for. Only `drr study edit` takes
away, and says what before it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from drr.app.specs import agent_in, reach_in, setting_in
from drr.env.errors import Misuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from drr.env.given import Setting
    from drr.env.query import Query
    from drr.env.reach import Reach
    from drr.study.study import Study
    from drr.study.unit import Unit

QUERIES = "queries.jsonl"


@dataclass(frozen=True)
class Selection:
    """Answers by what was named; `None` where nothing was, which is all."""

    variants: frozenset[str] | None = None
    """By the names that are shown."""
    queries: frozenset[str] | None = None
    trials: int | None = None
    settings: frozenset[str] | None = None
    """Of the persons, by name."""
    reaches: frozenset[str] | None = None
    """Of the frozen pages, by name."""

    @classmethod
    def of(
        cls,
        words: str | None,
        queries: Iterable[Query] | None,
        trials: int | None,
        settings: Iterable[Setting] | None = None,
        reaches: Iterable[Reach] | None = None,
    ) -> Selection:
        from drr.agents.registry import choose

        return cls(
            None if words is None else frozenset(found.name for found in choose(words)),
            None if queries is None else frozenset(query.id for query in queries),
            trials,
            None if settings is None else frozenset(setting.name for setting in settings),
            None if reaches is None else frozenset(reach.name for reach in reaches),
        )

    @property
    def is_all(self) -> bool:
        return self == Selection()

    def has(self, spec: Mapping[str, Any]) -> bool:
        return (
            (self.variants is None or not self.variants.isdisjoint((spec["variant"], agent_in(spec))))
            and (self.settings is None or setting_in(spec).name in self.settings)
            and (self.reaches is None or reach_in(spec).name in self.reaches)
            and (self.queries is None or spec["query_id"] in self.queries)
            and (self.trials is None or spec["trial"] < self.trials)
        )

    def split(self, units: Sequence[Unit]) -> tuple[list[Unit], list[Unit]]:
        """Split the units into those that are named, and the others."""
        named: list[Unit] = []
        others: list[Unit] = []
        for unit in units:
            (named if self.has(unit.spec) else others).append(unit)
        return named, others


def counted_under_only(study: Study, units: Sequence[Unit], named: Sequence[Unit]) -> list[Unit]:
    """Count what is named now, and of the rest what the study has already. Nobody asked for every pairing of the two."""
    keys = {unit.key for unit in named} | {had.key for had in study.ledger.units.standings()}
    return [unit for unit in units if unit.key in keys]


def joined_variants(before: str | None, given: str) -> str:
    """The words of both, each variant once: those that the study has, then what is new."""
    from drr.agents.registry import choose

    if before is None:
        return given
    known = {found.name for found in choose(before)}
    return ",".join([before, *(found.word for found in choose(given) if found.name not in known)])


def joined_settings(before: str | None, given: Iterable[Setting] | None) -> tuple[Setting, ...]:
    """Join those of the study (`records` where it names none) with new ones; a new study has what is given."""
    from drr.env.given import RECORDS, settings_of

    had = () if before is None else settings_of(before)
    return tuple(dict.fromkeys((*had, *(given or ())))) or (RECORDS,)


def joined_reaches(before: str | None, given: Iterable[Reach] | None) -> tuple[Reach, ...]:
    """The same of the frozen pages; a study that says nothing reaches the whole of them."""
    from drr.env.reach import WHOLE, reaches_of

    had = () if before is None else reaches_of(before)
    return tuple(dict.fromkeys((*had, *(given or ())))) or (WHOLE,)


def joined_queries(before: Iterable[Query], given: Iterable[Query], file: Path, study: Path) -> list[Query]:
    """Both, each once: those that the study has, then what is new. `Misuse` where one id asks two questions."""
    found = {query.id: query for query in before}
    for query in given:
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


def others_left(units: Sequence[Unit]) -> str:
    """A sentence about what a study has beside what was named now."""
    variants = list(dict.fromkeys(str(unit.spec["variant"]) for unit in units))
    queries = {cast(str, unit.spec["query_id"]) for unit in units}
    shown = ", ".join(variants[:4]) + (f" and {len(variants) - 4} more" if len(variants) > 4 else "")
    return (
        f"the study has {len(units):,} more answers ({shown}; {len(queries):,} queries), which still count and are computed"
        " where they are missing; --only computes only what is named now, `drr study edit` takes away"
    )


def keep_queries(folder: Path, queries: Iterable[Query]) -> None:
    """The study holds its questions, so that it continues without the file it was given."""
    from drr.env.files import private, write_file

    lines = "".join(query.model_dump_json(exclude_none=True) + "\n" for query in queries)
    write_file(folder / QUERIES, lines, private(0o666))
