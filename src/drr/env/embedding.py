"""Turns texts into vectors: the role *embedder*, for finding texts that are close in meaning and share no word.

`offline` is hashed TF-IDF: words and their pieces of three letters, hashed into a few hundred dimensions and weighted by how rare they
are in the texts on which the embedder was fitted. It knows no meaning, and says so in its name. `openai:NAME` is any server with an
OpenAI-compatible `/embeddings`; its answers are cached by text and model, so each text is requested once.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

from drr.env.asked_at import OWN, address_of, address_setting, key_for, key_place
from drr.env.errors import DrrError, Misuse
from drr.env.files import make_folder
from drr.env.settings import Settings
from drr.env.text import tokens
from drr.env.trust import cache_folder, is_loopback, origin_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
OFFLINE = "offline"
OFFLINE_NAME = "hashed-tfidf-1"
PLACES = 256
_PIECE = 3
_PIECE_WEIGHT = 0.3
_BATCH = 128
_LONGEST = 8000
"""Characters of a text that are embedded; the beginning of a listing says what the product is."""
_ATTEMPTS = 4
_TRANSIENT = (429, 500, 502, 503, 504)


class Embedder(Protocol):
    name: str
    """The model's name, as it stands in keys and manifests."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 for each text; a text without a word gets zeros."""


class HashedTfIdf:
    def __init__(self, weights: Vectors) -> None:
        self.name, self.weights = OFFLINE_NAME, weights

    @classmethod
    def fitted(cls, texts: Sequence[str]) -> HashedTfIdf:
        import numpy as np

        vector = np.zeros(PLACES, np.float64)
        for text in texts:
            vector[list({place for place, _, _ in _places(text)})] += 1
        rarity = 1 + np.log((1 + len(texts)) / (1 + vector))
        return cls(rarity.astype(np.float32))

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), PLACES), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for place, sign, weight in _places(text):
                row[place] += sign * weight
        return _normal(np.sign(rows) * np.log1p(np.abs(rows)) * self.weights)


_Place = tuple[int, float, float]


def _places(text: str) -> Iterator[_Place]:
    for word in tokens(text[:_LONGEST]):
        yield (*_place(word), 1.0)
        framed = f"<{word}>"
        for start in range(len(framed) - _PIECE + 1):
            yield (*_place(framed[start : start + _PIECE]), _PIECE_WEIGHT)


def _place(piece: str, known: dict[str, tuple[int, float]] = {}) -> tuple[int, float]:  # noqa: B006
    found = known.get(piece)
    if found is None:
        number = int.from_bytes(blake2b(piece.encode("utf-8", "replace"), digest_size=4).digest())
        found = (number % PLACES, 1.0 if number >> 31 else -1.0)
        if len(known) < 1 << 18:
            known[piece] = found
    return found


def _normal(rows: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), np.float32)


