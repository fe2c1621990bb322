"""The command `drr data ingest`: makes a shop from a catalogue's own files, or from raw Amazon-2023 files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, get_args

from drr.app.commands.shop_text import PAPER_RATIOS, orders_per_product_and_user
from drr.app.console import add_search_options, add_trust_option, print_document, progress_of, settings_of
from drr.app.notices import ask_yes_no
from drr.app.terminal import plain
from drr.data_ingest.catalogue.mapping import PRESETS
from drr.data_ingest.recipe import TEN, Orders, Pick, Recipe, Statuses, find_pairs, parse_categories
from drr.env.embedded.layout import MANIFEST
from drr.env.errors import Misuse
from drr.env.files import at_home
from drr.env.json_object import JsonObject
from drr.env.progress import Progress
from drr.env.settings import Settings
from drr.env.shop import SERVERS, Manifest
from drr.wording.excerpt import many

_EXAMPLES = """\
FILE is a table of products, orders or users: CSV, TSV, JSONL, Parquet or XML, also with .gz. Its columns tell what it holds, or
--map does (docs/your-data.md). People are replaced by invented ones: ids by a hash whose key lies in your settings folder;
names, e-mails, streets and telephones are not read. What a shop does not tell is unknown. --dry-run shows what would be made.

RAW_DIR holds the official layout (raw/meta_categories/meta_X.jsonl.gz, raw/review_categories/X.jsonl.gz) or all files in
one folder, as .jsonl.gz or .jsonl. SHOP is a folder, or servers:NAME. A shop that is already there stays in use until the new
one is complete; with `--replace` it is then replaced in one step.

The defaults read the paper's Algorithm 1 to the letter. Kept are the first 10,000 products of each metadata file that have
at least five reviews since 2019. Every review they ever had becomes an order. The paper does not say which 10,000, nor
whether older reviews count, so this is a guess. The two ratios are printed beside the paper's 53.8 and 2.39; --pick and
--orders choose otherwise. docs/data.md tells more.

examples:
  drr data ingest products.csv orders.csv --shop shop --dry-run
  drr data ingest artikel.csv bestellungen.csv --shop shop --map map.toml
  drr data ingest products_export.csv orders_export.csv --shop shop --preset shopify
  drr data ingest raw --shop shop
  drr data ingest ~/amazon2023 --shop paper --categories eight
  drr data ingest ~/amazon2023 --shop pets --categories Pet_Supplies,Baby_Products --max-products 2000
  drr data ingest ~/amazon2023 --shop dense --pick review-prefix --limit-reviews 2000000
  drr data ingest raw --shop servers:demo --statuses varied --seed 11"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add(
        "raw",
        nargs="+",
        metavar="FILE",
        help="files of a catalogue, or RAW_DIR, a folder of Amazon-2023 files",
    )
    add("--shop", required=True, metavar="SHOP", help="where the shop goes")
    add(
        "--replace",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="replace a shop that is already there (default: ask; on servers the same load again changes nothing and "
        "another one is refused)",
    )
    add_trust_option(parser)
    add_search_options(parser)
    _add_catalogue(parser)
    _add_recipe(parser)
    add("--json", action="store_true", help="one JSON document")
    add("--quiet", action="store_true", help="no progress, no summary")


