"""Publishes a file of queries as a dataset for other programs: JSONL, Parquet, a card, and Croissant metadata."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from drr.env.errors import Misuse
from drr.env.installation import check_installed
from drr.env.json_object import JsonObject
from drr.env.query import SCHEMA, Query
from drr.querygen.files import write_queries

FILES = ("README.md", "croissant.json", "queries.jsonl", "queries.parquet")
_FIELDS: dict[str, tuple[str, str]] = {
    "id": ("sc:Text", "content hash of question and user"),
    "query": ("sc:Text", "the question"),
    "user_id": ("sc:Text", "whose records the tools answer from"),
    "mode": ("sc:Text", "profile, generic or manual"),
    "intent": ("sc:Text", "what kind of help is asked for"),
    "rationale": ("sc:Text", "why this user would ask it"),
    "tools": ("sc:Text", "tools that a good answer needs"),
    "needs": ("sc:Text", "search words for what the shop has to sell"),
    "web_need": ("sc:Text", "what only the web can tell"),
    "facts_used": ("sc:Text", "facts of the user's records, as JSON"),
    "constraints": ("sc:Text", "budgets, times, region, counts and exclusions, as JSON"),
    "profile_hash": ("sc:Text", "of the profile summary that the writer saw"),
    "shop_hash": ("sc:Text", "of the shop that the question was written for"),
    "model": ("sc:Text", "who wrote it"),
    "prompt_hash": ("sc:Text", "of prompts and tool list"),
    "rule_written": ("sc:Boolean", "written by rules and not by a language model"),
    "review_status": ("sc:Text", "unreviewed, accepted or rejected"),
    "reviewer": ("sc:Text", "who reviewed it; none if nobody did, model:NAME if a language model did"),
    "schema_version": ("sc:Integer", "of this form"),
}
_PAIRED: dict[str, tuple[str, str]] = {
    "task_id": ("sc:Text", "the task that it asks; the same text for all its persons"),
    "person_id": ("sc:Text", "who asks it, by the id of a file of persons"),
}
"""Further fields of a file whose questions were made from tasks and persons."""
_FOREIGN: dict[str, tuple[str, str]] = {
    "currency": ("sc:Text", "of the amounts in the question; none for US dollars"),
    "language": ("sc:Text", "of the question; none for English"),
}
"""Further fields of a file with questions of other countries."""
_LISTS = ("tools", "needs")
_CONTEXT = Path(__file__).parent / "croissant_context.json"
"""The prefixes and terms of Croissant 1.0, as its specification prints them."""
_KEYWORDS = ["deep-research", "e-commerce", "tool-use", "benchmark"]


class Publication(NamedTuple):
    """Facts on a dataset that its questions do not contain: name, date and license."""

    name: str
    date: str
    """`YYYY-MM-DD`"""
    license: str
    """The SPDX identifier of a license."""
    with_truth: bool = False
    """True where the truth of checkable questions is published too."""


def questions_to_publish(queries: Sequence[Query], *, with_truth: bool) -> list[Query]:
    """Return the questions that are not rejected, without their truth unless `with_truth` is set."""
    kept = [query for query in queries if query.review.status != "rejected"]
    return kept if with_truth else [query.model_copy(update={"checkable": None}) for query in kept]


def write_dataset(
    folder: Path, queries: Sequence[Query], publication: Publication, *, source: str
) -> list[Path]:
    """Write the files of a dataset into a folder that is new, empty or of this program. The card counts the rejected questions that are left out."""
    check_installed("pyarrow")
    kept = questions_to_publish(queries, with_truth=publication.with_truth)
    if not kept:
        raise Misuse(f"{source}: holds no question that was not rejected; nothing to publish")
    if folder.exists() and (not folder.is_dir() or {path.name for path in folder.iterdir()} - set(FILES)):
        raise Misuse(f"{folder}: holds other files; name a new folder")
    hidden = folder.with_name(f".{folder.name}.part-{os.getpid()}")
    shutil.rmtree(hidden, ignore_errors=True)
    hidden.mkdir(parents=True)
    try:
        write_queries(hidden / "queries.jsonl", kept, public=True)
        _write_parquet(hidden / "queries.parquet", kept)
        (hidden / "README.md").write_text(
            _card(publication, kept, len(queries) - len(kept)), encoding="utf-8"
        )
        croissant = _croissant(publication, hidden, kept)
        (hidden / "croissant.json").write_text(json.dumps(croissant, indent=2) + "\n", encoding="utf-8")
        folder.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            (hidden / file).replace(folder / file)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
    return [folder / file for file in FILES]


def _fields(queries: Sequence[Query]) -> dict[str, tuple[str, str]]:
    paired = any(query.task_id or query.person_id for query in queries)
    foreign = any(query.currency or query.language for query in queries)
    return {**_FIELDS, **(_PAIRED if paired else {}), **(_FOREIGN if foreign else {})}


def _languages(queries: Sequence[Query]) -> list[str]:
    return sorted({query.language or "en" for query in queries})


def _spoken(queries: Sequence[Query]) -> str:
    """Return a sentence part on the language and currency of all questions."""
    languages = ", ".join("English" if one == "en" else f"`{one}`" for one in _languages(queries))
    codes = sorted({query.currency or "US dollars" for query in queries})
    return f"all are in {languages} and in {', '.join(codes)}."


def _row(query: Query, fields: Iterable[str]) -> JsonObject:
    raw = query.model_dump(mode="json")
    review = raw.pop("review")
    facts = [fact.model_dump() for fact in query.facts_used]
    constraints = None if query.constraints is None else query.constraints.model_dump(exclude_none=True)
    row = {
        **raw,
        "facts_used": json.dumps(facts),
        "constraints": None if constraints is None else json.dumps(constraints),
        "review_status": review["status"],
        "reviewer": review["reviewer"],
    }
    return {field: row.get(field) for field in fields}


def _write_parquet(path: Path, queries: Sequence[Query]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    fields = _fields(queries)

    def kind(field: str) -> Any:
        if field in _LISTS:
            return pa.list_(pa.string())
        return {"sc:Boolean": pa.bool_(), "sc:Integer": pa.int64()}.get(fields[field][0], pa.string())

    schema = pa.schema([(field, kind(field)) for field in fields])
    parquet.write_table(pa.Table.from_pylist([_row(query, fields) for query in queries], schema=schema), path)


def _card(publication: Publication, queries: Sequence[Query], rejected: int) -> str:
    from drr.querygen.stats import statistics_of

    name = publication.name
    facts = statistics_of(queries)
    rules = sum(bool(query.rule_written) for query in queries)
    size = "n<1K" if len(queries) < 1000 else "1K<n<10K" if len(queries) < 10_000 else "10K<n<100K"
    shops = sorted({query.shop_hash for query in queries if query.shop_hash})
    fields = "\n".join(f"| `{field}` | {text} |" for field, (_, text) in _fields(queries).items())
    return f"""---
