"""Checks that the answers of a bundle are consistent and complete: question, key, conversation and report must match."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, cast

from drr.agents.commands.command import is_command
from drr.agents.registry import BUILT_IN, PAPER
from drr.app.bundles.findings import BundleFindings
from drr.app.study.frozen_sets import place_of_set, read_set
from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.env.checkable import asks_for_findable
from drr.env.json_object import JsonObject
from drr.env.person_setting import agent_of
from drr.env.query import Query, read_queries
from drr.eval.evidence.answers import AnswerEvidence, questions, read_answers
from drr.eval.evidence.imported import ImportedReport, store_imported_report, unit_of
from drr.querygen.files import line_of
from drr.study.bundle.parcel import MASK, without_personal_records
from drr.study.config import set_given_up
from drr.study.study import Study
from drr.study.unit import Record, canonical_json

NOT_BEGUN = "not_begun"
"""Name of the bundle's fact with the number of answers that the study never began."""
_IN_SET = re.compile(
    r"(?P<name>[a-z0-9][a-z0-9.-]{0,60}-v\d+)/(?P<part>[\w-]{1,60}) (?P<hash>[0-9a-f]{16})( .*)?"
)
_IN_FILE = re.compile(r"[\w-]+\.py:\w+")
_IMPORTED = ("id", "query", "user_id")
"""Fields of a question that an import keeps."""
_BUILT_IN = {one.name for one in BUILT_IN}
_BY_MODELS = ("assistant", "ai")


def is_ours(record: Record) -> bool:
    """Return whether the record says that a built-in architecture wrote the answer."""
    return not record.made_elsewhere and _architecture(record) in _BUILT_IN


def all_contained(records: Iterable[Record]) -> bool | None:
    """Return whether no code of the answering agents ran beside this user's files; `None` where answers were imported."""
    found = [*records]
    if any(record.made_elsewhere for record in found):
        return None
    return all(is_ours(record) or _is_contained(record) for record in found)


def _is_contained(record: Record) -> bool:
    version = str(record.key_fields.get("version"))
    return is_command(_architecture(record)) and not version.endswith("+trusted")


def _architecture(record: Record) -> str:
    return agent_of(str(record.spec.get("variant"))).partition("@")[0].partition("+")[0]


def check_answers(study: Study, *, redacted: bool, found: BundleFindings) -> None:
    """Check every finished answer, and add each contradiction to `found`."""
    asked = questions(study)
    counting = {record.key for record in study.records("answer", None)}
    for record in study.records(None, None, current=False):
        if record.finished_at < record.started_at:
            early = f"ended {record.started_at - record.finished_at:.1f} s before it began, so its times are wrong"
            found.skip("times", record.label, early)
    for record in study.records("answer", None, current=False):
        found.checked["answers"] += 1
        with found.unless_broken("set", record.label):
            _check_names(record, asked if record.key in counting else None, found)
        with found.unless_broken("conversation", record.label):
            if record.made_elsewhere:
                _check_imported(record, redacted=redacted, found=found)
            else:
                _check_texts(study, record, found)
    for answer in (one for one in read_answers(study) if not one.imported):
        with found.unless_broken("evidence", answer.label):
            book = AnswerEvidence(answer, None)
            cited = {one.url for one in parse(answer.report).sources if not book.resolves(one.url)}
            if left := set(map(canonical_url, cited)) - {canonical_url(one.url) for one in answer.extras}:
                what = f"cites {min(left)[:80]}, which no tool returned, and does not list it as made up"
                found.fail("evidence", answer.label, what)
        answer.let_go()


def _check_names(record: Record, asked: Mapping[str, Query] | None, found: BundleFindings) -> None:
    """Check that key, spec, result and label of a record agree with each other and with the set's question."""
    fields, spec, result = record.key_fields, record.spec, record.result
    if MASK in canonical_json(fields):
        found.skip("set", record.label, "a shopper's fields are masked in its question")
    for name in sorted(spec.keys() - {"variant", "agent", "imported"}):
        needed = [fields[name]] if name in ("query", "query_id", "trial") else []
        stated = [one[name] for one in (fields, spec, result) if one.get(name) is not None]
        if any(one != spec[name] for one in (*needed, *stated)):
            found.fail("set", record.label, f"its key, its unit and its result name another {name}")
    models = fields.get("models") or {}
    names = {spec["variant"], *(spec["variant"].replace(f"@{model}", "", 1) for model in models.values())}
    if not names.issuperset({fields["variant"], result.get("variant", fields["variant"])}):
        found.fail("set", record.label, "its key, its unit and its result name another variant")
    if is_ours(record) and result.get("models", models) != models:
        found.fail("units", record.label, "its key and its result name other models")
    if record.label != shown(f"{spec['query_id']}/{spec['variant']}/{spec['trial']}"):
        found.fail("units", record.label, "is not called by its question, variant and trial")
    question = None if asked is None else asked.get(str(spec["query_id"]))
    if question is None:
        if asked is not None and not record.made_elsewhere:
            found.fail("set", record.label, "its question is not in the set")
    elif question.query != spec["query"] or spec.get("user_id") not in (None, question.user_id):
        found.fail(
            "set", record.label, "was asked another question, or for another shopper, than the set has"
        )


