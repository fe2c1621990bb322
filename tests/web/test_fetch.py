"""The guarded fetcher against a hostile server: nothing gets through, and every refusal says what it was."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest
from drr.env.web.fetch import MAX_REDIRECTS, PER_DOMAIN, Fetched, Fetcher, FetchFailure, Pinned, Resolver

from tests.cases import cases
from tests.servers.proxies import certificate
from tests.web.hostile import ARTICLE, Route, Site, redirect, reply, serving, to_loopback


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as opened:
        opened.routes["/"] = reply(ARTICLE)
        yield opened


def _fetcher(site: Site, **more: object) -> Fetcher:
    given: dict[str, object] = {"timeout": 10.0, "max_bytes": 100_000, "respect_robots": False}
    given |= {"resolver": to_loopback, "loopback_port": site.port}
    return Fetcher(**(given | more))  # type: ignore[arg-type]


async def _fails(fetcher: Fetcher, url: str) -> FetchFailure:
    with pytest.raises(FetchFailure) as caught:
        await fetcher.fetch(url)
    return caught.value


async def test_a_page_is_fetched_under_its_own_name(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = await _fetcher(site).fetch(site.url("/?q=1#part"))
    assert isinstance(fetched, Fetched) and fetched.body.decode() == ARTICLE
    assert (fetched.http_status, fetched.content_type, fetched.charset) == (200, "text/html", "utf-8")
    assert fetched.final_url == site.url("/?q=1")
    path, headers = site.requests[0]
    assert (path, headers["Host"]) == ("/?q=1", f"site.example:{site.port}")
    assert headers["User-Agent"].startswith("DeepResearchRetail/")
    assert not {"Cookie", "Authorization", "Referer", "Proxy-Authorization"} & set(headers)
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.routes["/set"] = reply("", status="302 Found", Location="/", Set_Cookie="id=1; Path=/")
    fetcher = _fetcher(site)
    await fetcher.fetch(site.url("/set"))
    await fetcher.fetch(site.url("/"))
    assert all("Cookie" not in headers for _, headers in site.requests)


@pytest.mark.parametrize("target", cases("web", "test_redirects_to_anything_private_are_refused"))
async def test_redirects_to_anything_private_are_refused(site: Site, target: str) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        if host == "site.example":
            return ["127.0.0.1"]
        if host == "private.example":
            return ["192.168.0.10"]
        found = await asyncio.get_running_loop().getaddrinfo(host, port)
        return [str(entry[4][0]) for entry in found]

    site.routes["/away"] = redirect(target)
    failure = await _fails(_fetcher(site, resolver=resolver), site.url("/away"))
    assert failure.status in ("blocked", "unreachable")
    assert "refused" in failure.reason or "does not resolve" in failure.reason
    assert site.paths() == ["/away"]


def _answering(*answers: list[str]) -> tuple[list[str], Resolver]:
    """A resolver that gives these in turn, and what it was asked for."""
    asked: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return answers[len(asked) - 1]

    return asked, resolver


async def test_a_name_is_resolved_once_and_refused_where_any_answer_is_private(site: Site) -> None:
    asked, rebinding = _answering(["127.0.0.1"], ["10.0.0.1"])
    assert (await _fetcher(site, resolver=rebinding).fetch(site.url("/"))).http_status == 200
    assert asked == ["site.example"], "and the connection went there"
    site.requests.clear()
    site.routes["/again"] = redirect("/")
    for path, answers, private, reached in (
        ("/again", [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]], "10.0.0.1", ["/again"]),
        ("/", [["127.0.0.1", "93.184.215.14", "::1"]], "::1", []),
        ("/", [["127.0.0.2", "127.0.0.1"]], "127.0.0.2", []),
    ):
        failure = await _fails(_fetcher(site, resolver=_answering(*answers)[1]), site.url(path))
        assert (failure.status, failure.reason) == ("blocked", f"refused: {private} is not a public address")
        assert site.paths() == reached
        site.requests.clear()


async def test_loopback_is_closed_without_the_tests_own_door(site: Site) -> None:
    closed = _fetcher(site, loopback_port=None)
    assert "port" in (await _fails(closed, site.url("/"))).reason
    for fetcher in (closed, _fetcher(site)):  # nor does the door open any other port
        assert "not a public address" in (await _fails(fetcher, "http://site.example/")).reason
    assert site.requests == []


@pytest.mark.parametrize("resolver", [None, "none", "fails"])
async def test_names_that_do_not_resolve_are_unreachable(site: Site, resolver: str | None) -> None:
    async def nothing(host: str, port: int) -> list[str]:
        if resolver == "fails":
            raise OSError("no name server")
        return []

    chosen: Resolver | None = None if resolver is None else nothing
    for respect_robots in (False, True):
        fetcher = _fetcher(site, resolver=chosen, respect_robots=respect_robots)
        failure = await _fails(fetcher, "http://no-such-name.invalid/")
        assert failure.status == "unreachable", "and not forbidden"
        assert failure.reason.startswith("the name no-such-name.invalid does not resolve")


async def test_names_that_hang_stop_no_other_fetch(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six of them held every thread of the loop until the system gave them up."""
    over, known, hanging = Event(), socket.getaddrinfo, list[str]()

    def system(host: str, *rest: Any, **more: Any) -> Any:
        if host.endswith(".hangs.example"):
            hanging.append(host)
            over.wait(60)
        return known("127.0.0.1" if host.endswith(".example") else host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", system)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2))
    try:
        short = _fetcher(site, resolver=None, timeout=1.0)
        urls = [site.url("/", f"n{number}.hangs.example") for number in range(12)]
        waiting = [asyncio.create_task(_fails(short, url)) for url in urls]
        while not hanging:
            await asyncio.sleep(0.01)
        patient = _fetcher(site, resolver=None, timeout=30.0)
        assert (await patient.fetch(site.url("/"))).http_status == 200
        failures = await asyncio.gather(*waiting)
        assert {failure.reason for failure in failures} == {"no complete answer within 1 s"}
        assert len(hanging) == PER_DOMAIN, "the rest of the domain was cut off before it was looked up"
        over.set()  # the system gives up, and the places are free again
        assert (await patient.fetch(site.url("/", "late.hangs.example"))).http_status == 200
    finally:
        over.set()


async def test_at_most_five_redirects(site: Site) -> None:
    for step in range(20):
        status = ("301 M", "302 F", "303 S", "307 T", "308 P")[step % 5]
        site.routes[f"/{step}"] = redirect(f"/{step + 1}", status)
    failure = await _fails(_fetcher(site), site.url("/0"))
    assert failure.reason == "more than 5 redirects"
    assert len(site.requests) == MAX_REDIRECTS + 1
    site.routes |= {"/5": reply(ARTICLE), "/loop": redirect("/loop"), "/no": reply("", status="302 Found")}
    assert (await _fetcher(site).fetch(site.url("/0"))).final_url == site.url("/5")
    for path, said in (("/loop", "more than 5 redirects"), ("/no", "without a new address")):
        assert said in (await _fails(_fetcher(site), site.url(path))).reason


def _drip(first: bytes, then: bytes) -> Route:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        for _ in range(10_000):
            writer.write(then)
            await writer.drain()
            await asyncio.sleep(0.02)

    return send


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@pytest.mark.parametrize(
    "route",
    [
        _drip(b"", b""),
        _drip(b"H", b""),
        _drip(_HEAD, b"X-More: 1\r\n"),
        _drip(_HEAD + b"Content-Length: 50000\r\n\r\n", b"a"),
        _drip(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    ],
)
async def test_a_slow_drip_meets_the_total_deadline(site: Site, route: Route) -> None:
    site.routes["/slow"] = route
    failure = await _fails(_fetcher(site, timeout=0.3), site.url("/slow"))
    assert (failure.status, failure.reason) == ("unreachable", "no complete answer within 0.3 s")


async def test_slow_redirects_share_one_deadline(site: Site) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.15)
        await redirect("/slow")(writer)

    site.routes["/slow"] = slow
    assert "within 0.3 s" in (await _fails(_fetcher(site, timeout=0.3), site.url("/slow"))).reason


def _raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


_BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "Deflate": _raw_deflate,
    "GZIP": lambda zeros: gzip.compress(zeros[:60_000]) * 300,
}


