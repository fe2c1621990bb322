"""The commands `drr study status`, `trace` and `export`: the state of a study, one unit as a timeline, its tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from drr.app.commands.table import CommandForm
from drr.app.console import print_document
from drr.app.notices import notice
from drr.app.study import timeline
from drr.app.study.foreign import export_foreign, exported_lines
from drr.app.study.outcome import without_lost_answers
from drr.app.terminal import plain
from drr.env.errors import DrrError, Misuse
from drr.env.plugins import examples_of
from drr.eval.foreign.registry import format_places
from drr.study.unit import Record
from drr.wording.excerpt import excerpt, many

if TYPE_CHECKING:
    from drr.study.status import StudyStatus
    from drr.study.study import Study


_EXAMPLES = """\
examples:
  drr study status study
  drr study status study --json
"""


def _build_status(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("study", metavar="STUDY", type=Path, help="the folder of the study")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _run_status(arguments: argparse.Namespace) -> int:
    from drr.study.config import what_was_given_up
    from drr.study.status import status
    from drr.study.study import Study

    with Study.read(arguments.study) as study:
        document, given_up = status(study), what_was_given_up(study.config)
    print_document(
        arguments, document, "\n".join(filter(None, [_render(arguments.study, document), given_up]))
    )
    return 0


def _render(folder: Path, document: StudyStatus) -> str:
    lines = [f"{folder}", *_unit_lines(document)]
    for role, used in document.usage.by_role.items():
        read = f"{used.input_tokens:,} tokens in ({used.cache_read_tokens:,} from cache)"
        lines.append(f"  {role}: {used.calls:,} calls, {read}, {used.output_tokens:,} out")
    if document.unjudged:
        lines.append(f"  not judged yet: {many(document.unjudged, 'answer')}; `drr judge {folder}`")
    lines.append(f"  cost: {_cost(document)}{_of_others(document)}")
    if budget := document.budget:
        limits = [] if budget.usd is None else [f"${budget.usd:,.2f}"]
        limits += [] if budget.tokens is None else [f"{budget.tokens:,} tokens"]
        lines.append(f"  budget: {' and '.join(limits)}")
    if document.in_process:
        lines.append(
            f"  in process: {document.in_process} ran as part of this program, not in a process of its own"
        )
    if document.stopped:
        lines.append(f"  stopped: {document.stopped}; `drr run {folder}` continues")
    return "\n".join(lines)


def _of_others(document: StudyStatus) -> str:
    """Return a clause that names the answers whose cost is unknown; empty if there are none."""
    imported, aside = document.imported, document.uncounted_aside
    uncounted = document.uncounted - aside
    parts = [f"the {many(imported, 'imported answer')}"] if imported else []
    parts += [f"{many(uncounted, 'answer')} made without a model of ours"] if uncounted else []
    parts += [f"{many(aside, 'such answer')} set aside"] if aside else []
    return f"; what {' and '.join(parts)} cost is unknown" if parts else ""


def _cost(document: StudyStatus) -> str:
    """Return the known cost as text, with the most that may have been billed."""
    cost, most = document.cost_usd, document.cost_usd_at_most
    tokens, most_tokens = document.spent_tokens, document.spent_tokens_at_most
    if cost is None or most is None:
        known, at_most = "unknown (a model without a known price)", f"{most_tokens:,} tokens"
    else:
        known, at_most = f"${cost:,.4f}", f"${most:,.4f}"
    if most_tokens == tokens:
        return known
    beside = "known" if cost is not None else f"{tokens:,} tokens known"
    return f"{known} {beside}, at most {at_most}: some calls were cut off or are under way, and may be billed"


def _unit_lines(document: StudyStatus) -> Iterator[str]:
    for kind, counts in document.by_kind.items():
        if counts.total:
            yield (
                f"  {kind:<12}{counts.total:>7,}  {counts.done:,} done, {counts.failed:,} failed, "
                f"{counts.running:,} running, {counts.pending:,} pending"
            )
    if not any(counts.total for counts in document.by_kind.values()):
        yield "  no units yet"
    for kind, count in document.failures.items():
        first = document.first_failures.get(kind)
        which = ", the first" if count > 1 else ""
        cause = f"{which}: {excerpt(plain(first.message), 200)} ({first.key[:12]})" if first else ""
        yield f"  failed: {kind} {count:,}{cause}"
    if lost := document.lost:
        some = ", ".join(lost[:3]) + (" and others" if len(lost) > 3 else "")
        yield f"  lost: {len(lost):,} answers lack texts and are left out ({some}); `drr run STUDY --retry-failed` computes them again"
    made_up = document.fabricated
    if made_up.addresses:
        addresses = f"{made_up.addresses:,} cited address{'' if made_up.addresses == 1 else 'es'}"
        yield f"  fabricated: {addresses} that no tool returned, in {many(made_up.answers, 'answer')}"
    if document.refused.calls:
        calls, answers = many(document.refused.calls, "tool call"), many(document.refused.answers, "answer")
        yield f"  refused: {calls} in {answers}; `drr study trace` and `drr view` say why"


_TRACE_EXAMPLES = """\
UNIT is the beginning of a unit's key, or its label (query/variant/trial); without it the units are listed.

