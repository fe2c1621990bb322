"""Failures of the two servers as sentences that say what to do. No address with a password is shown."""

from __future__ import annotations

import re
import socket
import ssl
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote

import bson
import elastic_transport
import elasticsearch
from drr.env.errors import Misuse
from drr.env.settings import Settings
from drr.env.trust import is_loopback, place_of
from pymongo import errors as mongo

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
    """The first line, without an address that may hold a password."""
    text = (str(error).splitlines() or [""])[0].split(", full error:")[0]
    return " ".join(word if "@" not in word else "(address)" for word in text.split())[:300]


SECONDS = 2.0
_OP_MSG = 2013
_HEAD = struct.Struct("<iiii")


def speaks_tls(host: str, port: int) -> bool:
    """A handshake succeeds, whoever the certificate names."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), SECONDS) as raw,
            context.wrap_socket(raw, server_hostname=host),
        ):
            return True
    except (OSError, ValueError):
        return False


def speaks_plain_http(host: str, port: int) -> bool:
    request = f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    return _first(host, port, request, 5) == b"HTTP/"


def speaks_plain_mongodb(host: str, port: int) -> bool:
    """The first thing that every client asks, `hello`, gets an answer to it."""
    body = b"\0\0\0\0\0" + bson.encode({"hello": 1, "$db": "admin"})
    number = 7
    answer = _first(host, port, _HEAD.pack(_HEAD.size + len(body), number, 0, _OP_MSG) + body, _HEAD.size)
    return len(answer) == _HEAD.size and _HEAD.unpack(answer)[2:] == (number, _OP_MSG)


def _first(host: str, port: int, request: bytes, count: int) -> bytes:
    found = b""
    try:
        with socket.create_connection((host, port), SECONDS) as there:
            there.sendall(request)
            while len(found) < count and (more := there.recv(count - len(found))):
                found += more
    except OSError:
        pass
    return found


NEEDED_ELASTICSEARCH = 9
_FULL = {"disk", "space", "quota", "full"}
# What a member of a replica set says while no one, or another one, is its primary.
_FAILING_OVER = {91, 189, 10058, 10107, 11600, 11602, 13435, 13436}
_START = "start it (`docker compose up -d`)"
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
            return (
                f"{where}: {first_line(error)}; check DRR_MONGODB_URL and the server's version (6.0 or newer)"
            )
        if isinstance(error, mongo.OperationFailure):
            return f"{where}{self._refusal(error)}"
        return f"{where}: {type(error).__name__}: {first_line(error)}"

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
            return f": this user may not do that ({first_line(error)}); give it the role readWrite on this database"
        if error.code == 14031 or _FULL & set(first_line(error).lower().split()):
            return f" is full ({first_line(error)}); make room there and run the same command again"
        return f": {type(error).__name__}: {first_line(error)}"

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
        return f"{where}: {type(error).__name__}: {first_line(error)}"

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
