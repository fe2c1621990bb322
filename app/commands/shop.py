"""`drr shop`: look into a shop, check it, copy it."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.env.entities import Order, Product, User
    from drr.env.settings import Settings
    from drr.env.shop import Manifest, Shop

# Section 3.1 of the paper: 4.3M orders over 80k products and 1.8M users.
PAPER_RATIOS = {"orders_per_product": 53.8, "orders_per_user": 2.39}
_EXAMPLES = """\
SHOP is a folder, or servers:NAME.

examples:
  drr shop info demo/shop
  drr shop info demo/shop --json
  drr shop search demo/shop "quiet dog nail grinder" --max-price 40 --min-rating 4 --sort popularity
  drr shop show demo/shop product B07VGRJDFY
  drr shop search demo/shop feeder --category "Bird Feeders" --match all --limit 5 --json
  drr shop show demo/shop user someone@example.com
  drr shop show demo/shop order 4029384756102938 --json
  drr shop check demo/shop
  drr shop copy demo/shop servers:demo"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="action", required=True, metavar="info|search|show|check|copy")

    info = _command(commands, "info", "counts, ratios beside the paper's, recipe, quarantine, sizes")
    info.add_argument("shop", metavar="SHOP")

    search = _command(commands, "search", "search the catalogue")
    search.add_argument("shop", metavar="SHOP")
    search.add_argument("query", metavar="QUERY")
    search.add_argument(
        "--max-price", type=float, metavar="USD", help="products of unknown price are left out"
    )
    search.add_argument(
        "--min-price", type=float, metavar="USD", help="products of unknown price are left out"
    )
    search.add_argument("--min-rating", type=float, metavar="STARS", help="average rating, 1 to 5")
    search.add_argument("--category", metavar="NAME", help="a category or any step of a category path")
    search.add_argument(
        "--sort",
        choices=("relevance", "price_asc", "price_desc", "rating", "popularity"),
        default="relevance",
        help="default: relevance",
    )
    search.add_argument(
        "--match", choices=("any", "all"), default="any", help="any of the words (default) or all"
    )
    search.add_argument("--limit", type=int, default=10, metavar="N", help="default: 10")
    search.add_argument("--offset", type=int, default=0, metavar="N", help="skip so many")

    show = _command(commands, "show", "one record")
    show.add_argument("shop", metavar="SHOP")
    show.add_argument("kind", choices=("product", "user", "order"))
    show.add_argument("id", metavar="ID", help="its id; for a user also an e-mail address")

    check = _command(commands, "check", "does everything in the shop fit together; exit 1 if not")
    check.add_argument("shop", metavar="SHOP")

    copy = _command(commands, "copy", "copy a shop into a folder or onto servers")
    copy.add_argument("source", metavar="SHOP_A")
    copy.add_argument("target", metavar="SHOP_B")
    copy.add_argument("--replace", action="store_true", help="replace a shop that is already there")
    copy.add_argument("--quiet", action="store_true", help="no progress")