pretty_name: {json.dumps(name)}
language: [{", ".join(_languages(queries))}]
license: {publication.license.lower()}
task_categories: [question-answering, text-generation]
tags: [{", ".join(_KEYWORDS)}]
size_categories: [{size}]
configs:
- config_name: default
  data_files: queries.parquet
---

# {name}

{len(queries)} questions of {facts["users"]} users of {"one shop" if len(shops) < 2 else f"{len(shops)} shops"}, for research agents that may use the shop's tools and the web.
{rejected} rejected questions were left out.

## How it was made

- Written by: {_counts_text(facts["models"])}. {rules} of {len(queries)} by rules (`rule_written`) and not by a language model.
- Mode: {_counts_text(facts["modes"])}. Intents: {_counts_text(facts["intents"])}.
- Review: {_counts_text(facts["reviews"])}. Reviewers: {_counts_text(_reviewers(queries))}.
- Shop (content hash): {", ".join(f"`{shop}`" for shop in shops) or "not recorded"}.

## What is in it

| field | meaning |
| --- | --- |
{fields}

`queries.jsonl` holds the same records with their review history; `drr run` reads it as it is.

## Figures

Median length {facts["words"]["median"]} words; distinct-2 {facts["distinct"]["distinct_2"]}; mean similarity of pairs {facts["similarity"]["mean"]};
near-duplicates {facts["similarity"]["near_duplicates"]}; {facts["tools_per_query"]} tools a question.

