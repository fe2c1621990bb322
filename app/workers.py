"""Workers of a command's units: options, pool, what another process is sent and must have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from drr.app.model_servers import in_flight
from drr.app.options import PooledTerms, positive_int
from drr.app.specs import AnswerSpec
from drr.app.vouching import calls_a_model
from drr.env.bounded import DOCUMENT
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.settings import ADDRESSES, MODEL_ADDRESSES, Settings, resolve
from drr.study.folders import CarriedFolder
from drr.study.unit import Unit, canonical_json

if TYPE_CHECKING:
    from drr.app.answers import Answering
    from drr.eval.tasks.desk import Desk
    from drr.study.pools import Pool


_UNNAMED = "addresses named by others"


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--workers",
        type=positive_int,
        metavar="N",
        help="processes that share what --units and --concurrency allow (default: 1, this one; with ray one for each core here)",
    )
    add(
        "--pool",
        metavar="POOL",
        help="who runs them: in-process, processes (default with --workers), ray, or ray://HOST:10001 (docs/scale.md)",
    )
    add(
        "--units-per-worker",
        type=positive_int,
        metavar="M",
        help="units in flight in each worker (default: --units shared among them)",
    )
    add(
        "--copy-shop",
        action="store_true",
        help="with ray: copy a shop in a folder to each node once, also where its path leads to it (without: only where it does not)",
    )


def plain_settings(settings: Settings) -> JsonObject:
    """Everything resolved, but for secrets, which come from where they live each time."""
    plain = settings.model_dump(mode="json")
    for name in MODEL_ADDRESSES:
        if (address := getattr(settings, name)) is not None:
            plain[name] = str(address)
    secret = {
        name for name, field in type(settings).model_fields.items() if "Secret" in str(field.annotation)
    } | {*ADDRESSES} - {*MODEL_ADDRESSES}
    return {name: value for name, value in plain.items() if name not in secret}


def sent_settings(settings: Settings) -> JsonObject:
    """`plain_settings` for another process of ours, in whatever folder, with who named which address."""
    plain = plain_settings(settings)
    paths = {name: value for name in plain if isinstance(value := getattr(settings, name), Path)}
    whole = {name: str(path.absolute()) for name, path in paths.items()}
    return {**plain, **whole, _UNNAMED: dict(settings.unnamed)}


def settings_from(plain: Mapping[str, Any]) -> Settings:
    """Read `sent_settings`, with the secrets that this process finds itself; what the driver may not send where, it may not."""
    unnamed = plain.get(_UNNAMED, {})
    chosen = {name: value for name, value in plain.items() if value is not None and name != _UNNAMED}
    return resolve(chosen).settings.with_unnamed(unnamed)


def pool_of(
    arguments: argparse.Namespace | PooledTerms,
    settings: Settings,
    opener: str,
    document: Mapping[str, Any],
    *,
    judging: bool = False,
) -> Pool | None:
    """The pool that was asked for, `None` where this process works alone; `opener` is given `document` and `settings` in it.

    Units of `judging` do nothing that costs but call the models that judge, whatever the agents of the study were.
    """
    from drr.agents.registry import parts_of
    from drr.study.pools import PoolOrder, make_pool
    from drr.study.worker import Opening

    asked = _asked(arguments)
    if asked is None:
        return None
    plain = sent_settings(settings)
    given = {name: getattr(settings, name) for name in MODEL_ADDRESSES}
    if any(one is not None and one.get_secret_value() != plain[name] for name, one in given.items()):
        raise Misuse(
            "--workers: the address of the model holds a password or more than host and path, which no other process is told;"
            " leave --workers out"
        )
    opening = Opening(opener, {**document, "settings": plain})
    shops = carried_shops(document.get("run", document).get("shop"), always=arguments.copy_shop)
    free = judging and _costs_nothing(settings)
    variants = document.get("run", {}).get("variants", "").split(",")
    named = [model for word in variants if (model := parts_of(word)[1])]
    at_once = in_flight(settings, "judge") if judging else in_flight(settings, "agent", named)
    order = PoolOrder(opening, asked.workers, asked.units, at_once, asked.address, shops, free=free)
    return make_pool(asked.pool, order)


def _costs_nothing(settings: Settings) -> bool:
    """Nobody who judges is a model; imported for judging only: a run loads no truth of a task."""
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE

    return not calls_a_model(settings, (JUDGE, EXTRACTOR))


class _Asked(NamedTuple):
    pool: str
    workers: int
    units: int
    """Units in flight in each worker."""
    address: str | None


def _asked(arguments: argparse.Namespace | PooledTerms) -> _Asked | None:
    """`None`: no pool."""
    from drr.study.pools import ALONE, SPREAD, pool_name

    each: int | None = arguments.units_per_worker
    pool = "processes" if each is not None or (arguments.workers or 1) > 1 else ALONE
    name, address = pool_name(arguments.pool or pool)
    if name == ALONE:
        if arguments.pool is not None and ((arguments.workers or 1) > 1 or each is not None):
            raise Misuse(f"--pool {ALONE} is one process; leave --workers and --units-per-worker out")
        return None
    default = (os.cpu_count() or 1) if name in SPREAD else 1
    workers = arguments.workers or default
    if each is None:
        workers = min(workers, arguments.units)
        each = arguments.units // workers
    alone = workers == 1 and arguments.pool is None and arguments.units_per_worker is None
    return None if alone else _Asked(name, workers, each, address)


_PLACES = ("shop", "place", "contexts")
_GIVEN_MORE = "max_tokens"
"""Field of a key that keeps its first value when failed units are given more."""


class Probe(TypedDict):
    """One unit of a variant with all that decides its answer: a worker must come to the same."""

    spec: AnswerSpec
    fields: JsonObject


def whole_path(place: str | None) -> str | None:
    """Make a path findable from any folder; what is no path, such as `servers:NAME`, stays."""
    return str(Path(place).absolute()) if place is not None and Path(place).exists() else place


def placed_plan(plan: Mapping[str, Any]) -> JsonObject:
    """Return a study's request as a worker in any folder finds it."""
    return {**plan, **{name: whole_path(plan[name]) for name in _PLACES if name in plan}}


