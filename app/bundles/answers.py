"""Each answer of a bundle held against itself. Question, conversation, results of tools, evidence, report and usage belong together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, cast

from drr.agents.base import BROKEN_OFF, Architecture
from drr.agents.brief import SHORTENED
from drr.agents.registry import BUILT_IN
from drr.agents.turns import OVER, WHY
from drr.app.bundles.instructions import BY_MODELS, check_instructions, forms_of
from drr.app.bundles.verified import Verified
from drr.citations.addresses import canonical_url
from drr.citations.parse import parse
from drr.env.given import agent_of, parts_of
from drr.env.json_object import JsonObject
from drr.env.query import Query
from drr.eval.asking.safety import forgeries
from drr.eval.evidence.answers import Book, questions, read_answers
from drr.eval.evidence.imported import ImportedReport, take_in, unit_of
from drr.llm.names import OFFLINE
from drr.offline.agents.report import BANNER
from drr.study.bundle.making import impersonal
from drr.study.study import Study
from drr.study.unit import Record, canonical_json
from drr.tools import registry

_BUILT_IN = {one.name: one for one in BUILT_IN}
_BUDGETS = (("budget", True), ("unit_cap", False))
"""Reasons of what is over a budget, with whether they may pass."""
_OF_ITSELF = ("answered", "finalized")
PASSING = frozenset({"timeout", "unavailable"})
"""Errors of tools that another call need not have."""
_MOST_SIGNS = 16
"""Signs of a token, counted high."""
_START = 40
"""Signs by which a result is known that was shortened in a conversation."""


def _architecture(record: Record) -> str:
    return agent_of(str(record.spec.get("variant"))).partition("@")[0].partition("+")[0]


def _known(record: Record) -> Architecture | None:
    """The architecture of ours, in today's version, that wrote it."""
    own = _BUILT_IN.get(_architecture(record)) if is_ours(record) else None
    return own if own is not None and own.version == record.key_fields.get("version") else None


def is_ours(record: Record) -> bool:
    """Tell whether one of the box's architectures wrote it, as it says."""
    return not record.made_elsewhere and _architecture(record) in _BUILT_IN


def check_answers(study: Study, known_texts: Mapping[str, str], *, redacted: bool, found: Verified) -> None:
    """Check every answer that ended, and what of several is the same. Prompts and persons that are known come by hash."""
    asked = questions(study)
    counting = {record.key for record in study.records("answer", None)}
    reports: dict[str, dict[str, str]] = {}
    for record in study.records("answer", None, current=False):
        found.checked["answers"] += 1
        with found.unless_broken("set", record.label):
            _check_names(record, asked if record.key in counting else {}, found)
        if record.key in counting and not record.made_elsewhere and record.spec["query_id"] not in asked:
            found.fail("set", record.label, "its question is not in the set")
        with found.unless_broken("conversation", record.label):
            if record.key in counting:
                _check_limits(study, record, found)
            if record.made_elsewhere:
                _check_imported(record, redacted=redacted, found=found)
            else:
                _check_texts(study, record, known_texts, found)
        if record.done:
            digest = record.blobs.get("report", "")
            reports.setdefault(digest, {}).setdefault(str(record.spec["query"]), record.label)
            _suspect(study, record, asked, found)
    _check_copies(study, found)
    for answer in (one for one in read_answers(study) if not one.imported):
        with found.unless_broken("evidence", answer.label):
            book = Book(answer, None)
            listed = {canonical_url(one.url) for one in answer.extras}
            cited = {
                canonical_url(one.url) for one in parse(answer.report).sources if not book.resolves(one.url)
            }
            if left := cited - listed:
                what = f"cites {min(left)[:80]}, which no tool returned, and does not list it as made up"
                found.fail("evidence", answer.label, what)
        answer.let_go()
    for labels in (sorted(known.values()) for known in reports.values() if len(known) > 1):
        found.suspect("same text", ", ".join(labels[:4]), "one report for several questions")


