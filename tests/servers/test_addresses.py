"""What is said about an address or a key never holds a secret, and a wrong one is misuse, not a traceback. No server is needed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from drr.env.errors import DrrError, Misuse, ShopError
from drr.env.servers.connect import Servers
from drr.env.servers.failures import host_of
from drr.env.settings import Settings
from pydantic import SecretStr

from tests.cases import cases, each, table
from tests.servers.proxies import HttpProxy

SECRET = "s3cret"


def _settings(**changes: Any) -> Settings:
    values = {k: SecretStr(v) if k.endswith(("_url", "_key")) else v for k, v in changes.items()}
    return Settings(server_timeout=0.5, **values)


def _said(settings: Settings) -> str:
    with pytest.raises(DrrError) as caught:
        servers = Servers(settings)
        try:
            servers.versions()
        finally:
            servers.close()
    return str(caught.value)


@table("servers", "no_mongodb_address_is_printed_with_its_password")
def test_no_mongodb_address_is_printed_with_its_password(address: str) -> None:
    said = _said(_settings(mongodb_url=address))
    assert SECRET not in said and "\n" not in said


@table("servers", "no_elasticsearch_address_is_printed_with_its_password")
def test_no_elasticsearch_address_is_printed_with_its_password(address: str) -> None:
    with pytest.raises(Misuse, match="setting elasticsearch_url") as caught:
        Servers(_settings(elasticsearch_url=address))
    assert SECRET not in str(caught.value)


PIECES = ("alpha", "beta", "gamma", "delta")


@each("scheme", ["mongodb", "http", "https"])
@each("rest", cases("servers", "no_piece_of_an_unescaped_password_is_printed"))
def test_no_piece_of_an_unescaped_password_is_printed(scheme: str, rest: str) -> None:
    """Whatever a client takes the pieces for: a port, a database, an option that it does not know, a host."""
    setting = "mongodb_url" if scheme.startswith("mongodb") else "elasticsearch_url"
    try:
        servers = Servers(_settings(**{setting: f"{scheme}://{rest}"}))
    except Misuse as error:
        said = str(error)
        assert said.startswith(f"setting {setting}: ") and "\n" not in said
    else:
        servers.close()
        said = " ".join(servers.shown.values())
        assert "127.0.0.1:9" in said.replace("127.0.0.1:9200", "")
    assert not any(piece in said.lower() for piece in PIECES), said


def test_the_host_is_shown_and_nothing_else() -> None:
    settings = _settings(mongodb_url="mongodb://me:alpha/beta@h.invalid").with_unnamed(
        {"mongodb_url": "study x"}
    )
    with pytest.raises(Misuse) as caught:
        Servers(settings)
    assert not any(piece in str(caught.value) for piece in PIECES)
    assert host_of("mongodb://127.0.0.1:27017") == "127.0.0.1:27017"
    assert host_of("mongodb://me:pass#word@h1:1,h2:2/?authSource=a%40b") == "h1:1,h2:2"
    assert host_of("https://es.example/path") == "es.example"
    for unclear in (
        *(
            "mongodb://me:pa/ss@h",
            "mongodb://me:pa@ss/word@h",
            "mongodb://me:pa@ss?word@h",
            "mongodb://me:27017/x@h",
        ),
        *("http://me:pa@ss#word@h", "nonsense", "http://a#b", ""),
    ):
        assert host_of(unclear) == "the given address"


@pytest.mark.parametrize("key", [f"{SECRET}\n", f"{SECRET}\r\nX-Other: y", f"{SECRET}ä"])
def test_a_key_that_no_header_takes_is_misuse(key: str) -> None:
    with pytest.raises(Misuse, match="elasticsearch_api_key") as caught:
        Servers(_settings(elasticsearch_api_key=key))
    assert SECRET not in str(caught.value)


def test_an_option_that_would_be_ignored_is_misuse() -> None:
    """`tls=yes` ignored would send the password in clear."""
    with pytest.raises(Misuse, match=r"mongodb_url: .*tls must be 'true' or 'false'"):
        Servers(_settings(mongodb_url="mongodb://127.0.0.1:9/?tls=yes"))


@pytest.mark.parametrize("setting", ["mongodb_ca_file", "elasticsearch_ca_file"])
def test_a_certificate_file_that_is_not_there_is_misuse(tmp_path: Path, setting: str) -> None:
    with pytest.raises(Misuse, match=rf"setting {setting}: .*nothing\.pem is no file"):
        Servers(_settings(elasticsearch_url="https://127.0.0.1:9", **{setting: tmp_path / "nothing.pem"}))


def test_failures_are_called_what_they_are(speaks_no_tls: int) -> None:
    """What a node says before it knows its own indices."""
    error = {
        "type": "cluster_block_exception",
        "reason": "blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];",
    }
    proxy = HttpProxy(
        None, lambda *_: (503, orjson.dumps({"error": {"root_cause": [error], **error}, "status": 503}))
    )
    servers = Servers(_settings(elasticsearch_url=proxy.url))
    with pytest.raises(ShopError, match=r"is not ready \(.*state not recovered.*wait"), servers.speaking():
        servers.search.search(index="x")
    servers.close()
    proxy.close()
    address = f"127.0.0.1:{speaks_no_tls}"
    said = _said(_settings(mongodb_url=f"mongodb://{address}/?tls=true"))
    assert said.startswith(f"MongoDB at {address}: no TLS connection") and "DRR_MONGODB_CA_FILE" in said, said
    servers = Servers(_settings(elasticsearch_url=f"https://{address}"))
    with (
        pytest.raises(ShopError, match=r"speaks without TLS; write http:// in DRR_ELASTICSEARCH_URL"),
        servers.speaking(),
    ):
        servers.search.info()
    servers.close()


@pytest.fixture
def speaks_no_tls() -> Iterator[int]:
    """Answers whatever it is told with a line of its own, as a server without TLS does."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                with client:
                    client.recv(1000)
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
