"""The command `drr shop servers password`: makes the password of the servers behind a `servers:` shop."""

from __future__ import annotations

import argparse
import os
import re
import secrets
from pathlib import Path

from drr.app.console import print_document
from drr.env.errors import DrrError
from drr.env.files import read_file
from drr.env.setting_sources import DOTENV

_EXAMPLES = """\
Once, before `docker compose up -d` (docs/servers.md). In a clone, `make servers DO=start` starts test servers without a password.

examples:
  drr shop servers password"""
_BYTES = 24


def _write_credentials(file: Path) -> tuple[str, ...]:
    """Append password and addresses to a file; return the names written. Raise `DrrError` for a file that has one of them: a volume knows only its first password."""
    # Hexadecimal digits mean the same in an address, in a shell and to compose.
    password = secrets.token_hex(_BYTES)
    values = {
        "DRR_PASSWORD": password,
        "DRR_MONGODB_URL": f"mongodb://drr:{password}@127.0.0.1:27017",
        "DRR_ELASTICSEARCH_URL": f"http://elastic:{password}@127.0.0.1:9200",
    }
    try:
        there = read_file(file).decode() if file.exists() else ""
        for name in values:
            if re.search(rf"^\s*(?:export\s+)?{name}\s*=", there, re.MULTILINE):
                raise DrrError(
                    f"{file} has {name} already and is left as it is: servers keep the password of their first start. "
                    "To begin afresh, remove these lines, and the data with `docker compose down --volumes`"
                )
        # The file is readable by this user alone before anything is written into it.
        with os.fdopen(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8"
        ) as sink:
            os.fchmod(sink.fileno(), 0o600)
            sink.write("\n" if there and not there.endswith("\n") else "")
            sink.writelines(f"{name}={value}\n" for name, value in values.items())
    except (OSError, UnicodeDecodeError) as error:
        raise DrrError(
            f"{file} cannot be written: {getattr(error, 'strerror', None) or 'it is not a text'}"
        ) from None
    return tuple(values)


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="password")
    password = commands.add_parser(
        "password", help="make the password of docker-compose.yml, and print it nowhere"
    )
    password.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    names = _write_credentials(Path(DOTENV))
    print_document(
        arguments,
        {"file": DOTENV, "names": list(names)},
        f"{DOTENV} holds {', '.join(names)}. `docker compose up -d` reads it; for drr in this shell:",
        f"set -a; . ./{DOTENV}; set +a",
    )
    return 0
