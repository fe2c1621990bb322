"""The place where a command's units run. The options, the settings in the form that another process is sent, the pool."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from drr.app.terms import PooledTerms
    from drr.env.json_object import JsonObject
    from drr.env.settings import Settings
    from drr.study.pools import Pool


_UNNAMED = "addresses named by others"


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_int

    parser.add_argument(
        "--workers",
        type=positive_int,
        metavar="N",
        help="processes that share what --units and --concurrency allow (default: 1, this one; with ray one for each core here)",
    )
    parser.add_argument(
        "--pool",
        metavar="POOL",
        help="who runs them: in-process, processes (default with --workers), ray, or ray://HOST:10001 (docs/scale.md)",
    )
    parser.add_argument(
        "--units-per-worker",
        type=positive_int,
        metavar="M",
        help="units in flight in each worker (default: --units shared among them)",
    )
    parser.add_argument(
        "--copy-shop",
        action="store_true",
        help="with ray: copy a shop in a folder to each node once, also where its path leads to it (without: only where it does not)",
    )


def plain_settings(settings: Settings) -> JsonObject:
    """Everything resolved, but for secrets, which come from where they live each time."""
    from drr.env.settings import ADDRESSES

    plain = settings.model_dump(mode="json")
    if settings.base_url is not None:
        plain["base_url"] = str(settings.base_url)
    secret = {
        name for name, field in type(settings).model_fields.items() if "Secret" in str(field.annotation)
    } | {*ADDRESSES} - {"base_url"}
    return {name: value for name, value in plain.items() if name not in secret}


def sent_settings(settings: Settings) -> JsonObject:
    """`plain_settings` for another process of ours, in whatever folder, with who named which address."""
    plain = plain_settings(settings)
    paths = {name: value for name in plain if isinstance(value := getattr(settings, name), Path)}
    whole = {name: str(path.absolute()) for name, path in paths.items()}
    return {**plain, **whole, _UNNAMED: dict(settings.unnamed)}


def settings_from(plain: Mapping[str, Any]) -> Settings:
    """Read `sent_settings`, with the secrets that this process finds itself; what the driver may not send where, it may not."""
    from drr.env.settings import resolve

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
    from drr.app.elsewhere import carried_shops
    from drr.env.errors import Misuse
    from drr.study.pools import PoolOrder, make_pool
    from drr.study.worker import Opening

    asked = _asked(arguments)
    if asked is None:
        return None
    plain = sent_settings(settings)
    if settings.base_url is not None and settings.base_url.get_secret_value() != plain["base_url"]:
        raise Misuse(
            "--workers: the address of the model holds a password or more than host and path, which no other process is told;"
            " leave --workers out"
        )
    opening = Opening(opener, {**document, "settings": plain})
    shops = carried_shops(document.get("run", document).get("shop"), always=arguments.copy_shop)
    free = judging and _costs_nothing(settings)
    order = PoolOrder(
        opening, asked.workers, asked.units, settings.concurrency, asked.address, shops, free=free
    )
    return make_pool(asked.pool, order)


def _costs_nothing(settings: Settings) -> bool:
    """Nobody who judges is a model; imported for judging only: a run loads no truth of a task."""
    from drr.app.vouching import calls_a_model
    from drr.eval.tasks.desk import EXTRACTOR, JUDGE

    return not calls_a_model(settings, (JUDGE, EXTRACTOR))


class _Asked(NamedTuple):
    pool: str
    workers: int
    units: int
    """In each."""
    address: str | None


def _asked(arguments: argparse.Namespace | PooledTerms) -> _Asked | None:
    """`None`: no pool."""
    import os

    from drr.env.errors import Misuse
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
