"""The configuration that a study states, held against the keys of its units: these were made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from drr.agents.registry import BUILT_IN, parts_of
from drr.app.bundles.verified import Verified
from drr.app.specs import agent_in
from drr.env.settings import ROLES, Settings
from drr.eval.evidence.answers import questions
from drr.study.study import Study
from drr.study.unit import Record

NOT_BEGUN = "not_begun"
"""The fact of a bundle that says how many answers its study never began."""
_KEYED = {"model_max_tokens": "max_tokens", "web_top_k": "top_k", "page_reader": "page_reader"}
"""Settings that stand in keys as they are, by setting."""
_USUAL = {"reason": "on", "text_calls": "off"}
"""Settings that stand in keys where they are others than these."""
_UNDERSTOOD = {one.name: one.settings for one in BUILT_IN}
_MODELS = {*(f"model_{role}" for role in ROLES), "role_models"}


def places_wanted(study: Study) -> set[tuple[str, int]]:
    """List question and trial of every answer that is asked of each variant."""
    trials = study.config.get("run", {}).get("trials", 1)
    return {(query, trial) for query in questions(study) for trial in range(trials)}


def not_begun(study: Study) -> int:
    """Count the answers that were asked for and never begun, as by `--only`."""
    here = Counter[str]()
    for unit, current in study.ledger.units.known():
        if unit.kind == "answer" and current and not unit.key_fields.get("imported"):
            here[str(unit.spec["variant"])] += 1
    return len(here) * len(places_wanted(study)) - here.total()


def check_stated(study: Study, found: Verified) -> None:
    """Name every unit that counts and that the stated configuration would not have made."""
    run, settings = study.config.get("run", {}), study.config.get("settings", {})
    for record in study.records("answer", None):
        with found.unless_broken("settings", record.label):
            if not record.made_elsewhere:
                for name, wanted, keyed in _pairs(run, settings, record):
                    if wanted != keyed:
                        what = f"the study says {name} = {wanted!r}, its key has {keyed!r}"
                        found.fail("settings", record.label, what)


def _pairs(
    run: Mapping[str, Any], settings: Mapping[str, Any], record: Record
) -> Iterator[tuple[str, object, object]]:
    """Yield names of settings with what the study states and what the key says."""
    fields = record.key_fields
    for name in _KEYED.keys() & settings.keys():
        yield name, settings[name], fields.get(_KEYED[name])
    agent = agent_in(record.spec)
    for name in {*_UNDERSTOOD.get(parts_of(agent)[0].partition("+")[0], ())} & _USUAL.keys():
        if settings.get(name, "auto") != "auto":
            yield name, settings[name], fields.get(name, _USUAL[name])
    if "shop" in fields and "world" not in fields:
        own = (fields["shop_url"], fields.get("search", {}).get("name", "plain"), fields["web"]["name"])
        for name, keyed in zip(("shop_url", "search", "web"), own, strict=True):
            yield name, settings.get(name, keyed), keyed
    references, is_paper = run.get("references"), settings.get("profile") == "paper"
    yield "references", not is_paper if references is None else references, fields.get("references")
    yield "citation_repair", run.get("citation_repair") or "off", fields.get("citation_repair")
    if "model" in settings:
        styled = settings.get("effort") is not None or settings.get("thinking") is not None
        yield "effort or thinking", styled, "styles" in fields
        chosen = {name: settings[name] for name in settings.keys() & _MODELS if settings[name] is not None}
        models = Settings(**{**chosen, "model": parts_of(agent)[1] or settings["model"]})
        for role, keyed in fields["models"].items():
            yield f"model of {role}", models.model_for(role), keyed
