"""The command `drr web`: the web as the tools and the page readers see it."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from drr.app.console import add_setting_options, print_document, print_json, settings_of, shop_settings_of
from drr.app.notices import notice
from drr.app.terminal import flowed
from drr.env.errors import DrrError, Misuse
from drr.env.json_object import JsonObject
from drr.env.records.lines import one_line
from drr.env.shop import open_shop
from drr.env.source import text_hash
from drr.env.web.base import WebUnavailable
from drr.env.web.open import open_recorder, open_web, system_clock
from drr.env.web.record import ReplayWeb, record_searches
from drr.env.web.sandbox import build_sandbox

_EXAMPLES = """\
The default web is the frozen sandbox in the box; --web serper asks the live one (SERPER_API_KEY), --web replay a recording.

examples:
  drr web search "winter birds of Oklahoma"
  drr web read https://example.org/page --web serper
  drr web build my-pages --out my-sandbox && drr web search "dog ramp" --sandbox my-sandbox
  drr web record "dog ramp angle" "best bird seed" --out recording --web serper
  drr web search "dog ramp angle" --web replay --web-record recording"""
_SETTINGS = ("web", "sandbox", "web_record", "web_top_k", "shop_url")


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="search|read|build|record|replay")

    def command(name: str, act: Callable[[argparse.Namespace], int], line: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=line, description=line)
        made.set_defaults(act=act)
        made.add_argument("--json", action="store_true", help="one JSON document")
        return made

    search = command("search", _search, "what web_search would find")
    search.add_argument("query", metavar="QUERY", help="what is searched for")
    add_setting_options(search, *_SETTINGS)

    line = "a page as readable markdown; exit 1 if it is blocked, empty or unreachable"
    read = command("read", _read, line)
    read.add_argument("url", metavar="URL", help="the address of the page")
    read.add_argument("--shop", metavar="SHOP", help="answers addresses of the shop")
    add_setting_options(read, *_SETTINGS)

    line = "a folder of documents (documents.jsonl, *.md with a head) becomes a frozen sandbox"
    add = command("build", _build, line).add_argument
    add("folder", metavar="DIR", help="the folder of documents")
    add("--out", required=True, metavar="SANDBOX", help="the folder of the sandbox that is written")

    record = command("record", _record, "search, read every result, keep both for replay")
    record.add_argument("queries", nargs="+", metavar="QUERY", help="what is searched for and read")
    record.add_argument("--out", required=True, metavar="RECORDING", help="new, or one to add to")
    add_setting_options(record, *(name for name in _SETTINGS if name != "web_record"))

    replay = command("replay", _replay, "what a recording holds")
    replay.add_argument("folder", metavar="RECORDING", help="a folder that `drr web record` wrote")


def run(arguments: argparse.Namespace) -> int:
    try:
        code: int = arguments.act(arguments)
    except WebUnavailable as error:
        raise DrrError(f"web {arguments.action}: {error}") from error
    return code


def _checked_query(text: str) -> str:
    if not text.strip():
        raise Misuse("an empty query or address; give a few words, or an address")
    return text


def _search(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    web = open_web(settings)
    hits = asyncio.run(web.search(_checked_query(arguments.query), settings.web_top_k))
    document = {
        "web": web.name,
        "content_hash": web.content_hash,
        "items": [hit._asdict() for hit in hits],
        "total": len(hits),
    }
    lines = []
    for number, hit in enumerate(hits, 1):
        seen = "; ".join([hit.snippet, *hit.rows])
        lines.append(flowed(f"{number}. {_line(hit.title)}\n   {_line(hit.url)}\n   {_line(seen)}", 0))
    print_document(arguments, document, *(lines or ["nothing found"]))
    return 0


def _line(text: str) -> str:
    return one_line(text, 2000)


def _read(arguments: argparse.Namespace) -> int:
    settings = shop_settings_of(arguments)
    with ExitStack() as stack:
        shop = stack.enter_context(open_shop(arguments.shop, settings)) if arguments.shop else None
        page = asyncio.run(open_web(settings, shop=shop, searching=False).read(_checked_query(arguments.url)))
    if arguments.json:
        digest = None if page.markdown is None else text_hash(page.markdown)
        print_json({**page._asdict(), "sha256": digest})
    elif page.markdown is not None:
        print(page.markdown)
    if page.status != "ok":
        notice(f"web read: {_line(page.url)}: {page.status}: {page.reason}")
    return 0 if page.status == "ok" else 1


def _build(arguments: argparse.Namespace) -> int:
    manifest = build_sandbox(Path(arguments.folder), Path(arguments.out))
    kinds = ", ".join(f"{count} {kind}" for kind, count in manifest["kinds"].items())
    counts = f"{manifest['documents']} documents ({kinds}), hash {manifest['content_hash'][:16]}"
    then = f'next: drr web search "..." --sandbox {arguments.out}'
    print_document(arguments, manifest, f"{arguments.out}: {counts}", then)
    return 0


def _record(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    web = open_recorder(settings, Path(arguments.out))
    queries = [_checked_query(query) for query in arguments.queries]
    summary = asyncio.run(record_searches(web, queries, settings.web_top_k))
    good = sum(status == "ok" for status in summary["pages"].values())
    pages = f"{len(summary['pages'])} pages of which {good} are readable"
    print_document(
        arguments,
        summary,
        f"{arguments.out}: {summary['searches']} searches, {summary['hits']} hits, {pages}",
        f"next: drr web replay {arguments.out}, or --web replay --web-record {arguments.out}",
    )
    return 0


def _replay(arguments: argparse.Namespace) -> int:
    web = ReplayWeb(Path(arguments.folder), system_clock)
    searches = [
        {key: kept.get(key) for key in ("query", "top_k", "engine", "time")}
        for kept in web.searches.records()
    ]
    pages: list[JsonObject] = [
        {key: kept.get(key) for key in ("url", "final_url", "status", "reason", "time", "reader", "sha256")}
        for kept in web.pages.records()
    ]
    print_document(
        arguments,
        {"content_hash": web.content_hash, "searches": searches, "pages": pages},
        f"{arguments.folder}: {len(searches)} searches, {len(pages)} pages, hash {web.content_hash[:16]}",
        *(
            f"  search {_line(str(one['query']))!r} ({one['engine']}, top {one['top_k']}, {one['time']})"
            for one in searches
        ),
        *(f"  {page['status']!s:<11} {_line(str(page['url']))}" for page in pages),
    )
    return 0
