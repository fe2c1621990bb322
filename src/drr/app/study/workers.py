"""Pools of workers on a cluster: the data sent to each worker, and checks that workers match the driver."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from drr.app.models.servers import calls_a_model, in_flight
from drr.app.models.setup import plain_settings
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.settings import MODEL_ADDRESSES, Settings, resolve
from drr.env.small_files import DOCUMENT
from drr.study.folders import CarriedFolder
from drr.study.unit import Unit, canonical_json

if TYPE_CHECKING:
    from drr.app.study.specs import AnswerSpec
    from drr.app.study.terms import PooledTerms
    from drr.eval.tasks.desk import JudgingContext
    from drr.study.pools import Pool


_UNNAMED = "addresses named by others"


def sent_settings(settings: Settings) -> JsonObject:
    """Return `plain_settings` for another process in any folder: with absolute paths, and with who named which address."""
    plain = plain_settings(settings)
    paths = {name: value for name in plain if isinstance(value := getattr(settings, name), Path)}
    whole = {name: str(path.absolute()) for name, path in paths.items()}
    return {**plain, **whole, _UNNAMED: dict(settings.unnamed)}


def settings_from(plain: Mapping[str, Any]) -> Settings:
    """Return the settings that `sent_settings` made, with secrets that this process finds itself. An address that the driver may not use stays refused here."""
    unnamed = plain.get(_UNNAMED, {})
    chosen = {name: value for name, value in plain.items() if value is not None and name != _UNNAMED}
    return resolve(chosen).settings.with_unnamed(unnamed)


def pool_of(
    plan: PooledTerms,
    settings: Settings,
    opener: str,
    document: Mapping[str, Any],
    *,
    judging: bool = False,
) -> Pool | None:
    """Return the pool that the plan asks for, or `None` where this process works alone.

    Workers call `opener` with `document` and the settings. With `judging`, only the models that judge can cost anything, whatever agents the study has.
    """
    from drr.study.pools import ALONE, PoolOrder, make_pool, pool_name
    from drr.study.worker import Opening

    workers, each = plan.workers, plan.units_per_worker
    name, address = pool_name(plan.pool or ALONE)
    if name == ALONE:
        if workers is not None or each is not None:
            raise Misuse(
                "--workers and --units-per-worker are for --pool ray: a run is one process, with --units in flight at once"
            )
        return None
    from drr.agents.registry import parts_of

    workers = workers or os.cpu_count() or 1
    if each is None:
        # However many workers there are, no more units are in flight than --units allows.
        workers = min(workers, plan.units)
        each = plan.units // workers
    plain = sent_settings(settings)
    given = {one: getattr(settings, one) for one in MODEL_ADDRESSES}
    if any(one is not None and one.get_secret_value() != plain[field] for field, one in given.items()):
        raise Misuse(
            "--pool: the address of the model holds a password or more than host and path, which no other process is told;"
            " leave --pool out"
        )
    sent = document["plan"]
    variants = (sent.get("variants") or "").split(",")
    named = [model for word in variants if (model := parts_of(word)[1])]
    order = PoolOrder(
        Opening(opener, {**document, "settings": plain}),
        workers,
        each,
        in_flight(settings, "judge") if judging else in_flight(settings, "agent", named),
        address,
        carried_shops(sent.get("shop"), always=plan.copy_shop),
        free=judging and _costs_nothing(settings),
    )
    return make_pool(name, order)


def _costs_nothing(settings: Settings) -> bool:
    """Return True if neither judge nor extractor is a model. The roles are imported here, for judging only: a run must load no truth of a task."""
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE

    return not calls_a_model(settings, (JUDGE, EXTRACTOR))


_GIVEN_MORE = "max_tokens"
"""Key field that keeps its first value when failed units are given a higher limit."""


class Probe(TypedDict):
    """A unit of a variant with the key fields that decide its answer; a worker must compute the same fields."""

    spec: AnswerSpec
    fields: JsonObject


def whole_path(place: str | None) -> str | None:
    """Return a path that works from any folder; a value that is no path, such as `servers:NAME`, stays unchanged."""
    return str(Path(place).absolute()) if place is not None and Path(place).exists() else place


def probe_per_system(units: Iterable[Unit]) -> list[Probe]:
    """Return a probe for each system, made from its first unit."""
    first = {str(unit.spec["variant"]): unit for unit in reversed(list(units))}
    return [Probe(spec=unit.spec, fields=dict(unit.key_fields)) for unit in first.values()]  # type: ignore[typeddict-item]


def check_same(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    names = (here.keys() | there.keys()) - {_GIVEN_MORE}
    other = [n for n in sorted(names) if canonical_json(here.get(n)) != canonical_json(there.get(n))]
    if other:
        raise DrrError(f"what decides the results is not what the driver has: another {', '.join(other)}")


def desk_facts(desk: JudgingContext) -> JsonObject:
    """Return the facts that must be equal wherever a study is judged: judge, extractor, prompts, shop, its address, language."""
    return {
        "judge": desk.judge.shown,
        "extractor": desk.extractor.shown,
        "prompts": desk.prompts.hashes(),
        "shop": None if desk.shop is None else desk.shop.manifest.content_hash,
        "shop_url": desk.shop_url,
        "language": desk.language,
    }


def carried_shops(place: str | None, *, always: bool = False) -> tuple[CarriedFolder, ...]:
    """Return the shop folder that is copied to the nodes; empty for any other place. An older shop without hashes of its files is not copied."""
    from drr.env.embedded.layout import MANIFEST, read_manifest_file

    folder = Path(place or "")
    if place is None or not (folder / MANIFEST).is_file():
        return ()
    _, data, files = read_manifest_file(folder)
    mark = sha256(read_file(folder / MANIFEST, DOCUMENT)).hexdigest()
    names = {f"{data.name}/{name}": digest for name, digest in files.items()}
    return (CarriedFolder(str(folder), MANIFEST, mark, names, always),) if files else ()