def shown(label: str) -> str:
    return label.encode("utf-8", "replace").decode()


def _check_imported(record: Record, *, redacted: bool, found: BundleFindings) -> None:
    """Check an imported answer by importing its report again; an import calls nothing, so the result must be equal."""
    if redacted and MASK in canonical_json(record.spec):
        found.skip("report", record.label, "a shopper's fields are masked in it")
        return
    unit = unit_of(ImportedReport.model_validate(record.spec["imported"]), record.spec["query_id"])
    outcome = asyncio.run(store_imported_report(record.spec, cast(Any, None)))
    again = without_personal_records(outcome.result) if redacted else outcome.result
    texts = {name: text if isinstance(text, bytes) else text.encode() for name, text in outcome.blobs.items()}
    blobs = {name: sha256(text).hexdigest() for name, text in texts.items()}
    same = all(canonical_json(again.get(name)) == canonical_json(one) for name, one in record.result.items())
    if unit.key != record.key or (record.done and not (same and blobs == record.blobs)):
        found.fail("report", record.label, "is not what its import makes of what was given")


def _check_texts(study: Study, record: Record, found: BundleFindings) -> None:
    """Check that report, evidence and tool results agree with the conversation that produced them."""
    result, blobs = record.result, record.blobs
    if record.done and not blobs.keys() >= {"report", "raw_report", "transcript"}:
        found.fail("report", record.label, "lacks its report or its conversation")
    report, raw = study.text(record, "report"), study.text(record, "raw_report")
    if report is not None and result["words"] != len(report.split()):
        found.fail("report", record.label, f"has {len(report.split()):,} words, its record says otherwise")
    if record.key_fields.get("citation_repair") == "off" and report != raw:
        found.fail("report", record.label, "is not what was written, and nobody was to mend it")
    calls = result.get("tool_calls") or ()
    rows = [*(result.get("sources") or ()), *(result.get("fabricated") or ())]
    named = {row[name] for row in (*rows, *calls) for name in row if name.endswith("sha256")} - {None}
    if lost := [digest for digest in named if blobs.get(f"text:{digest}") != digest]:
        found.fail("texts", record.label, f"names {len(lost):,} texts that are not its own")
        return
    results = [study.kept_text(record, f"text:{call['result_sha256']}") or "" for call in calls]
    messages = [one for talk in study.json(record, "transcript") or () for one in talk["messages"]]
    whole = _flush("\n".join((*results, *(message["text"] for message in messages))))
    profile = f"user://{result.get('user_id')}/profile"  # checked against the shop elsewhere
    for number, row in enumerate(result.get("sources") or (), 1):
        nowhere = row["type"] == "web" and row["url"] not in whole
        seen = _flush(study.kept_text(record, f"text:{row['sha256']}") or "")
        if row["url"] != profile and (nowhere or seen not in whole):
            found.fail("evidence", record.label, f"source {number}: no tool returned what was read of it")
    by_models = [message["text"] for message in messages if message["role"] in _BY_MODELS]
    if raw is not None and is_ours(record) and not any(raw.strip() in one for one in by_models):
        found.fail("report", record.label, "is not what the model wrote in its conversation")


def _flush(text: str) -> str:
    """Return the text without spaces around its lines, as tool results indent quoted text."""
    return "\n".join(map(str.strip, text.split("\n")))


def _places_wanted(study: Study) -> set[tuple[str, int]]:
    """Return question and trial of every answer that each variant must give."""
    trials = study.config.get("run", {}).get("trials", 1)
    return {(query, trial) for query in questions(study) for trial in range(trials)}


def not_begun(study: Study) -> int:
    """Return the number of answers that were asked for and never begun, for example because of `--only`."""
    here = Counter[str]()
    for unit, current in study.ledger.units.known():
        if unit.kind == "answer" and current and not unit.key_fields.get("imported"):
            here[str(unit.spec["variant"])] += 1
    return len(here) * len(_places_wanted(study)) - here.total()


