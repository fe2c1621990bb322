"""Seals of frozen sets: seeds that their owner keeps, and questions that lie encrypted in a set."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from drr.data_ingest.fresh import ShopAxes
from drr.env.errors import Misuse
from drr.env.files import read_file
from drr.env.query import read_queries
from pydantic import BaseModel, ConfigDict, Field

SEALED = "queries.sealed"
"""The encrypted questions of a sealed part that a model worded, which no seed makes again."""
LEAST_SEALED = 10**14
"""Smallest seed of a sealed part. Smaller seeds could be found by trying them against the hash of the shop."""


class SeededShop(BaseModel):
    """The seed and axes from which a fresh shop is made."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seed: int = Field(ge=0, lt=2**63)
    axes: ShopAxes

    def committed(self, nonce: str, worded: str | None = None) -> str:
        """Return the commitment to this seed, and to the questions of the hash `worded`. Without the secret `nonce`, nobody can try seeds."""
        texts = "" if worded is None else f":{worded}"
        return sha256(f"{nonce}:{canonical_bytes(self.model_dump())}{texts}".encode()).hexdigest()


class PartSeal(BaseModel):
    """The secret seed of one sealed part, with the nonce of its commitment."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    made: SeededShop
    nonce: str


class SetSeal(BaseModel):
    """The secret file that the owner of a set with sealed parts keeps."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    parts: dict[str, PartSeal]


class SealedQuestions(PartSeal):
    """The content of the encrypted file of a part."""

    questions: str

    @classmethod
    def opened(cls, path: Path, key: str) -> SealedQuestions:
        from cryptography.fernet import Fernet, InvalidToken

        try:
            return cls.model_validate_json(Fernet(key).decrypt(read_file(path)))
        except (InvalidToken, ValueError) as error:
            raise Misuse(f"{path}: the key does not open it") from error


def is_worded(place: Path) -> bool:
    """Tell whether a model worded the questions of a folder, so that no seed makes them again."""
    queries = read_queries(place / "queries.jsonl")
    truths = [one.checkable for one in queries]
    return bool(truths) and all(truth and truth.worded for truth in truths)


def encrypt_questions(places: Sequence[Path], folder: Path, seals: Mapping[str, PartSeal]) -> str | None:
    """Write the questions of these parts into the set, encrypted with their seals; return the key, `None` without a part."""
    from cryptography.fernet import Fernet

    while (key := Fernet.generate_key()).startswith(b"-"):
        pass  # a command line would take it for an option
    for place in places:
        name = place.resolve().name
        text = read_file(place / "queries.jsonl").decode()
        inside = SealedQuestions(**dict(seals[name]), questions=text).model_dump_json()
        (folder / name).mkdir()
        (folder / name / SEALED).write_bytes(Fernet(key).encrypt(inside.encode()))
    return key.decode() if places else None


def canonical_bytes(document: object) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