def _command(commands: Any, name: str, line: str) -> argparse.ArgumentParser:
    examples = [one for one in _EXAMPLES.splitlines() if one.startswith(f"  drr shop {name} ")]
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=line,
        description=line,
        epilog="\n".join(["SHOP is a folder, or servers:NAME.", "", "examples:", *examples]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    return parser


def run(arguments: argparse.Namespace) -> int:
    import sqlite3

    from drr.app.console import settings_of
    from drr.env.errors import ShopError

    actions = {"info": _info, "search": _search, "show": _show, "check": _check, "copy": _copy}
    try:
        return actions[arguments.action](arguments, settings_of(arguments).settings)
    except sqlite3.DatabaseError as error:
        spec = arguments.source if arguments.action == "copy" else arguments.shop
        raise ShopError(
            f"{spec}: its database is damaged ({error}); `drr shop check {spec}` tells more"
        ) from error


def _info(arguments: argparse.Namespace, settings: Settings) -> int:
    from drr.app.console import print_json
    from drr.env.shop import open_shop

    with open_shop(arguments.shop, settings) as shop:
        manifest, categories = shop.manifest, shop.catalog.categories()
    document = {
        "schema": manifest.schema_version,
        "shop": arguments.shop,
        "backend": manifest.backend,
        "as_of": manifest.as_of,
        "counts": manifest.counts,
        "ratios": _ratios(manifest),
        "paper_ratios": PAPER_RATIOS,
        "categories": categories,
        "recipe": manifest.recipe,
        "quarantined": manifest.quarantined,
        "duplicates": manifest.rows.get("duplicates"),
        "rows": manifest.rows,
        "notes": manifest.notes,
        "inputs": [one.model_dump() for one in manifest.inputs],
        "sizes": manifest.sizes,
        "versions": manifest.versions,
        "content_hash": manifest.content_hash,
        "created": manifest.created,
    }
    if arguments.json:
        print_json(document)
    else:
        _print_info(document)
    return 0


def _ratios(manifest: Manifest) -> dict[str, float | None]:
    counts = manifest.counts
    return {
        f"orders_per_{kind}": counts["orders"] / counts[f"{kind}s"] if counts[f"{kind}s"] else None
        for kind in ("product", "user")
    }


def _print_info(info: dict[str, Any]) -> None:
    from drr.app.console import plain

    print(plain(f"{info['shop']}  ({info['backend']}, schema {info['schema']}, today is {info['as_of']})"))
    print()
    for name, count in info["counts"].items():
        print(f"  {name:<20}{count:>14,}")
    for name, value in info["ratios"].items():
        shown = "-" if value is None else f"{value:,.2f}"
        print(f"  {name.replace('_', ' '):<20}{shown:>14}   (paper: {PAPER_RATIOS[name]})")
    for title, table in (
        ("categories (products)", info["categories"]),
        ("raw reviews", info["rows"]),
        ("quarantined lines", info["quarantined"]),
        ("notes", info["notes"]),
    ):
        if table:
            print(f"\n{title}")
            for name, count in table.items():
                print(
                    plain(f"  {name.replace('_', ' ') if title == 'raw reviews' else name:<34}{count:>14,}")
                )
    if info["recipe"]:
        print("\nrecipe")
        for name, value in info["recipe"].items():
            shown = ", ".join(map(str, value)) if isinstance(value, list) else "-" if value is None else value
            print(plain(f"  {name.replace('_', '-'):<20}{shown}"))
    if info["sizes"]:
        print("\nsizes")
        for name, size in info["sizes"].items():
            print(f"  {name:<20}{size / 1e6:>14,.1f} MB")
    print(f"\ncontent hash  {info['content_hash']}")


def _search(arguments: argparse.Namespace, settings: Settings) -> int:
    from drr.app.console import print_json
    from drr.env.errors import Misuse
    from drr.env.shop import SearchRequest, open_shop

    for option in ("max_price", "min_price", "min_rating"):
        value = getattr(arguments, option)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise Misuse(f"--{option.replace('_', '-')} {value}: give a number of at least 0")
    if arguments.limit < 1 or arguments.offset < 0:
        raise Misuse("--limit is at least 1 and --offset at least 0")
    names = ("query", "min_price", "max_price", "min_rating", "category", "sort", "match", "limit", "offset")
    request = SearchRequest(**{name: getattr(arguments, name) for name in names})
    with open_shop(arguments.shop, settings) as shop:
        page = shop.catalog.search(request)
        products = shop.store.products(page.product_ids)
        hint = _why_nothing(request.query, request.category, shop) if page.total == 0 else None
    if arguments.json:
        items = [
            {
                "product_id": product.product_id,
                "score": score,
                "title": product.title,
                "price": product.price,
                "average_rating": product.average_rating,
                "rating_number": product.rating_number,
                "category": product.category,
                "store": product.store,
                "product_url": product.product_url,
            }
            for product, score in zip(products, page.scores, strict=True)
        ]
        print_json(
            {
                "query": request.query,
                "total": page.total,
                "limit": request.limit,
                "offset": request.offset,
                "items": items,
            }
        )
        return 0
    if hint:
        print(hint)
    elif not products:
        print(f"{page.total:,} products match; --offset {request.offset} is past the last.")
    else:
        first, last = request.offset + 1, request.offset + len(products)
        print(f"{page.total:,} products match; {first}-{last}, by {request.sort.replace('_', ' ')}:\n")
        for rank, product in enumerate(products, first):
            _print_hit(rank, product)
    return 0


def _why_nothing(query: str, category: str | None, shop: Shop) -> str:
    from difflib import get_close_matches

    from drr.app.console import plain
    from drr.env.text import category_key, tokens

    if not tokens(query):
        return "Nothing found: the query has no word in it."
    if category is not None:
        known = {category_key(name): name for name in shop.catalog.categories()}
        if category_key(category) not in known:
            near = get_close_matches(category_key(category), known, 3, 0.4)
            names = ", ".join(known[key] for key in near) or ", ".join(sorted(known.values()))
            return plain(f"Nothing found in category {category!r}. Categories of this shop are: {names}.")
    return "Nothing found. Try fewer words, or fewer filters."


def _print_hit(rank: int, product: Product) -> None:
    from drr.app.console import plain
    from drr.env.records.lines import count, price

    rating = "not rated" if product.average_rating is None else f"{product.average_rating:.1f} stars"
    number = "" if product.rating_number is None else f" ({count(product.rating_number)})"
    title = plain(product.title) or "(no title)"
    print(f"{rank:>3}. {title if len(title) <= 100 else title[:99] + '…'}")
    print(plain(f"     {product.product_id}  {price(product.price)}  {rating}{number}  {product.category}"))


def _show(arguments: argparse.Namespace, settings: Settings) -> int:
    from drr.app.console import print_json
    from drr.env.errors import DrrError
    from drr.env.shop import open_shop

    with open_shop(arguments.shop, settings) as shop:
        record = _find(shop, arguments.kind, arguments.id)
        if record is None:
            near = shop.store.near(arguments.kind, arguments.id)
            hint = f"near it are {', '.join(near)}" if near else "check the id"
            raise DrrError(f"{arguments.shop}: no {arguments.kind} {arguments.id!r}; {hint}")
        if arguments.json:
            print_json(record.document())
            return 0
        _print_record(record.document())
        if arguments.kind == "user":
            _print_history(shop, record.document()["user_id"])
    return 0


def _find(shop: Shop, kind: str, key: str) -> Product | User | Order | None:
    key = key.strip()
    if kind == "product":
        return shop.store.product(key) or shop.store.product(key.upper())
    if kind == "order":
        return shop.store.order(key)
    found = shop.store.find_users(email=key, limit=1) if "@" in key else []
    return found[0] if found else shop.store.user(key)


def _print_record(document: dict[str, Any], indent: str = "") -> None:
    from drr.app.console import plain

    width = max((len(str(name)) for name in document), default=0) + 2
    for name, value in document.items():
        if name == "_id":
            continue
        label = f"{indent}{plain(str(name)):<{width}}"
        if isinstance(value, dict) and value:
            print(label.rstrip())
            _print_record(value, indent + "  ")
        elif isinstance(value, list) and value:
            print(label.rstrip())
            for one in value:
                print(f"{indent}  - {plain(str(one))}")
        else:
            print(label + ("-" if value is None or value in ({}, []) else plain(str(value))))


def _print_history(shop: Shop, user_id: str) -> None:
    from drr.app.console import plain

    page = shop.store.orders(user_id, limit=5)
    print(f"\n{page.total:,} orders{', the newest:' if page.total > 5 else ':' if page.total else ''}")
    products = {p.product_id: p for p in shop.store.products([o.product_id for o in page.items])}
    for order in page.items:
        title = products[order.product_id].title if order.product_id in products else "?"
        print(
            plain(
                f"  {order.order_date[:10]}  {order.order_id}  {order.product_id}  {order.order_status}  {title[:60]}"
            )
        )


def _check(arguments: argparse.Namespace, settings: Settings) -> int:
    import sys

    from drr.app.console import plain, print_json
    from drr.env.shop import check_shop

    problems = list(check_shop(arguments.shop, settings))
    if arguments.json:
        print_json({"shop": arguments.shop, "ok": not problems, "problems": problems})
    elif not problems:
        print(f"{arguments.shop}: records, references, index, counts and content hash fit together.")
    if len(problems) == 1:
        print(f"drr: {plain(problems[0])}", file=sys.stderr)
    elif problems:
        print(
            f"drr: {arguments.shop}: {len(problems)} problems; ingest again with --replace, or copy a sound shop",
            file=sys.stderr,
        )
        for problem in problems:
            print(f"  {plain(problem)}", file=sys.stderr)
    return 1 if problems else 0


def _copy(arguments: argparse.Namespace, settings: Settings) -> int:
    from drr.app.console import print_json, progress_of
    from drr.env.copy import copy_shop
    from drr.env.errors import Misuse
    from drr.env.shop import open_shop, shop_writer

    if arguments.source.rstrip("/") == arguments.target.rstrip("/"):
        raise Misuse(f"{arguments.source}: a shop cannot be copied onto itself; name another target")
    with (
        open_shop(arguments.source, settings) as source,
        shop_writer(arguments.target, settings, replace=arguments.replace) as writer,
    ):
        manifest = copy_shop(source, writer, progress_of(arguments))
    if arguments.json:
        print_json(
            {"shop": arguments.target, "counts": manifest.counts, "content_hash": manifest.content_hash}
        )
    else:
        counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
        print(
            f"{arguments.target}: {counts}; content hash {manifest.content_hash[:12]} as in {arguments.source}"
        )
    return 0