def probes_of(units: Iterable[Unit]) -> list[Probe]:
    """One of each system."""
    first = {str(unit.spec["variant"]): unit for unit in reversed(list(units))}
    return [Probe(spec=unit.spec, fields=dict(unit.key_fields)) for unit in first.values()]  # type: ignore[typeddict-item]


def check_probes(answering: Answering, probes: Iterable[Probe]) -> None:
    """`DrrError` where this process would answer otherwise than its driver asked: it says in what."""
    for probe in probes:
        (unit,) = answering.units_of([probe["spec"]])
        check_same(unit.key_fields, probe["fields"])


def check_same(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    names = (here.keys() | there.keys()) - {_GIVEN_MORE}
    other = [n for n in sorted(names) if canonical_json(here.get(n)) != canonical_json(there.get(n))]
    if other:
        raise DrrError(f"what decides the results is not what the driver has: another {', '.join(other)}")


def desk_facts(desk: Desk) -> JsonObject:
    """List what must be the same wherever a study is judged."""
    return {
        "judge": desk.judge.shown,
        "extractor": desk.extractor.shown,
        "prompts": desk.prompts.hashes(),
        "shop": None if desk.shop is None else desk.shop.manifest.content_hash,
        "shop_url": desk.shop_url,
    }


def carried_shops(*places: str | None, always: bool = False) -> tuple[CarriedFolder, ...]:
    """Choose the places that are shops in folders of ours. An older shop without hashes of its files is not carried."""
    return tuple(
        found for place in dict.fromkeys(places) if place is not None and (found := _carried(place, always))
    )


def _carried(place: str, always: bool) -> CarriedFolder | None:
    from drr.env.embedded.layout import MANIFEST, read_manifest_file

    folder = Path(place)
    if not (folder / MANIFEST).is_file():
        return None
    _, data, files = read_manifest_file(folder)
    if not files:
        return None
    mark = sha256(read_file(folder / MANIFEST, DOCUMENT)).hexdigest()
    names = {f"{data.name}/{name}": digest for name, digest in files.items()}
    return CarriedFolder(str(folder), MANIFEST, mark, names, always)
