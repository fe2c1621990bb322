"""Users and passwords, TLS where it was not meant, fail-overs, Elastic's serverless: named as what they are."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drr.env.errors import Misuse, ServerFailure, ShopError
from drr.env.servers import catalog as catalogs
from drr.env.servers.connect import Servers
from drr.env.servers.load import names_of
from drr.env.settings import Settings
from drr.env.shop import SearchRequest, check_shop, open_shop

from tests.servers import running
from tests.servers.proxies import HttpProxy, LockedMongo, Serverless, TlsPort, certificate
from tests.servers.running import Closing, changed

pytestmark = pytest.mark.servers
Through = Callable[[Any], Settings]
PASSWORD = "it is 100% s3cret/right?@#:"
ESCAPED = "it%20is%20100%25%20s3cret%2Fright%3F%40%23%3A"


def _said(spec: str, settings: Settings) -> str:
    """Opening and writing say the same, and nothing of the password."""
    said = running.refused(spec, settings)
    assert not any(piece in said for piece in ("s3cret", "right", "100%"))
    return said


def test_a_mongodb_with_users_asks_for_a_password(spec: str, settings: Settings, closing: Closing) -> None:
    locked = LockedMongo(settings.mongodb_url.get_secret_value(), "drr", PASSWORD)
    closing(locked.close)
    at = f"127.0.0.1:{locked.port}"
    options = "?authMechanism=SCRAM-SHA-256"
    known = changed(settings, mongodb_url=f"mongodb://drr:{ESCAPED}@{at}/{options}")
    running.write_whole(spec, known)
    refused = f"MongoDB at {at} refuses the user or password; check DRR_MONGODB_URL"
    for wrong in (f"drr:{ESCAPED}x", f"other:{ESCAPED}"):
        assert _said(spec, changed(settings, mongodb_url=f"mongodb://{wrong}@{at}/{options}")) == refused
    said = _said(spec, changed(settings, mongodb_url=f"mongodb://{at}"))
    assert said.startswith(f"MongoDB at {at} asks for a user and password; put them into DRR_MONGODB_URL")


def test_an_elasticsearch_with_users_asks_for_one(spec: str, settings: Settings, closing: Closing) -> None:
    basic = "Basic " + b64encode(f"elastic:{PASSWORD}".encode()).decode()
    locked = HttpProxy(
        settings.elasticsearch_url.get_secret_value(), lambda *_: None, {basic, "ApiKey a2V5OnNlY3JldA=="}
    )
    closing(locked.close)
    host = locked.url.removeprefix("http://")
    known = changed(settings, elasticsearch_url=f"http://elastic:{ESCAPED}@{host}")
    running.write_whole(spec, known)
    by_key = changed(settings, elasticsearch_url=locked.url, elasticsearch_api_key="a2V5OnNlY3JldA==")
    assert list(check_shop(spec, by_key)) == []
    for wrong in (
        {"elasticsearch_url": f"http://elastic:{ESCAPED}x@{host}"},
        {"elasticsearch_url": locked.url, "elasticsearch_api_key": "b3RoZXI="},
    ):
        said = _said(spec, changed(settings, **wrong))
        assert said.startswith(
            f"Elasticsearch at {host} refuses the credentials; check DRR_ELASTICSEARCH_API_KEY"
        )
    assert "asks for credentials; set DRR_ELASTICSEARCH_API_KEY" in _said(
        spec, changed(settings, elasticsearch_url=locked.url)
    )


def test_the_wrong_tls_is_named(spec: str, settings: Settings, closing: Closing, tmp_path: Path) -> None:
    files = certificate(tmp_path)
    ports = {}
    for name in ("mongodb", "elasticsearch"):
        inside = int(getattr(settings, f"{name}_url").get_secret_value().rpartition(":")[2])
        port = TlsPort(inside, files)
        closing(port.close)
        ports[name] = (f"127.0.0.1:{inside}", f"127.0.0.1:{port.port}")
    plain, tls = ports["mongodb"]
    short = changed(settings, server_timeout=2.0)
    assert _said(spec, changed(short, mongodb_url=f"mongodb://{tls}")).startswith(
        f"MongoDB at {tls} speaks TLS only; add tls=true to DRR_MONGODB_URL"
    )
    assert _said(spec, changed(short, mongodb_url=f"mongodb://{plain}/?tls=true")).startswith(
        f"MongoDB at {plain} speaks without TLS, and this address asks for TLS; leave out tls=true"
    )
    strange = _said(spec, changed(short, mongodb_url=f"mongodb://{tls}/?tls=true"))
    assert strange.endswith("no TLS connection; its certificate is not accepted (set DRR_MONGODB_CA_FILE)")
    plain, tls = ports["elasticsearch"]
    assert _said(spec, changed(short, elasticsearch_url=f"http://{tls}")) == (
        f"Elasticsearch at {tls} speaks TLS only; write https:// in DRR_ELASTICSEARCH_URL"
    )
    assert _said(spec, changed(short, elasticsearch_url=f"https://{plain}")).startswith(
        f"Elasticsearch at {plain} speaks without TLS; write http:// in DRR_ELASTICSEARCH_URL"
    )
    strange = _said(spec, changed(short, elasticsearch_url=f"https://{tls}"))
    assert strange.endswith(
        "no TLS connection; its certificate is not accepted (set DRR_ELASTICSEARCH_CA_FILE)"
    )
    right = changed(
        settings, mongodb_url=f"mongodb://{ports['mongodb'][1]}", mongodb_ca_file=files[0],
        elasticsearch_url=f"https://{tls}", elasticsearch_ca_file=files[0],
    )  # fmt: skip
    running.write_whole(spec, right)


def test_a_fail_over_is_waited_out(spec: str, settings: Settings, before_mongodb: Through) -> None:
    swaps: list[dict[str, Any]] = []
    written: list[dict[str, Any]] = []
    failing = True

    def rule(command: dict[str, Any]) -> dict[str, Any] | None:
        if "insert" in command or "update" in command:
            written.append(command)
        if any(one["q"] == {"_id": "current"} for one in command.get("updates", [])):
            swaps.append(command)
            if failing:
                return {"ok": 0.0, "code": 10107, "codeName": "NotWritablePrimary", "errmsg": "not primary"}
        return None

    through = before_mongodb(rule)
    with pytest.raises(
        ServerFailure, match=r"has no primary just now, as in a fail-over.*run the same command again"
    ):
        running.write(spec, through)
    with pytest.raises(ShopError, match="no such shop"):
        open_shop(spec, settings)
    failing = False
    before = len(written)
    running.write(spec, through)
    assert {one["writeConcern"]["w"] for one in written} == {"majority"}
    assert swaps and all(one["writeConcern"] == {"w": "majority", "j": True} for one in swaps)
    assert not any("insert" in one for one in written[before:]), (
        "what was stored before the fail-over is not sent again"
    )
    assert list(check_shop(spec, settings)) == []


def test_writes_are_retried_unless_the_address_says_otherwise(settings: Settings) -> None:
    from drr.env.servers.connect import Servers

    for address, retried in (
        ("mongodb://127.0.0.1:9", True),
        ("mongodb://127.0.0.1:9/?retryWrites=false", False),
    ):
        servers = Servers(changed(settings, mongodb_url=address))
        assert servers.mongo.options.retry_writes is retried
        servers.close()


def test_serverless_is_known_and_asked_for_nothing_that_it_has_not(
    spec: str, settings: Settings, closing: Closing, monkeypatch: pytest.MonkeyPatch
) -> None:
    serverless = Serverless(settings.elasticsearch_url.get_secret_value())
    closing(serverless.close)
    through = changed(settings, elasticsearch_url=serverless.url, elasticsearch_api_key="a2V5OnNlY3JldA==")
    manifest = running.write(spec, through)
    assert manifest.versions["elasticsearch"] == "serverless"
    assert set(manifest.sizes) == {"mongodb"}, "unknown, not 0"
    assert list(check_shop(spec, through)) == []
    monkeypatch.setattr(catalogs, "_SERVERLESS_WINDOW", 400)
    with open_shop(spec, through) as there, open_shop(spec, settings) as here:
        for sort in ("relevance", "price_desc"):
            for search in ("plain", "fields"):
                for offset, limit in ((0, 10), (390, 30), (790, 5), (1690, 20), (5000, 5), (0, 1700)):
                    asked = SearchRequest("bird feeder", sort=sort, offset=offset, limit=limit, search=search)  # type: ignore[arg-type]
                    assert there.catalog.search(asked) == here.catalog.search(asked)
    with pytest.raises(Misuse, match="a serverless Elasticsearch makes its shards itself"):
        running.write(spec, changed(through, elasticsearch_shards=3), replace=True)
    assert list(check_shop(spec, through)) == [], "the shop that was there is still there"


def test_check_finds_what_only_searches_see(spec: str, settings: Settings, servers: Servers) -> None:
    """A changed `find.email`; words of the index that changed although their checksum stayed."""
    from drr.env.servers import index as indices

    running.write(spec, settings)
    names = names_of(spec)
    version = running.published_version(spec, servers)
    users = servers.mongo[names.shop][f"users_{version}"]
    users.update_one({"_id": "A000000003"}, {"$set": {"find.email": "other@example.org"}})
    users.update_one({"_id": "A000000005"}, {"$unset": {"find": 1}})
    problems = list(check_shop(spec, settings))
    assert problems == [
        "2 users are not found by the e-mail and name that they have: A000000003, A000000005; ingest again with --replace."
    ]
    for number, email in ((3, "a3@example.org"), (5, "a5@example.org")):
        find = {"email": email, "name": users.find_one({"_id": "A000000001"})["find"]["name"]}  # type: ignore[index]
        users.update_one({"_id": f"A{number:09d}"}, {"$set": {"find": find}})
    assert list(check_shop(spec, settings)) == []

    documents = {one["product_id"]: one for one in map(indices.document, running.products(count=10))}
    index = names.index(version)

    def put(product_id: str, **changed: Any) -> None:
        servers.search.index(
            index=index, id=product_id, document={**documents[product_id], **changed}, refresh=True
        )

    put("B000000002", text="cat toy")
    put("B000000004", strong="cat")
    (problem,) = check_shop(spec, settings)
    assert problem.startswith(
        "The index does not find 2 products by their own words: B000000002, B000000004;"
    )
    put("B000000002")
    put("B000000004", text=documents["B000000004"]["text"] + " 17")
    (problem,) = check_shop(spec, settings)
    assert problem.startswith("The index finds other products than the store has by 1 words: 17;")
    put("B000000004")
    assert list(check_shop(spec, settings)) == []
