"""Tries at what is asked of the network: private hosts in every spelling, robots.txt, charsets, whom we call this machine, who hears of it."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import socket
from collections.abc import Iterator
from itertools import product
from random import Random
from unittest.mock import patch

from drr.env import trust
from drr.env.web.address import Refused, check_ip
from drr.env.web.fetch import AGENT, Fetcher, FetchFailure, known_charset
from drr.env.web.live import _decode
from drr.env.web.robots import Robots
from drr.llm import models
from drr.llm.calls import no_proxy_for_this_machine, tracing_off
from drr.tools.guard import TokenGuard
from starlette.types import Message, Receive, Scope, Send

from tests.security.tries import Area, mixed

CLOSED = (
    "127.0.0.1", "127.1.2.3", "10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.9.9", "192.168.1.1", "169.254.169.254",
    "168.63.129.16", "100.64.0.1", "0.0.0.0", "0.1.2.3", "192.0.0.192", "198.18.0.1", "224.0.0.1", "255.255.255.255",
)  # fmt: skip
FULL = str.maketrans("0123456789.", "０１２３４５６７８９．")
CIRCLED = str.maketrans("123456789", "①②③④⑤⑥⑦⑧⑨")


def spellings(ip: str) -> Iterator[str]:
    """Hosts that some client somewhere takes for this address."""
    a, b, c, d = (int(part) for part in ip.split("."))
    number = int(ipaddress.IPv4Address(ip))
    high, low = number >> 16, number & 0xFFFF
    yield from (
        ip,
        f"{ip}.",
        str(number),
        hex(number),
        oct(number).replace("o", ""),
        f"0{number:o}",
        f"{number:#X}",
    )
    yield from (
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{low}",
        f"{a:#x}.{b:#x}.{c:#x}.{d:#x}",
        f"{a:#o}.{b}.{c}.{d}".replace("o", ""),
    )
    yield from (
        f"{a:03}.{b:03}.{c:03}.{d:03}",
        f"{a + 256}.{b}.{c}.{d}",
        f"{a:#x}.{b}.{low}",
        ip.replace(".", "%2e"),
        ip.replace(".", "。"),
    )
    yield from (
        ip.translate(FULL), ip.translate(CIRCLED), "".join(f"%{ord(x):02x}" for x in ip), f"{ip}%00.example",
        f"{ip}%20",
    )  # fmt: skip
    for six in (f"::ffff:{ip}", f"::{ip}", f"::ffff:0:{ip}", f"64:ff9b::{ip}", f"64:ff9b:1::{ip}", f"2002:{high:x}:{low:x}::1",
                f"2001:0:{high:x}:{low:x}::", f"2606:4700::5efe:{ip}", f"2a00:1450::200:5efe:{ip}", f"fe80::5efe:{ip}",
                f"::ffff:{high:x}:{low:x}", f"0:0:0:0:0:ffff:{high:x}:{low:x}", f"fec0::{ip}", f"fd00::{high:x}:{low:x}",
                f"::ffff:{ip}%25eth0", f"3fff::{high:x}:{low:x}", f"ff02::{high:x}:{low:x}"):  # fmt: skip
        yield f"[{six}]"
    yield from (f"{ip}.nip.example", f"name-{a}-{b}-{c}-{d}.example")


AROUND = (
    "http://{}/", "https://{}/x?y=z", "HTTP://{}:80/", "http://{}:443/latest/meta-data/", "http://user@{}/", "http://{}:8080/",
    "http://evil.example@{}/", "http://{}#@evil.example/", "http://{}?@evil.example/", "http:\\\\{}\\", "http://evil.example\\@{}/",
    "//{}/", "http:/{}/", "ftp://{}/", "http://{}\t/", "http://\r\n{}/", "gopher://{}/",
)  # fmt: skip


def fetcher_forms(chance: Random) -> Iterator[str]:
    every = [(form, host) for ip in CLOSED for host in spellings(ip) for form in AROUND]
    chance.shuffle(every)
    yield from (form.format(host) for form, host in every)


class AskedError(Exception):
    """The next thing would be a connection, and no try makes one."""


async def _system(host: str, port: int) -> list[str]:
    """As a system's own look-up reads numbers; every name of the tries leads to this network."""
    found = [host] if ":" in host else []
    if not found:
        try:
            found = [socket.inet_ntoa(socket.inet_aton(host))]
        except OSError:
            found = ["192.168.7.7"] if host.endswith(".example") and host != "evil.example" else []
    for ip in found:
        try:
            check_ip(ip)
        except Refused:
            continue
        raise AskedError(ip)
    return found


