"""`drr tools mcp`: the shop for any MCP client, as its nine tools or under another protocol's names."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_setting_options, settings_of
from drr.app.session import tool_context
from drr.env.errors import DrrError, Misuse
from drr.tools.guard import TokenGuard, new_token, token_in
from drr.tools.registry import all_faces, face

if TYPE_CHECKING:
    from drr.tools.mcp import ShopServer

_EXAMPLES = """\
examples:
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1           # stdio, for a client that starts it
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --http 8765   # http://127.0.0.1:8765/mcp, prints a token
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --face ucp   # search_catalog, lookup_catalog, get_product, get_order

In a client's configuration:
  {"mcpServers": {"shop": {"command": "drr", "args": ["mcp", "--shop", "demo/shop", "--user", "..."]}}}"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add("--user", metavar="USER", help="whose session this is")
    add(
        "--face",
        choices=tuple(all_faces()),
        default="shop",
        help="the names and forms that clients see: the shop's nine tools, or catalogue and orders as the Universal Commerce Protocol"
        " has them (ucp: no cart, no checkout; docs/tools.md)",
    )
    add("--open-access", action="store_true", help="let the tools read every user's data")
    add("--http", type=int, metavar="PORT", help="serve on this port of 127.0.0.1 instead of stdio")
    add(
        "--token-file",
        metavar="FILE",
        help="the token of --http is read from here, and made here if the file is not there (default: a new one, printed)",
    )
    add_setting_options(parser, "search", "web", "sandbox", "web_record", "web_top_k", "shop_url")


def run(arguments: argparse.Namespace) -> int:
    from drr.tools.mcp import ShopServer

    if arguments.http is None:
        if arguments.token_file is not None:
            raise Misuse(
                "--token-file: only with --http; over stdio the client that starts us is the only one"
            )
    else:
        _check_port(arguments.http)
    with tool_context(
        arguments.shop, arguments.user, settings_of(arguments).settings, open_access=arguments.open_access
    ) as ctx:
        server = ShopServer(ctx, face=face(arguments.face))
        if arguments.http is None:
            server.run("stdio")
        else:
            _serve(server, arguments.http, _token(arguments.token_file))
    return 0


def _token(file: str | None) -> str:
    """Find the token and say where. One made for this run only is printed itself, once, and not into the answers on standard output."""

    if file is None:
        token = new_token()
        print(f"token of this run: {token}", file=sys.stderr)
        return token
    token, made = token_in(Path(file))
    print(f"token {'made' if made else 'read'} in {file}", file=sys.stderr)
    return token


def _serve(server: ShopServer, port: int, token: str) -> None:
    import uvicorn
    from drr.app.pages.serve import PatientProtocol

    guarded = TokenGuard(server.streamable_http_app(host="127.0.0.1"), token)
    print(
        f"serving http://127.0.0.1:{port}/mcp until Ctrl-C; clients send `Authorization: Bearer TOKEN`",
        file=sys.stderr,
        flush=True,
    )
    uvicorn.run(guarded, host="127.0.0.1", port=port, log_level="warning", http=PatientProtocol)


def _check_port(port: int) -> None:
    import socket

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