## Limits

{_LIMITS}
"""


_LIMITS = (
    "The users are invented: names, places and contact data were generated, and no real person stands behind an id. A question is "
    "answerable only in the shop that it was written for. What nobody reviewed (`reviewer: none`) was checked by code only; what a "
    "language model reviewed (`reviewer: model:NAME`) no person has read on that account."
)


def _reviewers(queries: Sequence[Query]) -> Mapping[str, int]:
    return Counter(query.review.reviewer for query in queries)


def _counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _croissant(publication: Publication, folder: Path, queries: Sequence[Query]) -> JsonObject:
    """Return Croissant 1.0 metadata (JSON-LD) for the Parquet file, with the responsible-AI fields (RAI 1.0) whose values are known."""
    name, models = publication.name, Counter(query.model or "unknown" for query in queries)
    rules, languages = sum(bool(query.rule_written) for query in queries), _languages(queries)
    written = (
        f"Written by: {_counts_text(models)}; {rules} of {len(queries)} by rules and not by a language model."
    )
    files = [
        _file_object(folder / "queries.parquet", "application/x-parquet"),
        _file_object(folder / "queries.jsonl", "application/jsonlines"),
    ]
    return {
        "@context": croissant_context(),
        "@type": "sc:Dataset",
        "name": name,
        "description": f"{len(queries)} questions for deep-research agents in a shop with tools. {written}",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "version": f"{SCHEMA}.0.0",
        "license": f"https://spdx.org/licenses/{publication.license}",
        "url": f"urn:sha256:{files[1]['sha256']}",
        "datePublished": publication.date,
        "inLanguage": languages[0] if len(languages) == 1 else languages,
        "keywords": _KEYWORDS,
        "citeAs": f"{name} ({publication.date[:4]}), sha256 {files[1]['sha256']}",
        "isLiveDataset": False,
        "rai:dataCollection": written,
        "rai:dataCollectionType": ["Synthetic data"],
        "rai:dataAnnotationProtocol": f"Reviewers: {_counts_text(_reviewers(queries))}; `none` means checked by code only, "
        "`model:NAME` read by a language model and by no person.",
        "rai:dataUseCases": "Measuring research agents that answer shopping questions with a shop's tools and the web.",
        "rai:dataLimitations": _LIMITS,
        "rai:dataBiases": "Questions follow the purchases, places and prices of the users of one shop; "
        + _spoken(queries),
        "rai:personalSensitiveInformation": "None intended: users are invented, and code looked for names, e-mail addresses, telephone "
        "numbers, streets and card numbers in every question that was generated.",
        "distribution": files,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "queries",
                "name": "queries",
                "field": _field_objects(_fields(queries)),
            }
        ],
    }


def croissant_context() -> JsonObject:
    found: JsonObject = json.loads(_CONTEXT.read_text(encoding="utf-8"))
    return found


def _file_object(path: Path, form: str) -> dict[str, str]:
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "encodingFormat": form,
        "contentSize": f"{path.stat().st_size} B",
        "sha256": sha256(path.read_bytes()).hexdigest(),
    }


def _field_objects(fields: Mapping[str, tuple[str, str]]) -> list[JsonObject]:
    return [
        {
            "@type": "cr:Field",
            "@id": f"queries/{field}",
            "name": field,
            "description": text,
            "dataType": kind,
            **({"repeated": True} if field in _LISTS else {}),
            "source": {"fileObject": {"@id": "queries.parquet"}, "extract": {"column": field}},
        }
        for field, (kind, text) in fields.items()
    ]
