"""Describes failures of the two servers in sentences that say what to do. No address with a password is shown."""

from __future__ import annotations

import re
import ssl
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from urllib.parse import parse_qsl, unquote

import elastic_transport
import elasticsearch
from drr.env.errors import Misuse
from drr.env.json_object import JsonObject
from drr.env.settings import Settings
from drr.env.trust import hosts_of, is_loopback, origin_of
from pymongo import MongoClient
from pymongo import errors as mongo

UNCLEAR = "the given address"
_SECRET_OPTION = re.compile(r"pass|propert|token|key|secret", re.IGNORECASE)
_ASKS_FOR_TLS = re.compile(r"[?&](?:tls|ssl)\w*=(?!false)", re.IGNORECASE)
# A shorter piece stands in a sentence by chance.
_SHORTEST_PIECE = 3


def host_of(address: str) -> str:
    """Return host and port of an address without user, password, or anything else that must not be printed."""
    return hosts_of(address) or UNCLEAR


def is_clear(address: str) -> bool:
    """Tell whether everything before the `@` is user and password. An unescaped `/` in a password puts the rest of the password
    where a host or a database is expected."""
    scheme, colon, rest = address.partition("://")
    ends = r"[/?#]" if scheme.startswith("http") else r"[/?]"
    return bool(colon) and "@" not in "".join(re.split(ends, rest, maxsplit=1)[1:])


