"""The card of a task set (its README) and its Croissant metadata."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

from drr.env.files import write_file
from drr.env.json_object import JsonObject
from drr.papers.dr3.form import json_document, read_question, task_folders
from drr.papers.dr3.making.manifest import TaskSetManifest
from drr.querygen import dataset

CARD, CROISSANT = "README.md", "croissant.json"
_LICENSE = "Apache-2.0"
_FORMS = (
    ("query.json", "application/json", "the question, its day, the names of its files"),
    (
        "corpus.jsonl",
        "application/jsonlines",
        "the pages of the largest corpus, in an order of which every size is a beginning",
    ),
    ("sizes.json", "application/json", "pages and tokens of every size"),
    (
        "truth.json",
        "application/json",
        "facts with their places, kinds of pages, changes, terms: for no agent and no judge; of its checklist a judge is shown the points",
    ),
    ("files/*", "application/octet-stream", "the shopper's files"),
)
_LIMITS = (
    "The shopper, the files and the pages are invented: made by rules from the records of one shop, with every truth known by "
    "construction. Sentences come from moulds and are plainer than those of people; most pages are shared by the tasks of the set. A question is "
    "answerable only with its own files and its own corpus. Where nobody reviewed a task, code alone checked it."
)


def _limits(manifest: TaskSetManifest) -> str:
    found = manifest.found
    if found is None:
        return _LIMITS
    return (
        "The files are somebody's own, the pages those of others: the license of this set is not theirs, and what they say may be wrong. Facts, search terms, "
        f"kinds of pages and questions were proposed by {found.model}; code holds every quotation against its file or page. In {found.unconfirmed} of {manifest.tasks} tasks a kind of a page is confirmed by no person."
    )


def _collection(manifest: TaskSetManifest) -> str:
    found = manifest.found
    if found is None:
        return "Made by rules from the records of one shop."
    return f"Made of somebody's own files. Pages found by {found.web}."


def write_card(folder: Path, manifest: TaskSetManifest) -> None:
    """Write the card and the metadata of a task set. They state only facts of the set, so the same set has the same card."""
    day = max(read_question(one).today for one in task_folders(folder))
    write_file(folder / CARD, _card(folder.resolve().name, manifest))
    metadata = json.dumps(_croissant(folder.resolve().name, manifest, day), indent=2)
    write_file(folder / CROISSANT, metadata + "\n")


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _card(name: str, manifest: TaskSetManifest) -> str:
    forms = "\n".join(f"| `NNN/{path}` | {text} |" for path, _, text in _FORMS)
    sizes = ", ".join(f"{size} ({tokens:,})" for size, tokens in manifest.sizes.items())
    funnel = manifest.funnel
    return f"""---
pretty_name: {json.dumps(name)}
language: [en]
license: {_LICENSE.lower()}
task_categories: [question-answering, text-generation]
tags: [deep-research, e-commerce, files, benchmark]
size_categories: [{"n<1K" if manifest.tasks < 1000 else "1K<n<10K"}]
---

# {name}

{manifest.tasks} tasks with files for research agents: each has a question, a shopper's files, and a frozen corpus of pages.

## How it was made

{_collection(manifest)} `drr papers tasks drawer` wrote it, version {manifest.version}.

- Intents: {_counts_text(manifest.intents)}.
- Files: {_counts_text(manifest.files)}; {manifest.files_per_task} a task, {100 * (manifest.multimodal or 0):.0f} % of the tasks with several modalities.
- Corpora in tokens ({manifest.counter}): {sizes}; nested, every supportive page in each.
- Candidates: {funnel.generated} made, {_counts_text(funnel.refused)} refused, {funnel.kept} kept.
- Content hash: `{manifest.content_hash}`.

## What is in it

| file | holds |
| --- | --- |
{forms}

## Limits

{_limits(manifest)}
"""


def _croissant(name: str, manifest: TaskSetManifest, day: str) -> JsonObject:
    digest = manifest.content_hash or ""
    return {
        "@context": dataset.croissant_context(),
        "@type": "sc:Dataset",
        "name": name,
        "description": f"{manifest.tasks} tasks with files and frozen corpora for deep-research agents.",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "version": f"{manifest.schema_version}.0.0",
        "license": f"https://spdx.org/licenses/{_LICENSE}",
        "url": f"urn:sha256:{digest}",
        "datePublished": day,
        "inLanguage": "en",
        "keywords": ["deep-research", "e-commerce", "files", "benchmark"],
        "citeAs": f"{name} ({day[:4]}), sha256 {digest}",
        "isLiveDataset": False,
        "rai:dataCollection": _collection(manifest),
        "rai:dataCollectionType": ["Web Scraping" if manifest.found else "Synthetic data"],
        "rai:dataUseCases": "Measuring whether research agents find and use the right evidence among files and pages.",
        "rai:dataLimitations": _limits(manifest),
        "rai:personalSensitiveInformation": "What the files hold: nothing takes it out."
        if manifest.found
        else "None: shoppers, shops and papers are invented.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "manifest",
                "name": "manifest.json",
                "contentUrl": "manifest.json",
                "encodingFormat": "application/json",
                "sha256": sha256(json_document(manifest)).hexdigest(),
            },
            *(
                {
                    "@type": "cr:FileSet",
                    "@id": path.partition(".")[0].partition("/")[0],
                    "name": path,
                    "description": text,
                    "encodingFormat": form,
                    "includes": f"*/{path}",
                }
                for path, form, text in _FORMS
            ),
        ],
        "recordSet": [_questions()],
    }


def _questions() -> JsonObject:
    return {
        "@type": "cr:RecordSet",
        "@id": "questions",
        "name": "questions",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"questions/{field}",
                "name": field,
                "dataType": "sc:Text",
                "source": {"fileSet": {"@id": "query"}, "extract": {"jsonPath": f"$.{field}"}},
            }
            for field in ("task_id", "query", "today", "user_id")
        ],
    }
