"""Records which addresses, programs and folders in strangers' files this user vouched for, per study.

A study folder and a `drr.toml` in the working folder may come from anybody. Names in them are used freely only if this
user gave the same name: by an option, in the environment, in the user's own settings, or once before for the same folder. The
record lies in the user's configuration folder, outside of every study.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import NamedTuple

from drr.env.errors import DrrError
from drr.env.small_files import DOCUMENT, read_within
from pydantic import SecretStr

HIDDEN = "[hidden]"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_ONE_HOST = r"(?:\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(?::[0-9]{1,5})?"
_HOSTS = re.compile(rf"{_ONE_HOST}(?:,{_ONE_HOST})*")
_BARE = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::[0-9]{1,5})?(?:/[\w./-]*)?|[\w-]+:[0-9]{1,5}")
_OPTION = re.compile(
    r"/[^/?@]*\?(?:[^@]*&)?(?:authSource|authMechanismProperties|appName|proxyUsername|proxyPassword)=[^&@]*"
)


class ServerAddress(SecretStr):
    """An address of a server. `get_secret_value()` returns it as the user wrote it; `str` and `repr` hide secrets.

    Passwords may come unescaped (`me:p@ss/w:rd@host`); the beginning of the host is then ambiguous, and the address is not shown at all.
    """

    def _display(self) -> str:
        return printable_address(self._secret_value)


def printable_address(address: str) -> str:
    """Return scheme, hosts, ports and path; `[hidden]` if they cannot be told apart from a password."""
    scheme, colon, rest = address.partition("://")
    if not colon:
        return address if _BARE.fullmatch(address) else HIDDEN
    hosts = hosts_of(address)
    if hosts is None or not _SCHEME.fullmatch(scheme):
        return HIDDEN
    path = _split_address(scheme, rest)[1] if scheme.lower() in ("http", "https") else ""
    return f"{scheme}://{hosts}{re.split(r'[?#]', path, maxsplit=1)[0]}"


def hosts_of(address: str) -> str | None:
    """Return the hosts and ports of an address, or `None` if a password may stand in their place."""
    scheme, _, after = address.partition("://")
    authority, rest = _split_address(scheme, after)
    hosts = authority.rpartition("@")[2]
    if (
        _ODD.search(address)
        or rest.startswith("#")
        or _has_late_user(scheme, rest)
        or not _HOSTS.fullmatch(hosts)
    ):
        return None
    return hosts


def _split_address(scheme: str, rest: str) -> tuple[str, str]:
    """Split an address as MongoDB's clients do: a `#` is part of a password like any letter."""
    authority = re.split(r"[/?]" if scheme.startswith("mongodb") else r"[/?#]", rest, maxsplit=1)[0]
    return authority, rest[len(authority) :]


def _has_late_user(scheme: str, rest: str) -> bool:
    """Tell whether an `@` after the host may end an unescaped password. It surely does not only in an option of MongoDB's
    with a known name."""
    before, at, _ = rest.partition("@")
    return bool(at) and not (scheme.startswith("mongodb") and _OPTION.fullmatch(before))


BY_PATH = "named here"
"""The mark of a file named by an option, stored instead of a hash: later edits are trusted too."""
_HOST = re.compile(r"(?:\[([0-9a-f:]+)\]|([^:\[\]]+))(?::[0-9]{1,5})?")
_ODD = re.compile(r"[\s\\\x00-\x20\x7f]")


