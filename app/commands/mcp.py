"""`drr mcp`: the nine tools for any MCP client."""

from __future__ import annotations

import argparse

_EXAMPLES = """\
examples:
  drr mcp --shop demo/shop --user AE2PTQTTJ5YBJMUPC6RJ6LT5IWSA           # stdio, for a client that starts it
  drr mcp --shop demo/shop --user AE2PTQTTJ5YBJMUPC6RJ6LT5IWSA --http 8765   # http://127.0.0.1:8765/mcp

In a client's configuration:
  {"mcpServers": {"shop": {"command": "drr", "args": ["mcp", "--shop", "demo/shop", "--user", "..."]}}}"""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.console import add_setting_options

    parser.epilog = _EXAMPLES
    parser.add_argument("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    parser.add_argument("--user", metavar="USER", help="whose session this is")
    parser.add_argument("--open-access", action="store_true", help="let the tools read every user's data")
    parser.add_argument(
        "--http", type=int, metavar="PORT", help="serve on this port of 127.0.0.1 instead of stdio"
    )
    add_setting_options(parser, "search", "web", "sandbox", "web_record", "web_top_k", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    import sys

    from drr.app.by_hand import tool_context
    from drr.app.console import settings_of
    from drr.tools.mcp import ShopServer

    if arguments.http is not None:
        _check_port(arguments.http)
    with tool_context(arguments, settings_of(arguments).settings) as ctx:
        server = ShopServer(ctx)
        if arguments.http is None:
            server.run("stdio")
        else:
            print(f"serving http://127.0.0.1:{arguments.http}/mcp until Ctrl-C", file=sys.stderr, flush=True)
            server.run("streamable-http", host="127.0.0.1", port=arguments.http)
    return 0


def _check_port(port: int) -> None:
    import socket

    from drr.env.errors import DrrError, Misuse

    if not 1 <= port <= 65535:
        raise Misuse(f"--http {port}: a port is a number from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise DrrError(
                f"--http {port}: cannot be used ({error.strerror}); choose another port"
            ) from error
