"""Trust in strangers' files: addresses, programs and folders that this user vouched for, per study.

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
import stat
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple

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
    """`get_secret_value()` gives it as the user wrote it; `str` and `repr` show what may be seen.

    Passwords come unescaped (`me:p@ss/w:rd@host`), and then nobody can tell where the host begins: such an address is not shown at all.
    """

    def _display(self) -> str:
        return shown(self._secret_value)


def shown(address: str) -> str:
    """Scheme, hosts, ports and path; `[hidden]` for what cannot be told apart from a password."""
    scheme, colon, rest = address.partition("://")
    if not colon:
        return address if _BARE.fullmatch(address) else HIDDEN
    hosts = hosts_of(address)
    if hosts is None or not _SCHEME.fullmatch(scheme):
        return HIDDEN
    path = _split(scheme, rest)[1] if scheme.lower() in ("http", "https") else ""
    return f"{scheme}://{hosts}{re.split(r'[?#]', path, maxsplit=1)[0]}"


def hosts_of(address: str) -> str | None:
    """Hosts and ports as they stand there; `None` where a password may stand in their place."""
    scheme, _, after = address.partition("://")
    authority, rest = _split(scheme, after)
    hosts = authority.rpartition("@")[2]
    if (
        _ODD.search(address)
        or rest.startswith("#")
        or _has_late_user(scheme, rest)
        or not _HOSTS.fullmatch(hosts)
    ):
        return None
    return hosts


def _split(scheme: str, rest: str) -> tuple[str, str]:
    """Split an address as MongoDB's clients do: a `#` is part of a password like any letter."""
    authority = re.split(r"[/?]" if scheme.startswith("mongodb") else r"[/?#]", rest, maxsplit=1)[0]
    return authority, rest[len(authority) :]


def _has_late_user(scheme: str, rest: str) -> bool:
    """Tell whether an `@` behind the host may end a password that was not escaped. Only in an option of
    MongoDB's by name is it surely none."""
    before, at, _ = rest.partition("@")
    return bool(at) and not (scheme.startswith("mongodb") and _OPTION.fullmatch(before))


Named = Literal["address", "agent", "plan", "prices", "prompts", "shop", "study", "web"]
BY_PATH = "named here"
"""The mark of a file named by an option, in place of a hash: later edits are this user's too."""
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
        return _own(Path(given) / "drr")
    try:
        return _own(Path.home() / ".cache" / "drr")
    except RuntimeError:
        return _own(Path(tempfile.gettempdir()) / f"drr-{os.getuid()}")


def _own(folder: Path) -> Path:
    """Return it. Below the temporary folder, where anybody makes names, it is made now; `DrrError` where another user could write."""
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
            document = json.loads(read_within(path, DOCUMENT))
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
