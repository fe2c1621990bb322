"""The command `drr shop`: shows a shop, checks it, copies it, and makes its index anew."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any, get_args

from drr.app.commands.shop_text import (
    history_text,
    hits_text,
    info_text,
    listed_users,
    record_text,
    say_search,
    search_hit_line,
    shop_info,
    why_nothing,
)
from drr.app.console import (
    add_search_options,
    add_trust_option,
    choices_of,
    print_document,
    print_json,
    print_result,
    progress_of,
    settings_of,
)
from drr.app.notices import notice
from drr.app.options import positive_int
from drr.app.terminal import Column, plain, table
from drr.app.users import id_of, order_in
from drr.env.copy import copy_shop
from drr.env.entities import Order, Product, User
from drr.env.errors import DrrError, Misuse, NoSuchShop, ShopError
from drr.env.settings import Settings
from drr.env.shop import Match, SearchRequest, Shop, Sort, check_shop, open_shop, shop_writer

_EXAMPLES = """\
SHOP is a folder, or servers:NAME.

examples:
  drr shop info demo/shop
  drr shop info demo/shop --json
  drr shop users demo/shop --limit 5
  drr shop search demo/shop "quiet dog nail grinder" --max-price 40 --min-rating 4 --sort popularity
  drr shop show demo/shop product B08UG29MWT
  drr shop search demo/shop feeder --category "Bird Feeders" --match all --limit 5 --json
  drr shop show demo/shop user jeffrey.greer.5dbhhzx@inbox.example
  drr shop show demo/shop user jeffrey.greer.5dbhhzx@inbox.example --orders all --json
  drr shop show demo/shop order 0099385598238207 --json
  drr shop check demo/shop
  drr shop search demo/shop 'wi-fi adapter under $40' --brand SIIG --unknown-price --search fields
  drr shop copy demo/shop servers:demo
  drr shop index demo/shop"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    commands = parser.add_subparsers(dest="action", required=True)

    _command(commands, "info", _info, "counts, ratios beside the paper's, recipe, quarantine, sizes")

    users = _command(
        commands, "users", _users, "users worth asking for: their orders and what these are about"
    )
    add = users.add_argument
    add("--limit", type=positive_int, default=10, metavar="N", help="default: 10")
    add("--min-orders", type=positive_int, default=5, metavar="N", help="of a user (default: 5)")
    add("--seed", type=int, default=7, metavar="S", help="which are drawn (default: 7)")

    _add_search(_command(commands, "search", _search, "search the catalogue"))

    add = _command(commands, "show", _show, "one record").add_argument
    add("kind", choices=("product", "user", "order"), help="what is shown")
    add("id", metavar="ID", help="its id; for a user also an e-mail address")
    add(
        "--orders",
        metavar="N|all",
        help="of a user: so many orders, newest first (default: 5; in JSON only if asked for)",
    )

    _command(commands, "check", _check, "does everything in the shop fit together; exit 1 if not")

    add = _command(commands, "copy", _copy, "copy a shop into a folder or onto servers").add_argument
    add("target", metavar="SHOP_B", help="where the copy goes: a new folder, or servers:NAME")
    add("--replace", action="store_true", help="replace a shop that is already there")
    add("--quiet", action="store_true", help="no progress")

    index = _command(commands, "index", _index, "make the search index anew, after an update of drr")
    add_search_options(index)
    index.add_argument("--quiet", action="store_true", help="no progress")