def is_asked(url: str) -> str | None:
    """Whether the guarded fetcher sends anything for it; it may only refuse, or find no such name."""
    fetcher = Fetcher(timeout=2, respect_robots=False, resolver=_system)
    try:
        asyncio.run(fetcher.fetch(url))
    except AskedError as asked:
        return f"asked at {asked}"
    except FetchFailure as failure:
        known = failure.reason.startswith("refused: ") or "does not resolve" in failure.reason
        return None if known else failure.reason
    return "read"


def robots(chance: Random) -> Iterator[tuple[str, str]]:
    """(file, path that it forbids, by a reading that shares nothing with ours)."""
    heads = (
        "User-agent: *",
        "user-agent : DeepResearchRetail/2",
        "\ufeffUSER-AGENT: *",
        "User-agent: a\nUser-agent: deepresearchretail",
        "User-agent: * # all",
    )
    while True:
        rules = [(chance.choice("ad"), "/" + mixed(chance, ("a", "b", "*", "/", "ab", "%62"), 5) + chance.choice(("", "$")))
                 for _ in range(chance.randint(1, 4))]  # fmt: skip
        path = "/" + mixed(chance, ("a", "b", "/", "ab"), 6)
        if _forbidden(rules, path):
            lines = [f"{'Allow' if kind == 'a' else 'Disallow'}: {pattern}" for kind, pattern in rules]
            end = chance.choice(("\n", "\r\n", "\r"))
            yield end.join([chance.choice(heads).replace("\n", end), *lines]), path


def _forbidden(rules: list[tuple[str, str]], path: str) -> bool:
    best: tuple[int, bool] = (-1, True)
    for kind, pattern in rules:
        plain = pattern.replace("%62", "b")
        body = ".*".join(re.escape(part) for part in plain.removesuffix("$").split("*"))
        if re.match(body + (r"\Z" if plain.endswith("$") else ""), path):
            best = max(best, (len(plain), kind == "a"))
    return not best[1]


def is_allowed(given: tuple[str, str]) -> str | None:
    return "allowed" if Robots(given[0].encode(), AGENT).allows(given[1]) else None


def charsets(chance: Random) -> Iterator[tuple[str, bytes]]:
    parts = ("utf-8", "utf", "8", "-", "_", ",", "text/html", "gb", "2312", "18030", "iso-8859-", "1", "99", "windows-125", "latin", "cp125", "big5", "euc-", "jp", "hex", "rot13", "koi8-", "shift_jis", "\0", " ", "é", "undefined", "idna", "base64")  # fmt: skip
    while True:
        yield mixed(chance, parts, 4), chance.randbytes(chance.randint(0, 12))


def ends_reading(given: tuple[str, bytes]) -> str | None:
    label, body = given
    try:
        for text in (
            _decode(body, known_charset(label)),
            _decode(b'<meta charset="' + label.encode() + b'">' + body, None),
        ):
            text.encode("utf-8")
    except Exception as error:
        return repr(error)
    return None


def own_machines(chance: Random) -> Iterator[str]:
    starts = ("http://", "https://", "HTTP://", "http:/", "http:", "mongodb://", "")
    parts = ("127.0.0.1", "localhost", "[::1]", "evil.example", ".evil.example", "@", ":1", ":", "/", "\\", "#", "?", " ", "%2e", "%00", "\t", "user:pw@", "0x7f.1", "LOCALHOST", ".", ",", "１")  # fmt: skip
    while True:
        yield chance.choice(starts) + mixed(chance, parts, 5)


