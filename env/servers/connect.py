"""Connections to the two servers, and their failures as sentences that say what to do. No address with a password is shown."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import elastic_transport
import elasticsearch
import pymongo
from drr.env.address import hosts_of
from drr.env.errors import Misuse, ShopError
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.trust import is_loopback, place_of
from elasticsearch import Elasticsearch
from pymongo import MongoClient
from pymongo import errors as mongo

NEEDED_ELASTICSEARCH = 9
# 200 concurrent calls wait for these; more connections make a server slower, not faster.
CONNECTIONS = 64
# A server that is not there is noticed sooner than one that is slow to answer.
_SELECT_SECONDS = 5.0
_FULL = {"disk", "space", "quota", "full"}

Mongo = MongoClient[JsonObject]


class ServerFailure(ShopError):
    """A server failed, and not what it was given: the same command later goes on from here."""


class Servers:
    """One client each, shared by all threads of a process; `close` gives every connection back."""

    def __init__(self, settings: Settings) -> None:
        for setting in ("mongodb_url", "elasticsearch_url"):
            _check_named(settings, setting)
        self.timeout = settings.server_timeout
        self.mongo_address = settings.mongodb_url.get_secret_value()
        self.search_address = settings.elasticsearch_url.get_secret_value()
        self.shown = {"MongoDB": host_of(self.mongo_address), "Elasticsearch": host_of(self.search_address)}
        tls: dict[str, Any] = {}
        if settings.mongodb_ca_file is not None:
            tls = {"tls": True, "tlsCAFile": _file("mongodb_ca_file", settings.mongodb_ca_file)}
        options: dict[str, Any] = {}
        if settings.elasticsearch_api_key is not None and "elasticsearch_url" not in settings.unnamed:
            options["api_key"] = _header_value(settings.elasticsearch_api_key.get_secret_value())
        if settings.elasticsearch_ca_file is not None:
            options["ca_certs"] = _file("elasticsearch_ca_file", settings.elasticsearch_ca_file)
        try:
            # An option that the client does not know is ignored with a warning; `tls=yes` would then speak in clear.
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                self.mongo: Mongo = MongoClient(
                    self.mongo_address,
                    appname="drr",
                    serverSelectionTimeoutMS=min(_SELECT_SECONDS, self.timeout) * 1000,
                    # Also how long the client's own watch waits for a server before it gives up every call to it.
                    connectTimeoutMS=self.timeout * 1000,
                    socketTimeoutMS=self.timeout * 1000,
                    waitQueueTimeoutMS=self.timeout * 1000,
                    maxPoolSize=CONNECTIONS,
                    **tls,
                )
        except (mongo.PyMongoError, ValueError, UserWarning, OSError) as error:
            raise Misuse(f"setting mongodb_url: {_plain(error)}; see `drr settings`") from None
        try:
            self.search = Elasticsearch(
                self.search_address,
                request_timeout=self.timeout,
                max_retries=0,
                connections_per_node=CONNECTIONS,
                **options,
            )
        except (elastic_transport.TransportError, ValueError, OSError) as error:
            self.mongo.close()
            raise Misuse(f"setting elasticsearch_url: {_plain(error)}; see `drr settings`") from None

    def versions(self) -> dict[str, str]:
        """Both servers answer and are of a kind we speak with; the versions they give."""
        with self.speaking():
            mongodb = str(self.mongo.server_info()["version"])
        with self.speaking():
            number = str(self.search.info()["version"]["number"])
        if int(number.partition(".")[0]) < NEEDED_ELASTICSEARCH:
            raise ShopError(_too_old(self.shown["Elasticsearch"], number))
        return {"mongodb": mongodb, "elasticsearch": number}

    def close(self) -> None:
        self.mongo.close()
        self.search.close()

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Translate whatever a client raises."""
        try:
            yield
        except mongo.PyMongoError as error:
            raise ServerFailure(self._mongo_sentence(error)) from error
        except (elastic_transport.TransportError, elasticsearch.ApiError) as error:
            raise ServerFailure(self._search_sentence(error)) from error

    def _mongo_sentence(self, error: mongo.PyMongoError) -> str:
        where = f"MongoDB at {self.shown['MongoDB']}"
        if isinstance(error, mongo.ServerSelectionTimeoutError | mongo.AutoReconnect) and not isinstance(
            error, mongo.NetworkTimeout
        ):
            if "auth" in str(error).lower():
                return f"{where} refuses the user or password; check DRR_MONGODB_URL"
            if "ssl" in str(error).lower():
                return (
                    f"{where}: no TLS connection; its certificate is not accepted (set DRR_MONGODB_CA_FILE), "
                    "or it speaks without TLS"
                )
            return f"{where} does not answer; start it (`docker compose up -d` or `drr servers start`) or set DRR_MONGODB_URL"
        if isinstance(error, mongo.NetworkTimeout | mongo.ExecutionTimeout | mongo.WaitQueueTimeoutError):
            return f"{where} did not answer within {self.timeout:g} s; look at its load, or raise DRR_SERVER_TIMEOUT"
        if isinstance(error, mongo.ConfigurationError):
            return f"{where}: {_plain(error)}; check DRR_MONGODB_URL and the server's version (6.0 or newer)"
        if isinstance(error, mongo.OperationFailure):
            if error.code in (18, 8000):
                return f"{where} refuses the user or password; check DRR_MONGODB_URL"
            if error.code == 13:
                return f"{where}: this user may not do that ({_plain(error)}); give it the role readWrite on this database"
            if error.code == 14031 or _FULL & set(_plain(error).lower().split()):
                return f"{where} is full ({_plain(error)}); make room there and run the same command again"
        return f"{where}: {type(error).__name__}: {_plain(error)}"

    def _search_sentence(self, error: elastic_transport.TransportError | elasticsearch.ApiError) -> str:
        where = f"Elasticsearch at {self.shown['Elasticsearch']}"
        if isinstance(error, elastic_transport.ConnectionTimeout):
            return f"{where} did not answer within {self.timeout:g} s; look at its load, or raise DRR_SERVER_TIMEOUT"
        if isinstance(error, elastic_transport.TlsError):
            return (
                f"{where}: no TLS connection; its certificate is not accepted (set DRR_ELASTICSEARCH_CA_FILE), "
                "or it speaks without TLS (http://)"
            )
        if isinstance(error, elastic_transport.ConnectionError):
            return (
                f"{where} does not answer; start it (`docker compose up -d` or `drr servers start`) "
                "or set DRR_ELASTICSEARCH_URL"
            )
        if isinstance(error, elasticsearch.UnsupportedProductError):
            return f"{where}: what answers there is not Elasticsearch; check DRR_ELASTICSEARCH_URL"
        if isinstance(error, elasticsearch.ApiError):
            text = str(error)
            if "media_type_header" in text or "compatible-with" in text:
                return _too_old(self.shown["Elasticsearch"], "8 or older")
            return _refusal_sentence(where, error.meta.status, text)
        return f"{where}: {type(error).__name__}: {_plain(error)}"


