"""Several processes for a command that runs units: the option, the settings in the form that another process is sent, the pool."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.env.json_object import JsonObject
    from drr.env.settings import Settings
    from drr.study.pool import Pool


_UNNAMED = "addresses named by others"


def add_workers_option(parser: argparse.ArgumentParser) -> None:
    from drr.app.options import positive_int

    parser.add_argument(
        "--workers",
        type=positive_int,
        default=1,
        metavar="N",
        help="processes that share what --units and --concurrency allow (default 1: this one alone)",
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
    """`plain_settings` for another process of ours, with who named which address."""
    return {**plain_settings(settings), _UNNAMED: dict(settings.unnamed)}


def settings_from(plain: Mapping[str, Any]) -> Settings:
    """Of `sent_settings`, with the secrets that this process finds itself; what the driver may not send where, it may not."""
    from drr.env.settings import resolve

    unnamed = plain.get(_UNNAMED, {})
    chosen = {name: value for name, value in plain.items() if value is not None and name != _UNNAMED}
    return resolve(chosen).settings.with_unnamed(unnamed)


def pool_of(
    arguments: argparse.Namespace, settings: Settings, opener: str, document: Mapping[str, Any]
) -> Pool | None:
    """The processes of `--workers`, `None` where this one works alone; `opener` is given `document` and `settings` in it."""
    from drr.env.errors import Misuse
    from drr.study.processes import ProcessPool
    from drr.study.worker import Opening

    workers = min(arguments.workers, arguments.units)
    if workers == 1:
        return None
    plain = sent_settings(settings)
    if settings.base_url is not None and settings.base_url.get_secret_value() != plain["base_url"]:
        raise Misuse(
            "--workers: the address of the model holds a password or more than host and path, which no other process is told;"
            " leave --workers out"
        )
    plain["concurrency"] = max(1, settings.concurrency // workers)
    opening = Opening(opener, {**document, "settings": plain})
    return ProcessPool(opening, workers=workers, units=arguments.units // workers)