def _add_catalogue(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("files of a catalogue").add_argument
    add("--map", metavar="FILE", help="TOML that says which file and column holds what")
    add(
        "--preset",
        choices=("amazon-2023", *PRESETS),
        help="usual exports: amazon-2023 is RAW_DIR; shopify, google-merchant and schema-org are files",
    )
    add(
        "--dry-run",
        action="store_true",
        help="show the mapping, counts, quarantine and one product; write nothing",
    )
    add(
        "--keep-personal",
        action="store_true",
        help="keep ids, names, e-mails, streets and telephones of users: models, logs and bundles will then hold them",
    )


def _add_recipe(parser: argparse.ArgumentParser) -> None:
    recipe = parser.add_argument_group("recipe (kept in the shop's manifest)")
    add = recipe.add_argument
    add(
        "--categories",
        metavar="LIST",
        help="names separated by commas, `ten` (default), `eight` (the certain ones of the paper), or `all` in RAW_DIR",
    )
    add("--max-products", type=int, metavar="N", help="most products of a category (default 10000)")
    add("--min-reviews", type=int, metavar="N", help="fewest reviews of a product since --since (default 5)")
    add("--since", metavar="DATE", help="default 2019-01-01")
    add(
        "--pick",
        choices=get_args(Pick),
        help="which qualifying products: first in the metadata file (default), or first to appear in the review file",
    )
    add(
        "--orders",
        choices=get_args(Orders),
        help="which reviews become orders: all (default) or those since --since",
    )
    add(
        "--statuses",
        choices=get_args(Statuses),
        help="every order delivered, as in the paper (default), or a plausible mix by --seed",
    )
    add("--seed", type=int, metavar="S", help="of mixed statuses (default 7)")
    add(
        "--keep-reviews",
        action="store_true",
        default=None,
        help="also keep what shoppers wrote: title, text, rating; for persons and contexts, no tool shows them",
    )
    add("--limit-reviews", type=int, metavar="N", help="read only the first N lines of each review file")
    add(
        "--max-bad",
        type=float,
        metavar="SHARE",
        help="unreadable rows of a file that are put up with (default 0.01)",
    )


def _replaces(shop: str) -> bool:
    """Return True if the user agrees to replace the shop in a folder. On servers nothing is replaced unasked."""
    if shop.startswith(SERVERS) or not (Path(shop) / MANIFEST).is_file():
        return False
    return ask_yes_no(f"{shop}: there is a shop already; replace it?")


_FILES = ("map", "dry_run", "keep_personal")
_RECIPE = ("max_products", "min_reviews", "since", "pick", "orders", "statuses", "seed", "limit_reviews", "max_bad", "keep_reviews")  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    from drr.app.catalogue import quarantine_of
    from drr.data_ingest.ingest import Job, ingest

    given = {name: getattr(arguments, name) for name in _RECIPE if getattr(arguments, name) is not None}
    paths = [at_home(one) for one in arguments.raw]
    if not any(path.is_dir() for path in paths) and _is_catalogue(arguments, paths):
        _check_options("files of a catalogue", {**given, "categories": arguments.categories}, ("max_bad",))
        return _run_catalogue(arguments, paths)
    _check_options("a folder of Amazon-2023 files", {name: getattr(arguments, name) for name in _FILES})
    if len(paths) > 1 or arguments.preset not in (None, "amazon-2023"):
        raise Misuse("give one folder of Amazon-2023 files, or the files of a catalogue one by one")
    chosen = arguments.categories is not None
    categories = parse_categories(arguments.categories) if chosen else TEN
    Recipe(**given)
    pairs = find_pairs(paths[0], categories, chosen=chosen)
    job = Job(
        shop=arguments.shop,
        pairs=pairs,
        recipe=Recipe(**given, categories=tuple(pair.category for pair in pairs)),
        quarantine=quarantine_of(arguments.shop),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        replace=_replaces(arguments.shop) if arguments.replace is None else arguments.replace,
    )
    return _make(arguments, job.quarantine, partial(ingest, job), _summary_lines)


def _run_catalogue(arguments: argparse.Namespace, paths: Sequence[Path]) -> int:
    from drr.app.catalogue import catalogue_job
    from drr.data_ingest.catalogue.ingest import ingest_catalogue, preview
    from drr.env.records.listing import product_page

    replace = not arguments.dry_run and (
        _replaces(arguments.shop) if arguments.replace is None else arguments.replace
    )
    job = catalogue_job(
        paths,
        arguments.shop,
        arguments.map,
        arguments.preset,
        max_bad=arguments.max_bad,
        keep_personal=arguments.keep_personal,
        replace=replace,
    )
    if not arguments.dry_run:
        return _make(arguments, job.quarantine, partial(ingest_catalogue, job), _catalogue_lines)
    manifest, product, untaken, stop = preview(job, settings_of(arguments).settings, progress_of(arguments))
    seen = product and product_page(product, currency=manifest.money).text
    found = {**_summary(arguments.shop, None, manifest, 0.0), "product": seen, "untaken": untaken}
    print_document(arguments, found, *_catalogue_lines(found))
    if stop is not None:
        raise stop
    return 0


def _make(
    arguments: argparse.Namespace,
    quarantine: Path,
    ingest: Callable[[Settings, Progress], Manifest],
    lines: Callable[[Any], Iterable[str]],
) -> int:
    start = time.monotonic()
    manifest = ingest(settings_of(arguments).settings, progress_of(arguments))
    seconds = round(time.monotonic() - start, 3)
    found = _summary(arguments.shop, quarantine if manifest.quarantined else None, manifest, seconds)
    print_document(arguments, found, *(() if arguments.quiet else lines(found)))
    return 0


def _is_catalogue(arguments: argparse.Namespace, paths: Sequence[Path]) -> bool:
    """Return True for files of a catalogue. One file beside --categories is a mistaken RAW_DIR."""
    return arguments.preset != "amazon-2023" and arguments.categories is None and bool(paths[0].suffix)


def _check_options(what: str, given: Mapping[str, object], save: Sequence[str] = ()) -> None:
    """Raise `Misuse` for options that do not apply to this kind of ingest."""
    wrong = [f"--{name.replace('_', '-')}" for name, value in given.items() if value and name not in save]
    if wrong:
        raise Misuse(f"{', '.join(wrong)}: not for {what}; leave it out")


class IngestDocument(TypedDict):
    """The document of `drr data ingest --json`."""

    schema: int
    shop: str
    as_of: str
    counts: dict[str, int]
    ratios: dict[str, float | None]
    paper_ratios: dict[str, float]
    recipe: JsonObject
    rows: dict[str, int]
    duplicates: int
    quarantined: dict[str, int]
    quarantine_file: str | None
    notes: dict[str, int]
    sizes: dict[str, int]
    content_hash: str
    reviews: JsonObject | None
    """Number of reviews kept, and their hash; `None` if none are kept."""
    seconds: float


def _summary(shop: str, quarantine: object, manifest: Manifest, seconds: float) -> IngestDocument:
    return {
        "schema": manifest.schema_version,
        "shop": shop,
        "as_of": manifest.as_of,
        "counts": manifest.counts,
        "ratios": orders_per_product_and_user(manifest),
        "paper_ratios": PAPER_RATIOS,
        "recipe": manifest.recipe,
        "rows": manifest.rows,
        "duplicates": manifest.rows.get("duplicates", 0),
        "quarantined": manifest.quarantined,
        "quarantine_file": None if quarantine is None else str(quarantine),
        "notes": manifest.notes,
        "sizes": manifest.sizes,
        "content_hash": manifest.content_hash,
        "reviews": None if manifest.reviews is None else manifest.reviews.model_dump(),
        "seconds": seconds,
    }


def _summary_lines(summary: IngestDocument) -> Iterator[str]:
    counts, rows = summary["counts"], summary["rows"]
    categories = len(summary["recipe"]["categories"])
    yield f"{summary['shop']}: a shop of {categories} categories, its today is {summary['as_of']}"
    yield "  " + ", ".join(many(count, name[:-1]) for name, count in counts.items())
    for name, value in summary["ratios"].items():
        shown = "-" if value is None else f"{value:,.2f}"
        yield f"  {name.replace('_', ' '):<20}{shown:>8}   (paper: {summary['paper_ratios'][name]})"
    yield (
        f"  {rows['reviews']:,} review rows = {rows['orders']:,} orders + {rows['duplicates']:,} duplicates + "
        f"{rows['not_selected']:,} not selected + {rows['quarantined']:,} quarantined"
    )
    if summary["reviews"] is not None:
        yield f"  {summary['reviews']['count']:,} reviews kept; no tool shows them"
    if summary["quarantined"]:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in summary["quarantined"].items())
        yield f"  quarantined: {reasons}; see {summary['quarantine_file']}"
    yield f"next: drr shop info {summary['shop']}"