def _add_search(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("query", metavar="QUERY", help="the words that are searched for")
    add("--max-price", type=float, metavar="AMOUNT", help="products of unknown price are left out")
    add("--min-rating", type=float, metavar="STARS", help="average rating, 1 to 5")
    add("--category", metavar="NAME", help="a category, a step of a category path or its end; A > B for both")
    add("--brand", metavar="NAME", help="a brand or store")
    add("--unknown-price", action="store_true", help="let unknown prices pass a price filter")
    add("--sort", choices=get_args(Sort), default="relevance", help="default: relevance")
    add(
        "--match",
        choices=get_args(Match),
        default="well",
        help="the thing and most of the other words (default), any word, or all",
    )
    add("--limit", type=positive_int, default=10, metavar="N", help="default: 10")
    add(
        "--search",
        choices=choices_of("search"),
        help="how the catalogue is searched (default: as `drr env settings` says)",
    )


def _command(
    commands: Any, name: str, act: Callable[[argparse.Namespace, Settings], int], line: str
) -> argparse.ArgumentParser:
    examples = [one for one in _EXAMPLES.splitlines() if one.startswith(f"  drr shop {name} ")]
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=line,
        description=line,
        epilog="\n".join(["SHOP is a folder, or servers:NAME.", "", "examples:", *examples]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(act=act)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_trust_option(parser)
    if act is _copy:
        parser.add_argument("shop", metavar="SHOP_A", help="the shop that is copied")
    else:
        parser.add_argument("shop", metavar="SHOP", help="a folder, or servers:NAME")
    return parser


def run(arguments: argparse.Namespace) -> int:
    import sqlite3

    try:
        code: int = arguments.act(arguments, settings_of(arguments).settings)
    except sqlite3.DatabaseError as error:
        spec = arguments.shop
        raise ShopError(
            f"{spec}: its database is damaged ({error}); `drr shop check {spec}` tells more"
        ) from error
    return code


def _info(arguments: argparse.Namespace, settings: Settings) -> int:
    with open_shop(arguments.shop, settings) as shop:
        info = shop_info(arguments.shop, shop)
    print_document(arguments, info, info_text(info))
    return 0


def _users(arguments: argparse.Namespace, settings: Settings) -> int:
    with open_shop(arguments.shop, settings) as shop:
        found = listed_users(shop, arguments.limit, seed=arguments.seed, min_orders=arguments.min_orders)
    if not found:
        raise DrrError(f"{arguments.shop}: no user has {arguments.min_orders} orders; lower --min-orders")
    rows = [
        [u["user_id"], str(u["orders"]), u["latest"] or "-", ", ".join(u["themes"]) or "-"] for u in found
    ]
    shown = table(["user", "orders", "latest", Column("about", flows=True)], rows)
    hint = f'\nask for one: drr ask "QUESTION" --shop {arguments.shop} --user {found[0]["user_id"]}'
    print_result(arguments, {"users": found}, shown, hint)
    return 0


def _search(arguments: argparse.Namespace, settings: Settings) -> int:
    request = _request(arguments)
    with open_shop(arguments.shop, settings) as shop:
        say_search(arguments.shop, shop, settings)
        if shop.catalog.search_name == "plain" and (request.brand is not None or request.unknown_price):
            raise Misuse("--brand and --unknown-price: the search `plain` knows neither; leave them out")
        page = shop.catalog.search(request)
        products = shop.store.products(page.product_ids)
        hint = why_nothing(request, shop, page) if page.total == 0 else None
    items = [search_hit_line(product, score) for product, score in zip(products, page.scores, strict=True)]
    counts = {"total": page.total, "limit": request.limit, "offset": request.offset}
    beside = {"set_aside": page.aside, "unknown_price": page.unpriced, "read": list(page.notes)}
    document = {"query": request.query, **counts, **beside, **shop.manifest.money.fields, "items": items}
    print_document(arguments, document, hint or hits_text(request, page, products, shop.manifest.money))
    return 0


def _request(arguments: argparse.Namespace) -> SearchRequest:
    for option in ("max_price", "min_rating"):
        value = getattr(arguments, option)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise Misuse(f"--{option.replace('_', '-')} {value}: give a number of at least 0")
    names = (
        "query",
        "max_price",
        "min_rating",
        "category",
        "brand",
        "unknown_price",
        "sort",
        "match",
        "limit",
    )
    return SearchRequest(**{name: getattr(arguments, name) for name in names})


def _show(arguments: argparse.Namespace, settings: Settings) -> int:
    few = _how_many(arguments)
    with open_shop(arguments.shop, settings) as shop:
        record = _find(shop, arguments.kind, arguments.id)
        if record is None:
            near = shop.store.near(arguments.kind, arguments.id)
            hint = f"near it are {', '.join(near)}" if near else "check the id"
            raise Misuse(f"{arguments.shop}: no {arguments.kind} {arguments.id!r}; {hint}")
        document = record.document()
        if arguments.kind == "product":
            document |= shop.manifest.money.fields
        if arguments.json:
            if arguments.orders is not None:
                page = shop.store.orders(document["user_id"], limit=few)
                document |= {"orders_total": page.total, "orders": [one.document() for one in page.items]}
            print_json(document)
            return 0
        print(record_text(document))
        if arguments.kind == "user":
            print(history_text(shop, document["user_id"], few))
    return 0


def _how_many(arguments: argparse.Namespace) -> int | None:
    """Return how many orders of a user to show; `None` for all of them."""
    orders = arguments.orders
    if orders is None:
        return 5
    if arguments.kind != "user":
        raise Misuse(
            f"--orders is of a user, not of {'an' if arguments.kind == 'order' else 'a'} {arguments.kind}"
        )
    if orders.casefold() == "all":
        return None
    if not (orders.isascii() and orders.isdigit() and int(orders)):
        raise Misuse(f"--orders {orders}: give a number of at least 1, or `all`")
    return int(orders)


def _find(shop: Shop, kind: str, key: str) -> Product | User | Order | None:
    key = key.strip()
    if kind == "product":
        return shop.store.product(key) or shop.store.product(key.upper())
    if kind == "order":
        return order_in(shop, key)
    found = shop.store.find_users(email=key, limit=1) if "@" in key else []
    return found[0] if found else shop.store.user(id_of(shop, key) or key)


def _check(arguments: argparse.Namespace, settings: Settings) -> int:
    try:
        with open_shop(arguments.shop, settings):
            pass
    except NoSuchShop:
        raise  # nothing to check is misuse, and no problem of a shop
    except ShopError:
        pass
    problems = list(check_shop(arguments.shop, settings))
    sound = f"{arguments.shop}: records, references, index, counts and content hash fit together."
    document = {"shop": arguments.shop, "ok": not problems, "problems": problems}
    print_document(arguments, document, *([] if problems else [sound]))
    if len(problems) == 1:
        notice(plain(problems[0]))
    elif problems:
        notice(
            f"{arguments.shop}: {len(problems)} problems; ingest again with --replace, or copy a sound shop"
        )
        for problem in problems:
            print(f"  {plain(problem)}", file=sys.stderr)
    return 1 if problems else 0


def _copy(arguments: argparse.Namespace, settings: Settings) -> int:
    if arguments.shop.rstrip("/") == arguments.target.rstrip("/"):
        raise Misuse(f"{arguments.shop}: a shop cannot be copied onto itself; name another target")
    with (
        open_shop(arguments.shop, settings) as source,
        shop_writer(arguments.target, settings, replace=arguments.replace) as writer,
    ):
        manifest = copy_shop(source, writer, progress_of(arguments))
    document = {"shop": arguments.target, "counts": manifest.counts, "content_hash": manifest.content_hash}
    counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
    same = f"content hash {manifest.content_hash[:12]} as in {arguments.shop}"
    print_document(arguments, document, f"{arguments.target}: {counts}; {same}")
    return 0


def _index(arguments: argparse.Namespace, settings: Settings) -> int:
    """Make the search index anew by copying the shop over itself. A process that has the shop open goes on with the old one."""
    with (
        open_shop(arguments.shop, settings) as shop,
        shop_writer(arguments.shop, settings, replace=True) as writer,
    ):
        manifest = copy_shop(shop, writer, progress_of(arguments))
    print_document(
        arguments,
        {"shop": arguments.shop, "content_hash": manifest.content_hash},
        f"{arguments.shop}: a new index of {manifest.counts['products']:,} products; the records are as they were",
    )
    return 0
