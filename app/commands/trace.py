"""`drr trace`: one unit of a study as a timeline."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drr.study.study import Study
    from drr.study.unit import Record

_EXAMPLES = """\
UNIT is the beginning of a unit's key, or its label (query/variant/trial); without it the units are listed.

examples:
  drr trace study
  drr trace study 3fa9
  drr trace study q-5f2c6a0d7f3c1b9e/react+ws/0 --full
"""


def build(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path)
    parser.add_argument("unit", metavar="UNIT", nargs="?")
    parser.add_argument("--full", action="store_true", help="whole tool results and conversations")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def run(arguments: argparse.Namespace) -> int:
    from drr.app.console import print_json
    from drr.study.study import Study

    with Study.open(arguments.study) as study:
        if arguments.unit is None:
            return _list(study, arguments.json)
        record = _find(study, arguments.unit)
        if arguments.json:
            print_json(_document(study, record))
        else:
            print(_plain(_render(study, record, full=arguments.full)))
    return 0


def _list(study: Study, as_json: bool) -> int:
    from drr.app.console import print_json

    records = sorted(study.records(status=None), key=lambda record: (record.kind, record.label, record.key))
    if as_json:
        names = ("key", "kind", "label", "status", "reason", "seconds")
        print_json({"schema": 1, "units": [{name: getattr(r, name) for name in names} for r in records]})
        return 0
    for r in records:
        state = r.status if r.reason is None else f"{r.status} ({r.reason})"
        print(_plain(f"{r.key[:12]}  {r.kind:<11}{state:<24}{r.seconds:>9.1f} s  {r.label}"))
    if not records:
        print("no unit has ended yet")
    return 0


def _find(study: Study, wanted: str) -> Record:
    from drr.env.errors import DrrError, Misuse

    found = study.ledger.find(wanted)
    if not found:
        raise Misuse(f"{study.folder}: no unit {wanted!r}; `drr trace {study.folder}` lists them")
    if len(found) > 1:
        some = ", ".join(f"{key[:12]} ({label})" for key, _, label in found[:4])
        raise Misuse(f"{study.folder}: {len(found)} units begin so: {some}; give more of the key")
    record = study.record(found[0][0])
    if record is None:
        raise DrrError(f"{study.folder}: {found[0][2]} has not ended yet; `drr status {study.folder}`")
    return record


def _document(study: Study, record: Record) -> dict[str, Any]:
    return {
        "schema": 1,
        "key": record.key,
        "kind": record.kind,
        "label": record.label,
        "status": record.status,
        "reason": record.reason,
        "message": record.message,
        "attempts": record.attempts,
        "seconds": record.seconds,
        "started_at": record.started_at,
        "usage": record.usage,
        "cost_usd": record.cost_usd,
        "key_fields": record.key_fields,
        "result": record.result,
        "report": study.text(record, "report"),
        "transcript": study.json(record, "transcript"),
    }


def _render(study: Study, record: Record, *, full: bool) -> str:
    from datetime import UTC, datetime

    lines = [f"{record.label}  ({record.kind}, {record.key[:12]})"]
    if record.spec.get("query"):
        lines.append(f"  {record.spec['query']}")
    begun = datetime.fromtimestamp(record.started_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    state = record.status if record.reason is None else f"{record.status} ({record.reason}): {record.message}"
    lines.append(f"  {state}; began {begun}, took {record.seconds:.1f} s, attempt {record.attempts}")
    if record.result.get("rule_written"):
        lines.append("  written by rules, not by an LLM")
    for role, used in record.usage.items():
        cost = "cost unknown" if used["cost_usd"] is None else f"${used['cost_usd']:.4f}"
        lines.append(
            f"  {role} ({used['model']}): {used['calls']} calls, {used['input_tokens']:,} tokens in, "
            f"{used['output_tokens']:,} out, {used['seconds']:.1f} s, {cost}"
        )
    lines += _timeline(study, record, full=full)
    if record.result.get("stop_reason"):
        lines.append(f"  stopped: {record.result['stop_reason']}")
    for note in record.result.get("notes") or []:
        lines.append(f"  note: {note}")
    report = study.text(record, "report")
    if report is not None:
        lines += ["", "--- report ---", report]
    elif record.kind != "answer":
        import json

        lines += ["", json.dumps(record.result, indent=2, ensure_ascii=False, sort_keys=True)]
    if full:
        for conversation in study.json(record, "transcript") or []:
            lines += ["", f"--- conversation {conversation['name']} ---"]
            lines += [f"[{m['role']}] {m['text']}{_calls_of(m)}" for m in conversation["messages"]]
    trace = study.text(record, "traceback")
    if trace is not None:
        lines += ["", trace]
    return "\n".join(lines)


def _timeline(study: Study, record: Record, *, full: bool) -> list[str]:
    lines = []
    for call in record.result.get("tool_calls") or []:
        given = ", ".join(f"{name}={value!r}" for name, value in call["arguments"].items())
        given = given if full or len(given) <= 100 else given[:99] + "…"
        who = f" [{call['researcher']}]" if call.get("researcher") else ""
        text = study.text(record, f"text:{call['result_sha256']}") or ""
        shown = text if full else " ".join(text.split())[:110]
        mark = "ok  " if call.get("error") is None else f"FAIL ({call['error']['kind']}) "
        lines.append(f"  {call['number']:>3}{who} {call['name']}({given})  {call['seconds'] * 1000:.0f} ms")
        lines.append(f"        {mark}{shown}")
    return lines


def _calls_of(message: dict[str, Any]) -> str:
    return "".join(f"\n  -> {call['name']}({call['args']})" for call in message.get("tool_calls", []))


def _plain(text: str) -> str:
    """What others wrote may not steer the terminal."""
    return "".join(c if c in "\n\t" or (c.isprintable()) else "�" for c in text)
