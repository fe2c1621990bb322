"""Writes the file of `drr run STUDY --save-config FILE`: everything that decides a study's answers, for `drr run FILE`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drr.agents.commands.command import is_command
from drr.app.console import write_lines, write_text
from drr.app.models.setup import AGENT_SETTINGS
from drr.app.study.outcome import budget_of
from drr.app.study.study_file import ENDINGS, ROLES
from drr.app.study.trust import remember_file
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.env.settings import MODEL_ADDRESSES, Settings
from drr.env.shop import SERVERS
from drr.env.user_code import is_in_file
from drr.env.world import FILES
from drr.study.config import QUERIES, config_text

if TYPE_CHECKING:
    from drr.app.study.study_plan import StudyPlan

_HEAD = "# A study: `drr run FILE` runs it, `drr judge FILE` judges it. Paths are seen from this file.\n"


def save_config(plan: StudyPlan, settings: Settings, queries: Sequence[Query], file: Path) -> None:
    """Write a call's request, joined with the study's own, into a file; compute nothing."""

    if file.suffix not in ENDINGS:
        raise Misuse(f"--save-config {file}: name a file that ends in {', '.join(ENDINGS)}")
    document = {
        "study": _path_from(plan.folder, file),
        **_file_entries(plan, queries, file),
        **_models(settings),
        **_budget(plan),
        **_settings(settings, file),
    }
    known = {name: value for name, value in document.items() if value not in (None, {}, [])}
    if file.suffix == ".toml":  # its tables stand last
        text = config_text(dict(sorted(known.items(), key=lambda item: isinstance(item[1], Mapping))))
    else:
        import yaml

        text = yaml.safe_dump(known, sort_keys=False, allow_unicode=True, width=10_000)
    write_text(file, _HEAD + text)
    remember_file(file, plan.folder)


def _file_entries(plan: StudyPlan, queries: Sequence[Query], file: Path) -> dict[str, Any]:
    """Return the file's entries for questions, variants, world and trials, by key."""
    kept = plan.kept()
    kept["variants"] = [_agent_from(word, file) for word in kept["variants"].split(",")]
    for name in ("shop", "place", "contexts"):
        kept[name] = _path_from(kept[name], file) if name in kept else None
    if plan.world == FILES:
        sizes = dict.fromkeys(query.size for query in queries if query.size is not None)
        del kept["world"]
        kept |= {"tasks": kept.pop("place"), "sizes": [*sizes], "with_shop": True if plan.shop else None}
    else:
        kept["queries"] = _queries(plan, queries, file)
    for name in kept.keys() & {"settings", "reach"}:
        kept[name] = kept[name].split(",")
    kept["persons"] = None if plan.persons is None else _path_from(plan.persons, file)
    first = ("shop", "with_shop", "tasks", "sizes", "queries", "variants", "trials")
    return {name: kept.get(name) for name in [*first, *kept] if name != "set"}


def _queries(plan: StudyPlan, queries: Sequence[Query], file: Path) -> str:
    """Return the path of a file with exactly these questions; where there is none, write one beside `file`."""
    own = plan.folder / QUERIES
    if own.is_file() and plan.queries is None:
        return _path_from(own, file)
    if not own.is_file() and plan.queries is not None:
        return _path_from(plan.queries, file)
    beside = file.with_suffix(".queries.jsonl")
    write_lines(beside, (query.model_dump(mode="json", exclude_none=True) for query in queries))
    return beside.name


def _models(settings: Settings) -> JsonObject:
    several = getattr(settings, "models", None)
    own = {role: getattr(settings, name) for role, name in ROLES.items() if role != "judge"}
    given = {role: model for role, model in own.items() if model is not None} | settings.role_models
    judges = {} if settings.model_judge is None else {"judges": [settings.model_judge]}
    if not several:
        return {"models": given, **judges}
    flat = {ROLES[role]: model for role, model in given.items() if role in ROLES and role != "default"}
    return {"models": [*several], **flat, "role_models": {**settings.role_models}, **judges}


def _budget(plan: StudyPlan) -> JsonObject:
    from drr.llm.meter import dollars
    from drr.study.study import Study

    if Study.exists(plan.folder):
        with Study.read(plan.folder) as study:
            limit = budget_of(plan, study)
    else:
        limit = budget_of(plan)
    given = {"usd": dollars(limit.cost), "tokens": limit.tokens, "per_unit": plan.max_cost_per_unit}
    return {"budget": {name: value for name, value in given.items() if value is not None}}


def _settings(settings: Settings, file: Path) -> dict[str, Any]:
    """Return all settings of `drr run` but models and addresses, so that no other environment changes an answer."""
    others = {*ROLES.values(), "models", "role_models", *MODEL_ADDRESSES}
    found: dict[str, Any] = {"profile": settings.profile} if settings.profile != "default" else {}
    for name in AGENT_SETTINGS:
        value = getattr(settings, name)
        if name not in others and value is not None:
            found[name] = _path_from(value, file) if isinstance(value, Path) else value
    return found


def _path_from(path: str | Path, file: Path) -> str:
    """Return a path relative to the folder of the file; an absolute path outside that folder stays absolute."""
    if str(path).startswith(SERVERS):
        return str(path)
    place, base = Path(path).expanduser(), file.absolute().parent
    if place.is_absolute() and not place.is_relative_to(base):
        return str(place)
    return os.path.relpath(place.absolute(), base)


def _agent_from(word: str, file: Path) -> str:
    return _path_from(word, file) if is_in_file(word) and not is_command(word) else word
