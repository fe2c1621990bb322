"""The recall before a study answers under `memory:NAME`. Memories observe and recall, and their text is laid where workers read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.giving import RECALLED
from drr.papers.pdr.giving import PersonGiving
from drr.papers.pdr.recalled import RecalledRow, recall_id
from drr.papers.pdr.remembering import Memories, MemoryMaking, Wanted, remembrances

if TYPE_CHECKING:
    from drr.app.running import RunConfig
    from drr.env.given import Setting
    from drr.env.query import Query
    from drr.env.settings import Settings
    from drr.study.study import Study
    from drr.study.unit import Unit


def remember(
    config: RunConfig, giving: PersonGiving, settings: Settings, study: Study, queries: Iterable[Query]
) -> None:
    """Memories observe and recall before anybody answers; one that fails leaves its systems' answers failed, and only these."""
    from drr.app.models import models_of
    from drr.app.notices import notice
    from drr.app.studies import budget_of, check_models, run_units, unit_cap_of

    units = {} if giving.making is None else memory_units(giving, giving.making, queries)
    if not units or giving.making is None:
        return
    models = models_of(settings)
    if roles := giving.roles:
        check_models(models, roles, budget_of(config, study), unit_cap_of(config))
    every = list({unit.key: unit for unit in units.values()}.values())
    work = Memories(giving.making, study).work
    summary = run_units(config, study, every, work, models, "remembering")
    for kind, cause in summary.causes.items():
        notice(f"remembering: {kind}: {cause}")
    keep_recalled(config.study, study, units)


def memory_units(
    giving: PersonGiving, making: MemoryMaking, queries: Iterable[Query]
) -> dict[tuple[Setting, str], Unit]:
    """One for each memory and person, however many budgets and tasks there are; none where no setting names a memory."""
    asked = list(queries)
    found: dict[tuple[Setting, str], Unit] = {}
    for word in dict.fromkeys(one.memory_word for one in giving.settings if one.kind == "memory"):
        named = [one for one in giving.settings if one.kind == "memory" and one.memory_word == word]
        for person_id in dict.fromkeys(query.person_id or "" for query in asked):
            wishes = [query.query for query in asked if query.person_id == person_id]
            wanted = [Wanted(wish, one.tokens or 0) for wish in wishes for one in named]
            unit = making.unit(word, person_id, wanted)
            found |= {(one, person_id): unit for one in named}
    return found


def keep_recalled(folder: Path, study: Study, units: Mapping[tuple[Setting, str], Unit]) -> None:
    """Keep what was recalled for the workers, who have no ledger."""
    from drr.env.files import private, write_file

    rows: dict[str, RecalledRow] = {}
    for (setting, person_id), unit in units.items():
        record = study.record(unit.key)
        written = bool(record is not None and record.done and record.result["rule_written"])
        for wanted, one in remembrances(study, unit).items():
            if wanted.budget == setting.tokens:
                rows[recall_id(setting.name, person_id, wanted.task)] = RecalledRow(
                    text=one.text or "",
                    fed=one.row["fed"],
                    failure=one.row["failure"],
                    message=one.row["message"],
                    cost=one.row["cost"],
                    build=one.build,
                    rule_written=written,
                )
    if units:
        write_file(folder / RECALLED, json.dumps(rows, ensure_ascii=False), private(0o666))