examples:
  drr study trace study
  drr study trace study 3fa9
  drr study trace study q-5f2c6a0d7f3c1b9e/react+ws/0 --full
"""


def _build_trace(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _TRACE_EXAMPLES
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add(
        "unit",
        metavar="UNIT",
        nargs="?",
        help="the beginning of a unit's key (default: all units are listed)",
    )
    add(
        "--full",
        action="store_true",
        help="whole tool results and conversations; in the list every judgement",
    )
    add("--json", action="store_true", help="one JSON document")


def _run_trace(arguments: argparse.Namespace) -> int:
    from drr.study.study import Study

    with Study.read(arguments.study) as study:
        if arguments.unit is None:
            records = timeline.ended_units(study)
            shown = timeline.without_judgements(records, full=arguments.full)
            print_document(arguments, timeline.unit_rows(records), timeline.unit_list_text(shown))
            if left := len(records) - len(shown):
                which = f"{many(left, 'finished judgement')} {'is' if left == 1 else 'are'}"
                notice(f"{arguments.study}: {which} not listed here; --full lists all")
            return 0
        record = _find(study, arguments.unit)
        print_document(
            arguments, timeline.document(study, record), timeline.text(study, record, full=arguments.full)
        )
    return 0


def _find(study: Study, wanted: str) -> Record:
    found = study.ledger.units.find(wanted)
    if not found:
        raise Misuse(f"{study.folder}: no unit {wanted!r}; `drr study trace {study.folder}` lists them")
    if len(found) > 1:
        some = ", ".join(f"{key[:12]} ({label})" for key, _, label in found[:4])
        raise Misuse(f"{study.folder}: {len(found)} units begin so: {some}; give more of the key")
    record = study.record(found[0][0])
    if record is None:
        raise DrrError(f"{study.folder}: {found[0][2]} has not ended yet; `drr study status {study.folder}`")
    return record


_EXPORT_EXAMPLES = """\
Writes units, tool_calls, sources and usage, each as .jsonl and .parquet, in key order. With --format: reports and questions in the
files of another benchmark, to be judged there; what these have no room for is said.

examples:
  drr study export study --out tables
  drr study export study --out tables --canonical    # without wall-clock facts: equal studies give equal bytes
  drr study export study --out theirs --format drb       # of DeepResearch Bench, or of a paper
"""


def _build_export(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    parser.epilog = _EXPORT_EXAMPLES + examples_of("study export")
    add("study", metavar="STUDY", type=Path, help="the folder of the study")
    add("--out", metavar="DIR", type=Path, required=True, help="the folder that is written")
    add("--canonical", action="store_true", help="leave out times, attempts and retries")
    add("--format", metavar="NAME", help=f"whose files are written: {', '.join(format_places())}")
    add("--json", action="store_true", help="one JSON document")


def _run_export(arguments: argparse.Namespace) -> int:
    from drr.study.export import export
    from drr.study.study import Study

    out: Path = arguments.out
    if out.exists() and not out.is_dir():
        raise Misuse(f"{out}: a file; name a folder")
    if arguments.format is not None and arguments.canonical:
        raise Misuse("--canonical is for our own tables; files of others hold no times")
    with Study.read(arguments.study) as study:
        if arguments.format is not None:
            theirs = without_lost_answers(study, lambda: export_foreign(study, out, arguments.format))
            print_document(arguments, theirs, *exported_lines(theirs))
            return 0
        counts = without_lost_answers(study, lambda: export(study, out, canonical=arguments.canonical))
        lost = sorted(loss.label for loss in study.losses.values())
    print_document(
        arguments,
        {"schema": 1, "out": str(out), "rows": counts, "canonical": arguments.canonical, "lost": lost},
        f"{out}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}",
    )
    return 0


STATUS = CommandForm(_build_status, _run_status)
TRACE = CommandForm(_build_trace, _run_trace)
EXPORT = CommandForm(_build_export, _run_export)