def config_folder(environ: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder of this user's own settings and trust records; `None` if the account has no home."""
    environ = os.environ if environ is None else environ
    given = environ.get("XDG_CONFIG_HOME", "")
    if given and Path(given).is_absolute():
        return Path(given) / "drr"
    try:
        return Path.home() / ".config" / "drr"
    except RuntimeError:
        return None


def cache_folder(environ: Mapping[str, str] | None = None) -> Path:
    """Return the folder of this user's caches, which can be made again. A temporary one if the account has no home."""
    environ = os.environ if environ is None else environ
    given = environ.get("XDG_CACHE_HOME", "")
    if given and Path(given).is_absolute():
        return _own_folder(Path(given) / "drr")
    try:
        return _own_folder(Path.home() / ".cache" / "drr")
    except RuntimeError:
        return _own_folder(Path(tempfile.gettempdir()) / f"drr-{os.getuid()}")


def _own_folder(folder: Path) -> Path:
    """Return the folder. Below the shared temporary folder it is made now; raises `DrrError` if another user could write there."""
    shared = Path(tempfile.gettempdir())
    for place in reversed([one for one in (folder, *folder.parents) if shared in one.parents]):
        try:
            with contextlib.suppress(FileExistsError):
                place.mkdir(mode=0o700)
            found = place.lstat()
        except OSError:  # nothing can be kept there, as whoever tries will say
            break
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (0, os.getuid()) or found.st_mode & 0o022:
            raise DrrError(f"{place}: is not this user's alone; remove it, or name a cache in XDG_CACHE_HOME")
    return folder


def origin_of(address: str) -> str:
    """Return scheme, hosts and ports of an address, which decide who receives data. An oddly spelled address equals only itself."""
    scheme, colon, rest = address.partition("://")
    if not colon or _ODD.search(address):
        return address
    hosts = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return f"{scheme.lower()}://{hosts.lower()}"


def is_loopback(address: str) -> bool:
    """Tell whether every host of an address is this machine."""
    scheme, colon, hosts = origin_of(address).partition("://")
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


class TrustedEntries(NamedTuple):
    """Everything vouched for in a folder: kind and value of each entry, with the hash if it is a file."""

    folder: Path
    known: Mapping[str, Mapping[str, str]]

    def has(self, kind: str, value: str, digest: str = BY_PATH) -> bool:
        kept = self.known.get(kind, {}).get(value)
        return kept is not None and kept in (digest, BY_PATH)


def vouched_entries(folder: Path) -> TrustedEntries:
    """Return everything this user vouched for in a folder. An unreadable record vouches for nothing."""
    path = _memory(folder)
    known: dict[str, dict[str, str]] = {}
    with contextlib.suppress(OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        if path is not None:
            document = json.loads(read_within(path, DOCUMENT))
            known = {
                str(kind): {str(value): str(digest) for value, digest in values.items()}
                for kind, values in document["vouched"].items()
            }
    return TrustedEntries(folder, known)


def remember_vouched(folder: Path, kind: str, values: Mapping[str, str]) -> bool:
    """Record that this user vouches for more of a folder, as value and hash (or `BY_PATH`). Return whether that could be stored."""
    before = vouched_entries(folder)
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


def remember_addresses(folders: Iterable[Path], addresses: Sequence[str]) -> None:
    """Record that this user vouches for these addresses in all of the folders. Raise `DrrError` where that cannot be stored."""
    for folder, address in product(folders, map(origin_of, addresses)):
        if not remember_vouched(folder, "address", {address: BY_PATH}):
            raise DrrError(
                f"{address}: cannot be remembered in {config_folder()}; name it by the option of its own, or set XDG_CONFIG_HOME"
            )


def is_known(folder: Path) -> bool:
    """Tell whether this user made or continued this study here. If nothing can be stored, every study counts as known."""
    return "study" in vouched_entries(folder).known or not can_remember()


def can_remember() -> bool:
    """Tell whether trust records can be stored: a home may be missing or not be writable."""
    place = config_folder()
    while place is not None and not place.exists() and place != place.parent:
        place = place.parent
    return place is not None and place.is_dir() and os.access(place, os.W_OK)


def _memory(folder: Path) -> Path | None:
    """Return the file of a folder's trust record. Each folder has its own, so that concurrent commands do not overwrite each other's."""
    home = config_folder()
    return (
        None
        if home is None
        else home / "vouched" / f"{sha256(os.fsencode(folder.resolve())).hexdigest()[:32]}.json"
    )
