"""Connects to the two servers with one client each, and finds out what kind of server answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import elastic_transport
import elasticsearch
import pymongo
from drr.env.errors import Misuse, ServerFailure, ShopError
from drr.env.json_object import JsonObject
from drr.env.servers.failures import (
    NEEDED_ELASTICSEARCH,
    MongoFailures,
    Place,
    SearchFailures,
    checked_address,
    host_of,
    refused_address,
)
from drr.env.settings import Settings
from elasticsearch import Elasticsearch
from pymongo import MongoClient
from pymongo import errors as mongo

# 200 concurrent calls wait for these; more connections make a server slower, not faster.
CONNECTIONS = 64
# A server that is not there is noticed sooner than one that is slow to answer.
_SELECT_SECONDS = 5.0

Mongo = MongoClient[JsonObject]


class Servers:
    """The clients of both servers, shared by all threads of a process; `close` closes every connection."""

    def __init__(self, settings: Settings) -> None:
        addresses = [checked_address(settings, name) for name in ("mongodb_url", "elasticsearch_url")]
        self.timeout = settings.server_timeout
        self.mongo_address, self.search_address = addresses
        self.shown = {"MongoDB": host_of(self.mongo_address), "Elasticsearch": host_of(self.search_address)}
        self.serverless = False
        """True if Elastic runs the server: shards, replicas, merging and statistics are then Elastic's own. Known after `versions`."""
        key = settings.elasticsearch_api_key if "elasticsearch_url" not in settings.unnamed else None
        options: dict[str, Any] = {}
        if key is not None:
            options["api_key"] = _header_value(key.get_secret_value())
        if settings.elasticsearch_ca_file is not None:
            options["ca_certs"] = _file("elasticsearch_ca_file", settings.elasticsearch_ca_file)
        self.mongo = _mongo_client(self.mongo_address, self.timeout, settings.mongodb_ca_file)
        try:
            self.search = Elasticsearch(
                self.search_address,
                request_timeout=self.timeout,
                max_retries=0,
                serializer=elasticsearch.OrjsonSerializer(),
                connections_per_node=CONNECTIONS,
                **options,
            )
            place = _place(self.search_address)
        except (elastic_transport.TransportError, ValueError, OSError) as error:
            self.mongo.close()
            raise refused_address("elasticsearch_url", error, self.search_address) from None
        self._mongo_failures = MongoFailures(
            self.shown["MongoDB"], self.mongo_address, self.timeout, settings.mongodb_ca_file is not None
        )
        self._search_failures = SearchFailures(
            self.shown["Elasticsearch"], self.search_address, self.timeout, place, key is not None
        )

    def versions(self) -> dict[str, str]:
        """Return the versions of both servers, after checking that both answer and are of a supported kind."""
        with self.speaking():
            mongodb = str(self.mongo.server_info()["version"])
        with self.speaking():
            info = self.search.info().body
        version = info.get("version") if isinstance(info, Mapping) else None
        number = version.get("number") if isinstance(version, Mapping) else None
        if not isinstance(version, Mapping) or not isinstance(number, str):
            raise ServerFailure(self._search_failures.stranger())
        # Serverless has no versions of its own and gives one of the past.
        self.serverless = version.get("build_flavor") == "serverless"
        if self.serverless:
            return {"mongodb": mongodb, "elasticsearch": "serverless"}
        major = number.partition(".")[0]
        if not major.isdecimal() or int(major) < NEEDED_ELASTICSEARCH:
            raise ShopError(self._search_failures.server_too_old(number))
        return {"mongodb": mongodb, "elasticsearch": number}

    def close(self) -> None:
        self.mongo.close()
        self.search.close()

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Raise `ServerFailure` in place of any error of a client."""
        try:
            yield
        except mongo.PyMongoError as error:
            raise ServerFailure(self._mongo_sentence(error)) from error
        except (elastic_transport.TransportError, elasticsearch.ApiError) as error:
            raise ServerFailure(self._search_failures.sentence(error)) from error

    def _mongo_sentence(self, error: mongo.PyMongoError) -> str:
        known = self.mongo.topology_description
        places = [(host, port) for host, port in known.server_descriptions() if port is not None]
        electing = (
            isinstance(error, mongo.ServerSelectionTimeoutError)
            and known.topology_type_name == "ReplicaSetNoPrimary"
            and bool(known.known_servers)
        )
        return self._mongo_failures.sentence(error, places, electing=electing)


def client_versions() -> dict[str, str]:
    return {"pymongo": pymongo.version, "elasticsearch-py": ".".join(map(str, elasticsearch.__version__))}


def _mongo_client(address: str, timeout: float, ca_file: Path | None) -> Mongo:
    options: dict[str, Any] = {}
    if ca_file is not None:
        options = {"tls": True, "tlsCAFile": _file("mongodb_ca_file", ca_file)}
    if "retrywrites=" not in address.lower():
        # A write that a fail-over cut off is sent once more, by its number, and counts once.
        options["retryWrites"] = True
    try:
        # An option that the client does not know is ignored with a warning; `tls=yes` would then speak in clear.
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            return MongoClient(
                address,
                appname="drr",
                serverSelectionTimeoutMS=min(_SELECT_SECONDS, timeout) * 1000,
                # Also how long the client's own watch waits for a server before it gives up every call to it.
                connectTimeoutMS=timeout * 1000,
                socketTimeoutMS=timeout * 1000,
                waitQueueTimeoutMS=timeout * 1000,
                maxPoolSize=CONNECTIONS,
                **options,
            )
    except (mongo.PyMongoError, ValueError, UserWarning, OSError) as error:
        raise refused_address("mongodb_url", error, address) from None


def _place(address: str) -> Place | None:
    parts = urlsplit(address)
    if parts.hostname is None:
        return None
    return parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)


def _file(setting: str, path: Path) -> str:
    if not path.is_file():
        raise Misuse(f"setting {setting}: {path} is no file; see `drr env settings`")
    return str(path)


def _header_value(key: str) -> str:
    if not (key.isascii() and key.isprintable()):
        raise Misuse(
            "setting elasticsearch_api_key: has a line break or a letter that no key has; copy the key again"
        )
    return key