def _catalogue_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an ingest or its dry run tells, from their document."""
    recipe = found["recipe"]
    yield ", ".join(many(count, name[:-1]) for name, count in found["counts"].items())
    yield from (plain(f"{name}: {columns}") for name, columns in recipe["files"].items())
    for name, columns in found.get("untaken", {}).items():
        yield plain(f"{name}: no field takes {columns}; agents see those that [products] details names")
    for reason, why in (("unknown_product", "no file lists"), ("refused_product", "was refused")):
        if count := found["quarantined"].get(reason):
            rows = many(found["rows"]["order_rows"], "row")
            yield f"left out: {count:,} of {rows} of orders, whose product {why}"
    rates = recipe.get("rates")
    day = f" (others by rates of {rates['date']})" if rates else ""
    yield plain(
        f"currency {recipe['currency']}{day}, language {recipe['language']}, people {recipe['people']}"
    )
    for label, counts in (("quarantined", found["quarantined"]), ("noted", found["notes"])):
        if counts:
            first = {name: f" (first on {place})" for name, place in recipe.get("first", {}).items()}
            yield plain(
                f"{label}: "
                + ", ".join(
                    f"{name} {count:,}{first.get(name, '')}" for name, count in sorted(counts.items())
                )
            )
    if found["quarantine_file"]:
        yield f"lines and reasons: {found['quarantine_file']}"
    if not found["counts"]["users"]:
        yield "without orders or users nobody can ask here: add a file of orders"
    if "product" in found:
        yield "one product as agents see it:"
        yield from (f"  {plain(line)}" for line in (found["product"] or "").splitlines())
        yield "nothing was written; leave --dry-run out to make the shop"
    else:
        yield f"made {found['shop']}, its today is {found['as_of']}; next: drr shop info {found['shop']}"