def questions_of(study: Study, found: BundleFindings, given: Sequence[Query]) -> Sequence[Query]:
    """Return the questions of the set that a study names, if this program ships the set. They include true answers where the set's hash proves them.

    Questions that were `given` stand for a set that did not come with this program.
    """
    label = str(study.config.get("run", {}).get("set") or "")
    if not label:
        return ()
    known = _IN_SET.fullmatch(label)
    folder = place_of_set(Path(known["name"])) if known else Path(label)
    if known and folder.is_dir() and (frozen := read_set(folder)).content_hash.startswith(known["hash"]):
        file, hashes = folder / known["part"] / "queries.jsonl", {part.questions for part in frozen.parts}
        if file.is_file():
            asked, own = read_queries(file), questions(study)
            whole = [own[query.id] for query in asked if query.id in own]
            return whole if _hash_of(whole) in hashes else asked
        if given and _hash_of(given) not in hashes:
            found.fail("set", "", f"is not {label[:80]}: the questions that were given are others")
        if given:
            return ()
    if not given or folder.is_dir():
        what = f"that its questions are those of {label[:80]}, which did not come with this program"
        gone = set_given_up(label)
        found.skip("set", "", f"{what}. {gone}" if gone else what)
    return ()


def _hash_of(asked: Sequence[Query]) -> str:
    return sha256("".join(f"{line_of(query)}\n" for query in asked).encode()).hexdigest()


def has_public_truth(study: Study, *, is_published: bool) -> bool:
    """Return whether anybody can have the true answers. They belong to an open part of a shipped set, or stand in the published bundle."""
    known = _IN_SET.fullmatch(str(study.config.get("run", {}).get("set") or ""))
    folder = place_of_set(Path(known["name"])) if known else None
    if known and folder and folder.is_dir():
        return any(one.name == known["part"] and one.commitment is None for one in read_set(folder).parts)
    return is_published and any(asks_for_findable(one.checkable) for one in questions(study).values())


def half_of(label: str) -> tuple[str, bool]:
    """Return the name of a shipped set with a sealed half, and whether the label names a sealed part. Other sets have no name here."""
    known = _IN_SET.fullmatch(label)
    folder = place_of_set(Path(known["name"])) if known else Path()
    if known is None or not folder.is_dir():
        return "", False
    frozen = read_set(folder)
    sealed = {part.name for part in frozen.parts if part.commitment is not None}
    is_it = sealed and frozen.content_hash.startswith(known["hash"])
    return (f"{known['name']} {known['hash']}", known["part"] in sealed) if is_it else ("", False)


def check_set(asked: Sequence[Query], study: Study, found: BundleFindings) -> None:
    """Check the questions of a study against the questions of the named set."""
    wanted = {query.id: query.model_dump(mode="json") for query in asked}
    own = {query.id: query.model_dump(mode="json") for query in questions(study).values()}
    ran = {str(one.spec["query_id"]) for one in study.records("answer", None) if not one.made_elsewhere}
    for name in sorted(own.keys() | wanted.keys()) if asked else ():
        how = "left out" if name not in own else "not in it" if name not in wanted else "another there"
        one, other = own.get(name, {}), wanted.get(name, {})
        if any(one.get(part) != other.get(part) for part in ({*one, *other} if name in ran else _IMPORTED)):
            found.fail("set", name, f"of the set that was named, this question is {how}")


def check_complete(study: Study, found: BundleFindings) -> None:
    """Check that every requested answer is there. A gap that the bundle admits counts as incomplete, not as a contradiction."""
    here: dict[str, set[tuple[str, int]]] = {}
    pending = Counter[str]()
    for unit, current in study.ledger.units.known():
        if unit.kind == "answer" and current and not unit.key_fields.get("imported"):
            variant = str(unit.spec["variant"])
            place = str(unit.spec["query_id"]), int(unit.spec["trial"])
            if place in here.setdefault(variant, set()):
                found.fail("complete", unit.label, "two answers of one question, variant and trial count")
            here[variant].add(place)
            pending[variant] += study.record(unit.key) is None
    for name in sorted(_asked_for(study.config.get("run", {})) - {agent_of(variant) for variant in here}):
        found.fail("complete", name, "was asked for, and none of its answers is there")
    wanted, left = _places_wanted(study), list[str]()
    for variant, places in sorted(here.items()):
        left += [f"{query}/{variant}/{trial}" for query, trial in sorted(wanted - places)]
        for query, trial in sorted(places - wanted):
            found.fail("complete", f"{query}/{variant}/{trial}", "was not asked for")
        if pending[variant]:
            found.lack("complete", variant, f"{pending[variant]:,} of {len(places):,} answers have no ending")
    is_admitted = study.ledger.meta(NOT_BEGUN) == str(len(left))
    for label in left:
        what = "was asked for, and not begun" if is_admitted else "was asked for, and is left out"
        (found.lack if is_admitted else found.fail)("complete", label, what)


def _asked_for(run: JsonObject) -> set[str]:
    """Return the variants that the configuration requests, except external commands, whose names follow other rules."""
    words = str(run.get("variants") or "").split(",")
    asked = (name for word in words for name in (PAPER if word == "all" else [word]))
    names = {agent_of(PurePath(name).name) for name in asked}
    return {name for name in names if name.partition("+")[0] in _BUILT_IN or _IN_FILE.fullmatch(name)}
