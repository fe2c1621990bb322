"""The command `drr tools mcp`: serves a shop to MCP clients, as its nine tools or under another protocol's names."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.console import add_setting_options, settings_of
from drr.app.session import tool_context
from drr.env.errors import DrrError, Misuse
from drr.env.query import read_queries
from drr.tools.access import in_capitals
from drr.tools.faces import all_faces, face
from drr.tools.guard import TokenGuard, new_token, token_in
from drr.tools.own import offered_tools
from drr.tools.sessions import ForUsers

if TYPE_CHECKING:
    from drr.tools.base import ToolContext
    from starlette.types import ASGIApp

_EXAMPLES = """\
examples:
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1           # stdio, for a client that starts it
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --http 8765   # http://127.0.0.1:8765/mcp, prints a token
  drr tools mcp --shop demo/shop --http 8765 --queries demo/queries.jsonl   # a client names its user: DRR-User or DRR-Query, or the address
  drr tools mcp --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --face ucp   # search_catalog, create_cart, complete_checkout, get_order ...

In a client's configuration:
  {"mcpServers": {"shop": {"command": "drr", "args": ["tools", "mcp", "--shop", "demo/shop", "--user", "..."]}}}"""


def build(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXAMPLES
    add("--shop", required=True, metavar="SHOP", help="a folder, or servers:NAME")
    add(
        "--user",
        metavar="USER",
        help="whose session this is; over HTTP without it, each client names its user",
    )
    add(
        "--face",
        choices=tuple(all_faces()),
        default="shop",
        help="the names and forms that clients see: the shop's nine tools, or catalogue, carts, checkouts and orders as the Universal"
        " Commerce Protocol has them (ucp; docs/tools.md)",
    )
    add("--open-access", action="store_true", help="let the tools read every user's data")
    add("--http", type=int, metavar="PORT", help="serve on this port of 127.0.0.1 instead of stdio")
    add(
        "--token-file",
        metavar="FILE",
        help="the token of --http is read from here, and made here if the file is not there (default: a new one, printed)",
    )
    add(
        "--queries",
        metavar="FILE",
        help="with --http: a client may name its user by a query of this file, with the header DRR-Query or at /mcp/queries/ID;"
        " DRR-User and /mcp/users/USER name one directly",
    )
    add(
        "--many-users",
        action="store_true",
        help="with --http and --user: a client may name another user; without --user each names its own",
    )
    add_setting_options(
        parser, "search", "web", "sandbox", "web_record", "web_top_k", "shop_url", "tools", "without"
    )


def run(arguments: argparse.Namespace) -> int:
    from drr.tools.mcp import ShopServer

    if arguments.http is None:
        for option in ("token_file", "queries", "many_users"):
            if getattr(arguments, option):
                raise Misuse(
                    f"--{option.replace('_', '-')}: only with --http; over stdio the client that starts us is the only one"
                )
    else:
        _check_port(arguments.http)
    queries = None
    if arguments.queries is not None:
        queries = {query.id: query.user_id for query in read_queries(Path(arguments.queries))}
    settings = settings_of(arguments).settings
    with tool_context(arguments.shop, arguments.user, settings, open_access=arguments.open_access) as ctx:
        shown = face(arguments.face) if arguments.face != "shop" else None
        server = ShopServer(ctx, face=shown, names=offered_tools(settings.tools, settings.without))
        if arguments.http is None:
            server.run("stdio")
        else:
            only = None if arguments.many_users else arguments.user
            users = ForUsers(server.http_app(), partial(_find_user, ctx, only), queries)
            _serve(users, arguments.http, _token(arguments.token_file), server.documents)
    return 0


def _find_user(ctx: ToolContext, only: str | None, name: str) -> str | None:
    """Return the user of a name; `None` for nobody, and for another than the `only` one that is served."""
    if only is not None:
        return only if name.upper() == only.upper() else None
    user = in_capitals(name, ctx.session.shop.store.user)
    return None if user is None else user.user_id


def _token(file: str | None) -> str:
    """Return the token, and say where it lies. A token made for this run is printed once on standard error, apart from the answers on standard output."""

    if file is None:
        token = new_token()
        print(f"token of this run: {token}", file=sys.stderr)
        return token
    token, made = token_in(Path(file))
    print(f"token {'made' if made else 'read'} in {file}", file=sys.stderr)
    return token


def _serve(app: ASGIApp, port: int, token: str, public: Collection[str]) -> None:
    import uvicorn
    from drr.app.pages.serve import PatientProtocol

    print(
        f"serving http://127.0.0.1:{port}/mcp until Ctrl-C; clients send `Authorization: Bearer TOKEN`, or take"
        f" http://127.0.0.1:{port}/t/TOKEN/mcp; /mcp/users/USER is that user's",
        file=sys.stderr,
        flush=True,
    )
    config = uvicorn.Config(
        TokenGuard(app, token, by_address=True, public=public),
        host="127.0.0.1",
        port=port,
        log_level="warning",
        access_log=False,
        http=PatientProtocol,
    )
    uvicorn.Server(config).run()  # `uvicorn.run` calls a Ctrl-C before the first request a failure


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
