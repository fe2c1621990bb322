"""The command `drr ask`: one question, one cited report, and progress on standard error."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from drr.agents.base import CitationRepair
from drr.app.commands.parser import name_usual
from drr.app.console import add_setting_options, print_json, settings_of
from drr.app.models.setup import AGENT_SETTINGS
from drr.app.options import positive_float, positive_int
from drr.app.study.outcome import say_paper
from drr.app.study.study_plan import StudyPlan
from drr.app.study.terms import ProgramTerms, add_options
from drr.env.errors import DrrError, Misuse
from drr.env.files import opener
from drr.env.tool_calls import refusal_text
from drr.llm.names import NO_MODEL, OFFLINE
from drr.wording.excerpt import many

if TYPE_CHECKING:
    from drr.agents.base import AnswerRecord

_EXAMPLES = """\
A question may take 300,000 tokens: the research ends at half of that (--limits tokens=N), the rest is for the report.
Without --model the answer is written by rules (the `offline` model) and says so. Citations of addresses that no tool
returned are taken out of the report; --citation-repair off leaves them in.

examples:
  drr ask 'Which quiet dog nail grinder is best for under $40?' --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1
  drr ask "Which bird bath lasts?" --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --variant hybrid-react+ws --model anthropic:claude-sonnet-5-5 --out report.md
  drr ask "Which bird bath lasts?" --shop demo/shop --user AFZHL9ZQA6OAQAEZ592CHS7H02Q1 --json
"""

_USUAL = (
    *("--shop", "--user", "--variant", "--model", "--base-url", "--out", "--budget", "--citation-repair"),
    *("--json", "--quiet"),
)
"""Options that the short help shows; `--help-all` shows the others."""


def build(parser: argparse.ArgumentParser) -> None:
    from drr.app.ask import CEILING

    add = parser.add_argument
    parser.epilog = _EXAMPLES
    name_usual(parser, *_USUAL)
    add("question", metavar="QUESTION", help="what is asked, in quotation marks")
    add("--shop", metavar="SHOP", required=True, help="a folder, or servers:NAME")
    add("--user", metavar="U", required=True, help="whose question it is")
    add(
        "--variant",
        metavar="NAME",
        default="react",
        help="a name of `drr variants`, file.py:function, 'cmd:COMMAND' or inspect:NAME (default: react)",
    )
    add("--out", metavar="FILE", type=Path, help="write the report there (default: standard output)")
    add(
        "--citation-repair",
        choices=get_args(CitationRepair),
        default="remove",
        help="what becomes of citations that no tool returned: left, taken out, or asked again (default: remove)",
    )
    add_options(parser, StudyPlan, "references")
    add("--json", action="store_true", help="print one JSON document")
    add("--quiet", action="store_true", help="no progress")
    add_options(parser, StudyPlan, "limits")
    add(
        "--budget",
        type=positive_float,
        metavar="USD",
        help="most dollars that the question may cost (default: no limit)",
    )
    add(
        "--budget-tokens",
        type=positive_int,
        metavar="N",
        default=CEILING,
        help=f"most tokens that it may take (default {CEILING:,})",
    )
    add_options(parser, ProgramTerms)
    add_setting_options(parser, *AGENT_SETTINGS)


def run(arguments: argparse.Namespace) -> int:
    from drr.app.ask import ask, check_question, check_variant, event_printer

    check_question(arguments.question)
    if arguments.out is not None and arguments.out.is_dir():
        raise Misuse(f"{arguments.out}: is a folder; give a file, e.g. {arguments.out / 'report.md'}")
    check_variant(arguments.variant)
    settings = settings_of(arguments).settings
    say_paper(settings)
    plan = StudyPlan.of(arguments, variants=arguments.variant)
    with event_printer(arguments.quiet) as listener:
        answer = ask(arguments.question, arguments.user, plan, settings, listener)
    if arguments.json:
        print_json(answer.document())
    elif answer.record.stderr and not answer.report:
        print(f"the command's standard error:\n{answer.record.stderr.rstrip()}", file=sys.stderr)
    elif arguments.out is None:
        sys.stdout.write(answer.report)
    if arguments.out is not None and answer.report:
        _write(arguments.out, answer.report, shown=arguments.json)
    if answer.report and not arguments.quiet:
        print(_summary(answer.record, arguments.out), file=sys.stderr)
    if answer.failure is not None:
        raise answer.failure
    return 0


def _write(path: Path, report: str, *, shown: bool) -> None:
    """Write the report to a file. One that cannot be written is printed, as a report that was paid for is never lost."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8", opener=opener) as file:
            file.write(report)
    except OSError as error:
        if not shown:
            sys.stdout.write(report)
        raise DrrError(
            f"{path}: cannot be written ({error.strerror}); the report is on standard output"
        ) from error


def _model_words(record: AnswerRecord) -> str:
    """Return words that name the model behind a report. A user's own agent may have called no model, without rules having written anything."""
    if record.models["agent"] in (OFFLINE, NO_MODEL):
        return f"with {OFFLINE} (rules, no LLM)" if record.rule_written else "without a model"
    return f"with {record.models['agent']}"


def _summary(record: AnswerRecord, out: Path | None) -> str:
    tokens = sum(role["input_tokens"] + role["output_tokens"] for role in record.usage.values())
    counted = bool(record.usage) and not any(role["unmetered"] for role in record.usage.values())
    costs = [role["cost_usd"] for role in record.usage.values()]
    known = [cost for cost in costs if cost is not None]
    cost = "unknown" if not costs or len(known) < len(costs) else f"${sum(known):.4f}"
    calls = sum(1 for call in record.tool_calls if call.kind == "api")
    lines = [
        f"{record.variant} {_model_words(record)}:"
        f" {record.words:,} words, {many(calls, 'tool call')}, {f'{tokens:,}' if counted else 'unknown'} tokens, cost {cost}, {record.seconds:.1f} s;"
        f" ended as {record.stop_reason.replace('_', ' ')}"
    ]
    lines += [f"researcher {f.researcher} failed ({f.kind}): {f.message}" for f in record.failures]
    if record.fabricated:
        kept = "taken out" if record.removed_citations else "left in"
        lines.append(
            f"cited but returned by no tool, {kept}: {', '.join(one.url for one in record.fabricated)}"
        )
    if lost := [one for one in record.removed_citations if one.startswith("[")]:
        lines.append(f"cited without a source, taken out: {', '.join(lost)}")
    rows = [call.model_dump(include={"name", "kind", "error"}) for call in record.tool_calls]
    lines += [*filter(None, [refusal_text(rows)]), *record.notes]
    if out is not None:
        lines.append(f"written to {out}")
    return "\n".join(lines)