def _check_copies(study: Study, found: Verified) -> None:
    """Find trials that are copies: no clock tells two runs the same times."""
    clocks, talks = dict[str, str](), dict[str, str]()
    for record in study.records("answer", None):
        if record.made_elsewhere or not (record.done and record.result.get("seconds")):
            continue
        own = [record.spec["variant"], record.spec["query_id"]]
        times = [record.started_at, record.finished_at, record.seconds, record.result["seconds"]]
        first = clocks.setdefault(canonical_json([*own, times]), record.label)
        texts = [record.blobs.get("transcript"), record.blobs.get("report"), record.usage]
        alike = talks.setdefault(canonical_json([*own, texts]), record.label)
        if first != record.label:
            found.fail("units", record.label, f"began and ended when {first} did, to the last digit")
        elif alike != record.label and any(row["model"] != OFFLINE for row in record.usage.values()):
            found.suspect("same text", record.label, f"is {alike} word for word, and token for token")


def _check_names(record: Record, asked: Mapping[str, Query], found: Verified) -> None:
    """Hold key, spec, result and label against each other and against the set."""
    fields, spec, result = record.key_fields, record.spec, record.result
    for name in sorted(spec.keys() - {"variant", "agent", "imported"}):
        needed = [fields[name]] if name in ("query", "query_id", "trial") else []
        stated = [one[name] for one in (fields, spec, result) if one.get(name) is not None]
        if any(one != spec[name] for one in (*needed, *stated)):
            found.fail("set", record.label, f"its key, its unit and its result name another {name}")
    models = fields.get("models") or {}
    names = {spec["variant"], *(spec["variant"].replace(f"@{model}", "", 1) for model in models.values())}
    if not names.issuperset({fields["variant"], result.get("variant", fields["variant"])}):
        found.fail("set", record.label, "its key, its unit and its result name another variant")
    if not record.made_elsewhere and parts_of(spec["variant"]).setting.name != (
        spec.get("setting") or "records"
    ):
        found.fail("set", record.label, "is called by another setting than its agent was given")
    if "stress" in spec:
        found.fail("units", record.label, "saw a changed shop, which is in no bundle")
    if record.label != shown(f"{spec['query_id']}/{spec['variant']}/{spec['trial']}"):
        found.fail("units", record.label, "is not called by its question, variant and trial")
    took = (result.get("seconds") or 0.0) if is_ours(record) else 0.0
    steps = (*(result.get("steps") or ()), *(result.get("tool_calls") or ())) if took else ()
    last = max((step["started_at"] + (step["seconds"] or 0) for step in steps), default=0)
    late = took > record.seconds + 0.01 or last > took + 0.01
    if record.seconds < 0 or record.finished_at < record.started_at or late:
        found.fail("units", record.label, "ended before it began, or before its agent did")
    if record.status == "over_budget" and (record.reason, record.transient) not in _BUDGETS:
        found.fail("units", record.label, "is over a budget in a way in which nothing ends")
    stated_models = [result[name] for name in ("models", "rule_written") if name in result]
    if is_ours(record) and stated_models not in ([], [models, OFFLINE in models.values()]):
        found.fail("units", record.label, "its key and its result name other models")
    question = asked.get(str(spec["query_id"]))
    if question is not None and question.query != spec["query"]:
        found.fail("set", record.label, "was asked another question than the set has under this id")
    elif question is not None and spec.get("user_id") not in (None, question.user_id):
        found.fail("set", record.label, "was asked for another shopper than the set says")


def shown(label: str) -> str:
    return label.encode("utf-8", "replace").decode()


def _check_limits(study: Study, record: Record, found: Verified) -> None:
    """Hold the bounds of a run of ours against those of the study, else of its architecture."""
    known = _known(record)
    if known is None:
        if is_ours(record):
            found.skip("prompts", record.label, "its agent is of a version that is not known here")
        return
    wanted, fields = replace(known.limits, **study.config.get("run", {}).get("limits", {})), record.key_fields
    if fields.get("limits") != wanted.key() and ("reach" not in record.spec or fields.get("shop")):
        found.fail("units", record.label, "ran within other limits than its study names")
    called = sum(call["kind"] == "api" for call in record.result.get("tool_calls") or ())
    if called > (most := fields["limits"]["tool_calls"]):
        found.fail("units", record.label, f"called {called:,} tools, and might call {most:,}")
    if set(known.prompts) - record.key_fields["prompts"].keys():
        found.fail("prompts", record.label, "its key does not name all prompts of its agent")


