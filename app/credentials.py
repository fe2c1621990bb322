"""The password of the servers that docker-compose.yml starts: made once, written into a file for compose and drr, never printed."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from drr.env.errors import DrrError

_BYTES = 24


def write_credentials(file: Path) -> tuple[str, ...]:
    """The names written. A file that has one of them already is left alone: a volume knows only its first password."""
    # Of letters that mean the same in an address, in a shell and to compose.
    password = secrets.token_hex(_BYTES)
    values = {
        "DRR_PASSWORD": password,
        "DRR_MONGODB_URL": f"mongodb://drr:{password}@127.0.0.1:27017",
        "DRR_ELASTICSEARCH_URL": f"http://elastic:{password}@127.0.0.1:9200",
    }
    try:
        there = file.read_text(encoding="utf-8") if file.exists() else ""
        for name in values:
            if re.search(rf"^\s*(?:export\s+)?{name}\s*=", there, re.MULTILINE):
                raise DrrError(
                    f"{file} has {name} already and is left as it is: servers keep the password of their first start; "
                    "to begin afresh remove these lines, and the data with `docker compose down --volumes`"
                )
        # Readable by this user alone before there is anything to read.
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
