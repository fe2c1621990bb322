"""Addresses that may hold a password: whether a client reads them right, and what of them may be shown."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.trust import is_loopback, place_of

UNCLEAR = "the given address"
_SECRET_OPTION = re.compile(r"pass|propert|token|key|secret", re.IGNORECASE)
_ASKS_FOR_TLS = re.compile(r"[?&](?:tls|ssl)\w*=(?!false)", re.IGNORECASE)
# A shorter piece stands in a sentence by chance.
_SHORTEST_PIECE = 3


def host_of(address: str) -> str:
    """Host and port of an address, without user, password, or anything else that should not be printed."""
    if not is_clear(address):
        return UNCLEAR
    hosts = re.split(r"[/?]", address.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]
    return UNCLEAR if not hosts or "#" in hosts else hosts


def is_clear(address: str) -> bool:
    """Tell whether all before the `@` is user and password. A password with `/` in it as it is puts its rest
    where a host or a database is looked for."""
    scheme, colon, rest = address.partition("://")
    ends = r"[/?#]" if scheme.startswith("http") else r"[/?]"
    return bool(colon) and "@" not in "".join(re.split(ends, rest, maxsplit=1)[1:])


def checked_address(settings: Settings, setting: str) -> str:
    """The address of this setting. `Misuse`, which quotes nothing, where it is not clear; and where this user did not name it."""
    address: str = getattr(settings, setting).get_secret_value()
    if "@" in address and not is_clear(address):
        raise Misuse(
            f"setting {setting}: cannot be read: it has no :// in front, or a letter in the user or password stands as it is; "
            "write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A, % as %25 (and an @ in an option as %40)"
        )
    # A study or a `drr.toml` of somebody else does not choose the servers that this user's key and questions go to.
    who = settings.unnamed.get(setting)
    if who is not None and not is_loopback(address):
        place = place_of(address)
        raise Misuse(
            f"{who} names {place} as {setting}, and you did not: nothing is sent there; --trust-address {place} if you know"
            f" whose it is, or set DRR_{setting.upper()}"
        )
    return address


def has_user(address: str) -> bool:
    return "@" in address


def asks_for_tls(address: str) -> bool:
    return address.lower().startswith(("https://", "mongodb+srv://")) or bool(_ASKS_FOR_TLS.search(address))


def refused_address(setting: str, error: Exception, address: str) -> Misuse:
    """Quote what the client says of an address, unless a piece of something secret is in it."""
    reason = plain(error)
    if any(piece.lower() in reason.lower() for piece in _secrets(address)):
        reason = (
            "the client cannot read it, and what it says of it is not repeated here because it quotes from it"
        )
    return Misuse(f"setting {setting}: {reason}; see `drr env settings`")


def _secrets(address: str) -> set[str]:
    rest = address.partition("://")[2] or address
    user, _, beyond = rest.rpartition("@")
    options = beyond.partition("?")[2]
    found = re.split(r"[^\w]+", user) + re.split(r"[^\w]+", unquote(user))
    for name, value in parse_qsl(options, keep_blank_values=True):
        if _SECRET_OPTION.search(name) or has_user(address):
            found += [value, *re.split(r"[^\w]+", value)]
    return {
        piece for piece in found if len(piece) >= _SHORTEST_PIECE and piece.lower() not in ("true", "false")
    }


def plain(error: Exception) -> str:
    """The first line, without an address that may hold a password."""
    text = (str(error).splitlines() or [""])[0].split(", full error:")[0]
    return " ".join(word if "@" not in word else "(address)" for word in text.split())[:300]