def is_taken_for_own(address: str) -> str | None:
    """Whom we call this machine gets keys and no question; the library that sends decides who is spoken to."""
    import httpx

    ours = [one.__name__ for one in (trust, models) if one.is_loopback(address)]
    if not ours or not address.lower().startswith("http"):
        return None
    try:
        host = httpx.URL(address).host
    except httpx.InvalidURL:
        return None
    return None if host in ("127.0.0.1", "localhost", "::1") else f"{ours} take {host} for this machine"


def names_of_servers(chance: Random) -> Iterator[tuple[str, str, str]]:
    """(`Host`, `Origin`, kind of connection)."""
    parts = ("127.0.0.1", "localhost", "[::1]", "evil.example", ":8765", ":1", ":", "@", ".", "/", "#", "?", "\\", ",", " ", "%40", "%2e", "::1", "LOCALHOST", "0x7f.1", "é")  # fmt: skip
    while True:
        host = mixed(chance, parts, 4)
        origin = chance.choice(
            ("", f"http://{host}", f"https://{host}", "null", f"http://{mixed(chance, parts, 3)}")
        )
        yield host, origin, chance.choice(("http", "websocket"))


def is_let_in(given: tuple[str, str, str]) -> str | None:
    """A page that another name leads here has the token; it still may not ask."""
    import httpx

    host, origin, kind = given
    token, entered = "a-token-of-these-tries", list[object]()

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        entered.append(scope)

    async def sent(message: Message) -> None:
        pass

    headers = [
        ("host", host),
        ("authorization", f"Bearer {token}"),
        *([("origin", origin)] if origin else []),
    ]
    scope = {
        "type": kind,
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        "raw_path": b"/",
    }
    asyncio.run(TokenGuard(behind, token, by_address=True)(scope, sent, sent))  # type: ignore[arg-type]
    if not entered:
        return None
    try:
        found = [httpx.URL(address).host for address in (f"http://{host}/", *([origin] if origin else []))]
    except httpx.InvalidURL:
        return "no address at all"
    return None if {*found} <= {"127.0.0.1", "localhost", "::1"} else f"{found} let in"


PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
TRACING = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
LOOPBACK = ("http://127.0.0.1:9/v1", "http://localhost:11434", "https://localhost/v1", "http://[::1]:8/v1")


def environments(chance: Random) -> Iterator[tuple[str, dict[str, str]]]:
    others = ("", "mine.example", ".corp.example,10.0.0.0/8", "localhost", "127.0.0.1,", "::1")
    every = list(product(LOOPBACK, range(1, 1 << len(PROXIES)), others, range(1 << len(TRACING))))
    for address, proxies, no_proxy, tracing in chance.sample(every, 3_000):
        names = {name: "http://127.0.0.1:9" for k, name in enumerate(PROXIES) if proxies >> k & 1}
        names |= {
            name: chance.choice(("true", "True", "1")) for k, name in enumerate(TRACING) if tracing >> k & 1
        }
        yield address, names | dict.fromkeys(("NO_PROXY", "no_proxy")[: chance.randint(0, 2)], no_proxy)


def hears(given: tuple[str, dict[str, str]]) -> str | None:
    import httpx
    from langsmith.utils import get_env_var, tracing_is_enabled

    address, environment = given
    with patch.dict(os.environ, environment, clear=True):
        get_env_var.cache_clear()
        no_proxy_for_this_machine(address)
        tracing_off()
        with httpx.Client(verify=False) as client:
            proxied = client._transport_for_url(httpx.URL(address)) is not client._transport
        traced = tracing_is_enabled()
    get_env_var.cache_clear()
    return "a proxy" if proxied else "LangSmith" if traced else None


AREAS = (
    Area("fetcher forms", "a private host is asked", fetcher_forms, is_asked, 1_200),
    Area("robots.txt", "a forbidden page is allowed", robots, is_allowed, 800),
    Area("charset labels", "a page ends its unit", charsets, ends_reading, 600),
    Area(
        "addresses and trust", "another machine gets the key of this one", own_machines, is_taken_for_own,
        1_000,
    ),
    Area("names of servers", "a page elsewhere asks a server of ours", names_of_servers, is_let_in, 600),
    Area("egress", "a proxy or LangSmith hears of it", environments, hears, 250),
)  # fmt: skip