def _check_imported(record: Record, *, redacted: bool, found: Verified) -> None:
    """Take its report in again: nothing is called, so all of it follows from what was given."""
    unit = unit_of(ImportedReport.model_validate(record.spec["imported"]), record.spec["query_id"])
    outcome = asyncio.run(take_in(record.spec, cast(Any, None)))
    again = impersonal(outcome.result) if redacted else outcome.result
    blobs = {name: sha256(_bytes(text)).hexdigest() for name, text in outcome.blobs.items()}
    same = all(
        canonical_json(again.get(name)) == canonical_json(value) for name, value in record.result.items()
    )
    if unit.key != record.key or (record.done and not (same and blobs == record.blobs)):
        found.fail("report", record.label, "is not what its import makes of what was given")
    if record.usage or record.cost_usd:
        found.fail("costs", record.label, "was imported, and is said to have called models")


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8")


def _check_texts(study: Study, record: Record, known_texts: Mapping[str, str], found: Verified) -> None:
    result, blobs = record.result, record.blobs
    if record.done and not blobs.keys() >= {"report", "raw_report", "transcript"}:
        found.fail("conversation", record.label, "lacks its report or its conversation")
    stopped = result.get("stop_reason")
    if result.get("broken_off") != (stopped if stopped in BROKEN_OFF and record.done else None):
        found.fail("report", record.label, "was broken off, or was not, and its record says otherwise")
    report, raw = study.text(record, "report"), study.text(record, "raw_report")
    if not result.get("rule_written", True) and is_ours(record) and BANNER in (raw or ""):
        found.fail("report", record.label, "says that rules wrote it, and its record names a model")
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
    talks = study.json(record, "transcript") or []
    messages = [message for talk in talks for message in talk["messages"]]
    whole = _flush("\n".join((*results, *(message["text"] for message in messages))))
    profile = (
        f"user://{result.get('user_id')}/profile"
        if "researcher_profile" in record.key_fields["prompts"]
        else ""
    )
    for number, row in enumerate(result.get("sources") or (), 1):
        if row["url"] == profile:  # no tool returned it; its text is held against the shop's
            continue
        nowhere = row["type"] == "web" and row["url"] not in whole
        if nowhere or _flush(study.kept_text(record, f"text:{row['sha256']}") or "") not in whole:
            found.fail("evidence", record.label, f"source {number}: no tool returned what was read of it")
    if _known(record):
        check_instructions(study, record, talks, known_texts, found)
    if messages or (record.done and is_ours(record)):
        _check_talks(study, record, results, talks, found)


def _flush(text: str) -> str:
    """A text without the spaces around its lines: results indent what they quote."""
    return "\n".join(map(str.strip, text.split("\n")))


def _check_talks(
    study: Study, record: Record, results: list[str], talks: Sequence[JsonObject], found: Verified
) -> None:
    """Results stand in the conversation as they were returned; one that did not fit, up to where it was cut."""
    messages = [message for talk in talks for message in talk["messages"]]
    if is_ours(record):
        _check_written(study, record, talks, found)
    _check_billed(record, messages, found)
    _check_listed(record, talks, found)
    calls = record.result.get("tool_calls") or ()
    writing = {name for name, tool in registry.TOOLS.items() if tool.writes}
    if record.result.get("state_changes") and writing.isdisjoint(call["name"] for call in calls):
        found.fail("tools", record.label, "says that it changed records, and called nothing that does")
    whole = "\0".join(message["text"] for message in messages)
    for call, text in zip(calls, results, strict=True):
        where, error = f"call {call['number']}", call.get("error")
        begins = (f"Error ({error['kind']})", str(error["message"]) or "\0") if error else ("",)
        known_tool = call["name"] in registry.TOOLS
        if known_tool and ((text and not text.startswith(begins)) or not (error or call["kind"] == "api")):
            found.fail("tools", record.label, f"{where}: ended with an error or never ran, and has a result")
        if is_ours(record) and not _stands(text, whole):
            found.fail("tools", record.label, f"{where}: its result stands nowhere in the conversation")


def _check_written(study: Study, record: Record, talks: Sequence[JsonObject], found: Verified) -> None:
    """A model wrote the report, or a form that prints it. A limit that it was told of stands in its record."""
    by_models, limits, raw = list[str](), list[str](), study.text(record, "raw_report")
    for talk in talks:
        for message in talk["messages"]:
            if message["role"] in BY_MODELS:
                by_models.append(message["text"])
            elif talk["name"] in ("agent", "supervisor") and message["role"] == "human":
                limits += [why for why in WHY.values() if f"is over, because {why}" in message["text"]]
    if raw is not None and not any(raw.strip() in text for text in by_models):
        # of a form, the names of files are not here, nor how other versions print it
        prints = _architecture(record) == "ledger"
        known = not prints or (_known(record) and record.key_fields.get("shop"))
        if known and not (prints and raw in (one.report() for one in forms_of(study, record, talks))):
            found.fail("report", record.label, "is not what the model wrote in its conversation")
    if limits and record.result.get("stop_reason") in _OF_ITSELF:
        found.fail("report", record.label, f"its agent was told that {limits[0]}, its record says otherwise")