def checked_address(settings: Settings, setting: str) -> str:
    """Return the address in this setting. Raises `Misuse`, without quoting the address, if it is unclear or was not named by this user."""
    address: str = getattr(settings, setting).get_secret_value()
    if "@" in address and not is_clear(address):
        raise Misuse(
            f"setting {setting}: cannot be read: it has no :// in front, or a letter in the user or password stands as it is; "
            "write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A, % as %25 (and an @ in an option as %40)"
        )
    # A study or a `drr.toml` of somebody else does not choose the servers that this user's key and questions go to.
    who = settings.unnamed.get(setting)
    if who is not None and not is_loopback(address):
        place = origin_of(address)
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
    """Return an error that quotes the client's message about an address, unless the message holds a piece of a secret."""
    reason = first_line(error)
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


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, without an address that may hold a password."""
    text = (str(error).splitlines() or [""])[0].split(", full error:")[0]
    return " ".join(word if "@" not in word else "(address)" for word in text.split())[:300]


SECONDS = 2.0


def speaks_tls(host: str, port: int) -> bool:
    """Tell whether a server completes a TLS handshake, whatever name its certificate bears."""
    with suppress(OSError, ValueError):
        return bool(ssl.get_server_certificate((host, port), timeout=SECONDS))
    return False


def speaks_plain_http(host: str, port: int) -> bool:
    with suppress(OSError, HTTPException), closing(HTTPConnection(host, port, timeout=SECONDS)) as there:
        there.request("HEAD", "/")
        return bool(there.getresponse().status)
    return False


def speaks_plain_mongodb(host: str, port: int) -> bool:
    wait = int(SECONDS * 1000)
    client: MongoClient[JsonObject] = MongoClient(
        host, port, directConnection=True, serverSelectionTimeoutMS=wait, connectTimeoutMS=wait
    )
    with suppress(mongo.PyMongoError), client:
        return bool(client.admin.command("ping"))
    return False


NEEDED_ELASTICSEARCH = 9
_FULL = {"disk", "space", "quota", "full"}
# What a member of a replica set says while no one, or another one, is its primary.
_FAILING_OVER = {91, 189, 10058, 10107, 11600, 11602, 13435, 13436}
_TLS_ONLY = " speaks TLS only; write https:// in DRR_ELASTICSEARCH_URL"
_NO_TLS = ": no TLS connection; its certificate is not accepted"
_WRONG_USER = " refuses the user or password; check DRR_MONGODB_URL"
_TOO_SLOW = " did not answer within {:g} s; look at its load, or raise DRR_SERVER_TIMEOUT"
_START = "start it (`docker compose up -d`)"
Place = tuple[str, int]


@dataclass(frozen=True)
class MongoFailures:
    shown: str
    address: str
    timeout: float
    own_ca: bool

    def sentence(self, error: mongo.PyMongoError, places: Sequence[Place], *, electing: bool) -> str:
        """Describe an error of MongoDB. `places` are the known members of the set; `electing` means that none that answers is the primary."""
        code = getattr(error, "code", None)
        if isinstance(error, mongo.NotPrimaryError) or code in _FAILING_OVER or electing:
            reason = (
                " has no primary just now, as in a fail-over, which takes seconds to a minute; "
                "wait so long and run the same command again"
            )
        elif isinstance(error, mongo.NetworkTimeout | mongo.ExecutionTimeout | mongo.WaitQueueTimeoutError):
            reason = _TOO_SLOW.format(self.timeout)
        elif isinstance(error, mongo.ServerSelectionTimeoutError | mongo.AutoReconnect):
            reason = self._unreachable(error, places)
        elif isinstance(error, mongo.ConfigurationError):
            reason = f": {first_line(error)}; check DRR_MONGODB_URL and the server's version (6.0 or newer)"
        elif isinstance(error, mongo.OperationFailure):
            reason = self._refusal(error)
        else:
            reason = f": {type(error).__name__}: {first_line(error)}"
        return f"MongoDB at {self.shown}{reason}"

    def _unreachable(self, error: mongo.PyMongoError, places: Sequence[Place]) -> str:
        text = str(error).lower()
        if "auth" in text:
            return _WRONG_USER
        if self.own_ca or asks_for_tls(self.address):
            if any(speaks_tls(*place) for place in places):
                return f"{_NO_TLS} (set DRR_MONGODB_CA_FILE)"
            if any(speaks_plain_mongodb(*place) for place in places):
                return (
                    " speaks without TLS, and this address asks for TLS; leave out tls=true and DRR_MONGODB_CA_FILE, "
                    "or turn TLS on in the server"
                )
            if "ssl" in text:
                return f"{_NO_TLS} (set DRR_MONGODB_CA_FILE), or it speaks without TLS"
        elif any(speaks_tls(*place) for place in places):
            return " speaks TLS only; add tls=true to DRR_MONGODB_URL (mongodb://HOST/?tls=true)"
        return f" does not answer; {_START} or set DRR_MONGODB_URL"

    def _refusal(self, error: mongo.OperationFailure) -> str:
        reason = first_line(error)
        if error.code in (18, 8000):
            return _WRONG_USER
        if error.code == 13 and not has_user(self.address):
            return (
                " asks for a user and password; put them into DRR_MONGODB_URL (mongodb://USER:PASSWORD@HOST)"
            )
        if error.code == 13:
            return f": this user may not do that ({reason}); give it the role readWrite on this database"
        if error.code == 14031 or _FULL & set(reason.lower().split()):
            return f" is full ({reason}); make room there and run the same command again"
        return f": {type(error).__name__}: {reason}"


@dataclass(frozen=True)
class SearchFailures:
    shown: str
    address: str
    timeout: float
    place: Place | None
    has_key: bool

    def sentence(self, error: elastic_transport.TransportError | elasticsearch.ApiError) -> str:
        text = str(error)
        if isinstance(error, elasticsearch.UnsupportedProductError):
            return self.stranger()
        if isinstance(error, elastic_transport.ConnectionTimeout):
            reason = _TOO_SLOW.format(self.timeout)
        elif isinstance(error, elastic_transport.ConnectionError):
            reason = self._unreachable(error)
        elif not isinstance(error, elasticsearch.ApiError):
            reason = f": {type(error).__name__}: {first_line(error)}"
        elif "media_type_header" in text or "compatible-with" in text:
            return self.server_too_old("8 or older")
        else:
            reason = self._refusal(error.meta.status, text)
        return f"Elasticsearch at {self.shown}{reason}"

    def server_too_old(self, number: str) -> str:
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
        if not isinstance(error, elastic_transport.TlsError):
            return f" does not answer; {_START} or set DRR_ELASTICSEARCH_URL"
        if self.place is None or speaks_tls(*self.place):
            return f"{_NO_TLS} (set DRR_ELASTICSEARCH_CA_FILE)"
        if speaks_plain_http(*self.place):
            return " speaks without TLS; write http:// in DRR_ELASTICSEARCH_URL, or turn TLS on in the server"
        return f"{_NO_TLS} (set DRR_ELASTICSEARCH_CA_FILE), or it speaks without TLS (http://)"

    def _refusal(self, status: int, text: str) -> str:
        """Describe a refusal by Elasticsearch, and what to do then."""
        if status == 400 and self._speaks_tls_only():
            return _TLS_ONLY
        if status == 401 and not self.has_key and not has_user(self.address):
            return (
                " asks for credentials; set DRR_ELASTICSEARCH_API_KEY, or put user and password into "
                "DRR_ELASTICSEARCH_URL (http://USER:PASSWORD@HOST)"
            )
        if status == 401:
            return " refuses the credentials; check DRR_ELASTICSEARCH_API_KEY and DRR_ELASTICSEARCH_URL"
        if status == 403 and "cluster_block" not in text:
            return f": these credentials may not do that ({text[:300]}); docs/servers.md says what they need"
        if status == 503:
            return f" is not ready ({text[:200]}); wait until it has started and run the same command again"
        if status in (429, 507) or "cluster_block" in text:
            return f" is full or overloaded ({text[:200]}); make room there and run the same command again"
        return f": {status}: {text[:300]}"
