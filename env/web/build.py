"""The building of a frozen sandbox from a folder of documents. One file of documents, and a manifest with the hash of their words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TypedDict

import orjson
from drr.env.errors import Misuse
from drr.env.files import read_file
from drr.env.json_object import JsonObject
from drr.env.web.sandbox import DOCUMENTS, MANIFEST, Document, address_key, documents_hash, read_documents
from drr.env.web.snapshots import write_whole
from pydantic import ValidationError

SCHEMA = 1
_FIELDS = {"url", "title", "date", "kind", "topics", "injection"}


class SandboxManifest(TypedDict):
    """`sandbox.json`."""

    schema: int
    content_hash: str
    documents: int
    kinds: dict[str, int]
    injections: int


def build_sandbox(source: Path, target: Path) -> SandboxManifest:
    """Write the sandbox and say what is in it. The same documents give the same hash, whatever files they came in."""
    documents = _documents(source)
    if not documents:
        raise Misuse(
            f"{source}: holds no documents; give {DOCUMENTS} or *.md files that start with url and title"
        )
    if target.exists() and any(target.iterdir()) and not (target / MANIFEST).is_file():
        raise Misuse(f"{target}: is not empty and not a sandbox; choose another folder")
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
    """`name: value` lines between two `---`, then the text."""
    try:
        text = read_file(path).decode("utf-8-sig")
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
        first = error.errors(include_url=False)[0]
        raise Misuse(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