class EmbeddingCache:
    """A cache of the models' answers by model and text, in a file of the user's own."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        make_folder(self._path.parent, 0o700)
        with closing(sqlite3.connect(self._path, timeout=30)) as database, database:
            database.execute(
                "create table if not exists vector(key blob primary key, value blob) without rowid"
            )
            yield database

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        import numpy as np

        with self._open() as database:
            found = (
                (key, database.execute("select value from vector where key = ?", (key,)).fetchone())
                for key in keys
            )
            return {key: np.frombuffer(row[0], np.float32) for key, row in found if row is not None}

    def put(self, rows: Sequence[tuple[bytes, Vectors]]) -> None:
        with self._open() as database:
            database.executemany(
                "insert or replace into vector values(?, ?)", [(k, v.tobytes()) for k, v in rows]
            )


Ask = Callable[[Sequence[str]], Vectors]


class KeptEmbedder:
    """An embedder that requests each text once. If `place` names another server than the provider's own, its answers are cached separately."""

    def __init__(self, name: str, ask: Ask, cache: EmbeddingCache, place: str = "") -> None:
        self.name, self._ask, self._cache = name, ask, cache
        self._asked = f"{name}\n{place}" if place else name

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        texts = [text[:_LONGEST] or " " for text in texts]
        keys = [
            blake2b(f"{self._asked}\n{text}".encode("utf-8", "replace"), digest_size=20).digest()
            for text in texts
        ]
        found = self._cache.get(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        for batch in _batches(list(missing.items())):
            answered = _normal(self._ask([text for _, text in batch]))
            rows = [(key, row) for (key, _), row in zip(batch, answered, strict=True)]
            self._cache.put(rows)
            found |= dict(rows)
        return np.stack([found[key] for key in keys])


def _batches(rows: Sequence[tuple[bytes, str]]) -> Iterator[Sequence[tuple[bytes, str]]]:
    for first in range(0, len(rows), _BATCH):
        yield rows[first : first + _BATCH]


def embedder_of(settings: Settings, weights: Vectors | None = None) -> Embedder:
    """Return the embedder that the settings name; `weights` are those on which the offline one was fitted."""
    import numpy as np

    provider, _, model = settings.model_for("embedder").partition(":")
    if provider == OFFLINE and not model:
        return HashedTfIdf(np.ones(PLACES, np.float32) if weights is None else weights)
    if provider == "minilm" and not model:
        from drr.env.minilm import MiniLm

        return MiniLm()
    if provider != "openai" or not model:
        raise Misuse(
            f"model_embedder {settings.model_for('embedder')!r}: give `offline`, `minilm`, or openai:NAME with --base-url-embedder"
        )
    setting = address_setting(settings, "embedder")
    address = address_of(settings, setting, provider) or ""
    if setting is not None and setting in settings.unnamed:
        place = origin_of(address)
        raise Misuse(
            f"{settings.unnamed[setting]} names the address {place}, and you did not; --trust-address {place}"
        )
    key = key_for(settings, setting, provider, "embedder")
    if key is None and not is_loopback(address):
        raise Misuse(
            f"model_embedder openai:{model}: no key for {origin_of(address)};"
            f" OPENAI_API_KEY goes to {key_place(settings, provider)} only, DRR_ROLE_KEYS=embedder=KEY to this one"
        )
    secret = "none" if key is None else key.get_secret_value()
    return KeptEmbedder(
        f"openai:{model}",
        lambda texts: _ask(
            address, secret, model, texts, timeout=settings.model_timeout, deadline=settings.model_deadline
        ),
        EmbeddingCache(cache_folder() / "embeddings.sqlite"),
        "" if address == OWN[provider] else origin_of(address),
    )


def _ask(
    address: str, key: str, model: str, texts: Sequence[str], *, timeout: float, deadline: float
) -> Vectors:
    """Request vectors from an embedding server. A server on this machine is reached without the environment's proxy; all attempts end by the deadline."""
    import httpx

    where = f"the embedder at {origin_of(address)}"
    end = time.monotonic() + deadline
    for attempt in range(_ATTEMPTS):
        try:
            answer = httpx.post(
                f"{address.rstrip('/')}/embeddings",
                json={"model": model, "input": list(texts)},
                headers={"Authorization": f"Bearer {key}"},
                timeout=max(0.001, min(timeout, end - time.monotonic())),
                trust_env=not is_loopback(address),
            )
        except httpx.TransportError as error:
            problem = type(error).__name__
        else:
            if answer.status_code == 200:
                return _read(answer.json(), len(texts), where)
            problem = f"status {answer.status_code}"
            if answer.status_code not in _TRANSIENT:
                break
        if attempt + 1 == _ATTEMPTS or time.monotonic() + 2**attempt >= end:
            break
        time.sleep(2**attempt)
    raise DrrError(
        f"{where} did not answer ({problem}); check --base-url-embedder, the key and the model's name"
    )


def _read(answer: object, count: int, where: str) -> Vectors:
    import numpy as np

    try:
        rows = sorted(answer["data"], key=lambda row: row["index"])  # type: ignore[index]
        vectors = np.array([row["embedding"] for row in rows], np.float32)
    except (TypeError, KeyError, ValueError):
        raise DrrError(f"{where} answered in another form than OpenAI's; check --base-url-embedder") from None
    if vectors.ndim != 2 or len(vectors) != count:
        raise DrrError(f"{where} gave {len(vectors)} vectors for {count} texts; check the model's name")
    return vectors