def _check_billed(record: Record, messages: Sequence[JsonObject], found: Verified) -> None:
    """A conversation took no more than is billed for it."""
    for name in ("input_tokens", "output_tokens"):
        paid = sum(cast(Mapping[str, int], row)[name] for row in record.usage.values())
        used = sum((message.get("usage") or {}).get(name, 0) for message in messages)
        if used > paid:
            what = f"its conversation took {used:,} {name}, it is billed for {paid:,}"
            found.fail("costs", record.label, what.replace("_", " "))
    metered = sum(any((message.get("usage") or {}).values()) for message in messages)
    if metered > sum(max(0, row["calls"] - row["unmetered"]) for row in record.usage.values()):
        found.fail("costs", record.label, "its conversation has more answers of models than are counted")
    tokens = sum(row["input_tokens"] + row["output_tokens"] for row in record.usage.values())
    signs = sum(len(message["text"]) for message in messages)
    if tokens * _MOST_SIGNS < signs and not any(row["unmetered"] for row in record.usage.values()):
        found.suspect("costs", record.label, f"{tokens:,} tokens are billed for {signs:,} signs")


def _check_listed(record: Record, talks: Sequence[JsonObject], found: Verified) -> None:
    """Calls that models made are listed; of our agents, no others are."""
    calls = record.result.get("tool_calls") or ()
    ours = is_ours(record)  # other programs may call tools otherwise than their models ask
    asked, answers = dict[tuple[str, str], JsonObject](), dict[tuple[str, str], str]()
    plans = ""
    for talk in talks:
        place = talk["name"] if ours else ""  # other programs may tell a conversation twice
        for message in talk["messages"]:
            made = {(place, call["id"]): call for call in message.get("tool_calls") or ()}
            asked |= made
            if message["role"] == "tool":
                answers[place, message["tool_call_id"]] = message["text"]
            elif message["role"] in BY_MODELS:
                plans += "".join(message["text"].split())
        answers |= dict.fromkeys(made, OVER)  # nobody answers the last turn
    answered = [call for place, call in asked.items() if answers.get(place, "" if ours else OVER) != OVER]
    ran = [one for one in answered if one["name"] in registry.TOOLS]
    listed = Counter(canonical_json([one["name"], ours and one["arguments"]]) for one in calls)
    if Counter(canonical_json([one["name"], ours and one["args"]]) for one in ran) - listed:
        found.fail("tools", record.label, "its conversation has calls of tools that are not listed")
    names = Counter(call["name"] for call in asked.values())
    for name, count in Counter(call["name"] for call in calls if call["kind"] == "api").items():
        if ours and count > names[name] + plans.count(f'"tool":"{name}"'):
            found.fail("tools", record.label, f"lists calls of {name} that nothing in its conversation made")


def _stands(text: str, whole: str) -> bool:
    if text in whole:
        return True
    at = whole.find(text[:_START])
    while at >= 0:
        cut = whole.find(SHORTENED, at)
        if cut >= 0 and text.startswith(whole[at:cut]):
            return True
        at = whole.find(text[:_START], at + 1)
    return False


def _suspect(study: Study, record: Record, asked: Mapping[str, Query], found: Verified) -> None:
    """Name what cheats do. Honest agents may too."""
    report = study.kept_text(record, "report") or ""
    if forgeries(report):
        found.suspect("to judges", record.label, "its report holds a verdict, or a plea to a judge")
    if record.made_elsewhere:
        return
    if not any(call.get("kind") == "api" for call in record.result.get("tool_calls") or ()):
        found.suspect("no tool", record.label, "answered without calling a tool")
    returned = {str(row["url"]) for row in record.result.get("sources") or ()}
    question = asked.get(str(record.spec["query_id"]))
    needs = question.checkable.needs if question is not None and question.checkable is not None else ()
    for product in (product for need in needs for product in need.products):
        if product in report and not any(product in url for url in returned):
            found.suspect("truth", record.label, f"names {product}, the truth, which no tool returned")
