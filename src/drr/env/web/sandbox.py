"""A frozen web: a folder with documents and a BM25 index. The same query gets the same answer, for ever, offline.

Documents carry fields that graders may know (kind, topics, whether an injection is planted); no model sees any of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import orjson
from drr.citations.addresses import canonical_url
from drr.env.errors import DrrError, Misuse, wrong_field
from drr.env.files import check_entries, read_file
from drr.env.json_object import JsonObject
from drr.env.small_files import DOCUMENT, read_lines, read_within
from drr.env.text import tokens
from drr.env.web.base import Page, WebHit
from pydantic import BaseModel, ConfigDict, Field, ValidationError

DOCUMENTS = "documents.jsonl"
MANIFEST = "sandbox.json"
READER = "sandbox/1"
BOX = Path(__file__).parent / "corpus"
Kind = Literal["supportive", "distractor", "noise"]


class Document(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(pattern=r"^https?://[^\s/]+")
    title: str = Field(min_length=1)
    text: str = Field(min_length=1)
    """The page's text in Markdown."""
    date: str | None = None
    kind: Kind = "supportive"
    topics: list[str] = Field(default_factory=list)
    injection: bool = False


def read_documents(folder: Path) -> list[Document]:
    """Return the documents of a folder, by URL."""
    path = folder / DOCUMENTS
    try:
        check_entries(folder, deep=False)
        lines = read_lines(path).splitlines()
    except ValueError as error:
        raise Misuse(f"{path}: {error}; no web in a box is so large") from error
    except OSError as error:
        raise Misuse(
            f"{path}: cannot be read ({error.strerror}); a sandbox is a folder with {DOCUMENTS}, see `drr web build --help`"
        ) from error
    found: dict[str, Document] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = Document.model_validate(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise Misuse(f"{path}, line {number}: not JSON ({error})") from error
        except ValidationError as error:
            raise Misuse(f"{path}, line {number}: {wrong_field(error)}") from error
        if address_key(document.url) in found:
            raise Misuse(f"{path}, line {number}: the address {document.url} occurs twice")
        found[address_key(document.url)] = document
    return sorted(found.values(), key=lambda document: document.url)


def documents_hash(documents: Iterable[Document]) -> str:
    """Hash the documents' contents, not the layout of the file."""
    digest = sha256(b"drr-sandbox-1")
    for document in documents:
        digest.update(orjson.dumps(document.model_dump(), option=orjson.OPT_SORT_KEYS) + b"\n")
    return digest.hexdigest()


def address_key(url: str) -> str:
    """Return the key by which an address is looked up: its canonical form without scheme, `www.` or fragment."""
    rest = canonical_url(canonical_url(url).partition("#")[0]).partition("://")[2]
    return rest.removeprefix("www.") or url


@dataclass(frozen=True)
class Sandbox:
    """A `WebSearch` of frozen pages."""

    documents: Sequence[Document]
    name: str = "sandbox"
    _taken_apart: dict[str, list[Sentence]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def content_hash(self) -> str:
        return documents_hash(self.documents)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {address_key(document.url): k for k, document in enumerate(self.documents)}

    @cached_property
    def _index(self) -> Any:
        """Build the index in memory: a few hundred pages take milliseconds, and a stored index could go stale."""
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
        builder.add_integer_field("place", stored=True, fast=True)
        index = tantivy.Index(builder.build())
        writer = index.writer(heap_size=50_000_000, num_threads=1)
        for place, document in enumerate(self.documents):
            words = [*tokens(document.title) * 2, *tokens(document.text)]
            writer.add_document(tantivy.Document(text=" ".join(words), place=place))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return index

    def find(self, query: str, limit: int) -> list[Document]:
        """Return matching documents, best first, ties by URL."""
        import tantivy

        index = self._index
        words = list(dict.fromkeys(tokens(query)))
        if not words:
            return []
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "text", word)) for word in words
        ]
        searcher = index.searcher()
        # A few more than asked, so that ties at the cut are settled by address too.
        hits = searcher.search(tantivy.Query.boolean_query(terms), limit + 10, count=False).hits
        scored = [(score, int(searcher.doc(address)["place"][0])) for score, address in hits]
        scored.sort(key=lambda pair: (-round(pair[0], 4), pair[1]))
        return [self.documents[place] for _, place in scored[:limit]]

    def document(self, url: str) -> Document | None:
        place = self._places.get(address_key(url))
        return None if place is None else self.documents[place]

    async def search(self, query: str, top_k: int) -> list[WebHit]:
        return [
            WebHit(
                document.title,
                document.url,
                snippet(document, self._pieces(document), query),
                document.date,
                fitting_rows(document, query),
            )
            for document in self.find(query, top_k)
        ]

    def _pieces(self, document: Document) -> list[Sentence]:
        """Return a document's sentences. Documents never change, so each is split once."""
        found = self._taken_apart.get(document.url)
        if found is None:
            found = self._taken_apart[document.url] = sentences(document)
        return found

    async def read(self, url: str) -> Page:
        document = self.document(url)
        if document is None:
            return Page(url, url, "unreachable", None, None, READER, "this address is not in the sandbox")
        dated = f"Published {document.date}\n\n" if document.date else ""
        return Page(
            url,
            document.url,
            "ok",
            document.title,
            f"# {document.title}\n\n{dated}{document.text}",
            READER,
        )