@pytest.mark.parametrize("encoding", list(_BOMBS))
async def test_decompression_bombs_are_stopped(site: Site, encoding: str) -> None:
    site.routes["/bomb"] = reply(_BOMBS[encoding](bytes(20_000_000)), Content_Encoding=encoding)
    assert (await _fails(_fetcher(site), site.url("/bomb"))).reason == "the page is larger than 100,000 bytes"


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(ARTICLE.encode(), mtime=0)),
        ("gzip", b"".join(gzip.compress(part.encode(), mtime=0) for part in (ARTICLE[:90], ARTICLE[90:]))),
        ("deflate", zlib.compress(ARTICLE.encode())),
        ("deflate", _raw_deflate(ARTICLE.encode())),
        ("identity", ARTICLE.encode()),
    ],
)
async def test_honest_compression_is_read(site: Site, encoding: str, packed: bytes) -> None:
    site.routes["/packed"] = reply(packed, Content_Encoding=encoding)
    assert (await _fetcher(site).fetch(site.url("/packed"))).body.decode() == ARTICLE


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [
        ("gzip", b"not gzip at all", "damaged"),
        ("gzip", gzip.compress(ARTICLE.encode(), mtime=0)[:-20], "ends too early"),
        ("gzip", b"", "ends too early"),
        ("br", b"x", "not asked for"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "not asked for"),
        ("zstd", b"x", "not asked for"),
    ],
)
async def test_damaged_and_unasked_encodings(site: Site, encoding: str, body: bytes, said: str) -> None:
    site.routes["/odd"] = reply(body, Content_Encoding=encoding)
    assert said in (await _fails(_fetcher(site), site.url("/odd"))).reason


