"""Texts and documents of `drr study trace`: the list of ended units, and one unit with question, calls and report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

from drr.app.terminal import Column, flowed, screen, shown, table
from drr.env.tool_calls import refusal_text
from drr.eval.evidence.answers import questions
from drr.eval.rewards.answer_forms import read_form
from drr.llm.meter import ToldConversation, UsageRow
from drr.study.unit import Kind, Record, Status
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.eval.tasks.judgements import Judged
    from drr.study.study import Study

_GIVEN_LENGTH = 100
_SHOWN_LENGTH = 110
_LAST_LINES = 5


def ended_units(study: Study) -> list[Record]:
    """Return the ended units of a study, sorted by kind and label."""
    return sorted(study.records(status=None), key=lambda record: (record.kind, record.label, record.key))


def without_judgements(records: Sequence[Record], *, full: bool) -> list[Record]:
    """Return the records without finished judgements, of which each answer has dozens; with `full`, return all records."""
    return [one for one in records if full or one.kind != "judgement" or not one.done]


class ListedUnit(TypedDict):
    key: str
    kind: Kind
    label: str
    status: Status
    reason: str | None
    seconds: float | None
    """Duration of the unit; `None` for an answer that was made elsewhere."""


class ListedUnits(TypedDict):
    """The document of `drr study trace --json` for a whole study."""

    schema: int
    units: list[ListedUnit]


def unit_rows(records: Sequence[Record]) -> ListedUnits:
    return {"schema": 1, "units": [_listed(record) for record in records]}


def _listed(record: Record) -> ListedUnit:
    return {
        "key": record.key,
        "kind": record.kind,
        "label": record.label,
        "status": record.status,
        "reason": record.reason,
        "seconds": record.making_seconds,
    }


def unit_list_text(records: Sequence[Record]) -> str:
    """Return the list of units as text: a table on a terminal, else one line for each unit."""
    if not records:
        return "no unit has ended yet"
    if screen() is None:
        return shown(
            "\n".join(
                f"{r.key[:12]}  {r.kind:<11}{_state(r):<24}{_seconds(r):>11}  {r.label}" for r in records
            )
        )
    rows = [[r.key[:12], r.kind, _state(r), _seconds(r), r.label] for r in records]
    return shown(table(["unit", "kind", "ended", Column("took", rank=1), Column("label", flows=True)], rows))


class TracedUnit(ListedUnit):
    """The document of `drr study trace --json` for one unit."""

    schema: int
    message: str | None
    attempts: int
    started_at: float
    usage: Mapping[str, UsageRow]
    cost_usd: float | None
    key_fields: Mapping[str, Any]
    result: Mapping[str, Any]
    report: str | None
    form: str | None
    """The form block that was taken out of the report."""
    stderr: str | None
    """The end of the command's standard error."""
    transcript: list[ToldConversation] | None
    lost: list[str]
    """Names of texts that are no longer in the study."""


def document(study: Study, record: Record) -> TracedUnit:
    return {
        "schema": 1,
        **_listed(record),
        "message": record.message,
        "attempts": record.attempts,
        "started_at": record.started_at,
        "usage": record.usage,
        "cost_usd": record.making_usd,
        "key_fields": record.key_fields,
        "result": record.result,
        "report": study.kept_text(record, "report"),
        "form": study.kept_text(record, "form"),
        "stderr": study.kept_text(record, "stderr"),
        "transcript": _transcript(study, record) or None,
        "lost": study.lost(record),
    }


def text(study: Study, record: Record, *, full: bool) -> str:
    """Return one unit as text for a person; with `full`, tool results and conversations are shown whole."""
    calls = list(_calls(study, record, full=full))
    lines = [*map(flowed, (*_head(study, record), *_usage(record)))]
    lines += calls if full else [flowed(call, 8) for call in calls]
    lines += _end(study, record)
    if record.kind == "answer" and record.done and not study.lost(record):
        lines += _judged(study, record)
    if full:
        lines += _conversations(study, record)
    if form := study.kept_text(record, "form"):
        problem = read_form(form, questions(study).get(str(record.spec.get("query_id")))).problem
        unread = f"cannot be read and pays nothing ({problem}): " if problem else ""
        lines.append(f"  form: {unread}{' '.join(form.split())}")
    if stderr := study.kept_text(record, "stderr"):
        last = stderr.strip().split("\n")
        kept = last if full else last[-_LAST_LINES:]
        lines += ["  on standard error:", *(f"    {line}" for line in kept)]
    trace = study.kept_text(record, "traceback")
    if trace is not None:
        lines += ["", trace] if full else ["  a bug; --full shows where in the code"]
    return shown("\n".join(lines))


def _head(study: Study, record: Record) -> Iterator[str]:
    yield f"{record.label}  ({record.kind}, {record.key[:12]})"
    if record.spec.get("query"):
        yield f"  {record.spec['query']}"
    begun = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    state = _state(record) if record.reason is None else f"{_state(record)}: {record.message}"
    if record.made_elsewhere:
        yield f"  {state}; made elsewhere and taken in {begun}, attempt {record.attempts}"
        if not record.usage:
            yield "  what it cost and how long it took is unknown"
    else:
        yield f"  {state}; began {begun}, took {_seconds(record)}, attempt {record.attempts}"
    if lost := study.lost(record):
        yield f"  lost: {', '.join(lost)}; left out everywhere, `drr run {study.folder} --retry-failed` computes it again"
    if record.result.get("rule_written"):
        yield "  written by rules, not by an LLM"


