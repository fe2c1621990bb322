"""`drr shop servers`: the password of a `servers:` shop's real servers, and test servers for machines without a container engine."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from drr.app import testservers
from drr.app.console import show
from drr.app.testservers import Found, write_credentials
from drr.env.errors import DrrError

_PORTS = {"mongodb": 27017, "elasticsearch": 9200}
_EXAMPLES = """\
A real Elasticsearch node and a server that speaks MongoDB's protocol (it is not MongoDB), without security, on this
machine only: to try a servers: shop and to test. For real use: `drr shop servers password` once, then `docker compose up -d`
(docs/servers.md).

examples:
  drr shop servers password
  drr shop servers start
  drr shop copy demo/shop servers:demo
  drr shop search servers:demo "bird feeder"
  drr shop servers stop"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="start|stop|status|password")
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
    password = commands.add_parser(
        "password", help="make the password of docker-compose.yml, and print it nowhere"
    )
    password.add_argument(
        "--file", type=Path, default=Path(".env"), metavar="FILE", help="where it is written, default .env"
    )
    for one in (start, stop, status, password):
        one.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    actions = {"start": _start, "stop": _stop, "status": _status, "password": _password}
    return actions[arguments.action](arguments)


def _password(arguments: argparse.Namespace) -> int:
    names = write_credentials(arguments.file)
    show(
        arguments,
        {"file": str(arguments.file), "names": list(names)},
        f"{arguments.file} holds {', '.join(names)}. `docker compose up -d` reads it; for drr in this shell:",
        f"set -a; . {_in_shell(arguments.file)}; set +a",
    )
    return 0


def _in_shell(file: Path) -> str:
    return shlex.quote(str(file) if file.is_absolute() else f"./{file}")


def _start(arguments: argparse.Namespace) -> int:
    there = testservers.found()
    for kind in testservers.KINDS:
        if kind in there:
            if there[kind].url is None:
                raise DrrError(
                    f"{kind} was started before (process {there[kind].pid}) and does not answer; `drr shop servers stop` stops it"
                )
            continue
        port = getattr(arguments, f"{kind}_port")
        if port and testservers.answers(port):
            raise DrrError(
                f"port {port} is in use, perhaps by a {kind} that runs already; stop it, or give --{kind}-port"
            )
        server = testservers.start(kind, testservers.home_of(kind), port=port, heap_mb=arguments.heap_mb)
        server.leave_running()
    return _status(arguments)


def _stop(arguments: argparse.Namespace) -> int:
    for server in testservers.found().values():
        testservers.stop_process(server.pid)
    _status(arguments)
    return 0


def _status(arguments: argparse.Namespace) -> int:
    there = testservers.found()
    show(
        arguments,
        {kind: asdict(there[kind]) if kind in there else None for kind in testservers.KINDS},
        "\n".join([*_states(there), f"{'data':<14} {testservers.WORK / 'data'}", *_exports(there)]),
    )
    answering = [server for server in there.values() if server.url is not None]
    return 0 if len(answering) == len(testservers.KINDS) else 1


def _states(there: Mapping[str, Found]) -> Iterator[str]:
    for kind in testservers.KINDS:
        server = there.get(kind)
        if server is None:
            state = "not running"
        else:
            state = server.url or f"process {server.pid} does not answer; `drr shop servers stop` stops it"
        yield f"{kind:<14} {state}"


def _exports(there: Mapping[str, Found]) -> Iterator[str]:
    """Yield what to set where a server listens elsewhere than on its usual port."""
    for kind, port in _PORTS.items():
        url = there[kind].url if kind in there else None
        if url is not None and not url.endswith(f":{port}"):
            yield f"export DRR_{kind.upper()}_URL={url}"