async def _endless(writer: asyncio.StreamWriter) -> None:
    writer.write(_HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    for _ in range(100_000):
        writer.write(b"2000\r\n" + b"a" * 0x2000 + b"\r\n")
        await writer.drain()


async def test_size_is_capped_whether_declared_or_not(site: Site) -> None:
    site.routes["/endless"] = _endless
    site.routes["/large"] = reply("a" * 100_001)
    site.routes["/fits"] = reply("a" * 100_000)
    for path in ("/endless", "/large"):
        failure = await _fails(_fetcher(site), site.url(path))
        assert failure.reason == "the page is larger than 100,000 bytes"
    assert len((await _fetcher(site).fetch(site.url("/fits"))).body) == 100_000


@pytest.mark.parametrize("content_type", cases("web", "test_wrong_types_are_not_pages"))
async def test_wrong_types_are_not_pages(site: Site, content_type: str) -> None:
    site.routes["/file"] = reply(b"\x89PNG", content_type)
    failure = await _fails(_fetcher(site), site.url("/file"))
    assert failure.status == "unreachable" and (content_type or "not stated") in failure.reason


@pytest.mark.parametrize(("status", "expected"), cases("web", "test_statuses"))
async def test_statuses(site: Site, status: str, expected: str) -> None:
    site.routes["/status"] = reply("" if status.startswith("204") else ARTICLE, status=status)
    failure = await _fails(_fetcher(site), site.url("/status"))
    assert (failure.status, failure.http_status) == (expected, int(status[:3]))


async def _bytes(writer: asyncio.StreamWriter, content: bytes) -> None:
    writer.write(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.7\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nBad Header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        _HEAD + b"X: 1\r\n" * 60_000 + b"\r\n",
        _HEAD + b"Content-Length: 100\r\n\r\nshort",
        _HEAD + b"Content-Length: -5\r\n\r\n",
        _HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        _HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
        _HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n",
    ],
)
async def test_broken_answers_are_unreachable_and_never_an_exception(site: Site, content: bytes) -> None:
    site.routes["/broken"] = lambda writer: _bytes(writer, content)
    failure = await _fails(_fetcher(site, timeout=5.0), site.url("/broken"))
    assert failure.status == "unreachable"


async def test_mutated_answers_are_a_page_or_a_failure(site: Site) -> None:
    good = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
        b"Transfer-Encoding: chunked\r\nLocation: /x\r\n\r\n"
    )
    packed = gzip.compress(ARTICLE.encode())
    good += f"{len(packed):x}\r\n".encode() + packed + b"\r\n0\r\n\r\n"
    random = Random(7)
    fetcher = _fetcher(site, timeout=5.0)
    outcomes = set()
    for _ in range(300):
        content = bytearray(good)
        for _ in range(random.randint(0, 4)):
            at = random.randrange(len(content))
            content[at : at + random.randint(0, 3)] = random.randbytes(random.randint(0, 3))
        site.routes["/mutant"] = lambda writer, sent=bytes(content): _bytes(writer, sent)
        try:
            outcomes.add((await fetcher.fetch(site.url("/mutant"))).http_status)
        except FetchFailure as failure:
            outcomes.add(failure.status)
    assert {200, "unreachable"} <= outcomes


async def test_the_next_address_of_a_name_is_tried_when_one_refuses(site: Site) -> None:
    stream = await Pinned(["127.0.0.2", "127.0.0.1"]).connect_tcp("site.example", site.port, timeout=5)
    assert stream.get_extra_info("server_addr")[0] == "127.0.0.1"
    await stream.aclose()


async def test_at_most_two_requests_per_host_at_once(site: Site) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.03)
        await reply(ARTICLE)(writer)

    site.routes["/slow"] = slow
    fetcher = _fetcher(site)
    await asyncio.gather(*(fetcher.fetch(site.url("/slow", "one.example")) for _ in range(8)))
    assert site.most_at_once == 2
    hosts = [f"{name}.example" for name in "abcd"]
    await asyncio.gather(*(fetcher.fetch(site.url("/slow", host)) for host in hosts * 2))
    assert site.most_at_once > 2


