"""The request of a study: additions by a call, the selection of `--only`, and removals by an edit.

Naming something adds it: a finished answer never stops counting because another was asked for. Only `drr study edit`
removes answers, and it announces the removal first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from drr.app.study.specs import agent_in, reach_in, setting_in
from drr.app.study.study_plan import KEPT, StudyPlan
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.person_setting import joined_settings, settings_of
from drr.env.query import Query
from drr.env.reach import joined_reaches, reaches_of
from drr.env.world import SHOP
from drr.study.unit import Unit
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.study.study import Study


@dataclass(frozen=True)
class Selection:
    """The answers that a call names, by variant, query, trial, setting and reach; `None` in a field means all."""

    variants: frozenset[str] | None = None
    queries: frozenset[str] | None = None
    trials: int | None = None
    settings: frozenset[str] | None = None
    reaches: frozenset[str] | None = None

    @classmethod
    def of(cls, call: StudyPlan, queries: Iterable[Query] | None) -> Selection:
        from drr.agents.registry import choose

        return cls(
            None if call.variants is None else frozenset(found.name for found in choose(call.variants)),
            None if queries is None else frozenset(query.id for query in queries),
            call.trials,
            None if call.settings is None else frozenset(one.name for one in settings_of(call.settings)),
            None if call.reach is None else frozenset(one.name for one in reaches_of(call.reach)),
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


def joined_plan(call: StudyPlan, own: StudyPlan, variants: str) -> StudyPlan:
    """Return the study's choices with those of this call. Variants, trials, settings and reaches are added; any other choice is replaced."""
    named = {name: value for name in KEPT if (value := getattr(call, name)) not in (None, {})}
    kept = {name: getattr(own, name) for name in KEPT} | named
    return call.model_copy(
        update={
            **kept,
            "shop": _shop(call, kept),
            "variants": variants,
            # Fewer trials take nothing away: a finished answer stops counting only by `drr study edit`.
            "trials": max(call.trials or 1, own.trials or 1),
            "contexts": own.contexts if call.contexts is None else call.contexts.resolve(),
            "settings": joined_settings(own.settings, call.settings),
            "reach": joined_reaches(own.reach, call.reach),
            "persons": call.persons_file,
        }
    )


def _shop(call: StudyPlan, kept: JsonObject) -> str | None:
    """Return the shop; raise `Misuse` for the world of a shop without one."""
    from drr.app.study.person import shop_of_persons

    shop: str | None = kept["shop"]
    if shop is None and kept["world"] in (None, SHOP):
        if call.persons is None:
            raise Misuse(f"{call.study}: a new study needs --shop; e.g. --shop demo/shop")
        return shop_of_persons(call.persons)
    return shop


def others_left(units: Sequence[Unit]) -> str:
    """Return a sentence about the units that a study has beside those named now."""
    variants = list(dict.fromkeys(str(unit.spec["variant"]) for unit in units))
    queries = {cast(str, unit.spec["query_id"]) for unit in units}
    shown = ", ".join(variants[:4]) + (f" and {len(variants) - 4} more" if len(variants) > 4 else "")
    return (
        f"the study has {len(units):,} more answers ({shown}; {many(len(queries), 'question')}), which still count and are computed"
        " where they are missing; --only computes only what is named now, `drr study edit` takes away"
    )
