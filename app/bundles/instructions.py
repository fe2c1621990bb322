"""The instructions of an agent of ours, line by line: prompts, question, results and words of its own models."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from drr.agents import brief
from drr.agents.forms.passages import Passages
from drr.agents.forms.placeholders import CheckableReport, ReportForm
from drr.agents.forms.report import FormRead
from drr.agents.ledger import faults_of, listed
from drr.agents.plan_to_function import IN_VAIN, catalogue
from drr.agents.runner import PERSON, load_prompts, schemas
from drr.agents.running import NOBODY, ONCE_MORE
from drr.agents.turns import OVER, ROUNDS, WHY
from drr.app.bundles.verified import Verified
from drr.citations.parse import parse
from drr.env.json_object import JsonObject
from drr.env.source import text_hash
from drr.llm.prompts import Prompt
from drr.study.evidence import unpack
from drr.study.study import Study
from drr.study.unit import Record
from pydantic import ValidationError

BY_MODELS = ("assistant", "ai")
_HEADINGS = (
    *(brief.QUESTION, brief.PROBLEM, brief.RESULTS, brief.REPORTS, brief.NOTHING, "# Passages"),
    *("# Report", "# Wrong", "# Evidence", "## Profile facts", "## Closing words of the researcher", OVER),
)
_FENCE = re.compile(r"</?[a-z0-9-]+ [0-9a-f]{20}>")
_PERSON = re.compile(r"<person ([0-9a-f]{20})>\n(.*)\n</person \1>", re.DOTALL)
_NOT_RUN = ("Not run: ", "Error (not_found): there is no tool ")
_LAUNCHED = re.compile(
    r"Not launched: at most .{,100}|Researcher r\d+ (?:\([a-z ]{,20}\):|failed \(\w{,20}\) and found nothing\.)"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TOOL = re.compile(r"^### (\S+)$", re.MULTILINE)


def check_instructions(
    study: Study, record: Record, talks: Sequence[JsonObject], known_texts: Mapping[str, str], found: Verified
) -> None:
    """Find what neither its prompts nor anybody in the bundle says. Of prompts and persons, `known_texts` are by hash."""
    fields = record.key_fields
    prompts = {
        name: Prompt(name, known_texts[digest], Path())
        for name, digest in fields["prompts"].items()
        if digest in known_texts
    }
    person = known_texts.get(str(fields.get("person")))
    filled = _filled(study, record, talks, prompts, found)
    whole = (*filled, *_other_texts(study, record, talks, prompts))
    known = {line.strip() for text in whole for line in text.split("\n")}
    pictures = not fields.get("shop") and any(
        call["name"] == "view_image" for call in record.result["tool_calls"]
    )
    mends = fields["citation_repair"] == "ask"
    for talk in talks:
        first, *rest = talk["messages"]
        name, begins = talk["name"].removeprefix("first "), first["text"].strip()
        if begins not in filled:
            what = f"a conversation begins with no prompt of its key: {begins[:40]!r}"
            found.fail("prompts", record.label, what)
        if name in ("agent", "supervisor") and rest and record.spec["query"] not in rest[0]["text"]:
            found.fail("conversation", record.label, "its agent was asked something else than its question")
        text = "\n".join(one["text"] for one in rest if one["role"] not in BY_MODELS)
        if PERSON in prompts and (block := _PERSON.search(text)):
            text = _PERSON.sub("", text)
            if person is None:
                found.skip("conversation", record.label, "what its agent was told of a person is not here")
            elif block[2] != person:
                found.fail(
                    "conversation", record.label, "its agent was told of another person than its key names"
                )
        for line in [line for line in text.split("\n") if not _is_known(line.strip(), known)][:1]:
            note = found.suspect if pictures or (mends and name == "citations") else found.fail
            what = f"its agent was told what no prompt says and nobody in it: {line.strip()[:40]!r}"
            note("conversation", record.label, what)


def _says_program(call: Mapping[str, Any], line: str) -> bool:
    """Tell whether this program answers so to a call that runs no tool."""
    if call["kind"] == "control" and call["name"] in brief.CONTROL:
        return line == (brief.complaint(call["name"], call["arguments"]) or "Noted.") or bool(
            _LAUNCHED.fullmatch(line)
        )
    return call["kind"] in ("refused", "unknown") and line.startswith(_NOT_RUN)


@cache
def _once_more() -> Prompt:
    return load_prompts()[ONCE_MORE]


def _is_known(line: str, known: set[str]) -> bool:
    """Tell whether it stands among them, is a mark around a text, or the beginning of one that was shortened."""
    if line in known or _FENCE.fullmatch(line):
        return True
    begins = line.removesuffix(brief.SHORTENED.strip()).strip()
    return begins != line and any(one.startswith(begins) for one in known)


def _filled(
    study: Study,
    record: Record,
    talks: Sequence[JsonObject],
    prompts: Mapping[str, Prompt],
    found: Verified,
) -> set[str]:
    """Fill its prompts with what its question, its key, its evidence and its forms say."""
    fields, begins = record.key_fields, "\n".join(talk["messages"][0]["text"] for talk in talks)
    texts = {name: prompt.text.strip() for name, prompt in prompts.items()}
    address = f"user://{record.result['user_id']}/profile"
    facts = [
        f"{study.text(record, 'text:' + row['sha256'])}\nAddress to cite for this: {address}"
        for row in record.result["sources"]
        if row["url"] == address and "researcher_profile" in prompts
    ]
    own_tools = schemas(tuple(_TOOL.findall(begins)))
    tools = catalogue(own_tools)
    if "planner" in prompts and text_hash(json.dumps(own_tools, sort_keys=True)) != fields["tools"]:
        found.skip("prompts", record.label, "its agent was told of tools that are not this program's")
        tools = begins[begins.find("### ") : begins.rfind("}") + 1]
    values = {
        "query": [record.spec["query"]],
        "user_id": [record.result["user_id"] or NOBODY],
        "as_of": _DAY.findall(begins),
        "steps": [str(fields["limits"]["steps"])],
        "calls": [str(fields["limits"]["planned_calls"])],
        "researchers": [str(fields["limits"]["researchers"])],
        "rounds": [str(fields["limits"]["rounds"])],
        "report_form": [texts.get("report_form", "")],
        "references": [texts.get("planner_references", "") if fields["references"] else ""],
        "tools": [tools],
        "reason": ["", *(f", because {why}" for why in WHY.values())],
        "facts": facts,
        "profile": ["", *("\n" + prompts["researcher_profile"].fill(facts=one) for one in facts)],
        "faults": [listed(faults_of(one)) for one in forms_of(study, record, talks)]
        if "ledger_mend" in prompts
        else [],
    }
    return {
        prompt.fill(**dict(zip(prompt.slots, chosen, strict=True))).strip()
        for prompt in prompts.values()
        for chosen in product(*(values.get(slot, [""]) for slot in prompt.slots))
    }


def forms_of(study: Study, record: Record, talks: Sequence[JsonObject]) -> Iterator[FormRead]:
    """Read each form that a model filled in."""
    passages = Passages(unpack(study, record))
    for talk in (one for one in talks if len(one["messages"]) > 2):
        _, asking, *rest = talk["messages"]
        asked = asking["text"].removeprefix(f"{brief.QUESTION}\n").partition("\n\n# Passages\n\n")[0]
        for message in (one for one in rest if one["role"] in BY_MODELS):
            for schema in (ReportForm, CheckableReport):
                with suppress(ValidationError):
                    yield FormRead.of(schema.model_validate_json(message["text"]), passages, asked)


def _other_texts(
    study: Study, record: Record, talks: Sequence[JsonObject], prompts: Mapping[str, Prompt]
) -> Iterator[str]:
    """Yield all else that may stand in a conversation: results of tools and words of models, with headings."""
    yield from (*_HEADINGS, record.spec["query"])
    once = (prompts.get(ONCE_MORE) or _once_more()).text.strip()
    yield from (once, *(f"{once} Last time {what}." for what in IN_VAIN))
    numbers = Counter[str | None]()
    for call in record.result["tool_calls"]:
        text = study.text(record, f"text:{call['result_sha256']}") or ""
        line = text.partition("\n")[0]
        if call["kind"] == "api" or not record.key_fields.get("shop"):
            yield text
        elif _says_program(call, line):
            yield line
        numbers[call["researcher"]] += call["kind"] != "control"
        yield f"## {brief.call_title(numbers[call['researcher']], call['name'], call['arguments'])}"
    by_models = [one for talk in talks for one in talk["messages"] if one["role"] in BY_MODELS]
    asked = [call for message in by_models for call in message.get("tool_calls") or ()]
    problems = [str(call["args"].get("sub_problem")) for call in asked if call["name"] == brief.LAUNCH]
    yield from (message["text"] for message in by_models)
    yield from problems
    yield from (f"## Researcher r{number + 1}: {one}" for one in problems for number in range(len(problems)))
    if "ledger_report" in prompts:
        passages, limit = Passages(unpack(study, record)), record.key_fields["limits"]["evidence_chars"]
        texts = [passage.text for passage in passages.all]
        for _ in range(ROUNDS):
            yield passages.listing(brief.shorten(texts, limit))
            limit = min(limit, sum(map(len, texts))) // 2
    raw = study.text(record, "raw_report") or ""
    yield from (raw, study.text(record, "report") or "", *(one.url for one in parse(raw).sources))
    yield from (f"[{number}]" for number in record.result.get("dangling", ()))
    yield from (f"{row['title'] or 'untitled'}: {row['url']}" for row in record.result["sources"])