async def test_robots_are_asked_once_per_site_and_obeyed(site: Site) -> None:
    site.routes["/robots.txt"] = reply("User-agent: *\nDisallow: /private\n", "text/plain")
    site.routes["/private/page"] = reply(ARTICLE)
    fetcher = _fetcher(site, respect_robots=True)
    assert (await fetcher.fetch(site.url("/"))).http_status == 200
    failure = await _fails(fetcher, site.url("/private/page"))
    assert (failure.status, failure.reason) == ("blocked", "robots.txt of site.example forbids it")
    site.routes["/detour"] = redirect("/private/page")
    assert "forbids" in (await _fails(fetcher, site.url("/detour"))).reason
    assert site.paths() == ["/robots.txt", "/", "/detour"]
    assert (await _fetcher(site).fetch(site.url("/private/page"))).http_status == 200


@pytest.mark.parametrize(
    ("robots", "allowed"),
    [
        (None, True),
        (reply("", status="403 Forbidden"), True),
        (reply("<html>no such page</html>"), True),
        (redirect("/robots.txt"), True),
        (reply(b"#" * 600_000 + b"\nUser-agent: *\nDisallow: /\n"), True),
        (reply(b"User-agent: *\nDisallow: /\n" + b"#" * 600_000), False),
        (redirect("/rules.txt"), False),
        (redirect("http://10.0.0.1/robots.txt"), False),
        (reply("User-agent: DeepResearchRetail\nDisallow: /\n\nUser-agent: *\nAllow: /"), False),
        (reply(b"\xff\xfe\x00garbage\x00", "application/octet-stream"), True),
    ],
)
async def test_a_robots_file_is_obeyed(site: Site, robots: Route | None, allowed: bool) -> None:
    if robots is not None:
        site.routes["/robots.txt"] = robots
    site.routes["/rules.txt"] = reply("User-agent: *\nDisallow: /", "text/plain")

    async def resolver(host: str, port: int) -> list[str]:
        return ["127.0.0.1" if host == "site.example" else host]

    fetcher = _fetcher(site, respect_robots=True, resolver=resolver)
    if allowed:
        assert (await fetcher.fetch(site.url("/"))).http_status == 200
    else:
        assert (await _fails(fetcher, site.url("/"))).status == "blocked"
        assert "/" not in site.paths()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (reply("", status="500 Oops"), "the server answered 500"),
        (reply("", status="503 Not Now"), "the server answered 503"),
        (reply("", status="429 Too Many Requests"), "the server answered 429"),
        (lambda writer: _bytes(writer, b"nonsense\r\n\r\n"), "connection failed"),
    ],
)
async def test_without_robots_the_page_is_not_asked_for(site: Site, answer: Route, said: str) -> None:
    site.routes["/robots.txt"] = answer
    fetcher = _fetcher(site, respect_robots=True)
    reason = (await _fails(fetcher, site.url("/"))).reason
    assert said in reason and "robots.txt of site.example" in reason
    assert site.paths() == ["/robots.txt"]
    site.routes["/robots.txt"] = reply("User-agent: *\nDisallow: /private", "text/plain")
    assert (await fetcher.fetch(site.url("/"))).http_status == 200, "a failure is not remembered as a rule"


async def test_the_shop_is_never_asked_over_the_network(site: Site) -> None:
    fetcher = _fetcher(site, never=frozenset({"shop.example"}))
    site.routes["/to-shop"] = redirect(site.url("/", "www.shop.example"))
    for url in (site.url("/", "shop.example"), site.url("/", "SHOP.example."), site.url("/to-shop")):
        assert "the store answers" in (await _fails(fetcher, url)).reason
    assert site.paths() == ["/to-shop"]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return certificate(tmp_path_factory.mktemp("tls"), "site.example")


async def test_tls_verifies_the_name_of_a_pinned_number(certificates: tuple[Path, Path]) -> None:
    cert_file, key_file = certificates
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(cert_file, key_file)
    asked: list[str | None] = []
    server.sni_callback = lambda _socket, name, _context: asked.append(name)
    trusting = ssl.create_default_context(cafile=str(cert_file))
    async with serving(server) as site:
        site.routes["/"] = reply(ARTICLE)
        good, here = _fetcher(site, ssl_context=trusting), site.url("/", scheme="https")
        assert (await good.fetch(here)).body.decode() == ARTICLE
        assert asked == ["site.example"]
        other = site.url("/", "other.example", "https")
        assert "Hostname mismatch" in (await _fails(good, other)).reason
        assert "CERTIFICATE_VERIFY_FAILED" in (await _fails(_fetcher(site), here)).reason
        assert len(site.requests) == 1
