"""The command `drr tools`: lists, describes and calls the nine tools by hand."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from pathlib import Path

from drr.app.console import add_setting_options, print_document, print_json, print_result, settings_of
from drr.app.notices import notice
from drr.app.session import (
    CallDocument,
    call_once,
    call_over_mcp,
    default_user,
    is_agent,
    sample_shop,
    tool_context,
    tool_named,
)
from drr.app.terminal import wrapped_paragraph
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.tools.docs import write_docs
from drr.tools.own import add_own_tools, offered_tools
from drr.tools.registry import EVERY

_EXAMPLES = """\
examples:
  drr tools list
  drr tools schema product_catalog_search
  drr tools call product_catalog_search --shop demo/shop --args '{"query": "bird feeder", "max_price": 40}'
  drr tools call get_user_orders --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1
  drr tools call calculator --shop demo/shop --args '{"expression": "(43.99 + 2*12.50) * 1.08"}' --json
  drr tools docs --out tool-docs"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="list|schema|call|docs")

    listing = commands.add_parser("list", help="name, what it does, writes or not, parameters")
    listing.set_defaults(act=_list)
    listing.add_argument("--json", action="store_true", help="one JSON document")
    add_setting_options(listing, "tools", "without")

    schema = commands.add_parser("schema", help="the JSON Schema the model sees")
    schema.set_defaults(act=_schema)
    schema.add_argument("name", metavar="NAME", help="the name of the tool")
    schema.add_argument("--json", action="store_true", help="it is one JSON document as it is")
    add_setting_options(schema, "tools")

    calling = commands.add_parser("call", help="call one tool; exit 1 if it answers with an error")
    calling.set_defaults(act=_call)
    add = calling.add_argument
    add("name", metavar="NAME", help="the name of the tool")
    add(
        "--shop",
        metavar="SHOP",
        help="a folder, or servers:NAME; an agent that was started with `cmd:` leaves it out",
    )
    add("--user", metavar="USER", help="whose session this is")
    add("--open-access", action="store_true", help="let the tools read every user's data")
    add("--args", default="{}", metavar="JSON", help="the arguments, one JSON object")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(calling, "search", "web", "sandbox", "web_record", "web_top_k", "shop_url", "tools")

    line = "one HTML page: every tool, its schema, a real call and its answer"
    docs = commands.add_parser("docs", help=line)
    docs.set_defaults(act=_docs)
    add = docs.add_argument
    add("--out", required=True, metavar="DIR", help="the folder that the page is written into")
    add("--shop", metavar="SHOP", help="where the calls are made (default: a fresh sample shop)")
    add("--user", metavar="USER", help="whose session (default: one of the shop's users)")
    add("--json", action="store_true", help="one JSON document")
    add_setting_options(docs, "search", "web", "sandbox", "web_record", "web_top_k", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    if arguments.act is not _docs:
        add_own_tools(settings_of(arguments).settings.tools)
    code: int = arguments.act(arguments)
    return code


def _list(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    found = [EVERY[name] for name in offered_tools(settings.tools, settings.without)]
    width, lines = max(len(tool.name) for tool in found) + 2, list[str]()
    for tool in found:
        required = set(tool.schema["required"])
        names = [name if name in required else f"[{name}]" for name in tool.schema["properties"]]
        line = f"{tool.name:<{width}}{'writes' if tool.writes else 'reads ':<8}{tool.summary()}"
        lines.append(wrapped_paragraph(line, width + 8))
        lines.append(wrapped_paragraph(f"{'':<{width + 8}}{' '.join(names)}", width + 8))
    document = [
        {
            "name": tool.name,
            "description": tool.description,
            "writes": tool.writes,
            "parameters": tool.schema["properties"],
            "required": tool.schema["required"],
        }
        for tool in found
    ]
    print_document(arguments, document, *lines)
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    print_json(tool_named(arguments.name).schema)
    return 0


def _arguments(text: str) -> JsonObject:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misuse(
            f'--args: not JSON ({error}); give one object such as \'{{"query": "bird feeder"}}\''
        ) from None
    if not isinstance(given, dict):
        raise Misuse('--args: not an object; give one such as \'{"query": "bird feeder"}\'')
    return given


def _call(arguments: argparse.Namespace) -> int:
    called = _call_tool(arguments, _arguments(arguments.args))
    ok, failure = called["ok"], called["error"]
    print_document(arguments, called, *([called["text"]] if ok else []))
    if not ok:
        kind, message = (failure["kind"], failure["message"]) if failure else ("bug", called["text"])
        is_userless = kind == "not_allowed" and arguments.shop and arguments.user is None
        notice(f"{called['tool']}: {message}{' Give --user USER.' if is_userless else ''}")
    return 0 if ok else 1


def _call_tool(arguments: argparse.Namespace, given: JsonObject) -> CallDocument:
    """Call the tool in the shop, or in the session of an agent started as a command. That one knows tools of its own."""
    if arguments.shop is None:
        if not is_agent():
            raise Misuse("--shop SHOP: a folder, or servers:NAME; e.g. --shop demo/shop")
        return call_over_mcp(arguments.name, given)
    settings, open_access = settings_of(arguments).settings, arguments.open_access
    reply = call_once(
        arguments.shop, arguments.user, arguments.name, given, settings, open_access=open_access
    )
    return reply.document()


def _docs(arguments: argparse.Namespace) -> int:
    settings = settings_of(arguments).settings
    with ExitStack() as stack:
        if arguments.shop is None:
            arguments.shop = stack.enter_context(sample_shop(settings))
        if arguments.user is None:
            arguments.user = default_user(arguments.shop, settings)
        page = write_docs(
            stack.enter_context(tool_context(arguments.shop, arguments.user, settings)), Path(arguments.out)
        )
    print_result(arguments, {"page": str(page)}, str(page))
    return 0
