"""Failures of the two servers as sentences that say what to do. No address with a password is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import elastic_transport
import elasticsearch
from drr.env.servers.addresses import asks_for_tls, has_user, plain
from drr.env.servers.probing import speaks_plain_http, speaks_plain_mongodb, speaks_tls
from pymongo import errors as mongo

NEEDED_ELASTICSEARCH = 9
_FULL = {"disk", "space", "quota", "full"}
# What a member of a replica set says while no one, or another one, is its primary.
_FAILING_OVER = {91, 189, 10058, 10107, 11600, 11602, 13435, 13436}
_START = "start it (`docker compose up -d` or `drr shop servers start`)"
Place = tuple[str, int]


@dataclass(frozen=True)
class MongoFailures:
    shown: str
    address: str
    timeout: float
    own_ca: bool

    def sentence(self, error: mongo.PyMongoError, places: Sequence[Place], *, electing: bool) -> str:
        """`places` are the set's members as far as they are known; `electing`: none of those that answer is the primary."""
        where = f"MongoDB at {self.shown}"
        if (
            isinstance(error, mongo.NotPrimaryError)
            or getattr(error, "code", None) in _FAILING_OVER
            or electing
        ):
            return (
                f"{where} has no primary just now, as in a fail-over, which takes seconds to a minute; "
                "wait so long and run the same command again"
            )
        if isinstance(error, mongo.NetworkTimeout | mongo.ExecutionTimeout | mongo.WaitQueueTimeoutError):
            return f"{where} did not answer within {self.timeout:g} s; look at its load, or raise DRR_SERVER_TIMEOUT"
        if isinstance(error, mongo.ServerSelectionTimeoutError | mongo.AutoReconnect):
            return f"{where}{self._unreachable(error, places)}"
        if isinstance(error, mongo.ConfigurationError):
            return f"{where}: {plain(error)}; check DRR_MONGODB_URL and the server's version (6.0 or newer)"
        if isinstance(error, mongo.OperationFailure):
            return f"{where}{self._refusal(error)}"
        return f"{where}: {type(error).__name__}: {plain(error)}"

    def _unreachable(self, error: mongo.PyMongoError, places: Sequence[Place]) -> str:
        text = str(error).lower()
        if "auth" in text:
            return self._wrong_credentials()
        if self.own_ca or asks_for_tls(self.address):
            if any(speaks_tls(*place) for place in places):
                return ": no TLS connection; its certificate is not accepted (set DRR_MONGODB_CA_FILE)"
            if any(speaks_plain_mongodb(*place) for place in places):
                return (
                    " speaks without TLS, and this address asks for TLS; leave out tls=true and DRR_MONGODB_CA_FILE, "
                    "or turn TLS on in the server"
                )
            if "ssl" in text:
                return (
                    ": no TLS connection; its certificate is not accepted (set DRR_MONGODB_CA_FILE), "
                    "or it speaks without TLS"
                )
        elif any(speaks_tls(*place) for place in places):
            return " speaks TLS only; add tls=true to DRR_MONGODB_URL (mongodb://HOST/?tls=true)"
        return f" does not answer; {_START} or set DRR_MONGODB_URL"

    def _refusal(self, error: mongo.OperationFailure) -> str:
        if error.code in (18, 8000):
            return self._wrong_credentials()
        if error.code == 13 and not has_user(self.address):
            return (
                " asks for a user and password; put them into DRR_MONGODB_URL (mongodb://USER:PASSWORD@HOST)"
            )
        if error.code == 13:
            return (
                f": this user may not do that ({plain(error)}); give it the role readWrite on this database"
            )
        if error.code == 14031 or _FULL & set(plain(error).lower().split()):
            return f" is full ({plain(error)}); make room there and run the same command again"
        return f": {type(error).__name__}: {plain(error)}"

    def _wrong_credentials(self) -> str:
        return " refuses the user or password; check DRR_MONGODB_URL"


@dataclass(frozen=True)
class SearchFailures:
    shown: str
    address: str
    timeout: float
    place: Place | None
    has_key: bool

    def sentence(self, error: elastic_transport.TransportError | elasticsearch.ApiError) -> str:
        where = f"Elasticsearch at {self.shown}"
        if isinstance(error, elastic_transport.ConnectionTimeout):
            return f"{where} did not answer within {self.timeout:g} s; look at its load, or raise DRR_SERVER_TIMEOUT"
        if isinstance(error, elastic_transport.ConnectionError):
            return f"{where}{self._unreachable(error)}"
        if isinstance(error, elasticsearch.UnsupportedProductError):
            return self.stranger()
        if isinstance(error, elasticsearch.ApiError):
            text = str(error)
            if "media_type_header" in text or "compatible-with" in text:
                return self.too_old("8 or older")
            if error.meta.status == 400 and self._speaks_tls_only():
                return f"{where}{_TLS_ONLY}"
            return self._refusal(where, error.meta.status, text)
        return f"{where}: {type(error).__name__}: {plain(error)}"

    def too_old(self, number: str) -> str:
        return (
            f"Elasticsearch at {self.shown} is version {number}, and this drr speaks with {NEEDED_ELASTICSEARCH}.x; "
            "update the server (docker-compose.yml names one)"
        )

    def stranger(self) -> str:
        return f"Elasticsearch at {self.shown}: what answers there is not Elasticsearch; check DRR_ELASTICSEARCH_URL"

    def _speaks_tls_only(self) -> bool:
        return not asks_for_tls(self.address) and self.place is not None and speaks_tls(*self.place)

    def _unreachable(self, error: elastic_transport.ConnectionError) -> str:
        if self._speaks_tls_only():
            return _TLS_ONLY
        if isinstance(error, elastic_transport.TlsError):
            if self.place is None or speaks_tls(*self.place):
                return ": no TLS connection; its certificate is not accepted (set DRR_ELASTICSEARCH_CA_FILE)"
            if speaks_plain_http(*self.place):
                return " speaks without TLS; write http:// in DRR_ELASTICSEARCH_URL, or turn TLS on in the server"
            return (
                ": no TLS connection; its certificate is not accepted (set DRR_ELASTICSEARCH_CA_FILE), "
                "or it speaks without TLS (http://)"
            )
        return f" does not answer; {_START} or set DRR_ELASTICSEARCH_URL"

    def _refusal(self, where: str, status: int, text: str) -> str:
        """Say what Elasticsearch answered instead of doing it, and what to do then."""
        if status == 401 and not self.has_key and not has_user(self.address):
            return (
                f"{where} asks for credentials; set DRR_ELASTICSEARCH_API_KEY, or put user and password into "
                "DRR_ELASTICSEARCH_URL (http://USER:PASSWORD@HOST)"
            )
        if status == 401:
            return (
                f"{where} refuses the credentials; check DRR_ELASTICSEARCH_API_KEY and DRR_ELASTICSEARCH_URL"
            )
        if status == 403 and "cluster_block" not in text:
            return f"{where}: these credentials may not do that ({text[:300]}); docs/servers.md says what they need"
        if status == 503:
            return f"{where} is not ready ({text[:200]}); wait until it has started and run the same command again"
        if status in (429, 507) or "cluster_block" in text:
            return f"{where} is full or overloaded ({text[:200]}); make room there and run the same command again"
        return f"{where}: {status}: {text[:300]}"


_TLS_ONLY = " speaks TLS only; write https:// in DRR_ELASTICSEARCH_URL"
