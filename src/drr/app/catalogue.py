"""Makes a shop of a catalogue's own files, for the command `drr data ingest` and for `drr.ingest`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from drr.app.notices import notice
from drr.data_ingest.catalogue.ingest import CatalogueJob, ingest_catalogue
from drr.data_ingest.catalogue.mapping import read_map
from drr.env.files import at_home
from drr.env.own_numbers import people_key
from drr.env.progress import Quiet
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Manifest


def quarantine_of(shop: str) -> Path:
    """Return the default file of the rows that a shop refuses."""
    return Path(f"{shop.removeprefix(SERVERS).rstrip('/')}.quarantine.jsonl")


def catalogue_job(
    files: Sequence[str | Path],
    shop: str,
    mapping: str | Path | Mapping[str, object] | None,
    preset: str | None,
    *,
    max_bad: float | None = None,
    keep_personal: bool = False,
    replace: bool = False,
) -> CatalogueJob:
    """Return the job that makes the shop; `mapping` is a TOML file or its tables."""
    if keep_personal:
        notice("keeping personal data: agents, judges, transcripts and bundles of this shop will hold real people's data")  # fmt: skip
    return CatalogueJob(
        shop=shop,
        files=[at_home(one) for one in files],
        map=read_map(at_home(mapping) if isinstance(mapping, str | Path) else mapping),
        preset=preset,
        quarantine=quarantine_of(shop),
        max_bad=0.01 if max_bad is None else max_bad,
        keep_personal=keep_personal,
        replace=replace,
        key=people_key(),
        now=datetime.now(UTC),
    )


def make_shop(job: CatalogueJob, settings: Settings) -> Manifest:
    """Make the shop without a word of progress."""
    return ingest_catalogue(job, settings, Quiet())
