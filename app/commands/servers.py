"""`drr servers`: start and stop the test servers of a `servers:` shop, for machines with a JDK and no container engine."""

from __future__ import annotations

import argparse
from typing import Any

_PORTS = {"mongodb": 27017, "elasticsearch": 9200}
_EXAMPLES = """\
A real Elasticsearch node and a server that speaks MongoDB's protocol (it is not MongoDB), without security, on this
machine only: to try a servers: shop and to test. For real use: `docker compose up -d`, docs/servers.md.

examples:
  drr servers start
  drr shop copy demo/shop servers:demo
  drr shop search servers:demo "bird feeder"
  drr servers stop"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="start|stop|status")
    start = commands.add_parser("start", help="start both and say where they are")
    for kind, port in _PORTS.items():
        start.add_argument(
            f"--{kind}-port",
            type=int,
            default=port,
            metavar="PORT",
            help=f"default {port}; 0 for any free one",
        )
    start.add_argument("--heap-mb", type=int, default=512, metavar="MB", help="memory of each, default 512")
    stop = commands.add_parser("stop", help="stop both; their data stay")
    status = commands.add_parser("status", help="which of them run; exit 1 if not both")
    for one in (start, stop, status):
        one.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    return {"start": _start, "stop": _stop, "status": _status}[arguments.action](arguments)


def _start(arguments: argparse.Namespace) -> int:
    from app import testservers
    from env.errors import DrrError

    state = _running()
    for kind in testservers.KINDS:
        if kind in state:
            continue
        port = getattr(arguments, f"{kind}_port")
        if port and testservers.answers(port):
            raise DrrError(
                f"port {port} is in use, perhaps by a {kind} that runs already; stop it, or give --{kind}-port"
            )
        home = testservers.WORK / "data" / kind
        server = testservers.start(kind, home, port=port, heap_mb=arguments.heap_mb)
        state[kind] = {"pid": server.process.pid, "url": server.url}
        _keep(state)
    return _say(arguments, state)


def _stop(arguments: argparse.Namespace) -> int:
    from app import testservers

    for server in _running().values():
        testservers.stop_process(server["pid"])
    _keep({})
    _say(arguments, {})
    return 0


def _status(arguments: argparse.Namespace) -> int:
    return _say(arguments, _running())


def _say(arguments: argparse.Namespace, state: dict[str, dict[str, Any]]) -> int:
    from app import testservers
    from app.console import print_json

    if arguments.json:
        print_json({kind: state.get(kind) for kind in testservers.KINDS})
    else:
        for kind in testservers.KINDS:
            server = state.get(kind)
            print(f"{kind:<14} {'not running' if server is None else server['url']}")
        moved = [
            kind
            for kind, port in _PORTS.items()
            if kind in state and not state[kind]["url"].endswith(f":{port}")
        ]
        for kind in moved:
            print(f"export DRR_{kind.upper()}_URL={state[kind]['url']}")
    return 0 if len(state) == len(testservers.KINDS) else 1


def _running() -> dict[str, dict[str, Any]]:
    """What was started from here and is still there."""
    import orjson

    from app import testservers

    try:
        state: dict[str, dict[str, Any]] = orjson.loads((testservers.WORK / "state.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return {
        kind: server
        for kind, server in state.items()
        if testservers.alive(server["pid"]) and testservers.answers(int(server["url"].rpartition(":")[2]))
    }


def _keep(state: dict[str, dict[str, Any]]) -> None:
    import orjson

    from app import testservers

    testservers.WORK.mkdir(parents=True, exist_ok=True)
    (testservers.WORK / "state.json").write_bytes(orjson.dumps(state))
