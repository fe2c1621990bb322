"""Turns a catalogue's files into a shop: products, then users and orders, each in the order of a shop."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import file_digest
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any, NamedTuple

import numpy as np
from drr.data_ingest.catalogue.mapping import CatalogueMap, Kind, MappedFile, map_files
from drr.data_ingest.catalogue.orders import FIELDS as ORDER_FIELDS
from drr.data_ingest.catalogue.orders import CatalogueOrders, OrderForms
from drr.data_ingest.catalogue.people import People
from drr.data_ingest.catalogue.products import FIELDS as PRODUCT_FIELDS
from drr.data_ingest.catalogue.products import NO_RECORD, ProductForms, Shelf, product_forms
from drr.data_ingest.catalogue.rows import Batch
from drr.data_ingest.ingest import batches_with_progress, order_batches, products_with_progress, work_folder
from drr.data_ingest.orders import order_ids, sort_rows
from drr.data_ingest.packing import I64, U64
from drr.data_ingest.products import VERSION as TEXT_VERSION
from drr.data_ingest.quarantine import Quarantine
from drr.env.entities import Product
from drr.env.errors import DrrError, disk_of
from drr.env.languages import language_code
from drr.env.own_numbers import hash_text, masks
from drr.env.progress import Progress, collector_off
from drr.env.settings import Settings
from drr.env.shop import Input, Manifest, shop_writer
from numpy.typing import NDArray

_SAMPLE = 1_000
"""Most customers whose numbers show the forms that they have."""


@dataclass(frozen=True)
class CatalogueJob:
    """Request to make a shop of a catalogue."""

    shop: str
    files: Sequence[Path]
    map: Mapping[str, Any]
    preset: str | None
    quarantine: Path
    max_bad: float
    keep_personal: bool
    replace: bool
    key: bytes = field(repr=False)
    """The secret by which ids of people are hashed."""
    now: datetime
    """The time of the ingest. Orders of a later day are refused."""


class Catalogue(NamedTuple):
    """Everything that was read, before it is written."""

    files: Sequence[MappedFile]
    forms: ProductForms
    shelf: Shelf
    people: People
    orders: tuple[NDArray[Any], ...]
    rows: Counter[str]
    notes: Counter[str]
    masks: list[str]
    """Forms of the numbers of customers and orders."""


class Preview(NamedTuple):
    """The manifest that would be, the first product, and the error that would stop the ingest."""

    manifest: Manifest
    product: Product | None
    untaken: dict[str, str]
    """Columns that no field takes, by file."""
    stop: DrrError | None


def preview(job: CatalogueJob, settings: Settings, progress: Progress) -> Preview:
    """Read everything and write nothing."""
    with Quarantine(Path(os.devnull), job.max_bad, goes_on=True) as quarantine:
        try:
            with _gather_files(job, quarantine, progress, None) as read:
                first = next(read.shelf.products(settings.shop_url), None)
                untaken = {one.name: one.untaken for one in read.files if one.untaken}
                return Preview(_manifest(job, read, quarantine.counts), first, untaken, quarantine.stop)
        except DrrError as error:
            raise quarantine.stop or error from error


def ingest_catalogue(job: CatalogueJob, settings: Settings, progress: Progress) -> Manifest:
    """Make the shop and return its manifest. It is published whole at the end, or not at all."""
    folder = work_folder(job.shop)
    with (
        disk_of(folder or gettempdir()),
        shop_writer(job.shop, settings, replace=job.replace) as writer,
        Quarantine(job.quarantine, job.max_bad) as quarantine,
        collector_off(),
        _gather_files(job, quarantine, progress, folder) as read,
    ):
        with progress.stage("products", len(read.shelf.places), "products") as stage:
            products = products_with_progress(read.shelf.products(), stage.advance)
            writer.write_products(products, language_code(read.forms.language))
        ids, hashes, position = read.people.close()
        with progress.stage("users", len(ids), "users") as stage:
            writer.write_users(batches_with_progress(read.people.rows(ids, hashes), stage.advance))
        columns = _order_columns(read, ids, hashes, position)
        with progress.stage("orders", len(columns[0]), "orders") as stage:
            writer.write_orders(order_batches(columns, stage.advance))
        quarantine.flush()
        return writer.publish(_manifest(job, read, quarantine.counts))


@contextmanager
def _gather_files(
    job: CatalogueJob, quarantine: Quarantine, progress: Progress, folder: Path | None
) -> Iterator[Catalogue]:
    files = map_files(job.files, job.map, job.preset)
    of: dict[Kind, list[MappedFile]] = {
        kind: [one for one in files if one.kind == kind] for kind in ("products", "users", "orders")
    }
    whole: Any = CatalogueMap.model_validate(job.map)
    forms = product_forms(of["products"], whole.rates)
    order_forms = {mapped.name: OrderForms(mapped, language_code(forms.language)) for mapped in of["orders"]}
    rows = Counter[str]()
    read = partial(_read, quarantine, rows, progress)
    with TemporaryFile(dir=folder) as aside:
        american = {forms.money.alone, forms.money.own} <= {None, "USD"} and language_code(
            forms.language
        ) in (None, "en")
        people = People(job.key, personal=job.keep_personal, american=american, regions=whole.regions)
        shelf = Shelf(forms, aside)
        for mapped in of["products"]:
            read(mapped, PRODUCT_FIELDS, partial(shelf.add, mapped), shelf.error)
        forms.money.check()
        rows["products"] = len(shelf.places)
        if not shelf.places:
            raise DrrError(f"no row became a product ({_reasons(quarantine)}); is the mapping right?")
        for mapped in of["users"]:
            seen = set[str]()
            read(mapped, people.fields, partial(people.add, seen))
            rows["users"] += len(seen)
        places = {product_id: k for k, product_id in enumerate(sorted(shelf.places))}
        latest = int((job.now + timedelta(days=1)).timestamp() * 1000)
        orders = CatalogueOrders(places, people, latest, shelf.refused)
        for mapped in of["orders"]:
            read(mapped, ORDER_FIELDS, partial(orders.add, mapped, order_forms[mapped.name]), orders.error)
        columns = orders.close(quarantine)
        rows["orders"] = len(columns[0])
        if of["orders"] and not rows["orders"]:
            raise DrrError(f"no row became an order ({_reasons(quarantine)}); is the mapping right?")
        forms_of_numbers = masks((*islice(people.codes, _SAMPLE), *orders.some_numbers))
        notes = shelf.notes + orders.notes
        yield Catalogue(files, forms, shelf, people, columns, rows, notes, forms_of_numbers)


def _read(
    quarantine: Quarantine,
    rows: Counter[str],
    progress: Progress,
    mapped: MappedFile,
    fields: Sequence[str],
    add: Callable[[Batch, Quarantine], None],
    error: Callable[[MappedFile], DrrError | None] = lambda _: None,
) -> None:
    """Read a file batch by batch. A column that is not read ends it, and too many bad rows."""
    quarantine.begin(mapped.name)
    read = 0
    with progress.stage(f"{mapped.name}: {mapped.kind}") as stage:
        for batch in mapped.batches(fields):
            for line, reason in batch.bad:
                quarantine.put(line, reason)
            add(batch, quarantine)
            read += (count := len(batch.lines) + len(batch.bad))
            stage.advance(count)
    rows[f"{mapped.kind.removesuffix('s')}_rows"] += read
    if wrong := error(mapped):
        quarantine.end(wrong)
    quarantine.check(read, final=True)


def _reasons(quarantine: Quarantine) -> str:
    counts = sorted(quarantine.counts.items())
    return ", ".join(f"{reason} {count:,}" for reason, count in counts) or "all files are empty"


def _order_columns(read: Catalogue, ids: Sequence[str], hashes: U64, position: I64) -> list[I64]:
    """Return the columns of orders in the order of a shop: by user, newest first, then by number."""
    product, code, time, quantity, state, numbers = read.orders
    user, names = position[code], sorted(read.shelf.places)
    items = np.fromiter(map(hash_text, names), np.uint64, len(names))
    drawn = order_ids(
        hashes[user],
        items[product] ^ numbers,
        time,
        lambda row: (ids[user[row]], f"{names[product[row]]}/{numbers[row]}"),
    )
    order = sort_rows(user, time, drawn)
    return [np.asarray(column[order], np.int64) for column in (drawn, product, user, time, quantity, state)]


def _manifest(job: CatalogueJob, read: Catalogue, quarantined: Counter[str]) -> Manifest:
    """Return the manifest, after checking that no row was lost. It names columns, and no cell."""
    rows, forms = read.rows, read.forms
    rows["rows"] = sum(rows[f"{one}_rows"] for one in ("product", "user", "order")) - read.notes[NO_RECORD]
    rows["quarantined"] = quarantined.total()
    found = rows["products"] + rows["users"] + rows["orders"] + rows["quarantined"]
    if rows["rows"] != found:
        raise DrrError(
            f"of {rows['rows']:,} rows {found:,} are accounted for; this is a bug, please report it"
        )
    return Manifest(
        backend="",
        as_of="" if rows["orders"] else job.now.date().isoformat(),
        content_hash="",
        counts={"products": rows["products"], "users": len(read.people.codes), "orders": rows["orders"]},
        recipe={
            "preset": job.preset or "own files",
            "files": {mapped.name: mapped.listing for mapped in read.files},
            **forms.money.recipe(),
            "language": forms.language or "not named",
            **_words(read.files),
            **({"first": read.shelf.unread} if read.shelf.unread else {}),
            "own_numbers": read.masks,
            "people": "as in the files" if job.keep_personal else "invented",
        },
        inputs=[_input(mapped.source.path) for mapped in read.files],
        rows=dict(sorted(rows.items())),
        quarantined=dict(sorted(quarantined.items())),
        notes=dict(sorted(read.notes.items())),
        versions={
            "drr": version("deepresearch-retail"),
            "faker": version("faker"),
            "product_text": TEXT_VERSION,
        },
        created=job.now.isoformat(timespec="seconds"),
    )


def _words(files: Sequence[MappedFile]) -> dict[str, dict[str, str]]:
    """Return the words of a state that the mapping explains, in small letters. Rules read them in reports.

    Where several columns tell the state, a word of one is true beside a state of another, so none is kept.
    """
    orders = [one for one in files if one.kind == "orders"]
    words = {(word.casefold(), status) for one in orders for word, status in one.table.statuses.items()}
    known = dict(sorted(words)) if all(len(one.columns["status"]) == 1 for one in orders) else {}
    return {"statuses": known} if known and len(known) == len(words) else {}


def _input(path: Path) -> Input:
    with path.open("rb") as file:
        return Input(
            name=path.name, bytes=path.stat().st_size, sha256=file_digest(file, "sha256").hexdigest()
        )
