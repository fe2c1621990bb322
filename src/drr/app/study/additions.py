"""The request of a study: additions by a call, the selection of `--only`, and removals by an edit.

Naming something adds it: a finished answer never stops counting because another was asked for. Only `drr study edit`
removes answers, and it announces the removal first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from drr.app.study.specs import agent_in, reach_in, setting_in
from drr.env.errors import Misuse
from drr.env.person_setting import Setting
from drr.env.query import Query
from drr.env.reach import Reach
from drr.env.settings import Resolved, Settings
from drr.llm.failures import ModelSetupError
from drr.llm.names import parse_name
from drr.study.config import QUERIES, StudyConfig
from drr.study.unit import Unit
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.app.study.study_plan import StudyPlan
    from drr.study.study import Study


Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Selection:
    """The answers that a call names, by variant, query, trial, setting and reach; `None` in a field means all."""

    variants: frozenset[str] | None = None
    queries: frozenset[str] | None = None
    trials: int | None = None
    settings: frozenset[str] | None = None
    reaches: frozenset[str] | None = None

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
        """Split the units into those that are named and all others; return both lists."""
        named: list[Unit] = []
        others: list[Unit] = []
        for unit in units:
            (named if self.has(unit.spec) else others).append(unit)
        return named, others


def counted_under_only(study: Study, units: Sequence[Unit], named: Sequence[Unit]) -> list[Unit]:
    """Return the units that count under `--only`: the units named now, and the units already in the study. Nobody asked for every pairing of the two."""
    keys = {unit.key for unit in named} | {had.key for had in study.ledger.units.standings()}
    return [unit for unit in units if unit.key in keys]


def joined_variants(before: str | None, given: str) -> str:
    """Return the study's variants followed by the new ones, each once, as words with commas between."""
    from drr.agents.registry import choose

    if before is None:
        return given
    known = {found.name for found in choose(before)}
    return ",".join([before, *(found.word for found in choose(given) if found.name not in known)])


def add_choices(
    before: Iterable[Choice], given: Iterable[Choice] | None, usual: Choice
) -> tuple[Choice, ...]:
    """Return the study's choices followed by the new choices, each once; the default choice if there are none."""
    return tuple(dict.fromkeys((*before, *(given or ())))) or (usual,)


def joined_queries(before: Iterable[Query], given: Iterable[Query], file: Path, study: Path) -> list[Query]:
    """Return the study's queries followed by the new ones, each once. Raise `Misuse` where one id asks two questions."""
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
    """Return a sentence about the units that a study has beside those named now."""
    variants = list(dict.fromkeys(str(unit.spec["variant"]) for unit in units))
    queries = {cast(str, unit.spec["query_id"]) for unit in units}
    shown = ", ".join(variants[:4]) + (f" and {len(variants) - 4} more" if len(variants) > 4 else "")
    return (
        f"the study has {len(units):,} more answers ({shown}; {many(len(queries), 'question')}), which still count and are computed"
        " where they are missing; --only computes only what is named now, `drr study edit` takes away"
    )


def keep_queries(study: Study, queries: Iterable[Query]) -> None:
    """Write the questions into the study, so that it continues without the file it was given."""
    lines = "".join(query.model_dump_json(exclude_none=True) + "\n" for query in queries)
    study.write(QUERIES, lines)


class ModelsAndVariants(NamedTuple):
    settings: Settings
    before: str | None
    """Words of the variants that the study has."""
    given: str | None
    """Words of the variants that this call names; `None` if it names none."""


def combine_models(
    call: StudyPlan, found: Resolved, saved: StudyConfig, given: str | None
) -> ModelsAndVariants:
    """Return settings and variants, with each variant combined with each model if there are several. In a study of one model no variant names it."""
    from drr.agents.registry import parts_of

    settings, before = found.settings, saved.get("run", {}).get("variants")
    if "model" in call.given and settings.models and not _is_of_call(call, found):
        settings = settings.model_copy(update={"models": None})
    if not settings.models:
        return ModelsAndVariants(settings, before, given)
    if "model" in call.given:
        raise Misuse(
            "--model: the study has several models, which --models names; name this one there to add it"
        )
    now, every = settings.models, _all_models(settings, saved)
    several = every if len(every) > 1 else None
    settings = settings.model_copy(update={"model": every[0], "models": several})
    _check(settings, every)
    if several is None:
        return ModelsAndVariants(settings, before, given)
    if before is None:
        return ModelsAndVariants(settings, None, _variants_by_model(given or "all", every))
    bare = ",".join(dict.fromkeys(parts_of(word)[0] for word in _words(before)))
    if "models" in call.given:
        given = _variants_by_model(given or bare or "all", now)
    elif given is not None:
        given = _variants_by_model(given, every)
    return ModelsAndVariants(settings, _variants_by_model(before, every[:1]), given)


def _is_of_call(call: StudyPlan, found: Resolved) -> bool:
    """Return True if the call or its study names several models, and not only a settings file or the environment."""
    return "models" in call.given or found.origin["models"].startswith("study ")


def _all_models(settings: Settings, saved: StudyConfig) -> tuple[str, ...]:
    """Return the models of the study followed by the new ones, each once."""
    had = saved.get("settings", {})
    own = (had.get("models") or [had.get("model", "offline")]) if saved else []
    return tuple(dict.fromkeys((*own, *(settings.models or ()))))


def _check(settings: Settings, names: Sequence[str]) -> None:
    """Raise `Misuse` for an invalid model name, and where another setting fixes the agents' model."""
    try:
        for name in names:
            parse_name(name)
    except ModelSetupError as error:
        raise Misuse(f"--models: {error}") from error
    agents = {settings.model_copy(update={"model": name}).model_for("agent") for name in names}
    if agents != set(names):
        raise Misuse(
            f"--models: the agents have {', '.join(agents)} by model_agent or role_models, whatever is named; leave that out"
        )


def _variants_by_model(words: str, models: Sequence[str]) -> str:
    """Combine each variant with each model; a word that already names a model stays as it is."""
    from drr.agents.registry import parts_of

    pairs = [word if parts_of(word)[1] else f"{word}@{model}" for word in _words(words) for model in models]
    return ",".join(dict.fromkeys(pairs))


def _words(words: str) -> list[str]:
    from drr.agents.registry import PAPER

    parts = [part.strip() for part in words.split(",")]
    return [word for part in parts for word in (PAPER if part == "all" else [part]) if word]
