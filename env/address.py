"""The one type of servers' addresses. Printed in any way it says whom it reaches, and never a user, a password or a query string.

Passwords come unescaped (`me:p@ss/w:rd@host`), and then nobody can tell where the host begins: such an address is not shown at all.
"""

from __future__ import annotations

import re

from pydantic import SecretStr

HIDDEN = "[hidden]"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_HOST = r"(?:\[[0-9A-Fa-f:.%]+\]|[\w.-]+)(?::[0-9]{1,5})?"
_HOSTS = re.compile(rf"{_HOST}(?:,{_HOST})*")
_BARE = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::[0-9]{1,5})?(?:/[\w./-]*)?|[\w-]+:[0-9]{1,5}")
_OPTION = re.compile(
    r"/[^/?@]*\?(?:[^@]*&)?(?:authSource|authMechanismProperties|appName|proxyUsername|proxyPassword)=[^&@]*"
)
_ODD = re.compile(r"[\s\\\x00-\x20\x7f]")


class ServerAddress(SecretStr):
    """`get_secret_value()` gives it as the user wrote it; `str` and `repr` show what may be seen."""

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