def host_of(address: str) -> str:
    """Host and port of an address, without user, password, or anything else that should not be printed."""
    return hosts_of(address) or "the given address"


def client_versions() -> dict[str, str]:
    return {"pymongo": pymongo.version, "elasticsearch-py": ".".join(map(str, elasticsearch.__version__))}


def _check_named(settings: Settings, setting: str) -> None:
    """A study or a `drr.toml` of somebody else does not choose the servers that this user's key and questions go to."""
    who, address = settings.unnamed.get(setting), getattr(settings, setting).get_secret_value()
    if who is not None and not is_loopback(address):
        place = place_of(address)
        raise Misuse(
            f"{who} names {place} as {setting}, and you did not: nothing is sent there; --trust-address {place} if you know"
            f" whose it is, or set DRR_{setting.upper()}"
        )


def _file(setting: str, path: Path) -> str:
    if not path.is_file():
        raise Misuse(f"setting {setting}: {path} is no file; see `drr settings`")
    return str(path)


def _header_value(key: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise Misuse(
            "setting elasticsearch_api_key: has a line break or a letter that no key has; copy the key again"
        )
    return key


def _too_old(host: str, number: str) -> str:
    return (
        f"Elasticsearch at {host} is version {number}, and this drr speaks with {NEEDED_ELASTICSEARCH}.x; "
        "update the server (docker-compose.yml names one)"
    )


def _plain(error: Exception) -> str:
    """The first line, without an address that may hold a password."""
    text = (str(error).splitlines() or [""])[0].split(", full error:")[0]
    return " ".join(word if "@" not in word else "(address)" for word in text.split())[:300]


def _refusal_sentence(where: str, status: int, text: str) -> str:
    """What Elasticsearch answered instead of doing it, and what to do then."""
    if status == 401:
        return f"{where} refuses the credentials; check DRR_ELASTICSEARCH_API_KEY and DRR_ELASTICSEARCH_URL"
    if status == 403 and "cluster_block" not in text:
        return (
            f"{where}: these credentials may not do that ({text[:300]}); docs/servers.md says what they need"
        )
    if status == 503:
        return (
            f"{where} is not ready ({text[:200]}); wait until it has started and run the same command again"
        )
    if status in (429, 507) or "cluster_block" in text:
        return f"{where} is full or overloaded ({text[:200]}); make room there and run the same command again"
    return f"{where}: {status}: {text[:300]}"