_MARKS = re.compile(r"-{3,}|[#*_`>|\[\]]+|\]\([^)]*\)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
SNIPPET = 240


class Sentence(NamedTuple):
    text: str
    words: frozenset[str]


def sentences(document: Document) -> list[Sentence]:
    """Return a document's text without its markup, in the pieces of which snippets are made."""
    parts = (" ".join(_MARKS.sub(" ", part).split()) for part in _SENTENCE.split(document.text))
    return [Sentence(part, frozenset(tokens(part))) for part in parts if part]


def snippet(document: Document, pieces: Sequence[Sentence], query: str) -> str:
    """Return the date and the passage that shares the most words with the query, as search engines show it."""
    wanted = frozenset(tokens(query))
    best, most = (0, 0), -1
    for start in range(len(pieces)):
        shared, length, end = wanted & pieces[start].words, len(pieces[start].text), start + 1
        while end < len(pieces) and length + len(pieces[end].text) < SNIPPET - 20:
            shared |= wanted & pieces[end].words
            length += len(pieces[end].text) + 1
            end += 1
        if len(shared) > most:
            best, most = (start, end), len(shared)
    passage = " ".join(piece.text for piece in pieces[slice(*best)])
    dated = f"{document.date} - " if document.date else ""
    room = SNIPPET - len(dated)
    return dated + (passage if len(passage) <= room else passage[: room - 1].rstrip() + "…")


def table_rows(document: Document) -> list[list[str]]:
    """Return the cells of the document's Markdown table by row, the header first."""
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in document.text.splitlines()
        if line.startswith("|") and set(line) - set("|-: ")
    ]


def fitting_rows(document: Document, query: str) -> list[str]:
    """Return the table's rows whose names fit the query best, with the columns whose names do."""
    head, *rows = table_rows(document) or [[""]]
    wanted = frozenset(tokens(query))

    def fitting(names: Sequence[str]) -> set[str]:
        words = {name: set(tokens(name)) for name in names}
        shares = {name: len(own & wanted) / len(own) for name, own in words.items() if own}
        most = max(shares.values(), default=0)
        return {name for name, share in shares.items() if share == most > 0}

    asked_rows, asked_columns = fitting([row[0] for row in rows]), fitting(head[1:])
    if not asked_rows and not asked_columns:
        return []
    kept = [place for place, name in enumerate(head) if place and name in (asked_columns or head)]
    return [
        f"{row[0]}: " + ", ".join(f"{head[place]} {row[place]}" for place in kept if place < len(row))
        for row in rows
        if row[0] in (asked_rows or row)
    ]


def open_sandbox(folder: Path | None = None) -> Sandbox:
    """Open the shipped sandbox, or a folder's. A frozen folder that was edited since raises an error."""
    folder = folder or BOX
    sandbox = Sandbox(read_documents(folder))
    manifest = folder / MANIFEST
    if manifest.is_file():
        try:
            frozen = orjson.loads(read_within(manifest, DOCUMENT))["content_hash"]
        except (ValueError, KeyError, TypeError) as error:
            raise DrrError(f"{manifest}: cannot be read ({error!r}); build the sandbox again") from error
        if frozen != sandbox.content_hash:
            raise DrrError(f"{folder}: its documents were changed after `drr web build`; build it again")
    return sandbox


SCHEMA = 1
_FIELDS = {"url", "title", "date", "kind", "topics", "injection"}


class SandboxManifest(TypedDict):
    """The content of `sandbox.json`."""

    schema: int
    content_hash: str
    documents: int
    kinds: dict[str, int]
    injections: int


def build_sandbox(source: Path, target: Path) -> SandboxManifest:
    """Write a sandbox and return its manifest. The same documents give the same hash, whatever files they came in."""
    documents = _documents(source)
    if not documents:
        raise Misuse(
            f"{source}: holds no documents; give {DOCUMENTS} or *.md files that start with url and title"
        )
    return write_sandbox(documents, target)


def write_sandbox(documents: Sequence[Document], target: Path) -> SandboxManifest:
    """Write documents, ordered by address, as a sandbox."""
    if target.exists() and any(target.iterdir()) and not (target / MANIFEST).is_file():
        raise Misuse(f"{target}: is not empty and not a sandbox; choose another folder")
    from drr.env.web.record import write_whole

    lines = [orjson.dumps(document.model_dump()) for document in documents]
    manifest: SandboxManifest = {
        "schema": SCHEMA,
        "content_hash": documents_hash(documents),
        "documents": len(documents),
        "kinds": dict(sorted(Counter(document.kind for document in documents).items())),
        "injections": sum(document.injection for document in documents),
    }
    write_whole(target / DOCUMENTS, b"\n".join(lines) + b"\n")
    write_whole(target / MANIFEST, orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    return manifest


def _documents(source: Path) -> list[Document]:
    if not source.is_dir():
        raise Misuse(f"{source}: no such folder")
    found = read_documents(source) if (source / DOCUMENTS).is_file() else []
    places = {address_key(document.url): source / DOCUMENTS for document in found}
    for path in sorted(source.rglob("*.md")):
        document = _from_markdown(path)
        key = address_key(document.url)
        if key in places:
            raise Misuse(f"{path}: the address {document.url} is already in {places[key]}")
        places[key] = path
        found.append(document)
    return sorted(found, key=lambda document: document.url)


def _from_markdown(path: Path) -> Document:
    """Parse a page: `name: value` lines between two `---`, then the text."""
    try:
        text = read_file(path).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Misuse(f"{path}: cannot be read ({error})") from error
    head, found, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not found:
        raise Misuse(f"{path}: does not start with a block of url and title between two lines ---")
    fields: JsonObject = {}
    for line in filter(str.strip, head.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in _FIELDS:
            raise Misuse(f"{path}: {line.strip()[:60]!r} is not one of {', '.join(sorted(_FIELDS))}")
        fields[name.strip()] = value.strip()
    if "topics" in fields:
        fields["topics"] = [topic.strip() for topic in fields["topics"].split(",") if topic.strip()]
    try:
        return Document(text=body.strip(), **fields)
    except ValidationError as error:
        raise Misuse(f"{path}: {wrong_field(error)}") from error
