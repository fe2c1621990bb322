"""The decisions that a stranger's files may not make alone. Which addresses, programs and folders this user vouched for, study by study.

A study folder and a `drr.toml` in the working folder may come from anybody. What they name is used freely only where this
user named it too: by an option, in the environment, in the user's own settings, or once before for the same folder. The
memory lies in the user's configuration folder, outside of every study.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

Named = Literal["address", "agent", "plan", "prices", "prompts", "shop", "study", "web"]
BY_PATH = "named here"
"""In place of a hash: this user named it by an option, so what they write there later is theirs too."""
_HOST = re.compile(r"(?:\[([0-9a-f:]+)\]|([^:\[\]]+))(?::[0-9]{1,5})?")
_ODD = re.compile(r"[\s\\\x00-\x20\x7f]")


def config_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """The folder of this user's own settings and memory; `None` where the account has no home."""
    environ = os.environ if environ is None else environ
    given = environ.get("XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "drr"
    try:
        return Path.home() / ".config" / "drr"
    except RuntimeError:
        return None


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """The folder of what is kept for this user and can be made again. A temporary one where the account has no home."""
    environ = os.environ if environ is None else environ
    given = environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "drr"
    try:
        return Path.home() / ".cache" / "drr"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"drr-{os.getuid()}"


def place_of(address: str) -> str:
    """Scheme, hosts and ports of an address: what decides who is spoken to. An odd spelling is only ever equal to itself."""
    scheme, colon, rest = address.partition("://")
    if not colon or _ODD.search(address):
        return address
    hosts = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return f"{scheme.lower()}://{hosts.lower()}"


def is_loopback(address: str) -> bool:
    """Tell whether every host of an address is this machine itself."""
    scheme, colon, hosts = place_of(address).partition("://")
    if not colon or scheme.endswith("+srv"):
        return False
    return all(_is_own(host) for host in hosts.split(","))


def _is_own(host: str) -> bool:
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found[1] or found[2]
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


class Vouched(NamedTuple):
    """A folder's vouched things: kind and value of each, with its hash where it is a file's."""

    folder: Path
    known: Mapping[str, Mapping[str, str]]

    def has(self, kind: Named, value: str, digest: str = BY_PATH) -> bool:
        kept = self.known.get(kind, {}).get(value)
        return kept is not None and kept in (digest, BY_PATH)


def vouched(folder: Path) -> Vouched:
    """Everything this user vouched for in what this folder names. A memory that cannot be read vouches for nothing."""
    path = _memory(folder)
    known: dict[str, dict[str, str]] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        if path is not None:
            document = json.loads(path.read_text(encoding="utf-8"))
            known = {
                str(kind): {str(value): str(digest) for value, digest in values.items()}
                for kind, values in document["vouched"].items()
            }
    return Vouched(folder, known)


def vouch(folder: Path, kind: Named, values: Mapping[str, str]) -> bool:
    """Remember more of this folder: value to hash, or to `BY_PATH`. Whether that could be kept."""
    before = vouched(folder)
    if all(before.known.get(kind, {}).get(value) == digest for value, digest in values.items()):
        return True
    path = _memory(folder)
    if path is None:
        return False
    known = {**before.known, kind: {**before.known.get(kind, {}), **values}}
    document = {"schema": 1, "folder": str(folder.resolve()), "vouched": known}
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside.touch(mode=0o600)
        aside.write_text(json.dumps(document, indent=1, sort_keys=True), encoding="utf-8")
        aside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            aside.unlink()
        return False
    return True


def is_known(folder: Path) -> bool:
    """Tell whether this user made or continued this study here. Who can remember nothing knows every one."""
    return "study" in vouched(folder).known or not can_remember()


def can_remember() -> bool:
    """Tell whether this account has a place for the memory: a home may be missing or not be written to."""
    place = config_folder()
    while place is not None and not place.exists() and place != place.parent:
        place = place.parent
    return place is not None and place.is_dir() and os.access(place, os.W_OK)


def _memory(folder: Path) -> Path | None:
    """A file for each folder, so that commands that run at once do not write over each other's."""
    home = config_folder()
    return (
        None
        if home is None
        else home / "vouched" / f"{sha256(os.fsencode(folder.resolve())).hexdigest()[:32]}.json"
    )
