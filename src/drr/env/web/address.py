"""Checks which addresses may be requested: the form of a URL, and the networks behind a name.

Every URL here was written by a model or by a stranger's page. It may name only an ordinary web server on the public
internet; any other is refused with the reason, before anything is sent.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit

from drr.citations.addresses import host_name

PORTS = {"http": 80, "https": 443}
MAX_URL = 4096
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class Refused(Exception):
    """An address that will not be requested; the message says why."""


class WebAddress(NamedTuple):
    scheme: str
    host: str
    """The host in ASCII, lower case, without brackets or trailing dot."""
    port: int
    target: str
    """The path and the query, quoted."""

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        return self.origin + self.target


def parse(url: str, *, odd_port: int | None = None) -> WebAddress:
    """Return the parts of a URL. Raises `Refused` unless it may be requested; only ports 80, 443 and `odd_port` may be."""
    _check_characters(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Refused("the address is malformed") from None
    if parts.scheme not in PORTS:
        raise Refused(f"only http and https are read, not {parts.scheme[:20] or 'an address without scheme'}")
    if "@" in parts.netloc:
        raise Refused("the address carries a user name")
    try:
        host = host_name(parts.hostname or "")
    except ValueError as wrong:
        raise Refused(str(wrong)) from None
    _check_number(host)
    number = PORTS[parts.scheme] if port is None else port
    if number not in PORTS.values() and number != odd_port:
        raise Refused(f"port {number} is not one of 80 and 443")
    return WebAddress(parts.scheme, host, number, _target(parts))


def _check_number(host: str) -> None:
    """Refuse numbers that clients read differently, such as `010.0.0.1`, `0x7f.1` or `2130706433`. Only the form that all
    clients read alike is requested."""
    if ":" in host or not _NUMBER.fullmatch(host.rpartition(".")[2]):
        return
    try:
        ipaddress.IPv4Address(host)
    except ValueError:
        raise Refused("the address is a number in an odd form") from None


def _check_characters(url: str) -> None:
    if len(url) > MAX_URL:
        raise Refused(f"the address is longer than {MAX_URL} characters")
    if any(c <= " " or c == "\x7f" or c == "\\" or 0xD800 <= ord(c) <= 0xDFFF for c in url):
        raise Refused("the address contains spaces, control characters or backslashes")


def _target(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    query = "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?") if parts.query else ""
    return path + query


# Stated here and not left to `is_global`, whose answer has changed between Python versions.
_CLOSED = [
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        # Azure's own services answer every machine of theirs here, though the address is one of the public ones.
        "168.63.129.16/32",
        # IPv6: what lies inside 2000::/3 and is still not an ordinary host, or wraps an IPv4 address.
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    )
]  # fmt: skip
_OPEN6 = ipaddress.ip_network("2000::/3")
_ISATAP = {0x00005EFE, 0x02005EFE, 0x01005EFE, 0x03005EFE}
"""The values of the bits before the IPv4 address in an ISATAP address, whatever its network (RFC 5214, 6.1)."""


def check_ip(text: str, *, loopback: bool = False) -> None:
    """Raise `Refused` unless the address is an ordinary public one. `loopback` is for tests, which serve from 127.0.0.1."""
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        raise Refused(f"{text[:60]!r} is not an IP address") from None
    if loopback and text == "127.0.0.1":
        return
    if isinstance(ip, ipaddress.IPv6Address) and ip not in _OPEN6:
        # Mapped and compatible IPv4, NAT64, unique local, link-local, site-local, multicast, loopback, unspecified.
        raise Refused(f"{ip} is not a public address")
    if isinstance(ip, ipaddress.IPv6Address) and int(ip) >> 32 & 0xFFFFFFFF in _ISATAP:
        raise Refused(f"{ip} carries an IPv4 address (ISATAP)")
    if any(ip.version == network.version and ip in network for network in _CLOSED):
        raise Refused(f"{ip} is not a public address")
