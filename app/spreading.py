"""Ingest and copy by many machines: the options, what each worker opens, and the driver's end of it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from drr.app.options import positive_int
from drr.app.terminal import plain
from drr.app.workers import sent_settings, settings_from
from drr.env.copy import CopyBench, SpreadCopy
from drr.env.errors import Misuse
from drr.env.plugins import load, merged
from drr.env.progress import Progress
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Manifest, Shop
from drr.env.user_code import code_hash

if TYPE_CHECKING:
    from drr.data_ingest.ingest import Job
    from drr.data_ingest.spread_bench import IngestBench


class SpreadAsked(NamedTuple):
    workers: int
    address: str | None
    crew: str
    """Module of those who do the work."""


def add_spread_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pool",
        metavar="POOL",
        help="who does it: in-process (default), ray, or ray://HOST:10001; with ray into servers:NAME only (docs/scale.md)",
    )
    parser.add_argument(
        "--workers",
        type=positive_int,
        metavar="N",
        help="with ray: processes on the cluster, each takes one CPU (default: one for each core here)",
    )


def asked_of(arguments: argparse.Namespace, target: str) -> SpreadAsked | None:
    """`None`: this process alone."""
    from drr.study.pools import ALONE, SPREAD, pool_name

    name, address = pool_name(arguments.pool or ALONE)
    if name == ALONE:
        if arguments.workers is not None:
            raise Misuse("--workers is for --pool ray; without it one process does it all")
        return None
    if name not in SPREAD:
        raise Misuse(f"--pool {name}: a shop is written by in-process or ray")
    if not target.startswith(SERVERS):
        raise Misuse(
            f"--pool {arguments.pool}: a shop in a folder is written by one process, {target}; name servers:NAME as its "
            "place, or leave --pool out. `drr shop copy servers:NAME FOLDER` brings a shop into a folder"
        )
    if name not in (crews := merged("crews")):
        raise Misuse(f"--pool {name}: no extra of that name is here; leave it out")
    load(f"{crews[name]}:check_installed")(address)
    return SpreadAsked(arguments.workers or os.cpu_count() or 1, address, crews[name])


def ingest_by_many(job: Job, settings: Settings, asked: SpreadAsked, progress: Progress) -> Manifest:
    from drr.data_ingest.spread import SpreadIngest
    from drr.data_ingest.spread_plan import plan_of
    from drr.env.servers.pieces import PiecesWriter
    from drr.env.user_code import code_hash

    if job.recipe.keep_reviews:
        raise Misuse("--keep-reviews: reviews are kept by one process; leave --pool out")
    plan = plan_of(job.pairs, job.recipe, job.memory, job.block)
    plan.check_files()
    digest = plan.digest(code_hash())
    with PiecesWriter(job.shop, settings, replace=job.replace, plan=digest) as writer:
        _say_continued(writer)
        config = {"plan": plan, "shop": job.shop, "version": writer.version}
        with _crew("ingest_bench", {**config, "settings": sent_settings(settings)}, asked) as jobs:
            return SpreadIngest(job, plan, jobs, writer).run(progress)


def copy_by_many(
    source: Shop, target: str, settings: Settings, asked: SpreadAsked, progress: Progress, *, replace: bool
) -> Manifest:
    from drr.env.servers.pieces import PiecesWriter

    plan = f"copy-{source.manifest.content_hash}-{code_hash()}"
    with PiecesWriter(target, settings, replace=replace, plan=plan) as writer:
        _say_continued(writer)
        config = {"shop": target, "version": writer.version, "settings": sent_settings(settings)}
        with _crew("copy_bench", config, asked) as jobs:
            writes = writer.version is not None
            return SpreadCopy(source, jobs, writer, writes=writes).run(progress)


@contextmanager
def ingest_bench(config: Mapping[str, Any]) -> Iterator[IngestBench]:
    """A worker's: it reads the files where it is, and finds the servers by its own environment."""
    from drr.data_ingest.spread_bench import IngestBench
    from drr.env.servers.pieces import PieceStore

    config["plan"].check_files()
    with PieceStore(config["shop"], settings_from(config["settings"]), config["version"]) as store:
        yield IngestBench(config["plan"], store)


@contextmanager
def copy_bench(config: Mapping[str, Any]) -> Iterator[CopyBench]:
    from drr.env.servers.pieces import PieceStore

    with PieceStore(config["shop"], settings_from(config["settings"]), config["version"]) as store:
        yield CopyBench(store)


def _crew(opener: str, config: Mapping[str, Any], asked: SpreadAsked) -> Any:
    from drr.study.worker import Opening

    crew = import_module(asked.crew)
    order = crew.BenchOrder(Opening(f"drr.app.spreading:{opener}", config), asked.workers, asked.address)
    return crew.JobCrew(order, _noted)


def _say_continued(writer: Any) -> None:
    if writer.pieces:
        _noted(f"goes on with a load that was cut off; {writer.pieces:,} pieces are stored")


def _noted(text: str) -> None:
    print(f"drr: {plain(text)}", file=sys.stderr, flush=True)
