"""The making of the sandbox's documents from fact tables, templates and hand-written pages."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import orjson
from drr.env.web.corpus import fact_rows as facts
from drr.env.web.corpus.distractors import near, outdated, ranking, thread
from drr.env.web.corpus.page import Doc, doc, table
from drr.env.web.corpus.regions import calendar, pollen, states
from drr.env.web.corpus.tables import TABLES
from drr.env.web.sandbox import DOCUMENTS, MANIFEST, SandboxManifest, build_sandbox

FOLDER = Path(__file__).parent

_COLOPHON = """## Imprint

Written by hand and put on the net for those who care for such things. There are no advertisements on these pages and nothing is for
sale. Letters reach us by mail only and are answered in the order in which they come, which may take until spring."""


def write(target: Path) -> SandboxManifest:
    """`documents.jsonl` and `sandbox.json` in `target`, by the same code that `drr web build` runs."""
    with tempfile.TemporaryDirectory() as scratch:
        source, built = Path(scratch, "source"), Path(scratch, "built")
        source.mkdir()
        built.mkdir()
        for page in sorted((FOLDER / "pages").glob("*.md")):
            shutil.copy(page, source / page.name)
        lines = [orjson.dumps(document) for document in generated()]
        (source / DOCUMENTS).write_bytes(b"\n".join(lines) + b"\n")
        manifest = build_sandbox(source, built)
        for name in (DOCUMENTS, MANIFEST):
            (target / name).write_bytes((built / name).read_bytes())
    return manifest


def generated() -> Iterator[Doc]:
    yield from states(facts.birds())
    for region in facts.regions():
        yield pollen(region)
        yield calendar(region)
    for guide in facts.guides():
        yield _guide(guide)
    distractors = facts.distractors()
    for number, row in enumerate(distractors["ranking"]):
        yield ranking(number, row)
    for old in distractors["outdated"]:
        yield outdated(old)
    for number, asked in enumerate(distractors["thread"]):
        yield thread(number, asked)
    for beside in distractors["near"]:
        yield near(beside)
    for page in facts.noise():
        text = f"{page['text']}\n\n{_COLOPHON}"
        yield doc(page["host"], page["slug"], page["title"], page["date"], text, "noise", [])


def _guide(guide: facts.Guide) -> Doc:
    columns, rows = TABLES[guide["computed"]]() if "computed" in guide else (guide["columns"], guide["rows"])
    sections = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in guide["sections"])
    ends = "\n".join(
        f"- {row[0]}: "
        + "; ".join(f"{name.lower()} {cell}" for name, cell in zip(columns[1:], row[1:], strict=True) if name)
        for row in (rows[0], rows[-1])
    )
    # Rows that begin with a number are steps of a scale; others are things beside one another.
    scale = all(row[0][0].isdigit() for row in rows)
    in_words = "The two ends of the table in words:" if scale else "The first and the last row in words:"
    between = "In between, take the next larger figure. " if scale else ""
    text = f"""{guide["lead"]}

## The rule and the table

{guide["rule"]}

{table(columns, rows)}

{sections}

## In short

{in_words}

{ends}

{between}This page is checked once a year; the date above is that of the last check."""
    return doc(
        guide["host"],
        guide["slug"],
        guide["title"],
        guide["date"],
        text,
        "supportive",
        guide["topics"],
        "guides",
    )