def _seconds(record: Record) -> str:
    seconds = record.making_seconds
    return "unknown" if seconds is None else f"{seconds:.1f} s"


def _state(record: Record) -> str:
    return record.status if record.reason is None else f"{record.status} ({record.reason})"


def _usage(record: Record) -> Iterator[str]:
    for role, used in record.usage.items():
        cost = "cost unknown" if used["cost_usd"] is None else f"${used['cost_usd']:.4f}"
        if used["unmetered"] and not used["calls"]:
            yield f"  {role}: what model it asked, and how often, is not known"
            continue
        yield (
            f"  {role} ({used['model']}): {used['calls']} calls, {used['input_tokens']:,} tokens in, "
            f"{used['output_tokens']:,} out, {used['seconds']:.1f} s, {cost}"
        )


def _end(study: Study, record: Record) -> Iterator[str]:
    if record.result.get("stop_reason"):
        yield f"  stopped: {record.result['stop_reason']}"
    made_up = [one["url"] for one in record.result.get("fabricated") or []]
    if made_up:
        addresses = "1 cited address" if len(made_up) == 1 else f"{len(made_up)} cited addresses"
        line = f"  fabricated: {addresses} that no tool returned: {', '.join(made_up[:5])}"
        yield flowed(line)
    if refused := refusal_text(record.result.get("tool_calls") or []):
        yield flowed(f"  {refused}")
    for note in record.result.get("notes") or []:
        yield flowed(f"  note: {note}")
    report = study.kept_text(record, "report")
    if report is not None:
        yield from ("", "--- report ---", report)
    elif record.kind != "answer":
        yield from ("", json.dumps(record.result, indent=2, ensure_ascii=False, sort_keys=True))


def _judged(study: Study, record: Record) -> Iterator[str]:
    """Yield an answer's grades, broken rules and doubtful claims as lines, from the judging run that a report shows."""
    from drr.eval.evidence.answers import answer_of, questions
    from drr.eval.judging.read import choose_judging, read_judged

    answers = [answer_of(study, record, questions(study))]
    own = [one for one in study.records("judgement", None) if one.key_fields.get("answer") == record.key]
    judged = read_judged(study, choose_judging(study), answers=answers, among=own)
    if judged.judging is not None and (grades := judged.ratings.get(record.key)):
        given = (
            f"{name.replace('_', ' ')} {'-' if one.value is None else one.value}"
            for name, one in grades.items()
        )
        yield from ("", flowed(f"--- grades of {judged.judging.judge}, 0 to 10: {', '.join(given)} ---"))
        if (whole := grades.get("overall")) is not None:
            yield flowed(f"  overall: {whole.justification or whole.reason}", 8)
    broken = [
        (name, row) for name, row in (judged.rules.get(record.key) or {}).items() if row["status"] == "fail"
    ]
    if broken:
        yield from ("", "--- broken rules ---")
    for name, row in broken:
        yield flowed(f"  {name}: {'; '.join(dict.fromkeys(row['evidence'])) or row['value']}", 8)
    yield from _doubted(judged)


def _doubted(judged: Judged) -> Iterator[str]:
    """Yield the cited claims whose sources do not support them in full, as lines."""
    from drr.eval.judging.read import citation_lines

    cited = list(citation_lines(judged))
    open_ = [line for line in cited if line["together"] != "full"]
    if cited:
        claims = many(len({line["claim"] for line in cited}), "cited claim")
        yield from (
            "",
            f"--- not supported in full: {len({line['claim'] for line in open_})} of {claims} ---",
        )
    for line in open_:
        yield f"  {line['together'] or 'unjudged'}: {line['text']}"
        yield flowed(f"      {line['url']}: {line['reason']}", 8)


def _conversations(study: Study, record: Record) -> Iterator[str]:
    for conversation in _transcript(study, record):
        yield from ("", f"--- conversation {conversation['name']} ---")
        for message in conversation["messages"]:
            calls = (f"\n  -> {call['name']}({call['args']})" for call in message.get("tool_calls", []))
            yield f"[{message['role']}] {message['text']}{''.join(calls)}"


def _transcript(study: Study, record: Record) -> list[ToldConversation]:
    return json.loads(study.kept_text(record, "transcript") or "[]") or []


def _calls(study: Study, record: Record, *, full: bool) -> Iterator[str]:
    """Yield the tool calls as lines; a call of an imported report shows only what the other system recorded."""
    for number, call in enumerate(record.result.get("tool_calls") or [], 1):
        given = ", ".join(f"{name}={value!r}" for name, value in (call.get("arguments") or {}).items())
        given = given if full else excerpt(given, _GIVEN_LENGTH)
        who = f" [{call['researcher']}]" if call.get("researcher") else ""
        kept, seconds = call.get("result_sha256"), call.get("seconds")
        text = study.kept_text(record, f"text:{kept}") if kept else call.get("result")
        shown = (text or "") if full else excerpt(" ".join((text or "").split()), _SHOWN_LENGTH)
        error = call.get("error")
        mark = "ok  " if error is None else f"FAIL ({error.get('kind') or 'unknown'}) "
        took = "" if seconds is None else f"  {seconds * 1000:.0f} ms"
        yield f"  {call.get('number') or number:>3}{who} {call.get('name') or 'unnamed'}({given}){took}"
        yield f"        {mark}{shown}"
