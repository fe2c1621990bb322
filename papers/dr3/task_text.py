"""A task with files as a person reads it in a terminal. The card of a set of tasks and its Croissant metadata are written here too."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from textwrap import fill

from drr.app.terminal import plain, screen
from drr.env.drawer.form import FileProblem
from drr.env.files import read_file, write_file
from drr.env.json_object import JsonObject
from drr.papers.dr3.form import document
from drr.papers.dr3.making.checking import StoredTask
from drr.papers.dr3.making.manifest import TaskSetManifest
from drr.papers.dr3.truth import KnownPage
from drr.querygen import dataset
from drr.wording.excerpt import excerpt

_WIDE, _CHANGES, _FILE = 100, 6, 1_500
"""Characters of a line, distractors told one by one, characters shown of a file."""


def asked_text(task: StoredTask) -> str:
    """The question and what stands in the files; a picture is to be looked at where it lies."""
    question = task.question
    lines = [f"{task.name}  asked on {question.today}", "", _filled(question.query), "", "files"]
    for name in question.files:
        path = task.folder / "files" / name
        lines.append(f"  {name:<28} {path.stat().st_size if path.is_file() else 0:>9,} bytes")
    for name in question.files:
        lines += ["", f"{name}:", *(f"  | {line}" for line in _content(task, name))]
    return "\n".join(lines)


def _content(task: StoredTask, name: str) -> list[str]:
    try:
        content = task.drawer.content(name)
    except FileProblem as problem:
        return [problem.message]
    if content.picture is not None:
        return [f"a picture: look at {task.folder / 'files' / name}"]
    text = "\n".join(part.text for part in content.parts())
    cut = text[:_FILE] + ("\n[... cut]" if len(text) > _FILE else "")
    return [line for line in plain(cut).splitlines() if line.strip()]


def truth_text(task: StoredTask) -> str:
    """Facts with their places, corpus, terms, answer, checklist."""
    truth = task.truth
    lines = [f"{truth.intent}  {truth.theme}  {truth.review.status}"]
    for source, title in (("file", "facts of files"), ("page", "facts of pages")):
        lines += ["", title]
        for fact in truth.facts:
            if fact.source == source:
                lines.append(f"  {fact.id:<4} {fact.text}")
                lines += [f"       {place.address}  {place.quote or ''}".rstrip() for place in fact.places]
    lines += ["", f"corpus ({truth.counter})"]
    for name, size in truth.sizes.items():
        counts = ", ".join(f"{kind} {count}" for kind, count in size.counts.items())
        lines.append(f"  {name:<6} {size.tokens:>9,} tokens of {size.target:,}; {counts}")
    changes = [page for page in truth.pages if page.change is not None]
    for page in changes[:_CHANGES]:
        lines += _distractor(task, page)
    if more := len(changes) - _CHANGES:
        lines += [f"  ... {more} more distractor{'s' * (more > 1)}; --json has all"] if more > 0 else []
    for role in ("signal", "noise"):
        terms = [term.term for term in truth.terms if term.role == role]
        if terms:
            lines += ["", f"{role} terms", *(f"  {term}" for term in terms)]
    if truth.answer:
        lines += ["", "how the facts combine", *(_filled(one) for one in truth.answer)]
    lines += ["", "checklist"]
    lines += [
        f"  {one.id:<4} {one.category:<11} {one.decided_by:<6} {one.requirement}" for one in truth.checklist
    ]
    return "\n".join(lines)


def _distractor(task: StoredTask, page: KnownPage) -> list[str]:
    change = page.change
    assert change is not None
    after = "left out" if change.after is None else repr(change.after)
    lines = [
        f"  distractor ({change.kind}) of {change.fact}: {change.before!r} -> {after}",
        f"       {page.url}",
    ]
    text = next((one.text for one in task.pages if one.url == page.url), "")
    sentence = next((line for line in text.splitlines() if change.stated and change.stated in line), None)
    return lines if sentence is None else [*lines, f"       {excerpt(sentence.strip(), 240)}"]


def _filled(text: str) -> str:
    return fill(text, min(_WIDE, screen() or _WIDE), initial_indent="  ", subsequent_indent="    ")


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
    "construction. Sentences come from moulds and are plainer than those of people. A question is answerable only with its own files "
    "and its own corpus. Where nobody reviewed a task, code alone checked it."
)


def _limits(manifest: TaskSetManifest) -> str:
    found = manifest.found
    if found is None:
        return _LIMITS
    return (
        "The shopper and the files are invented, made by rules from the records of one shop. The pages are those of others: the license of this set is not "
        f"theirs, and what they say may be wrong. Search terms, kinds of pages and questions were proposed by {found.model}; code holds every quotation against "
        f"its page. In {found.unconfirmed} of {manifest.tasks} tasks a kind of a page is confirmed by no person."
    )


def _collection(manifest: TaskSetManifest) -> str:
    pages = "" if manifest.found is None else f" Pages found by {manifest.found.web}."
    return f"Made by rules from the records of one shop.{pages}"


def write_card(folder: Path, manifest: TaskSetManifest, day: str) -> None:
    """Nothing in it but what the manifest says, so the same set has the same card."""
    write_file(folder / CARD, _card(folder.resolve().name, manifest))
    metadata = json.dumps(_croissant(folder.resolve().name, manifest, day), indent=2)
    write_file(folder / CROISSANT, metadata + "\n")


def rewrite_card(folder: Path, manifest: TaskSetManifest) -> None:
    """Rewrite the card with the day that it has."""
    path = folder / CROISSANT
    if path.is_file():
        write_card(folder, manifest, json.loads(read_file(path))["datePublished"])


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

`drr papers tasks drawer --seed {manifest.seed}` from the shop `{manifest.shop_hash[:12]}`, version {manifest.version} of its rules.

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
        "rai:dataCollectionType": ["Synthetic data", *(["Web Scraping"] if manifest.found else [])],
        "rai:dataUseCases": "Measuring whether research agents find and use the right evidence among files and pages.",
        "rai:dataLimitations": _limits(manifest),
        "rai:personalSensitiveInformation": "None: shoppers, shops and papers are invented.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "manifest",
                "name": "manifest.json",
                "contentUrl": "manifest.json",
                "encodingFormat": "application/json",
                "sha256": sha256(document(manifest)).hexdigest(),
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
        "recordSet": [
            {
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
        ],
    }
