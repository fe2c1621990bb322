"""Signs the root hash of a bundle: Ed25519 signatures, each in a DSSE envelope around an in-toto statement. Signatures are only added."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from drr.env.errors import DrrError, Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject, parsed
from drr.study.bundle.archive import SIGNATURES
from drr.study.bundle.parcel import UnpackedBundle
from drr.study.form import naming_errors, of
from drr.study.unit import canonical_json

Role = Literal["maker", "verifier", "reproducer"]
_PREDICATES: Mapping[str, Role] = {
    "urn:drr:bundle:made:1": "maker",
    "urn:drr:bundle:verified:1": "verifier",
    "urn:drr:bundle:reproduced:1": "reproducer",
}
_PAYLOAD = "application/vnd.in-toto+json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
_PEM = serialization.Encoding.PEM
_LARGEST = 1 << 20
_P = (1 << 255) - 19
_EIGHTH = 0x5FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_SMALL = {0, 1, _P - 1, _EIGHTH, _P - _EIGHTH}
"""The y coordinates of the eight points of small order: anybody can sign for such a key."""


def new_key(path: Path) -> str:
    """Write a key that only this user can read, and its public half beside it as `.pub`. Return the key's id."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(_PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    for place, content, mode in ((path, private, 0o600), (path.with_name(f"{path.name}.pub"), public, 0o644)):
        try:
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        except OSError as error:
            raise Misuse(f"{place}: cannot be made ({error.strerror}); name a new file") from error
        with os.fdopen(handle, "wb") as file:
            file.write(content)
    return _id(key.public_key())


def _id(key: Ed25519PublicKey) -> str:
    raw = key.public_bytes(*_RAW)
    if int.from_bytes(raw, "little") % (1 << 255) % _P in _SMALL:  # `cryptography` takes them
        raise ValueError("a key of small order, with which anybody can sign")
    return sha256(raw).hexdigest()


@contextmanager
def _key_in(path: Path, what: str) -> Iterator[bytes]:
    """Read a key's file within a context; any error in the context raises `Misuse` with the expected content `what`."""
    try:
        yield read_file(path, _LARGEST)
    except (OSError, TypeError, ValueError, DrrError) as error:
        what = what if path.exists() else "not there"
        hint = "`drr bundle key new` makes one, and its public half beside it as `.pub`"
        raise Misuse(f"{path}: is {what}; {hint}") from error


def public_id(path: Path) -> str:
    """Return the id of the public key in a file; `Misuse` where the file holds none."""
    with _key_in(path, "no public key (Ed25519)") as content:
        return _id(of(serialization.load_pem_public_key(content), Ed25519PublicKey))


def sign(parcel: UnpackedBundle, file: Path, role: Role, predicate: Mapping[str, Any]) -> str:
    """Add a signature with the key in a file to an unpacked bundle, and return the key's id."""
    with _key_in(file, "no Ed25519 key without a password") as content:
        key = of(serialization.load_pem_private_key(content, None), Ed25519PrivateKey)
    public = key.public_key()
    statement = {
        "_type": _STATEMENT,
        "subject": [{"name": "bundle", "digest": {"sha256": parcel.root}}],
        "predicateType": next(name for name, one in _PREDICATES.items() if one == role),
        "predicate": {**predicate, "public_key": public.public_bytes(*_RAW).hex()},
    }
    payload = canonical_json(statement).encode()
    with (parcel.folder / SIGNATURES).open("a", encoding="utf-8") as lines:
        lines.write(canonical_json(_envelope(payload, public, key.sign(_bound(payload)))) + "\n")
    return _id(public)


def _envelope(payload: bytes, key: Ed25519PublicKey, signature: bytes) -> JsonObject:
    signed = {"keyid": _id(key), "sig": b64encode(signature).decode()}
    return {"payloadType": _PAYLOAD, "payload": b64encode(payload).decode(), "signatures": [signed]}


def _bound(payload: bytes) -> bytes:
    """Return the signed bytes: DSSE's pre-authentication encoding of type and payload."""
    return b"DSSEv1 %d %s %d %s" % (len(_PAYLOAD), _PAYLOAD.encode(), len(payload), payload)


class Signature(NamedTuple):
    key: str
    role: Role
    predicate: JsonObject
    """The signer's statement, as written."""


def signatures(parcel: UnpackedBundle) -> Iterator[Signature]:
    """Yield each signature of an unpacked bundle. An invalid signature raises `DrrError`."""
    if (parcel.folder / SIGNATURES).stat().st_size > _LARGEST:
        raise DrrError("a bundle with more than a megabyte of signatures")
    for number, envelope in enumerate(parcel.rows(SIGNATURES, JsonObject), 1):
        with naming_errors(f"signature {number} of the bundle"):
            payload, signature = b64decode(envelope["payload"]), b64decode(envelope["signatures"][0]["sig"])
            statement = parsed(payload)
            predicate = of(statement["predicate"], dict)
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(predicate["public_key"]))
            if envelope != _envelope(payload, key, signature):
                raise ValueError("is no envelope of ours")
            if [subject["digest"] for subject in statement["subject"]] != [{"sha256": parcel.root}]:
                raise ValueError("is of another bundle")
            try:
                key.verify(signature, _bound(payload))
            except InvalidSignature as error:
                raise ValueError("is not by its key") from error
            yield Signature(_id(key), _PREDICATES[statement["predicateType"]], predicate)
